//! A cache of the answers to queries about one file, valid until the file's content changes. A repeated query costs as
//! much as a prepared body. The table has a fixed size and evicts; it takes no lock.
//!
//! Memory: at most [`SLOTS`] bodies of [`LARGEST`] bytes, 4 MiB for each of the three documents and the log.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::prepared::Prepared;

/// Number of answers that are cached for one file.
pub const SLOTS: usize = 32;
/// Largest body that is cached, in bytes.
pub const LARGEST: usize = 128 * 1024;
/// Longest query whose answer is cached, in bytes.
pub const LONGEST_QUERY: usize = 1024;

/// A query and its answer.
#[derive(Debug)]
pub struct Answer {
    path: &'static str,
    query: Box<str>,
    /// Body and validator.
    pub prepared: Prepared,
    /// Value of the `Link` header, if there is one.
    pub link: Option<Bytes>,
}

/// A place of the table.
#[derive(Default)]
struct Slot {
    /// The hash of the query whose answer was put here last. Lets most misses skip loading the answer, which is several times
    /// slower; it may be wrong for the moment in which another answer is put here.
    hash: AtomicU64,
    answer: ArcSwapOption<Answer>,
}

/// The cached answers.
#[derive(Default)]
pub struct Answers([Slot; SLOTS]);

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.0.iter().filter(|slot| slot.answer.load().is_some()).count();
        f.debug_tuple("Answers").field(&kept).finish()
    }
}

impl Answers {
    /// The cached answer to a query, which must be spelled in the same way.
    pub fn get(&self, path: &str, query: &str) -> Option<Arc<Answer>> {
        let is_it = |answer: &Answer| *answer.query == *query && answer.path == path;
        let hash = hash(path, query);
        let at = |place: usize| {
            let slot =
                self.0.get(place).filter(|slot| slot.hash.load(Ordering::Relaxed) == hash)?;
            let answer = slot.answer.load();
            answer.as_ref().filter(|answer| is_it(answer)).map(Arc::clone)
        };
        let [first, second] = places(hash);
        at(first).or_else(|| at(second))
    }

    /// Caches an answer. If both of its slots are in use, it replaces one of them.
    pub fn keep(&self, path: &'static str, query: &str, prepared: Prepared, link: Option<Bytes>) {
        let linked = link.as_ref().map_or(0, Bytes::len);
        if prepared.body.len() + linked > LARGEST || query.len() > LONGEST_QUERY {
            return;
        }
        let hash = hash(path, query);
        let [first, second] = places(hash);
        let is_free =
            |place: usize| self.0.get(place).is_some_and(|slot| slot.answer.load().is_none());
        let place = if !is_free(first) && is_free(second) { second } else { first };
        if let Some(slot) = self.0.get(place) {
            slot.hash.store(hash, Ordering::Relaxed);
            let answer = Answer { path, query: query.into(), prepared, link };
            slot.answer.store(Some(Arc::new(answer)));
        }
    }
}

fn hash(path: &str, query: &str) -> u64 {
    // The length distinguishes the lists of one file.
    xxh3_64_with_seed(query.as_bytes(), path.len() as u64)
}

/// The two slots in which the answer to a query with this hash may be.
fn places(hash: u64) -> [usize; 2] {
    let place = |hash: u64| usize::try_from(hash % SLOTS as u64).unwrap_or_default();
    [place(hash), place(hash >> 32)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(body: &str) -> Prepared {
        Prepared::new(body.to_owned().into(), Bytes::from_static(b"\"t\""))
    }

    fn body(answers: &Answers, path: &str, query: &str) -> Option<String> {
        let answer = answers.get(path, query)?;
        Some(String::from_utf8(answer.prepared.body.to_vec()).unwrap())
    }

    #[test]
    fn an_answer_is_of_its_path_and_query_alone() {
        let answers = Answers::default();
        for (path, query) in [("/a", "x=1"), ("/b", "x=1"), ("/a", "x=2"), ("/a", "")] {
            answers.keep(path, query, prepared(&format!("{path}?{query}")), None);
            assert_eq!(body(&answers, path, query), Some(format!("{path}?{query}")));
        }
        assert_eq!(body(&answers, "/a", "x=3"), None);
        // The same hash, since the paths have the same length.
        assert_eq!(body(&answers, "/c", "x=2"), None);
    }

    #[test]
    fn any_number_of_answers_takes_a_fixed_number_of_places() {
        let answers = Answers::default();
        let queries: Vec<String> = (0..10 * SLOTS).map(|n| format!("q={n}")).collect();
        for query in &queries {
            answers.keep("/a", query, prepared(query), None);
            assert_eq!(body(&answers, "/a", query).as_ref(), Some(query), "the newest one stays");
        }
        let kept = queries.iter().filter(|query| answers.get("/a", query).is_some()).count();
        assert!((SLOTS / 2..=SLOTS).contains(&kept), "{kept}");
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        let answers = Answers::default();
        answers.keep("/a", "largest", prepared(&"x".repeat(LARGEST)), None);
        answers.keep("/a", "larger", prepared(&"x".repeat(LARGEST + 1)), None);
        answers.keep("/a", "linked", prepared(&"x".repeat(LARGEST)), Some("l".into()));
        let long = "q".repeat(LONGEST_QUERY + 1);
        answers.keep("/a", &long, prepared("x"), None);
        assert!(answers.get("/a", "largest").is_some());
        for query in ["larger", "linked", &long] {
            assert!(answers.get("/a", query).is_none());
        }
    }

    #[test]
    fn threads_find_whole_answers() {
        let answers = Answers::default();
        std::thread::scope(|scope| {
            for thread in 0..4_usize {
                let answers = &answers;
                scope.spawn(move || {
                    for n in 0..5_000 {
                        let query = format!("q={}", (n + thread) % 100);
                        if let Some(found) = body(answers, "/a", &query) {
                            assert_eq!(found, query);
                        }
                        answers.keep("/a", &query, prepared(&query), None);
                    }
                });
            }
        });
    }
}
