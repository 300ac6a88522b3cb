//! Numbers of messages in each hour, day or week, for a chart, and of the most frequent values of a field among them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Map;

use crate::model::bus::FIELDS;
use crate::store::chunk::Chunk;
use crate::store::postings::Postings;

use super::super::buckets::{MOST, Width};
use super::super::examined::{Examined, TooExpensive};
use super::super::query::Query;

/// Most values of a field that are counted in each bucket: the most frequent of all.
pub(super) const MOST_VALUES: usize = 10;

/// What is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    width: Width,
    /// The position in [`FIELDS`] of the field whose values are counted.
    pub(super) by: Option<usize>,
}

impl Counted {
    /// As requested; `None` if nothing is.
    pub(super) fn read(query: &Query) -> Option<Self> {
        let width = query.value("buckets").and_then(Width::of)?;
        let by = query.value("by").and_then(|by| FIELDS.iter().position(|field| *field == by));
        Some(Self { width, by })
    }

    /// Counts messages of the log by their times; those without a readable one are in no bucket. `values` are those of the
    /// field that are counted.
    pub(super) fn count(
        self,
        runs: &[(&Chunk, Postings)],
        values: &[&str],
        examined: &mut Examined,
    ) -> Result<Vec<Bucket>, TooExpensive> {
        let mut counts: BTreeMap<i64, Counts> = BTreeMap::new();
        for (chunk, matching) in runs {
            let mut positions = Vec::new();
            matching.append_to(0, &mut positions);
            examined.entries(positions.len())?;
            self.each(chunk, &positions, |number, count| {
                counts.entry(number).or_default().total += count;
            });
            let Some(field) = self.by else { continue };
            let terms = &chunk.terms()[field];
            for (at, value) in values.iter().enumerate() {
                let sets = terms.sets_of_values().filter(|(named, _)| named == value);
                let mut positions: Vec<u32> =
                    sets.flat_map(|(_, set)| set.common(matching)).collect();
                let unnamed = terms.rest().common(matching);
                examined.entries(unnamed.len())?;
                let has = |position: &u32| {
                    chunk.word(*position, field).is_some_and(|word| word == *value)
                };
                positions.extend(unnamed.into_iter().filter(has));
                self.each(chunk, &positions, |number, count| {
                    counts.entry(number).or_default().of_values[at] += count;
                });
            }
        }
        let left_out = counts.len().saturating_sub(MOST);
        let counts = counts.into_iter().skip(left_out);
        Ok(counts.map(|(number, counts)| self.bucket(number, counts, values)).collect())
    }

    /// Calls `add` with the buckets of messages. Neighbours, which are mostly in the same one, are added at once.
    fn each(self, chunk: &Chunk, positions: &[u32], mut add: impl FnMut(i64, u64)) {
        let times = positions.iter().filter_map(|position| chunk.times().of(*position));
        let mut numbers = times.map(|time| self.width.number_at(time));
        let Some(mut number) = numbers.next() else { return };
        let mut count = 1;
        for next in numbers {
            if next == number {
                count += 1;
            } else {
                add(number, count);
                (number, count) = (next, 1);
            }
        }
        add(number, count);
    }

    fn bucket(self, number: i64, counts: Counts, values: &[&str]) -> Bucket {
        let by = self.by.map(|_| {
            let counts = values.iter().zip(counts.of_values).filter(|(_, count)| *count > 0);
            counts.map(|(value, count)| ((*value).to_owned(), count.into())).collect()
        });
        Bucket { from: self.width.from(number), total: counts.total, by }
    }
}

#[derive(Clone, Copy, Default)]
struct Counts {
    total: u64,
    of_values: [u64; MOST_VALUES],
}

/// A bucket as it is listed.
#[derive(Debug, Serialize)]
pub(in crate::web) struct Bucket {
    from: String,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Map<String, serde_json::Value>>,
}
