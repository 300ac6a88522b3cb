//! Verifies a page on the project's state: besides what every document must have, its figures and the ids that it names.

use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::input::typed;
use crate::output::{Output, Result};
use crate::page::{self, Document, Finding, Form};
use crate::project_state::{Context, Snapshot, id_prefix};

/// The mark of an id that the project does not have.
const UNKNOWN: &str = " (not in the project)";

/// Verifies a report that is about the whole project if no field is given.
pub(crate) fn verify_all<T: DeserializeOwned + JsonSchema>(
    text: &str,
    context: &Context,
    form: &Form,
    generate: fn(&T, &Context) -> Result<Output>,
) -> Vec<Finding> {
    verify_again(text, context, form, &Map::new(), generate)
}

/// Verifies a report whose figures are those that these fields give now.
pub(crate) fn verify_again<T: DeserializeOwned + JsonSchema>(
    text: &str,
    context: &Context,
    form: &Form,
    fields: &Map<String, Value>,
    generate: fn(&T, &Context) -> Result<Output>,
) -> Vec<Finding> {
    let again = typed::read(fields).and_then(|input| generate(&input, context)).ok();
    verify(text, context, form, again.as_ref())
}

/// `again` is the report as the project is now.
pub(crate) fn verify(
    text: &str,
    context: &Context,
    form: &Form,
    again: Option<&Output>,
) -> Vec<Finding> {
    page::check(text, form, |document, findings| {
        findings.extend(unknown_ids(document, context));
        let again = again.and_then(|again| again.artifacts.first());
        match again.and_then(|again| other_figures(text, &again.text)) {
            Some(mut others) => {
                let is_told: HashSet<usize> = findings.iter().map(|finding| finding.line).collect();
                others.retain(|other| !is_told.contains(&other.line));
                findings.extend(others);
            }
            // Told last: once nothing is left to correct.
            None if findings.is_empty() => findings.push(Finding::note(1, NOT_COMPARED)),
            None => {}
        }
    })
}

const NOT_COMPARED: &str = "the figures were not compared: that takes a report of the whole project as it is now; make it again to compare";

/// The beginnings of the lines that say what a report is of: the state with its scope, and the time of what changed.
const SUBJECT: [&str; 2] = ["State of ", "- Changed"];

/// The beginnings of the lines of a summary that are computed.
const COMPUTED: [&str; 5] =
    ["- Blocked: ", "- Waiting: ", "- Holds up most: ", "- Critical path: ", "- Ready: "];

/// Lines that differ from those of the same subject in a report of the same state, scope and time. `None` if the two are
/// of different ones.
fn other_figures(text: &str, again: &str) -> Option<Vec<Finding>> {
    let subject = |text: &str| {
        let lines = text.lines().filter(|line| SUBJECT.iter().any(|begin| line.starts_with(begin)));
        let of = |line: &str| match line.strip_prefix(SUBJECT[1]) {
            Some(changed) => changed.split(": ").next().unwrap_or_default().to_owned(),
            None => line.to_owned(),
        };
        lines.map(of).collect::<Vec<_>>()
    };
    if subject(text) != subject(again) {
        return None;
    }
    let known: HashSet<&str> = again.lines().collect();
    let mut by_subject: HashMap<String, &str> = HashMap::new();
    for line in again.lines() {
        by_subject.entry(subject_of(line)).or_insert(line);
    }
    let differs = |line: &str| {
        let computed = by_subject.get(&subject_of(line))?;
        (!known.contains(line)).then(|| format!("in the project it is: {}", computed.trim()))
    };
    let finding = |(number, line): (usize, &str)| Some(Finding::new(number, differs(line)?));
    Some((1..).zip(text.lines()).filter_map(finding).collect())
}

/// What a line is about: of a computed sentence its beginning, of a row of a table its first cell and the number of its cells,
/// and of another line its words with a mark for each number.
fn subject_of(line: &str) -> String {
    if let Some(begin) = COMPUTED.iter().find(|begin| line.starts_with(**begin)) {
        return (*begin).to_owned();
    }
    if let Some((first, rest)) = line.strip_prefix("| ").and_then(|row| row.split_once(" | ")) {
        return format!("| {first} | {}", rest.matches(" | ").count());
    }
    let mut words = String::with_capacity(line.len());
    for c in line.chars() {
        if !c.is_ascii_digit() {
            words.push(c);
        } else if !words.ends_with('#') {
            words.push('#');
        }
    }
    words
}

/// Ids in the form of the project's that no record has.
pub(crate) fn unknown_ids(document: &Document<'_>, context: &Context) -> Vec<Finding> {
    let snapshot = match Snapshot::read(&context.state) {
        Ok(snapshot) => snapshot,
        Err(fault) => return vec![Finding::new(1, format!("ids are not checked: {fault}"))],
    };
    let stories = snapshot.stories.iter().map(|story| &story.id);
    let epics = snapshot.epics.iter().map(|epic| &epic.id);
    let tasks = snapshot.tasks.iter().map(|task| &task.id);
    let known: HashSet<&str> = stories.chain(epics).chain(tasks).map(String::as_str).collect();
    let prefixes: HashSet<&str> = known.iter().filter_map(|id| id_prefix(id)).collect();
    let marked = document.texts().flat_map(|(_, line)| {
        line.match_indices(UNKNOWN).filter_map(|(at, _)| words(&line[..at]).last())
    });
    let marked: HashSet<&str> = marked.collect();
    let is_strange = |word: &&str| {
        let is_id = id_prefix(word).is_some_and(|prefix| prefixes.contains(prefix));
        is_id && !known.contains(word) && !marked.contains(word)
    };
    let strange = |(number, line): (usize, &str)| {
        let ids: BTreeSet<&str> = words(line).filter(is_strange).collect();
        let what = |id| format!("{id} is not in the project: correct the id, or remove it");
        ids.into_iter().map(|id| Finding::new(number, what(id))).collect::<Vec<_>>()
    };
    document.texts().flat_map(strange).collect()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
    parts.map(|word| word.trim_matches('-')).filter(|word| !word.is_empty())
}
