//! Distinguishes actions from things: `Add a dark mode` is an action, `Order confirmation mail` is not.

use super::pattern;
use crate::text::lists;

/// Verbs that are rarely nouns: a text that begins with one is an action.
const VERBS: &str = "add adjust allow apply assign attach automate avoid backfill bring bump \
    calculate clean collect compute configure connect convert correct create define delete \
    deploy deprecate detect disable eliminate enable encrypt enforce ensure expand expose extend \
    extract fix generate handle harden hide implement improve include increase inform install \
    integrate introduce investigate keep let make merge migrate modernise modernize move notify \
    optimise optimize prevent protect provide publish redact redesign reduce refactor reject \
    remove rename replace resolve restrict reuse revoke rewrite send serve simplify solve speed \
    stop unify validate verify";
/// Words that show that the word of the pattern table before them is a verb and not a noun.
const OBJECTS: &str = "a all an another any at back by each every from her his its more my one \
    our several some that the their these this your";

/// Whether a text is an action in the infinitive or the imperative.
pub fn is_action(text: &str) -> bool {
    let mut words = text.split_whitespace().map(str::to_lowercase);
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return false };
    lists(VERBS, &first) || lists(OBJECTS, &second) && pattern::is_verb(&first)
}

/// An action in the form after "I want": `to add a list` for `Add a list`. `None` if it is not an action, or has its
/// "to".
pub fn infinitive(text: &str) -> Option<String> {
    if !is_action(text) {
        return None;
    }
    let (verb, rest) = text.split_once(' ')?;
    Some(format!("to {} {rest}", verb.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_actions_and_nouns_are_not() {
        for text in [
            "Implement rate limiting",
            "Add search",
            "Fix the crash",
            "Search by author",
            "Book a flight",
        ] {
            assert!(is_action(text), "{text}");
        }
        for text in [
            "Order confirmation mail",
            "Search results page",
            "Password reset",
            "Add",
            "Email templates",
            "",
        ] {
            assert!(!is_action(text), "{text}");
        }
        assert_eq!(infinitive("Reset my password").as_deref(), Some("to reset my password"));
        assert_eq!(infinitive("to reset my password"), None);
    }
}
