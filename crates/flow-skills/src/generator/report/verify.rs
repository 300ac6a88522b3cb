//! Verifies a page on the project's state: besides what every document must have, its figures and the ids that it names.

use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::input::typed;
use crate::output::{Output, Result};
use crate::page::{self, Document, Finding, Form};
use crate::project_state::names::id_words;
use crate::project_state::{Context, Snapshot, id_prefix};

/// The mark of an id that the project does not have.
const UNKNOWN: &str = " (not in the project)";

/// Verifies a report whose figures are those that these fields give now.
pub(crate) fn verify_again<T: DeserializeOwned + JsonSchema>(
    text: &str,
    context: &Context,
    form: &Form,
    fields: &[(&str, &str)],
    generate: fn(&T, &Context) -> Result<Output>,
) -> Vec<Finding> {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    let again = typed::read(&fields).and_then(|input| generate(&input, context)).ok();
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

/// Rows and sentences that differ from those of the same subject in a report of the same state, scope and time. `None` if
/// the two are of different ones.
fn other_figures(text: &str, again: &str) -> Option<Vec<Finding>> {
    let scope = |text: &str| {
        let scope = text.lines().filter_map(|line| match line.split_once(": ") {
            Some((changed, _)) if changed.starts_with("- Changed") => Some(changed.to_owned()),
            _ => line.starts_with(STATE).then(|| line.to_owned()),
        });
        scope.collect::<Vec<_>>()
    };
    if scope(text) != scope(again) {
        return None;
    }
    let known: HashSet<&str> = again.lines().collect();
    let mut by_subject: HashMap<(&str, usize), &str> = HashMap::new();
    for Computed { subject, line, .. } in computed(again) {
        by_subject.entry(subject).or_insert(line);
    }
    let mut findings = Vec::new();
    for Computed { number, subject, line } in computed(text) {
        if let Some(line) = by_subject.get(&subject).filter(|_| !known.contains(line)) {
            findings.push(Finding::new(number, format!("in the project it is: {}", line.trim())));
        }
    }
    Some(findings)
}

/// The beginning of the line below the summary, which says what a report is of.
const STATE: &str = "State of ";

/// A line of a report that is computed.
struct Computed<'a> {
    number: usize,
    /// What it is about: of a row of a table its first cell and the number of its cells, of a sentence of the summary the
    /// words before its colon.
    subject: (&'a str, usize),
    line: &'a str,
}

fn computed(text: &str) -> impl Iterator<Item = Computed<'_>> {
    let mut is_summary = true;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        is_summary &= !line.starts_with(STATE);
        let row = line.strip_prefix("| ").and_then(|row| row.split_once(" | "));
        let row = row.map(|(first, rest)| (first, 1 + rest.matches(" | ").count()));
        let sentence = || line.split_once(": ").filter(|_| is_summary).map(|(words, _)| (words, 0));
        Some(Computed { number, subject: row.or_else(sentence)?, line })
    })
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
        line.match_indices(UNKNOWN).filter_map(|(at, _)| id_words(&line[..at]).last())
    });
    let marked: HashSet<&str> = marked.collect();
    let is_strange = |word: &&str| {
        let is_id = id_prefix(word).is_some_and(|prefix| prefixes.contains(prefix));
        is_id && !known.contains(word) && !marked.contains(word)
    };
    let strange = |(number, line): (usize, &str)| {
        let ids: BTreeSet<&str> = id_words(line).filter(is_strange).collect();
        let what = |id| format!("{id} is not in the project: correct the id, or remove it");
        ids.into_iter().map(|id| Finding::new(number, what(id))).collect::<Vec<_>>()
    };
    document.texts().flat_map(strange).collect()
}
