//! Reads a story from our own Markdown, from labelled text (`Rules:`, `Points: 3`), or from free text.

use super::Story;
use super::data::{self, Table};
use super::pattern;
use super::sentence;
use crate::text::{after, capital, heading, is_marker, item, line, plain, sentences, title};

/// The part of a story that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Text,
    Rules,
    Criteria,
    Points,
    Status,
    Dependencies,
    Notes,
    Data,
    Skipped,
}

const PARTS: &[(&str, Part)] = &[
    ("description", Part::Text),
    ("story", Part::Text),
    ("user story", Part::Text),
    ("rules", Part::Rules),
    ("business rules", Part::Rules),
    ("acceptance criteria", Part::Criteria),
    ("criteria", Part::Criteria),
    ("story points", Part::Points),
    ("points", Part::Points),
    ("estimate", Part::Points),
    ("status", Part::Status),
    ("dependencies", Part::Dependencies),
    ("depends on", Part::Dependencies),
    ("blocked by", Part::Dependencies),
    ("technical notes", Part::Notes),
    ("notes", Part::Notes),
    ("data", Part::Data),
    ("test data", Part::Data),
    ("examples", Part::Data),
    ("open questions", Part::Skipped),
];

/// Words by which a sentence is a rule and not a remark.
const RULES: &[&str] = &[
    "must", "may", "cannot", "can't", "only", "never", "always", "should", "shall", "expires",
    "expire", "most", "least", "maximum", "minimum", "within", "required", "allowed", "limited",
    "up", "between", "not", "no",
];

/// The part that a name stands for.
fn part(name: &str) -> Option<Part> {
    let name = name.trim().trim_matches('*').trim_end_matches(':').to_lowercase();
    PARTS.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
}

/// Reads a story. Every text gives one, if only a title.
pub fn story(text: &str) -> Story {
    let mut story = Story::default();
    let mut now = Part::Text;
    let mut free = Vec::new();
    let mut data = Data::default();
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(trimmed) = lines.next() {
        if data.takes(now, (trimmed, lines.peek().copied()), &mut story.data) {
            continue;
        }
        if let Some((level, name)) = heading(trimmed) {
            match part(name) {
                Some(found) => now = found,
                None if level == 1 => name_it(&mut story, &plain(name)),
                None => now = Part::Notes,
            }
            continue;
        }
        let bulleted = item(trimmed).unwrap_or(trimmed);
        // An item of a list is one of its own, whatever label it seems to have.
        let label = Some(bulleted).filter(|_| now == Part::Text || bulleted == trimmed);
        if let Some((found, rest)) = label
            .and_then(|line| line.split_once(':'))
            .and_then(|(name, rest)| Some((part(name)?, rest)))
        {
            now = found;
            add(&mut story, now, rest, &mut free);
        } else if !is_marker(trimmed) {
            add(&mut story, now, bulleted, &mut free);
        }
    }
    take_free(&mut story, &line(&free.join(" ")));
    story
}

/// Where data stands: in a fence, in a table, or in a line under its name.
#[derive(Debug, Default)]
struct Data {
    is_fenced: bool,
    table: Table,
}

impl Data {
    /// Takes a line that is data, whatever part it stands in.
    fn takes(
        &mut self,
        now: Part,
        (text, next): (&str, Option<&str>),
        found: &mut Vec<String>,
    ) -> bool {
        if now == Part::Data && text.starts_with("```") {
            self.is_fenced = !self.is_fenced;
            return true;
        }
        if self.is_fenced {
            data::add(found, text);
            return true;
        }
        // One line between bars is a text; two are a table.
        let begins = || next.is_some_and(data::is_row);
        if !data::is_row(text) || !(self.table.has_begun() || begins()) {
            self.table.end();
            return false;
        }
        if let Some(sample) = self.table.row(text) {
            data::add(found, &sample);
        }
        true
    }
}

/// A first heading: `US-0001: Title`, or a title.
fn name_it(story: &mut Story, name: &str) {
    match name.split_once(": ").filter(|(id, _)| is_id(id)) {
        Some((id, title)) => (story.id, story.title) = (Some(id.to_owned()), title.to_owned()),
        None => name.clone_into(&mut story.title),
    }
}

/// Whether a word is an id such as `US-0001`.
pub fn is_id(word: &str) -> bool {
    word.rsplit_once('-').is_some_and(|(head, number)| {
        !head.is_empty()
            && head.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-')
            && !number.is_empty()
            && number.len() <= 9
            && number.bytes().all(|b| b.is_ascii_digit())
    })
}

fn add(story: &mut Story, part: Part, raw: &str, free: &mut Vec<String>) {
    if part == Part::Data {
        return data::add(&mut story.data, raw);
    }
    let text = plain(raw);
    if text.is_empty() {
        return;
    }
    match part {
        Part::Text => text_line(story, raw, text, free),
        Part::Rules => {
            let bare = text.strip_prefix('R').and_then(|rest| rest.split_once(": "));
            let bare = bare.filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
            story.rules.push(bare.map_or(text.clone(), |(_, rule)| rule.to_owned()));
        }
        Part::Criteria => story.criteria.push(text),
        Part::Points => {
            story.points = text.split(' ').next().and_then(|number| number.parse().ok());
        }
        Part::Status => story.status = Some(text),
        Part::Dependencies => story
            .dependencies
            .extend(text.split([',', ' ']).filter(|word| is_id(word)).map(str::to_owned)),
        Part::Notes => story.technical_notes.push(text),
        Part::Data | Part::Skipped => {}
    }
}

fn text_line(story: &mut Story, raw: &str, text: String, free: &mut Vec<String>) {
    let said = |label: &[&str]| after(raw, label).map(str::trim).map(str::to_owned);
    let open = |rest: String| (!is_marker(&rest)).then(|| plain(&rest));
    if let Some(rest) = said(&["**As a** ", "**As an** ", "**As** "]) {
        story.role = open(rest);
    } else if let Some(rest) = said(&["**I want** "]) {
        story.want = open(rest);
    } else if let Some(rest) = said(&["**So that** "]) {
        story.benefit = open(rest);
    } else {
        free.push(text);
    }
}

/// Reads what stands under no heading: a story sentence and what is said beside it.
fn take_free(story: &mut Story, text: &str) {
    if text.is_empty() {
        return finish(story, "");
    }
    if story.want.is_some() {
        return place(story, text);
    }
    if let Some(found) = sentence::read(text) {
        (story.role, story.want, story.benefit) = (found.role, found.want, found.benefit);
        finish(story, text);
        return place(story, &found.rest);
    }
    let mut all = sentences(text).into_iter();
    let first = all.next().unwrap_or_default();
    let verb = first.split(' ').next().unwrap_or_default().to_lowercase();
    if pattern::is_verb(&verb) && first.contains(' ') {
        let mut rest = first.trim_end_matches(['.', '!']).chars();
        let lower = rest.next().map(|c| c.to_lowercase().collect::<String>()).unwrap_or_default();
        story.want = Some(format!("to {lower}{}", rest.as_str()));
    }
    if story.title.is_empty() {
        finish(story, &first);
    } else {
        place(story, &first);
    }
    place(story, &all.collect::<Vec<_>>().join(" "));
}

fn finish(story: &mut Story, text: &str) {
    if story.title.is_empty() {
        let from =
            story.want.as_deref().map_or(text, |want| want.strip_prefix("to ").unwrap_or(want));
        story.title = capital(&title(from));
    }
}

/// Sorts sentences into rules and notes.
fn place(story: &mut Story, text: &str) {
    for sentence in sentences(text) {
        let is_rule = sentence
            .to_lowercase()
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .any(|word| RULES.contains(&word));
        let list = if is_rule { &mut story.rules } else { &mut story.technical_notes };
        list.push(sentence);
    }
}
