//! Steps on lines of their own, which are one criterion: `Given …`, `When …`, `Then …`.

use super::scenario::{Step, unlabelled};
use crate::text::{capital, lists};

/// Whether a text begins as a step.
pub(super) fn is_step(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or_default().to_lowercase();
    lists("given when then and but", &word)
}

/// Whether a text is the next step of the scenario that another begins.
pub(super) fn joins(before: &str, text: &str) -> bool {
    let first = |text: &str| text.split(' ').next().unwrap_or_default().to_lowercase();
    let before = unlabelled(before);
    let begin = first(before);
    // What is before is read as a whole only where it decides: the texts of a long paragraph are compared one by one.
    let is_whole = || Step::all(before).is_some();
    match first(text).as_str() {
        "when" => begin == "given" && !before.contains(", when ") && !is_whole(),
        "then" => lists("given when", &begin) && !is_whole(),
        "and" | "but" => lists("given when", &begin),
        _ => false,
    }
}

/// Adds a step to the text of a scenario.
pub(super) fn join(before: &mut String, text: &str) {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    before.truncate(before.trim_end_matches([',', '.', ';']).len());
    let word = word.to_lowercase();
    // "And" begins a step only by its capital, since texts have commas before it too.
    let word = if word == "and" || word == "but" { capital(&word) } else { word };
    before.extend([", ", &word, " ", rest]);
}

/// Texts, of which consecutive steps are one criterion: `Given …, when …, then …`.
pub(super) fn with_steps(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut criteria: Vec<String> = Vec::new();
    for text in texts {
        match criteria.last_mut() {
            Some(last) if joins(last, &text) => join(last, &text),
            _ => criteria.push(text),
        }
    }
    criteria
}
