//! The evidence of a retrospective: what went well, what went badly, and what is still open.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::durations::show;
use super::figures::Figures;
use crate::generator::report::{Board, Completion, rows};
use crate::project_state::say::name;
use crate::project_state::{Kind, Message, Story, Verdict};
use crate::text::line;

/// Largest number of messages or records that are shown of a group, the newest.
const SHOWN: usize = 3;
const PASSED: Option<Verdict> = Some(Verdict::Passed);
const REFUSED: Option<Verdict> = Some(Verdict::Refused);

type Test = fn(&Message) -> bool;

/// What stops work, and the later messages about the same story or task that settle it.
const STOPS: [(&str, Test, Test); 4] = [
    (
        "Failed tasks not completed since",
        |one| is(one, Kind::Failed, None),
        |one| is(one, Kind::Completed, None),
    ),
    (
        "Rejected reviews not accepted since",
        |one| is(one, Kind::Review, REFUSED),
        |one| is(one, Kind::Review, PASSED),
    ),
    (
        "Failed checks not passed since",
        |one| is(one, Kind::Gate, REFUSED),
        |one| is(one, Kind::Gate, PASSED),
    ),
    (
        "Blocks not lifted",
        |one| is(one, Kind::Blocked, None),
        |one| matches!(one.kind, Kind::Unblocked | Kind::Started | Kind::Completed),
    ),
];

fn is(message: &Message, kind: Kind, verdict: Option<Verdict>) -> bool {
    message.kind == kind && (verdict.is_none() || message.verdict == verdict)
}

/// A group of evidence with its count, oldest first; `None` without any.
fn group(what: &str, mut all: Vec<Value>) -> Option<Value> {
    let count = all.len();
    let below = all.split_off(count.saturating_sub(SHOWN));
    let newest = if all.is_empty() { String::new() } else { format!(", the newest {SHOWN}") };
    let said = format!("{what}: {count}{newest}");
    (count > 0).then(|| json!({"what": what, "count": count, "said": said, "below": below}))
}

/// The messages of one kind and outcome.
fn of(board: &Board<'_>, what: &str, kind: Kind, verdict: Option<Verdict>) -> Option<Value> {
    let messages = board.past.iter().filter(|message| is(message, kind, verdict));
    group(what, messages.map(|message| rows::excerpt(message)).collect())
}

pub(super) fn well(board: &Board<'_>) -> Vec<Value> {
    let story = |story: &&Story| {
        rows::quote(&format!("{}: {}", line(&story.id), name(story)), &rows::cite_story(story))
    };
    let stories = board.completed().iter().rev().map(story).collect();
    let tasks = board.completions().iter().rev().map(Completion::row).collect();
    let groups = [
        group("Completed stories", stories),
        group("Completed tasks", tasks),
        of(board, "Accepted reviews", Kind::Review, PASSED),
        of(board, "Passed checks", Kind::Gate, PASSED),
    ];
    groups.into_iter().flatten().collect()
}

pub(super) fn badly(board: &Board<'_>, figures: &Figures<'_>) -> Vec<Value> {
    let mut groups = vec![
        of(board, "Failed tasks", Kind::Failed, None),
        of(board, "Rejected reviews", Kind::Review, REFUSED),
        of(board, "Failed checks", Kind::Gate, REFUSED),
        of(board, "Blocks", Kind::Blocked, None),
        of(board, "Cancelled tasks", Kind::Cancelled, None),
    ];
    if let Some(median) = figures.task_times.median().filter(|_| figures.timed.len() > 2) {
        let long = figures.timed.iter().filter(|(took, _)| took.saturating_sub(median) > median);
        let long = long.map(|(took, message)| {
            let subject = message.subject().map(|subject| format!("{subject}: "));
            rows::quote(&format!("{}{}", subject.unwrap_or_default(), show(*took)), &message.cite())
        });
        let what = format!("Tasks over twice the median of {}", show(median));
        groups.push(group(&what, long.collect()));
    }
    groups.into_iter().flatten().collect()
}

/// What stopped work and is not settled, by what it is about: neither by a later message nor by the completion of its
/// story.
pub(super) fn open(board: &Board<'_>) -> Vec<Value> {
    let completed: HashSet<&str> =
        board.stories(Story::is_completed).into_iter().map(|story| story.id.as_str()).collect();
    let is_open = |one: &&Message| !one.story.as_deref().is_some_and(|id| completed.contains(id));
    let about = |message: &Message| {
        rows::quote(&message.subject().unwrap_or_else(|| message.cite()), &message.cite())
    };
    let mut groups = Vec::new();
    for (what, stops, settles) in STOPS {
        let open = unsettled(&board.past, stops, settles);
        groups.push(group(what, open.into_iter().filter(is_open).map(about).collect()));
    }
    let asked = board.unanswered.iter().map(|question| rows::excerpt(question));
    groups.push(group("Unanswered questions", asked.collect()));
    groups.into_iter().flatten().collect()
}

/// The messages of one kind that no later message of another kind settles, about the same story, or the same task without
/// a story. Messages about neither stay.
fn unsettled<'a>(messages: &[&'a Message], stops: Test, settles: Test) -> Vec<&'a Message> {
    let mut settled = HashSet::new();
    let mut open = Vec::new();
    for message in messages.iter().rev() {
        let task = if message.story.is_none() { message.task.as_ref() } else { None };
        let about = (message.story.as_ref(), task);
        let is_about = message.story.is_some() || message.task.is_some();
        if settles(message) && is_about {
            settled.insert(about);
        } else if stops(message) && !settled.contains(&about) {
            open.push(*message);
        }
    }
    open.reverse();
    open
}
