//! The outcome of a review or a check, as a message of the log says it. It judges no text of a message.

use serde_json::Value;

/// Members that answer yes or no.
const VERDICT: [&str; 5] = ["approved", "accepted", "passed", "success", "ok"];
/// Members whose word may be an outcome.
const WORD: [&str; 4] = ["result", "outcome", "verdict", "status"];
/// The words of a good outcome.
const GOOD: [&str; 12] = [
    "accepted",
    "approved",
    "green",
    "ok",
    "pass",
    "passed",
    "passing",
    "succeeded",
    "success",
    "successful",
    "true",
    "yes",
];
/// The words of a bad one.
const BAD: [&str; 12] = [
    "declined",
    "fail",
    "failed",
    "failing",
    "failure",
    "false",
    "no",
    "not-passed",
    "red",
    "rejected",
    "unsuccessful",
    "not-approved",
];

/// What a message says of the outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Accepted, or passed.
    Good,
    /// Rejected, or failed.
    Bad,
    /// A word that is none of those, as written.
    Unknown(String),
}

impl Outcome {
    /// The outcome in a message; `None` if it has no member for one. A member that answers yes or no comes before a word.
    pub fn read(message: &Value) -> Option<Self> {
        let mut found = VERDICT.iter().chain(&WORD).filter_map(|name| Self::of(&message[*name]));
        let first = found.next()?;
        let is_known = |outcome: &Self| !matches!(outcome, Self::Unknown(_));
        Some(if is_known(&first) { first } else { found.find(is_known).unwrap_or(first) })
    }

    fn of(value: &Value) -> Option<Self> {
        let text = match value {
            Value::Bool(is_good) => return Some(if *is_good { Self::Good } else { Self::Bad }),
            Value::String(text) => text.trim(),
            _ => return None,
        };
        let plain = text.to_lowercase().replace([' ', '_'], "-");
        match plain.as_str() {
            "" => None,
            word if GOOD.contains(&word) => Some(Self::Good),
            word if BAD.contains(&word) => Some(Self::Bad),
            _ => Some(Self::Unknown(text.to_owned())),
        }
    }

    /// Whether it is a good one; `None` for a word that is not known.
    pub fn is_good(&self) -> Option<bool> {
        match self {
            Self::Good => Some(true),
            Self::Bad => Some(false),
            Self::Unknown(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_outcome_is_a_yes_a_no_or_a_word() {
        let is_good = |message: Value| Outcome::read(&message)?.is_good();
        assert_eq!(is_good(json!({"passed": false, "result": "passed"})), Some(false));
        assert_eq!(is_good(json!({"result": "Failed"})), Some(false));
        assert_eq!(is_good(json!({"result": "12 of 20", "status": "green"})), Some(true));
        assert_eq!(is_good(json!({"outcome": "not passed"})), Some(false));
        assert_eq!(Outcome::read(&json!({"passed": null, "result": " ", "status": 7})), None);
        let flaky = Outcome::read(&json!({"status": " Flaky "}));
        assert_eq!(flaky, Some(Outcome::Unknown("Flaky".to_owned())));
    }
}
