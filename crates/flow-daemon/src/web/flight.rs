//! Large answers on their way: how many bytes of memory they take together, and when one more is too much.
//!
//! It counts and knows no resource. Small answers pass uncounted: what they take is bounded by the connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::StatusCode;
use serde_json::Map;

use super::reply::{Copy, LARGE, Reply};
use crate::store::snapshot::Sharers;

/// The bytes that are taken, and how many may be.
#[derive(Debug)]
pub(super) struct Flight {
    taken: Arc<AtomicUsize>,
    most: usize,
}

impl Flight {
    /// Room for so many bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { taken: Arc::default(), most }
    }

    /// Counts an answer until the last byte of it is sent, or given up.
    ///
    /// # Errors
    /// What to say in its place where there is no room for it.
    pub(super) fn admit(&self, reply: Reply) -> Result<Reply, Reply> {
        if reply.body.len() <= LARGE {
            return Ok(reply);
        }
        let ticket = match &reply.copy {
            Copy::Own => self.reserve(reply.body.len()),
            Copy::Shared { with, bytes } => self.join(with, *bytes),
        };
        let ticket = ticket.ok_or_else(busy)?;
        let body = Bytes::from_owner(Sent { body: reply.body, _ticket: ticket });
        Ok(Reply { body, ..reply })
    }

    fn reserve(&self, bytes: usize) -> Option<Ticket> {
        let more = |taken| self.fits(taken, bytes).then_some(taken.saturating_add(bytes));
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Ticket { taken: Arc::clone(&self.taken), sharers: None, bytes })
    }

    /// Who asks for what is on its way to others already takes nothing more. Several who are the first at the same moment
    /// may all be let in: that is one for each thread at most.
    fn join(&self, sharers: &Sharers, bytes: usize) -> Option<Ticket> {
        let is_new = sharers.load(Ordering::Acquire) == 0;
        if is_new && !self.fits(self.taken.load(Ordering::Relaxed), bytes) {
            return None;
        }
        if sharers.fetch_add(1, Ordering::AcqRel) == 0 {
            self.taken.fetch_add(bytes, Ordering::Relaxed);
        }
        let sharers = Some(Arc::clone(sharers));
        Some(Ticket { taken: Arc::clone(&self.taken), sharers, bytes })
    }

    /// One alone is always let in, however large: it could never be answered else.
    fn fits(&self, taken: usize, bytes: usize) -> bool {
        taken == 0 || taken.saturating_add(bytes) <= self.most
    }
}

/// A body that is counted for as long as hyper has it.
struct Sent {
    body: Bytes,
    _ticket: Ticket,
}

impl AsRef<[u8]> for Sent {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// The right to so many bytes, given back when it is dropped; of those who share them, by the last.
#[derive(Debug)]
struct Ticket {
    taken: Arc<AtomicUsize>,
    sharers: Option<Sharers>,
    bytes: usize,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let is_last = |sharers: &Sharers| sharers.fetch_sub(1, Ordering::AcqRel) == 1;
        if self.sharers.as_ref().is_none_or(is_last) {
            self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

fn busy() -> Reply {
    Reply::error(
        StatusCode::SERVICE_UNAVAILABLE,
        "too_many_large_answers",
        "too many large answers are on their way; try again in a second, or ask for less",
        Map::new(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: usize = LARGE + 1;

    fn own(bytes: usize) -> Reply {
        Reply::json(vec![b'x'; bytes].into())
    }

    fn taken(flight: &Flight) -> usize {
        flight.taken.load(Ordering::Relaxed)
    }

    #[test]
    fn the_bound_holds_and_everything_is_given_back() {
        let flight = Flight::new(2 * ONE);
        let two = [flight.admit(own(ONE)).unwrap(), flight.admit(own(ONE)).unwrap()];
        let part = two[1].body.slice(10..20);
        assert_eq!(taken(&flight), 2 * ONE);
        assert_eq!(flight.admit(own(ONE)).unwrap_err().status, 503);
        assert_eq!(flight.admit(own(LARGE)).unwrap().body.len(), LARGE);
        drop(two);
        assert_eq!(taken(&flight), ONE, "a part holds the whole");
        drop(part);
        assert_eq!(taken(&flight), 0);
        let alone = flight.admit(own(5 * ONE)).unwrap();
        assert!(flight.admit(own(ONE)).is_err());
        drop(alone);
        assert!(flight.admit(own(ONE)).is_ok());
    }

    #[test]
    fn one_body_for_many_is_counted_once() {
        let flight = Flight::new(2 * ONE);
        let body = own(ONE).body;
        let (old, new) = (Sharers::default(), Sharers::default());
        let ask = |sharers: &Sharers| {
            flight.admit(Reply::json(body.clone()).shared_with(sharers, 2 * ONE))
        };
        let many: Vec<Reply> = (0..100).map(|_| ask(&old).unwrap()).collect();
        assert_eq!(taken(&flight), 2 * ONE);
        assert!(ask(&new).is_err() && flight.admit(own(ONE)).is_err());
        assert!(ask(&old).is_ok());
        drop(many);
        assert_eq!(taken(&flight), 0);
        assert!(ask(&new).is_ok());
    }

    #[test]
    fn threads_leave_nothing_behind() {
        let flight = Flight::new(3 * ONE);
        let body = own(ONE).body;
        let sharers = Sharers::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        let shared = Reply::json(body.clone()).shared_with(&sharers, ONE);
                        drop(flight.admit(shared));
                        drop(flight.admit(Reply::json(body.clone())));
                    }
                });
            }
        });
        assert_eq!((taken(&flight), sharers.load(Ordering::Relaxed)), (0, 0));
    }
}
