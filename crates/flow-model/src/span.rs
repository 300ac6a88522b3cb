//! Time spans in query parameters: `90` and `0.5` are seconds, `30m` and `1.5h` have a unit.

use std::time::Duration;

/// The texts that [`parse`] accepts, as a regular expression.
pub const PATTERN: &str = r"^[0-9]{1,8}(\.[0-9]{1,3})?[smhd]?$";

/// Largest number of digits before the decimal point.
const DIGITS: usize = 8;
/// Largest number of digits after it.
const DECIMALS: usize = 3;

/// Parses a time span; `None` for any other text.
pub fn parse(text: &str) -> Option<Duration> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let seconds: u64 = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return None,
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let fits = |digits: &str, most| {
        (1..=most).contains(&digits.len()) && digits.bytes().all(|c| c.is_ascii_digit())
    };
    if !fits(whole, DIGITS) || !fits(decimals, DECIMALS) {
        return None;
    }
    let thousandths: u64 = format!("{whole}{decimals:0<DECIMALS$}").parse().ok()?;
    // At most 10^11 times 86,400: no overflow.
    Some(Duration::from_millis(thousandths * seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_seconds_unless_a_unit_follows() {
        for (text, milliseconds) in [
            ("0", 0),
            ("90", 90_000),
            ("0.5", 500),
            ("0.001s", 1),
            ("30m", 1_800_000),
            ("1.5h", 5_400_000),
            ("2d", 172_800_000),
            ("99999999.999d", 8_639_999_999_913_600),
        ] {
            assert_eq!(parse(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
    }
}
