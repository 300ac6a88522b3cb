//! The digits of decimal numbers, as the format `decimal(p,s)` of the model says them.

use std::fmt;

/// The word before the digits.
const WORD: &str = "decimal";

/// The number of digits, and of those after the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) precision: u16,
    pub(crate) scale: u16,
}

impl Decimal {
    /// Reads `10,2`, or `10` for `10,0`; `None` for anything else.
    pub(crate) fn read(digits: &str) -> Option<Self> {
        let (precision, scale) = digits.split_once(',').unwrap_or((digits, "0"));
        let number = |text: &str| {
            let text = text.trim();
            text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
        };
        let precision = number(precision).filter(|precision| *precision > 0)?;
        Some(Self { precision, scale: number(scale)? })
    }

    /// The digits of the format `decimal(…)`; `None` for any other text.
    pub(crate) fn of_format(format: &str) -> Option<Self> {
        let digits = format.strip_prefix(WORD)?.strip_prefix('(')?.strip_suffix(')')?;
        Self::read(digits)
    }

    /// The format that says a decimal number, with its digits if they are known.
    pub(crate) fn format(digits: Option<Self>) -> String {
        digits.map_or_else(|| WORD.to_owned(), |digits| format!("{WORD}{digits}"))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "({},{})", self.precision, self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn only_digits_are_read() {
        for (text, shown) in [("10", "(10,0)"), ("10,2", "(10,2)"), (" 10 , 02 ", "(10,2)")] {
            assert_eq!(
                Decimal::read(text).map(|decimal| decimal.to_string()).as_deref(),
                Some(shown)
            );
        }
        for text in ["", "a", "1)", "1,", "1,2,3", "0", "-1", "+1", "70000", "1);", "1,x", "１"] {
            assert_eq!(Decimal::read(text), None, "{text}");
        }
        assert_eq!(Decimal::of_format("decimal(1)); DROP TABLE x; --"), None);
        assert_eq!(Decimal::format(Decimal::of_format("decimal(9,2)")), "decimal(9,2)");
    }
}
