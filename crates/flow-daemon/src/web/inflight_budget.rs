//! Limits the memory of large answers that are being sent.
//!
//! It counts bytes and knows no resource. Small answers are not counted: the number of connections bounds them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::StatusCode;
use serde_json::Map;

use super::reply::{BodyOwner, LARGE, Reply};
use crate::store::prepared::InFlight;

/// The bytes in use, and the limit.
#[derive(Debug)]
pub(super) struct InflightBudget {
    taken: Arc<AtomicUsize>,
    most: usize,
}

impl InflightBudget {
    /// A budget of `most` bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { taken: Arc::default(), most }
    }

    /// Counts an answer until its last byte is sent or the connection ends.
    ///
    /// # Errors
    /// The answer to send instead when the budget is exhausted.
    pub(super) fn admit(&self, reply: Reply) -> Result<Reply, Reply> {
        if reply.body.len() <= LARGE {
            return Ok(reply);
        }
        let permit = match &reply.owner {
            BodyOwner::Answer => self.reserve(reply.body.len()),
            BodyOwner::Shared { with, bytes } => self.join(with, *bytes),
        };
        let permit = permit.ok_or_else(busy)?;
        let body = Bytes::from_owner(Sent { body: reply.body, _permit: permit });
        Ok(Reply { body, ..reply })
    }

    fn reserve(&self, bytes: usize) -> Option<Permit> {
        let more = |taken| self.fits(taken, bytes).then_some(taken.saturating_add(bytes));
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Permit { taken: Arc::clone(&self.taken), in_flight: None, bytes })
    }

    /// A body that is already being sent to others takes no more memory. Simultaneous first requests may all be
    /// admitted, at most one per thread.
    fn join(&self, in_flight: &InFlight, bytes: usize) -> Option<Permit> {
        let is_new = in_flight.load(Ordering::Acquire) == 0;
        if is_new && !self.fits(self.taken.load(Ordering::Relaxed), bytes) {
            return None;
        }
        if in_flight.fetch_add(1, Ordering::AcqRel) == 0 {
            self.taken.fetch_add(bytes, Ordering::Relaxed);
        }
        let in_flight = Some(Arc::clone(in_flight));
        Some(Permit { taken: Arc::clone(&self.taken), in_flight, bytes })
    }

    /// A single answer is always admitted, whatever its size: it could never be sent otherwise.
    fn fits(&self, taken: usize, bytes: usize) -> bool {
        taken == 0 || taken.saturating_add(bytes) <= self.most
    }
}

/// A body that is counted as long as hyper holds it.
struct Sent {
    body: Bytes,
    _permit: Permit,
}

impl AsRef<[u8]> for Sent {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// A part of the budget, released on drop; shared bytes are released by their last user.
#[derive(Debug)]
struct Permit {
    taken: Arc<AtomicUsize>,
    in_flight: Option<InFlight>,
    bytes: usize,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let is_last = |in_flight: &InFlight| in_flight.fetch_sub(1, Ordering::AcqRel) == 1;
        if self.in_flight.as_ref().is_none_or(is_last) {
            self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

fn busy() -> Reply {
    Reply::error(
        StatusCode::SERVICE_UNAVAILABLE,
        "too_many_large_answers",
        "too many large responses are in flight; try again in a second, or request a smaller page",
        Map::new(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: usize = LARGE + 1;

    fn reply_of(bytes: usize) -> Reply {
        Reply::json(vec![b'x'; bytes].into())
    }

    fn taken(budget: &InflightBudget) -> usize {
        budget.taken.load(Ordering::Relaxed)
    }

    #[test]
    fn the_bound_holds_and_everything_is_given_back() {
        let budget = InflightBudget::new(2 * ONE);
        let two = [budget.admit(reply_of(ONE)).unwrap(), budget.admit(reply_of(ONE)).unwrap()];
        let part = two[1].body.slice(10..20);
        assert_eq!(taken(&budget), 2 * ONE);
        assert_eq!(budget.admit(reply_of(ONE)).unwrap_err().status, 503);
        assert_eq!(budget.admit(reply_of(LARGE)).unwrap().body.len(), LARGE);
        drop(two);
        assert_eq!(taken(&budget), ONE, "a part holds the whole");
        drop(part);
        assert_eq!(taken(&budget), 0);
        let alone = budget.admit(reply_of(5 * ONE)).unwrap();
        assert!(budget.admit(reply_of(ONE)).is_err());
        drop(alone);
        assert!(budget.admit(reply_of(ONE)).is_ok());
    }

    #[test]
    fn one_body_for_many_is_counted_once() {
        let budget = InflightBudget::new(2 * ONE);
        let body = reply_of(ONE).body;
        let (old, new) = (InFlight::default(), InFlight::default());
        let ask = |in_flight: &InFlight| {
            budget.admit(Reply::json(body.clone()).shared_with(in_flight, 2 * ONE))
        };
        let many: Vec<Reply> = (0..100).map(|_| ask(&old).unwrap()).collect();
        assert_eq!(taken(&budget), 2 * ONE);
        assert!(ask(&new).is_err() && budget.admit(reply_of(ONE)).is_err());
        assert!(ask(&old).is_ok());
        drop(many);
        assert_eq!(taken(&budget), 0);
        assert!(ask(&new).is_ok());
    }

    #[test]
    fn threads_leave_nothing_behind() {
        let budget = InflightBudget::new(3 * ONE);
        let body = reply_of(ONE).body;
        let in_flight = InFlight::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        let shared = Reply::json(body.clone()).shared_with(&in_flight, ONE);
                        drop(budget.admit(shared));
                        drop(budget.admit(Reply::json(body.clone())));
                    }
                });
            }
        });
        assert_eq!((taken(&budget), in_flight.load(Ordering::Relaxed)), (0, 0));
    }
}
