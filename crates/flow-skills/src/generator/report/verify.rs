//! Verifies a page on the project's state: its title, summary, sections, open questions, and the ids that it names.

use std::collections::{BTreeSet, HashSet};

use crate::generator::skill::Finding;
use crate::input::notation::outside_fences;
use crate::project_state::{Context, Snapshot, id_prefix};
use crate::text::{heading, item};

pub(crate) struct Expected {
    /// The headings of its sections; one of each entry.
    pub(crate) sections: &'static [&'static [&'static str]],
    /// The sentence of a page that has nothing to list, and therefore no sections.
    pub(crate) unless: Option<&'static str>,
    pub(crate) questions: Questions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Questions {
    /// They are about the records, and stay until the records are completed.
    OfRecords,
    /// They are answered and removed by whoever finishes the page.
    ToAnswer,
}

/// Placeholders for text that has to be filled in.
const PLACEHOLDERS: [&str; 6] = ["TODO", "TBD", "FIXME", "XXX", "???", "[ ]"];
/// The mark of an id that the project does not have.
const UNKNOWN: &str = " (not in the project)";
const OPEN_QUESTIONS: &str = "Open questions";

pub(crate) fn verify(text: &str, context: &Context, expected: &Expected) -> Vec<Finding> {
    let lines: Vec<(usize, &str)> = outside_fences(text).collect();
    let mut found: Vec<Finding> = Finding::untitled(text, "# Title").into_iter().collect();
    found.extend(without_summary(&lines));
    found.extend(sections(&lines, expected));
    for (number, line) in &lines {
        let what = |what| format!("{what} is a placeholder: replace it, or remove it");
        found.extend(placeholder(line).map(|word| Finding::new(*number, what(word))));
    }
    found.extend(Finding::blanks(text));
    found.extend(unknown_ids(&lines, context));
    found.sort_by_key(|finding| finding.line);
    found
}

/// The finding for a page whose first text below its title is no list item.
fn without_summary(lines: &[(usize, &str)]) -> Option<Finding> {
    let mut filled = lines.iter().map(|(_, line)| line.trim()).filter(|line| !line.is_empty());
    let first = filled.find(|line| heading(line).is_none_or(|(level, _)| level > 1));
    let what = "the summary is missing: begin with three to five lines, each a list item, on what is \
        blocked, who waits for whom and what changed";
    first.and_then(item).is_none().then(|| Finding::new(1, what))
}

/// Finds missing and empty sections, and open questions that must be answered.
fn sections(lines: &[(usize, &str)], expected: &Expected) -> Vec<Finding> {
    let mut found = Vec::new();
    let is_exempt = |unless| lines.iter().any(|(_, line)| line.contains(unless));
    let is_exempt = expected.unless.is_some_and(is_exempt);
    for names in expected.sections {
        let is_it = |line: &str| section(line).is_some_and(|name| names.contains(&name));
        if !is_exempt && !lines.iter().any(|(_, line)| is_it(line)) {
            let names: Vec<String> = names.iter().map(|name| format!("`## {name}`")).collect();
            let what = format!("a section is missing: add {}", names.join(" or "));
            found.push(Finding::new(1, what));
        }
    }
    for (at, (number, line)) in lines.iter().enumerate() {
        let Some(name) = section(line) else { continue };
        let first = lines[at + 1..].iter().find(|(_, line)| !line.trim().is_empty());
        if first.is_none_or(|(_, line)| heading(line.trim()).is_some_and(|(level, _)| level <= 2)) {
            let what = format!("the section {name} is empty: fill it, or remove it");
            found.push(Finding::new(*number, what));
        } else if name == OPEN_QUESTIONS && expected.questions == Questions::ToAnswer {
            let what = "open questions are left: answer them and remove the section";
            found.push(Finding::new(*number, what));
        }
    }
    found
}

/// The name of a section, if the line is its heading.
fn section(line: &str) -> Option<&str> {
    heading(line.trim()).filter(|(level, _)| *level == 2).map(|(_, name)| name)
}

/// A placeholder: a word or a name in brackets that is, or a word that begins, a line, a cell or a labelled text; or a name
/// in double braces.
pub(crate) fn placeholder(line: &str) -> Option<String> {
    let text = item(line).unwrap_or(line);
    if line.trim_start().starts_with("- [ ]") {
        return None;
    }
    let is_name = |name: &str| {
        let mut chars = name.chars();
        name.len() > 1 && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '))
    };
    for part in text.split('|').flat_map(|cell| cell.split(": ")).map(str::trim) {
        let inner = part.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if inner.is_some_and(|name| is_name(name) && !name.contains(' ')) {
            return Some(format!("{part:?}"));
        }
        for word in PLACEHOLDERS {
            let rest = part.strip_prefix(word);
            if rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)) {
                return Some(format!("{word:?}"));
            }
        }
    }
    for (at, _) in text.match_indices("{{") {
        let is_code = text[..at].matches('`').count() % 2 == 1;
        let name = text[at + 2..].split_once("}}").map(|(name, _)| name.trim());
        if let Some(name) = name.filter(|name| !is_code && is_name(name)) {
            return Some(format!("{:?}", format!("{{{{{name}}}}}")));
        }
    }
    None
}

/// Ids in the form of the project's that no record has.
pub(crate) fn unknown_ids(lines: &[(usize, &str)], context: &Context) -> Vec<Finding> {
    let snapshot = match Snapshot::read(&context.state) {
        Ok(snapshot) => snapshot,
        Err(fault) => return vec![Finding::new(1, format!("ids are not checked: {fault}"))],
    };
    let stories = snapshot.stories.iter().map(|story| &story.id);
    let epics = snapshot.epics.iter().map(|epic| &epic.id);
    let tasks = snapshot.tasks.iter().map(|task| &task.id);
    let known: HashSet<&str> = stories.chain(epics).chain(tasks).map(String::as_str).collect();
    let prefixes: HashSet<&str> = known.iter().filter_map(|id| id_prefix(id)).collect();
    let marked = lines.iter().flat_map(|(_, line)| {
        line.match_indices(UNKNOWN).filter_map(|(at, _)| words(&line[..at]).last())
    });
    let marked: HashSet<&str> = marked.collect();
    let is_strange = |word: &&str| {
        let is_id = id_prefix(word).is_some_and(|prefix| prefixes.contains(prefix));
        is_id && !known.contains(word) && !marked.contains(word)
    };
    let strange = |(number, line): &(usize, &str)| {
        let ids: BTreeSet<&str> = words(line).filter(is_strange).collect();
        let what = |id| format!("{id} is not in the project: correct the id, or remove it");
        ids.into_iter().map(|id| Finding::new(*number, what(id))).collect::<Vec<_>>()
    };
    lines.iter().flat_map(strange).collect()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
    parts.map(|word| word.trim_matches('-')).filter(|word| !word.is_empty())
}
