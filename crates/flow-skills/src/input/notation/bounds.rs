//! Bounds: `between 0 and 10000`, `at least 3`, `at most 80`, `from 1 to 5`, `min 1`, `max 9`, `>= 0`.

use std::fmt;

use serde_json::Number;

/// A range of numbers, with the words that give it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The least number.
    pub least: Option<Number>,
    /// The greatest number.
    pub most: Option<Number>,
}

/// The bounds in a text, in its order.
pub fn find(text: &str) -> Vec<Bounds> {
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ')', '('])).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    let mut rest = lower.as_slice();
    while !rest.is_empty() {
        let (bounds, used) = first(rest);
        found.extend(bounds);
        rest = &rest[used..];
    }
    found
}

fn first(words: &[&str]) -> (Option<Bounds>, usize) {
    let range = |low: &str, high: &str| {
        Some(Bounds { least: Some(number(low)?), most: Some(number(high)?) })
    };
    let least = |low: &str| Some(Bounds { least: Some(number(low)?), most: None });
    let most = |high: &str| Some(Bounds { least: None, most: Some(number(high)?) });
    let found = match words {
        ["between", low, "and", high, ..] | ["from", low, "to", high, ..] => (range(low, high), 4),
        ["at", "least", low, ..] => (least(low), 3),
        ["at" | "up", "most" | "to", high, ..] => (most(high), 3),
        ["min" | "minimum" | ">=" | "≥", low, ..] => (least(low), 2),
        ["max" | "maximum" | "<=" | "≤", high, ..] => (most(high), 2),
        _ => (None, 1),
    };
    if found.0.is_some() { found } else { (None, 1) }
}

/// A number as written, with `_` or `,` between thousands.
fn number(text: &str) -> Option<Number> {
    let plain = text.replace(['_', ','], "");
    serde_json::from_str(&plain).ok()
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.least, &self.most) {
            (Some(least), Some(most)) => write!(f, "between {least} and {most}"),
            (Some(least), None) => write!(f, "at least {least}"),
            (None, Some(most)) => write!(f, "at most {most}"),
            (None, None) => Ok(()),
        }
    }
}
