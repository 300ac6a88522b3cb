//! What a query may examine: the bytes of records that it reads, and the values that it counts. The limit is one of
//! amount, not of time, so that a query has the same answer on every machine.

use http::StatusCode;

use crate::model::bus::FIELDS;

use super::errors::context;
use super::query::Query;
use super::reply::Reply;

/// Bytes that a query may examine.
pub(super) const MOST_EXAMINED: u64 = 64 << 20;
/// Size of a file, in bytes, above which queries that examine its records run in a pool of their own.
pub(super) const LARGE_COLLECTION: u64 = 1 << 20;
/// Bytes that one value counts when it is counted for a facet, and one record when its dependencies are looked up or
/// its position is compared: what an entry of the indexes takes.
const VALUE: usize = 32;
/// Parameters for which records are examined, besides filters by indexed fields.
const EXAMINING: [&str; 6] = ["q", "sort", "fields", "facets", "buckets", "ready"];

/// What is left of the limit.
#[derive(Debug)]
pub(super) struct Examined {
    left: u64,
}

/// The limit would be exceeded.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooExpensive;

impl Examined {
    pub(super) fn new() -> Self {
        Self { left: MOST_EXAMINED }
    }

    /// Counts bytes before they are examined.
    ///
    /// # Errors
    /// When they exceed what is left.
    pub(super) fn bytes(&mut self, bytes: usize) -> Result<(), TooExpensive> {
        self.left = self.left.checked_sub(bytes as u64).ok_or(TooExpensive)?;
        Ok(())
    }

    /// Counts entries of indexes before they are examined.
    ///
    /// # Errors
    /// When they exceed what is left.
    pub(super) fn entries(&mut self, count: usize) -> Result<(), TooExpensive> {
        self.bytes(count.saturating_mul(VALUE))
    }
}

impl TooExpensive {
    /// The answer to such a query.
    pub(super) fn reply(query: &Query) -> Reply {
        let mut asked: Vec<&str> =
            EXAMINING.into_iter().filter(|name| !query.values(name).is_empty()).collect();
        if asked.is_empty() {
            // Messages are examined for a filter by a value that has no set of positions.
            let is_given =
                |name: &&str| !query.values(name).is_empty() || !query.excluded(name).is_empty();
            asked.extend(FIELDS.into_iter().filter(is_given));
        }
        let sentence = format!(
            "this query would examine more than {} MiB of records; narrow it by a filter, or omit some of {}",
            MOST_EXAMINED >> 20,
            asked.join(", ")
        );
        let context = context([("most_bytes", MOST_EXAMINED.into()), ("parameters", asked.into())]);
        Reply::error(StatusCode::SERVICE_UNAVAILABLE, "too_expensive", &sentence, context)
    }
}

/// Whether a raw query may examine records, beyond an index. A name with an escape is not decoded: it may be any.
pub(super) fn examines(raw: &str) -> bool {
    has_name(raw, &EXAMINING)
}

/// Whether a raw query may filter messages by an indexed field.
pub(super) fn filters_messages(raw: &str) -> bool {
    has_name(raw, &FIELDS)
}

fn has_name(raw: &str, names: &[&str]) -> bool {
    raw.split('&').any(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        name.contains('%') || names.contains(&name.trim_end_matches('!'))
    })
}
