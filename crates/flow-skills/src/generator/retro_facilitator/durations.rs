//! Medians of durations, and durations as text.

/// The median of sorted figures, rounded down.
pub(super) fn median(sorted: &[u64]) -> Option<u64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some(u64::midpoint(lower, upper))
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
        assert_eq!(
            [median(&[]), median(&[3]), median(&[3, 6]), median(&[1, 3, 9])],
            [None, Some(3), Some(4), Some(3)]
        );
        assert_eq!(median(&[u64::MAX, u64::MAX]), Some(u64::MAX));
    }
}
