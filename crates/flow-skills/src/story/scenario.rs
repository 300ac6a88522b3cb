//! An acceptance criterion: a scenario of Given, When and Then, or a rule, which is a Then alone.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Story;
use crate::input::kind::{Kind, Payload};
use crate::output::{Fault, Result};
use crate::text::prose::prose;
use crate::text::{after, capital, is_id, is_number, line, lists, title, unused_with};

/// The tag of a criterion whose outcome is a blank.
pub const OPEN: &str = "open";
/// The id of the criterion of the story's own path.
pub const STORY: &str = "AC-story";

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

/// A story and its acceptance criteria.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Criteria {
    /// The story.
    pub story: Story,
    /// The criteria.
    pub scenarios: Vec<Scenario>,
}

impl Payload for Criteria {
    const KIND: Kind = Kind::Criteria;
}

/// The words that a step begins with.
const WORDS: [&str; 6] = ["Given", "When", "Then", "And", "But", "*"];

/// Whether a line of a scenario is a step.
pub fn is_step(line: &str) -> bool {
    line.split_once(' ').is_some_and(|(word, _)| WORDS.contains(&word))
}

/// The steps of a sentence, `Given …, when …, then …`: the words that begin a step follow a comma, a semicolon or a full
/// stop, or have a capital. `None` if it does not begin with Given or When and end with an outcome.
pub fn steps(sentence: &str) -> Option<Vec<String>> {
    let mut starts = vec![0];
    let blanks = sentence.match_indices(' ').map(|(at, _)| at + 1);
    starts.extend(blanks.filter(|at| begins_step(&sentence[..*at], &sentence[*at..])));
    if let ([_], Some(plain)) = (starts.as_slice(), without_commas(sentence)) {
        starts.extend(plain);
    }
    starts.push(sentence.len());
    let (mut steps, mut last) = (Vec::new(), "");
    for part in starts.windows(2).map(|pair| &sentence[pair[0]..pair[1]]) {
        let (word, text) = part.split_once(' ')?;
        let word = WORDS.into_iter().find(|known| known.eq_ignore_ascii_case(word))?;
        let text = text.trim_matches([',', ';', '.', ' ']);
        if text.is_empty() {
            return None;
        }
        last = if matches!(word, "And" | "But") { last } else { word };
        steps.push(format!("{word} {text}"));
    }
    let is_begun = ["Given ", "When "].iter().any(|word| steps[0].starts_with(word));
    (is_begun && last == "Then").then_some(steps)
}

/// Where the When and the Then of a sentence begin that starts with Given and has each of them once, in small letters and
/// without a comma before it.
fn without_commas(sentence: &str) -> Option<[usize; 2]> {
    let only = |word: &str| {
        let mut found = sentence.match_indices(word).map(|(at, _)| at + 1);
        found.next().filter(|_| found.next().is_none())
    };
    let is_given = sentence.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("given "));
    let (when, then) = (only(" when ")?, only(" then ")?);
    (is_given && when < then).then_some([when, then])
}

/// Whether a rest begins a step, given the text before it.
fn begins_step(before: &str, rest: &str) -> bool {
    let word = rest.split(' ').next().unwrap_or_default();
    let is_mark = before.trim_end().ends_with([',', ';', '.']);
    let is_capital = |known: &str| known == word || known.to_uppercase() == word;
    WORDS[..5].iter().any(|known| is_capital(known)) || is_mark && matches!(word, "when" | "then")
}

impl Scenario {
    /// Its steps with a word, and what follows the first of them.
    pub fn from(&self, word: &str) -> &[String] {
        let is_it = |line: &String| line.split(' ').next() == Some(word);
        let at = self.steps.iter().position(is_it).unwrap_or(self.steps.len());
        &self.steps[at..]
    }

    /// Whether it has a tag.
    pub fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|other| other == tag)
    }

    /// Whether it has examples.
    pub fn is_outline(&self) -> bool {
        self.steps.iter().any(|line| line.trim_start().starts_with("Examples:"))
    }

    /// The text of a rule: a Then alone, without anything that a line of a list cannot have.
    pub fn as_rule(&self) -> Option<&str> {
        let [line] = self.steps.as_slice() else { return None };
        let text = line.strip_prefix("Then ")?;
        (self.tags.is_empty() && self.name == title(text)).then_some(text)
    }

    /// Made from a statement: a scenario if it has the steps of one, else a rule, word for word. The outcome is the
    /// name. A label, `AC1: …`, gives the number.
    pub fn stated(kind: char, number: usize, statement: &str) -> Self {
        let (label, text) = labelled(statement);
        let steps = steps(text).unwrap_or_else(|| vec![format!("Then {text}")]);
        let name = steps.iter().find_map(|line| line.strip_prefix("Then "));
        let name = title(name.unwrap_or_default());
        let id = format!("AC-{kind}{}", label.map_or(number.to_string(), str::to_owned));
        Self { id, name, steps, ..Self::default() }
    }
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

/// Uses the want, or the first criterion or rule, as a missing title.
pub fn entitle(story: &mut Story) {
    if !story.title.is_empty() {
        return;
    }
    let stated = || story.criteria.first().or(story.rules.first());
    story.title = match &story.want {
        Some(want) => title(want.strip_prefix("to ").unwrap_or(want)),
        None => stated().map_or_else(String::new, |text| Scenario::stated('C', 1, text).name),
    };
}

/// The criteria of a story, and notes about what is not one. A story that states nothing has its own path, and a blank
/// each for a failure, a limit and a permission.
pub fn criteria(mut story: Story, mut scenarios: Vec<Scenario>) -> (Criteria, Vec<String>) {
    entitle(&mut story);
    let is_bare = scenarios.is_empty() && story.rules.is_empty() && story.criteria.is_empty();
    if is_bare || scenarios.is_empty() && story.want.is_some() {
        scenarios.push(own_path(&story));
    }
    if is_bare && let Some(path) = scenarios.first().cloned() {
        scenarios.extend(blanks(&path));
    }
    for (kind, texts) in [('R', &story.rules), ('C', &story.criteria)] {
        scenarios.extend((1..).zip(texts).map(|(at, text)| Scenario::stated(kind, at, text)));
    }
    let mut taken = HashSet::new();
    for (at, scenario) in scenarios.iter_mut().enumerate() {
        let id = Some(&scenario.id).filter(|id| !id.is_empty());
        let id = id.map_or_else(|| format!("AC-{}", at + 1), Clone::clone);
        scenario.id = unused_with("-", &id, |id| taken.insert(id.to_owned()));
    }
    if story.title.is_empty() {
        let name = scenarios.first().map(|scenario| scenario.name.as_str());
        story.title = title(name.filter(|name| !name.is_empty()).unwrap_or("Acceptance criteria"));
    }
    let notes = story.technical_notes.iter();
    let notes = notes
        .map(|text| format!("no criterion was made of {text:?} (add it to rules or criteria)"))
        .collect();
    // The scenarios contain the criteria, so the story does not repeat them.
    let Story { id, title, role, want, benefit, data, .. } = story;
    let story = Story { id, title, role, want, benefit, data, ..Story::default() };
    (Criteria { story, scenarios }, notes)
}

/// What a story lacks for its criteria, worded as what to add.
pub fn questions(story: &Story) -> Vec<String> {
    let all = [
        (story.role.is_none(), "role: not given (add role=shopper)"),
        (story.want.is_none(), "want: not given (add want=\"to reset my password\")"),
        (story.benefit.is_none(), "benefit: not given (add benefit=\"I can get back in\")"),
    ];
    let open = all.into_iter().filter(|(is_open, _)| *is_open);
    open.map(|(_, question)| question.to_owned()).collect()
}

/// The story's own path in the first person, with blanks for what its sentence does not say.
fn own_path(story: &Story) -> Scenario {
    let blank = |what: &str| format!("<{what}>");
    let who = story.role.as_ref().map(|role| format!("I am {}{role}", article(role)));
    let want = story.want.as_deref().unwrap_or(&story.title);
    let action =
        want.strip_prefix("to ").map(|want| want.strip_prefix("be able to ").unwrap_or(want));
    let when = action.map_or_else(
        || blank(&format!("what I do for this: {want}")),
        |action| format!("I {action}"),
    );
    let then = story.benefit.clone().unwrap_or_else(|| blank("what I have then"));
    let steps = vec![
        format!("Given {}", who.unwrap_or_else(|| blank("who I am"))),
        format!("When {when}"),
        format!("Then {then}"),
    ];
    Scenario { id: STORY.into(), name: story.title.clone(), steps, ..Scenario::default() }
}

/// The criteria that a story without any may need, as blanks: a failure, a limit, a permission.
fn blanks(path: &Scenario) -> impl Iterator<Item = Scenario> {
    const BLANKS: [(&str, &str, &str); 3] = [
        ("failure", "what can fail", "what happens when it fails"),
        ("limit", "which limit is exceeded", "what happens above the limit"),
        ("permission", "who may not do this", "what they see instead"),
    ];
    let when = path.from("When").first().cloned().unwrap_or_default();
    BLANKS.into_iter().map(move |(name, given, then)| Scenario {
        id: format!("AC-{name}"),
        name: capital(name),
        tags: vec![OPEN.to_owned()],
        steps: vec![format!("Given <{given}>"), when.clone(), format!("Then <{then}>")],
    })
}

/// A text for a heading, with a hash at its end escaped, which would end the heading.
pub fn heading(text: &str) -> String {
    let safe = prose(text);
    match safe.strip_suffix('#') {
        Some(rest) if !rest.ends_with('\\') => format!("{rest}\\#"),
        _ => safe,
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
    let begin = first(before);
    // What is before is read as a whole only where it decides: the texts of a long paragraph are compared one by one.
    let has = |word: &str| before.to_lowercase().contains(word);
    match first(text).as_str() {
        "when" => begin == "given" && !has(" when "),
        "then" => lists("given when", &begin) && !has(" then "),
        "and" | "but" => lists("given when", &begin),
        _ => false,
    }
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

/// Sets the title of a story, and its id if the title begins with one.
pub fn titled(story: &mut Story, given: &str) {
    let given = given.trim();
    let named = given.split_once(": ").filter(|(id, _)| story.id.is_none() && is_id(id));
    if let Some((id, _)) = named {
        story.id = Some(id.to_owned());
    }
    let text = line(named.map_or(given, |(_, rest)| rest));
    let bare = text.trim_end_matches(['.', ',', ';', ':', '!', ' ']);
    story.title = capital(if bare.is_empty() { &text } else { bare });
}

/// The number after the highest of ids with a prefix: 3 for `US-` and `US-0002`.
pub(crate) fn next_number<'a>(prefix: &str, ids: impl Iterator<Item = &'a str>) -> Result<u32> {
    let highest = ids.filter_map(|id| id.strip_prefix(prefix)?.parse::<u32>().ok()).max();
    let next = highest.unwrap_or(0).checked_add(1).filter(|next| *next < 1_000_000_000);
    next.ok_or_else(|| Fault::Refused(format!("no number is left for an id {prefix}…: add one")))
}

/// A rule without its number: `a link expires` for `R1: a link expires`.
pub fn numbered(rule: &str) -> &str {
    let numbered = rule.strip_prefix('R').and_then(|rest| rest.split_once(": "));
    numbered
        .filter(|(number, rule)| is_number(number) && !rule.is_empty())
        .map_or(rule, |(_, rule)| rule)
}

/// The article of a role that is written without one; a plural has none.
pub fn article(role: &str) -> &'static str {
    let noun = role.split(" with ").next().unwrap_or_default();
    let is_plural = noun.ends_with('s') && !noun.ends_with("ss");
    // Before a long u, "a" stands: a user.
    let is_open = role.to_lowercase().starts_with(['a', 'e', 'i', 'o']);
    match (is_plural, is_open) {
        (true, _) => "",
        (_, true) => "an ",
        _ => "a ",
    }
}
