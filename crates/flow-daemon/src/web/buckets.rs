//! Numbers of changes in each hour, day or week, for a chart.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use indexmap::IndexMap;
use serde::Serialize;

use crate::model::change::{Effect, What};
use crate::model::time;
use crate::store::activity::Change;

/// Most buckets in an answer: the newest.
pub(super) const MOST: usize = 1_000;
/// From Monday, the beginning of a week, to Thursday, 1 January 1970.
const MONDAY_TO_1970: i64 = 3;
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
const NANOSECONDS: i64 = 1_000_000_000;

/// The counts by the number of the bucket, since 1970.
pub(super) struct Buckets {
    width: Width,
    counts: BTreeMap<i64, Counts>,
}

/// The width of buckets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Width {
    seconds: i64,
    /// From the beginning of the bucket 0 to 1970, in seconds.
    offset: i64,
}

impl Width {
    const HOURS: Self = Self { seconds: HOUR, offset: 0 };
    pub(super) const DAYS: Self = Self { seconds: DAY, offset: 0 };
    pub(super) const WEEKS: Self = Self { seconds: 7 * DAY, offset: MONDAY_TO_1970 * DAY };

    /// As a parameter names it; `None` for a word that is none.
    pub(super) fn of(width: &str) -> Option<Self> {
        match width {
            "1h" => Some(Self::HOURS),
            "1d" => Some(Self::DAYS),
            "1w" => Some(Self::WEEKS),
            _ => None,
        }
    }

    /// The number of the bucket that contains a time; one before 1970 is in the first.
    pub(super) fn number(self, at: SystemTime) -> i64 {
        let seconds = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        (seconds.cast_signed() + self.offset) / self.seconds
    }

    /// The same of a time in nanoseconds since 1970, which may be before.
    pub(super) fn number_at(self, nanoseconds: i64) -> i64 {
        (nanoseconds.div_euclid(NANOSECONDS) + self.offset).div_euclid(self.seconds)
    }

    /// When a bucket begins.
    pub(super) fn from(self, number: i64) -> String {
        let seconds = number * self.seconds - self.offset;
        let distance = Duration::from_secs(seconds.unsigned_abs());
        time::format(if seconds < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance })
    }
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
        Some(Self { width: Width::of(width)?, counts: BTreeMap::new() })
    }

    pub(super) fn count(&mut self, change: &Change) {
        let counts = self.counts.entry(self.width.number(change.at)).or_default();
        counts.total += 1;
        counts.kinds[change.plan.what as usize] += 1;
        if let Some(effect) = change.plan.effect {
            counts.effects[effect as usize] += 1;
        }
    }

    /// Those with a change, oldest first.
    pub(super) fn list(&self) -> Vec<Bucket> {
        let left_out = self.counts.len().saturating_sub(MOST);
        let bucket = |(number, counts): (&i64, &Counts)| {
            let kinds = What::ALL.map(What::name).into_iter().zip(counts.kinds);
            let effects = Effect::ALL.map(Effect::name).into_iter().zip(counts.effects);
            Bucket {
                from: self.width.from(*number),
                total: counts.total,
                counts: kinds.chain(effects).collect(),
            }
        };
        self.counts.iter().skip(left_out).map(bucket).collect()
    }
}
