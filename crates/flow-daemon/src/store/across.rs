//! What may not be read as meant across files: ids that both a story and a task have, where the two records contradict each
//! other, and ids of another collection in another spelling, such as `EP-1` beside `EP-0001`.

use std::collections::HashSet;

use crate::model::problem::{Effect, Position, Problems, quote};

use crate::model::record::status;

use super::dependencies::Nearest;
use super::postings::count_u32;
use super::records::Records;

/// What is suspicious of each source across files.
#[derive(Debug, Default)]
pub struct Across {
    /// Of tasks.
    pub tasks: Problems,
    /// Of sessions.
    pub sessions: Problems,
}

impl Across {
    /// What the files have.
    pub fn of(stories: &Records, tasks: &Records, sessions: &Records) -> Self {
        let mut of_tasks = contradictions(stories, tasks);
        of_tasks.append(misspelled(stories, tasks, "story_id"));
        Self { tasks: of_tasks, sessions: misspelled(stories, sessions, "story_id") }
    }
}

/// Largest number of records without an index of the member that are read, the newest: they are read at each change.
const MOST_READ: usize = 10_000;

/// Statuses of stories whose work is done and not accepted: their tasks are completed.
const CHECKED: [&str; 14] = [
    "in-review",
    "review",
    "reviewing",
    "ready-for-review",
    "needs-review",
    "testing",
    "in-test",
    "in-testing",
    "in-qa",
    "qa",
    "ready-for-qa",
    "verifying",
    "staging",
    "staged",
];

/// The tasks whose id is that of a story with other content: one of the two is done and the other is not, or their titles
/// differ.
fn contradictions(stories: &Records, tasks: &Records) -> Problems {
    let mut problems = Problems::default();
    for (at, id) in tasks.ids().enumerate() {
        // Numbers count separately in each file.
        let is_name = id.contains(char::is_alphabetic) && id.contains(|c: char| c.is_ascii_digit());
        let Some(story) = stories.position(id).filter(|_| is_name) else { continue };
        let Some(difference) = difference(stories, story, tasks, at) else { continue };
        let reason =
            format!("a story has this id too, and {difference}; use another id, or correct one");
        problems.note(Position::Id(id.to_owned()), Effect::Suspicious, reason);
    }
    problems
}

fn difference(
    stories: &Records,
    story: usize,
    tasks: &Records,
    task: usize,
) -> Option<&'static str> {
    let (story_at, task_at) = (u32::try_from(story).ok()?, u32::try_from(task).ok()?);
    if stories.is_done(story_at) && tasks.is_open(task_at) {
        return Some("is done, while the task is not");
    }
    let is_checked = || {
        let status = stories
            .record(story)
            .and_then(|record| record.word("status").map(|word| status(&word).into_owned()));
        status.is_some_and(|status| CHECKED.contains(&status.as_str()))
    };
    if tasks.is_done(task_at) && stories.is_open(story_at) && !is_checked() {
        return Some("is not done, while the task is");
    }
    let title =
        |records: &Records, at| Some(records.record(at)?.text(&["title", "name"])?.to_lowercase());
    let (of_story, of_task) = (title(stories, story)?, title(tasks, task)?);
    (of_story != of_task).then_some("has another title")
}

/// The ids in a member of records that no record of `meant` has, but for their spelling. Each is reported once, with the first
/// record that has it.
pub(super) fn misspelled(meant: &Records, records: &Records, member: &str) -> Problems {
    let mut problems = Problems::default();
    if meant.is_empty() {
        return problems;
    }
    let unknown = unknown(meant, records, member);
    if unknown.is_empty() {
        return problems;
    }
    let nearest = Nearest::new(meant.ids());
    let noun = meant.kind().noun();
    for (id, at) in unknown {
        if let (Some(record), Some(meant)) = (records.id(at), nearest.same(&id)) {
            let reason = format!("no {noun} has the id {}; is {} meant?", quote(&id), quote(meant));
            problems.note(Position::Id(record.to_owned()), Effect::Suspicious, reason);
        }
    }
    problems
}

/// The texts of a member that are no id of a record of `meant`, and the position of the first record that has each.
fn unknown(meant: &Records, records: &Records, member: &str) -> Vec<(String, u32)> {
    let is_unknown = |id: &&str| meant.position(id).is_none();
    if let Some(terms) = records.terms(member) {
        let first = |id: &str| records.positions(terms.get(id)).first().copied();
        let unknown = terms.values().filter(is_unknown);
        return unknown.filter_map(|id| Some((id.to_owned(), first(id)?))).collect();
    }
    let mut seen = HashSet::new();
    let text = |at: usize| {
        let text = records.record(at)?.text(records.kind().spellings(member))?;
        (is_unknown(&text.as_str()) && seen.insert(text.clone())).then_some((text, count_u32(at)))
    };
    (records.len().saturating_sub(MOST_READ)..records.len()).filter_map(text).collect()
}
