//! Durations, their median, and both as text.

use serde_json::{Value, json};

/// Durations in milliseconds, sorted.
#[derive(Debug)]
pub(super) struct Durations(Vec<u64>);

impl Durations {
    pub(super) fn of(all: impl Iterator<Item = u64>) -> Self {
        let mut all: Vec<u64> = all.collect();
        all.sort_unstable();
        Self(all)
    }

    /// The median, rounded down.
    pub(super) fn median(&self) -> Option<u64> {
        let upper = *self.0.get(self.0.len() / 2)?;
        let lower = *self.0.get((self.0.len() - 1) / 2)?;
        Some(u64::midpoint(lower, upper))
    }

    /// Members of the data.
    pub(super) fn data(&self) -> [(String, Value); 3] {
        [
            ("timed".to_owned(), json!(self.0.len())),
            ("median_ms".to_owned(), json!(self.median())),
            ("longest_ms".to_owned(), json!(self.0.last())),
        ]
    }

    /// The median and the longest; empty if there are none.
    pub(super) fn text(&self) -> String {
        match (self.median(), self.0.as_slice()) {
            (Some(median), [_, .., longest]) => {
                format!("median {}, longest {}", show(median), show(*longest))
            }
            (Some(one), _) => show(one),
            (None, _) => String::new(),
        }
    }
}

/// A duration in its two largest units: `1 h 3 min`; smaller ones are dropped.
pub(super) fn show(milliseconds: u64) -> String {
    const UNITS: [(u64, &str); 5] =
        [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"), (1, "ms")];
    let first = UNITS.iter().position(|(size, _)| milliseconds >= *size).unwrap_or(UNITS.len() - 1);
    let (size, unit) = UNITS[first];
    let whole = format!("{} {unit}", milliseconds / size);
    match UNITS.get(first + 1) {
        Some((next, unit)) if milliseconds % size >= *next => {
            format!("{whole} {} {unit}", milliseconds % size / next)
        }
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_two_units() {
        let all = [0, 14, 1000, 61_500, 3_807_000, 3_600_000, 90_335_000, 86_400_001];
        let shown = ["0 ms", "14 ms", "1 s", "1 min 1 s", "1 h 3 min", "1 h", "1 d 1 h", "1 d"];
        assert_eq!(all.map(show), shown);
    }
}
