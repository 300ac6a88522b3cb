//! Numbers of changes in each hour, day or week, for a chart.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use indexmap::IndexMap;
use serde::Serialize;

use crate::model::change::{Effect, What};
use crate::model::time;
use crate::store::activity::Change;

/// Most buckets in an answer: the newest.
const MOST: usize = 1_000;
/// From Monday, the beginning of a week, to Thursday, 1 January 1970.
const MONDAY_TO_1970: u64 = 3;
const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

/// The counts by the number of the bucket, since 1970.
pub(super) struct Buckets {
    /// In seconds.
    width: u64,
    /// From the beginning of the bucket 0 to 1970, in seconds.
    offset: u64,
    counts: BTreeMap<u64, Counts>,
}

#[derive(Default)]
struct Counts {
    total: u64,
    kinds: [u64; What::ALL.len()],
    effects: [u64; Effect::ALL.len()],
}

/// A bucket as it is listed.
#[derive(Serialize)]
pub(super) struct Bucket {
    from: String,
    total: u64,
    #[serde(flatten)]
    counts: IndexMap<&'static str, u64>,
}

impl Buckets {
    /// Empty ones of this width; `None` for a word that is none.
    pub(super) fn of(width: &str) -> Option<Self> {
        let (width, offset) = match width {
            "1h" => (HOUR, 0),
            "1d" => (DAY, 0),
            "1w" => (7 * DAY, MONDAY_TO_1970 * DAY),
            _ => return None,
        };
        Some(Self { width, offset, counts: BTreeMap::new() })
    }

    pub(super) fn count(&mut self, change: &Change) {
        let at = change.at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let counts = self.counts.entry((at + self.offset) / self.width).or_default();
        counts.total += 1;
        counts.kinds[change.plan.what as usize] += 1;
        if let Some(effect) = change.plan.effect {
            counts.effects[effect as usize] += 1;
        }
    }

    /// Those with a change, oldest first.
    pub(super) fn list(&self) -> Vec<Bucket> {
        let left_out = self.counts.len().saturating_sub(MOST);
        let bucket = |(number, counts): (&u64, &Counts)| {
            let seconds = (number * self.width).saturating_sub(self.offset);
            let from: SystemTime = UNIX_EPOCH + Duration::from_secs(seconds);
            let kinds = What::ALL.map(What::name).into_iter().zip(counts.kinds);
            let effects = Effect::ALL.map(Effect::name).into_iter().zip(counts.effects);
            Bucket {
                from: time::format(from),
                total: counts.total,
                counts: kinds.chain(effects).collect(),
            }
        };
        self.counts.iter().skip(left_out).map(bucket).collect()
    }
}
