//! The pattern table: classes of verbs, and the test cases that usually apply to each.
//!
//! The table is data, `assets/patterns.json` of acceptance-criteria-generator; its `about` member documents it.

use std::sync::LazyLock;

use serde::Deserialize;

use super::stem::stem;

/// The embedded table; a test parses it.
const PATTERNS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../skills/acceptance-criteria-generator/assets/patterns.json"
));

/// A class of verbs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Its name, such as `reset-credential`.
    pub name: String,
    /// The verbs, each a word or a phrase.
    pub verbs: Vec<String>,
    /// If not empty, one of these words must be in the text too.
    #[serde(default)]
    pub objects: Vec<String>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// A case of a class.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The rule's name, such as `expired-link`.
    pub rule: String,
    /// `error`, `boundary` or `permission`.
    pub kind: String,
    /// The precondition, without a subject.
    pub given: String,
    /// The event; if empty, that of the story.
    #[serde(default)]
    pub when: String,
    /// The expected outcome.
    pub then: String,
}

#[derive(Debug, Default, Deserialize)]
struct Table {
    classes: Vec<Class>,
}

/// The classes.
pub fn classes() -> &'static [Class] {
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| serde_json::from_str(PATTERNS).unwrap_or_default());
    &TABLE.classes
}

/// A text's words.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .filter(|word| !word.is_empty())
}

/// The stems of a text's words.
fn stems(text: &str) -> Vec<String> {
    words(text).map(stem).collect()
}

fn begins_with(words: &[String], phrase: &str) -> bool {
    let phrase = stems(phrase);
    !phrase.is_empty() && words.starts_with(&phrase)
}

/// Whether a word is the first of a verb in the table.
pub fn is_verb(word: &str) -> bool {
    let words = stems(word);
    classes().iter().flat_map(|class| &class.verbs).any(|verb| {
        let head = verb.split(' ').next().unwrap_or_default();
        begins_with(&words, head)
    })
}

/// The class of the verb at an index: the one with the longest verb, and of equals the one that requires an object.
fn class_at(words: &[String], at: usize) -> Option<&'static Class> {
    let rest = &words[at..];
    let has = |class: &Class| {
        let has_object = |object| (0..words.len()).any(|at| begins_with(&words[at..], object));
        class.objects.is_empty() || class.objects.iter().any(|object| has_object(object))
    };
    let found = classes().iter().filter(|class| has(class)).filter_map(|class| {
        let verbs = class.verbs.iter().filter(|verb| begins_with(rest, verb));
        let length = verbs.map(|verb| verb.split(' ').count()).max()?;
        Some(((length, !class.objects.is_empty()), class))
    });
    // Of equals the first in the table.
    found.rev().max_by_key(|(rank, _)| *rank).map(|(_, class)| class)
}

/// The classes of an action: that of its first verb, and of verbs joined to it by "and" or "or".
pub fn matching(action: &str) -> Vec<&'static Class> {
    let words = stems(action);
    let raw: Vec<String> = self::words(action).map(str::to_lowercase).collect();
    let mut found: Vec<&'static Class> = Vec::new();
    let skipped = raw
        .iter()
        .take_while(|word| {
            word.ends_with("ly") || ["be", "get", "able", "to"].contains(&word.as_str())
        })
        .count();
    let starts = (0..words.len())
        .filter(|at| *at <= skipped || matches!(raw[at - 1].as_str(), "and" | "or"));
    for class in starts.filter_map(|at| class_at(&words, at)) {
        if !found.iter().any(|known| known.name == class.name) {
            found.push(class);
        }
    }
    found
}

/// The class whose verb and object occur in a text without an action: `Password reset`.
pub fn mentioned(text: &str) -> Option<&'static Class> {
    let words = stems(text);
    let found = (0..words.len()).filter_map(|at| class_at(&words, at));
    found.into_iter().find(|class| !class.objects.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_is_read() {
        assert!(!classes().is_empty());
        serde_json::from_str::<Table>(PATTERNS).unwrap();
    }
}
