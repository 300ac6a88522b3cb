//! An acceptance criterion: a scenario of Given, When and Then, or a rule, which is a Then alone. A statement is a scenario
//! if it has the steps of one.

use serde::{Deserialize, Serialize};

use crate::text::{after, is_number, lists, title};

/// An acceptance criterion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scenario {
    /// Its id, stable when others are added: `AC-story`, `AC-R1`, `AC-C1`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its tags, without `@`.
    pub tags: Vec<String>,
    /// The lines below its name as in a feature, without its indentation: steps such as `Given a basket`, with their
    /// tables and doc strings, and the examples of an outline. The steps of a feature's background come first.
    pub steps: Vec<String>,
}

impl Scenario {
    /// Made from a statement, whose label, `AC1: …`, gives the number.
    pub fn stated(kind: char, number: usize, statement: &str) -> Self {
        let (label, text) = labelled(statement);
        Self::of(format!("AC-{kind}{}", label.map_or(number.to_string(), str::to_owned)), text)
    }

    /// A scenario if a text has the steps of one, else a rule, word for word. The outcome is the name.
    pub fn of(id: String, text: &str) -> Self {
        let steps = steps(text).unwrap_or_else(|| vec![format!("Then {text}")]);
        let name = steps.iter().find_map(|line| line.strip_prefix("Then "));
        let name = title(name.unwrap_or_default());
        Self { id, name, steps, ..Self::default() }
    }

    /// The text of a rule: a Then alone, without anything that a line of a list cannot have.
    pub fn as_rule(&self) -> Option<&str> {
        let [line] = self.steps.as_slice() else { return None };
        let text = line.strip_prefix("Then ")?;
        (self.tags.is_empty() && self.name == title(text)).then_some(text)
    }

    /// Adds blanks for the steps that a rule does not state.
    pub fn add_blanks(&mut self) {
        if matches!(self.steps.as_slice(), [only] if only.starts_with("Then ")) {
            self.steps.splice(..0, BLANKS.map(str::to_owned));
        }
    }

    /// Removes the blanks of a rule.
    pub fn remove_blanks(&mut self) {
        if matches!(self.steps.as_slice(), [given, when, _] if [given, when] == BLANKS) {
            self.steps.drain(..BLANKS.len());
        }
    }

    /// Its lines from the first step with a word on.
    pub fn steps_from(&self, word: &str) -> &[String] {
        let has_word = |line: &String| line.split(' ').next() == Some(word);
        let first = self.steps.iter().position(has_word).unwrap_or(self.steps.len());
        &self.steps[first..]
    }

    /// Whether it has a tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|other| other == tag)
    }

    /// Whether it has examples.
    pub fn is_outline(&self) -> bool {
        self.steps.iter().any(|line| line.trim_start().starts_with("Examples:"))
    }
}

/// The steps that a rule does not state.
const BLANKS: [&str; 2] = ["Given <what holds before>", "When <what happens>"];
/// The words that a step begins with.
const WORDS: [&str; 6] = ["Given", "When", "Then", "And", "But", "*"];

/// Whether a line of a scenario is a step.
pub fn is_step(line: &str) -> bool {
    line.split_once(' ').is_some_and(|(word, _)| WORDS.contains(&word))
}

/// The steps of a sentence, `Given …, when …, then …`. `None` if it does not begin with Given or When and end with an
/// outcome.
fn steps(sentence: &str) -> Option<Vec<String>> {
    let ends = sentence.match_indices(' ').map(|(blank, _)| blank);
    let ends = ends.filter(|end| begins_step(&sentence[..*end], &sentence[end + 1..]));
    let mut ends: Vec<usize> = ends.collect();
    if ends.is_empty() {
        ends.extend(without_marks(sentence).into_iter().flatten());
    }
    ends.push(sentence.len());
    let (mut steps, mut start) = (Vec::new(), 0);
    for end in ends {
        steps.push(step(&sentence[start..end])?);
        start = end + 1;
    }
    let begin = steps.first()?.word;
    let last = steps.iter().map(|step| step.word).rfind(|word| !matches!(*word, "And" | "But"))?;
    let is_whole = matches!(begin, "Given" | "When") && last == "Then";
    is_whole.then(|| steps.iter().map(|step| format!("{} {}", step.word, step.text)).collect())
}

struct Step<'a> {
    word: &'static str,
    text: &'a str,
}

/// A part of a sentence as a step, if it begins with a word of one and says something.
fn step(part: &str) -> Option<Step<'_>> {
    let (word, text) = part.split_once(' ')?;
    let word = WORDS.into_iter().find(|known| known.eq_ignore_ascii_case(word))?;
    let text = text.trim_matches([',', ';', '.', ' ']);
    (!text.is_empty()).then_some(Step { word, text })
}

/// Whether a step begins between two parts of a sentence: with a word that has a capital, or that follows a comma, a
/// semicolon or a full stop.
fn begins_step(before: &str, rest: &str) -> bool {
    let word = rest.split(' ').next().unwrap_or_default();
    let is_marked = before.trim_end().ends_with([',', ';', '.']);
    WORDS[..5].iter().any(|known| *known == word || known.to_uppercase() == word)
        || is_marked && matches!(word, "when" | "then")
}

/// The blanks before the When and the Then of a sentence that starts with Given, or before the Then of one that starts with When, if it
/// has each of them once, in small letters and without a mark before it.
fn without_marks(sentence: &str) -> Option<Vec<usize>> {
    let then = only(sentence, " then ")?;
    // `and then` continues the condition.
    if after(sentence, &["when "]).is_some() && !sentence[..then].ends_with(" and") {
        return Some(vec![then]);
    }
    after(sentence, &["given "])?;
    let when = only(sentence, " when ")?;
    (when < then).then_some(vec![when, then])
}

/// The place of a word that a text has once.
fn only(text: &str, word: &str) -> Option<usize> {
    let mut places = text.match_indices(word);
    let (place, _) = places.next()?;
    places.next().is_none().then_some(place)
}

/// A statement without its label, and the number in it: `AC1: …`, `AC-2) …`, `Scenario 3: …`.
pub fn labelled(text: &str) -> (Option<&str>, &str) {
    let rest = after(text, &["AC", "Scenario ", "Criterion "]).unwrap_or_default();
    let number = rest.trim_start_matches(['-', ' ', '#']);
    let behind = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &number[..number.len() - behind.len()];
    match behind.strip_prefix([':', '.', ')']).map(str::trim) {
        Some(rest) if is_number(digits) && !rest.is_empty() => (Some(digits), rest),
        _ => (None, text),
    }
}

/// Whether a statement is a scenario.
pub fn is_stated(text: &str) -> bool {
    steps(labelled(text).1).is_some()
}

/// Whether a text is the next step of the scenario that another begins.
pub(super) fn joins(before: &str, text: &str) -> bool {
    let first = |text: &str| text.split(' ').next().unwrap_or_default().to_lowercase();
    let before = labelled(before).1;
    let (begin, word) = (first(before), first(text));
    // What is before is read as a whole only where it decides: the texts of a long paragraph are compared one by one.
    let has_word = || format!(" {}", before.to_lowercase()).contains(&format!(" {word} "));
    lists("given when", &begin)
        && (lists("and but", &word) || lists("when then", &word) && !has_word())
}

/// Adds a step to the text of a scenario.
pub(super) fn join(before: &mut String, text: &str) {
    before.truncate(before.trim_end_matches([',', '.', ';']).len());
    before.push_str(", ");
    before.push_str(text);
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
