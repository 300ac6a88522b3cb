//! Phrases that all skills on the project's state share: the time of the state, names as Markdown, limited lists.

use serde_json::{Value, json};

use super::{Snapshot, Story};
use crate::text::{bare, line};

pub(crate) use crate::text::md::escape_all as escaped;

/// Largest number of rows of a list in an artifact.
pub(crate) const LISTED: usize = 200;
/// Largest number of ids in a sentence or a cell.
const NAMED: usize = 20;

/// The time of the state, and what may be missing or wrong in it.
pub(crate) fn state_of(snapshot: &Snapshot) -> String {
    let Some(time) = &snapshot.time else {
        return "State: no project files were found.".to_owned();
    };
    let gaps = &snapshot.gaps;
    let plan = gaps.plan.clone();
    let sentences =
        [Some(format!("State of {time}.")), plan, gaps.no_messages.clone(), gaps.doubtful.clone()];
    sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A story's title, on one line and truncated; its id if the title is blank.
pub(crate) fn name(story: &Story) -> String {
    let name = bare(&story.title);
    if name.is_empty() { line(&story.id) } else { name }
}

/// A count and its noun: `1 story`, `2 stories`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Ids separated by commas, and the number of those left out.
pub(crate) fn ids<'a>(all: impl IntoIterator<Item = &'a str>) -> String {
    joined(all, NAMED, ", ")
}

/// The first of several texts, each on one line, and the number of those left out.
pub(crate) fn joined<T: AsRef<str>>(
    all: impl IntoIterator<Item = T>,
    most: usize,
    separator: &str,
) -> String {
    let mut all = all.into_iter();
    let mut shown: Vec<String> = all.by_ref().take(most).map(|text| line(text.as_ref())).collect();
    // Those left out are only counted: there may be very many.
    let rest = all.count();
    if rest > 0 {
        shown.push(format!("and {rest} more"));
    }
    shown.join(separator)
}

/// The ids of a cycle as text: `US-1 -> US-2 -> US-1`.
pub(crate) fn arrows(cycle: &[&str]) -> String {
    joined(cycle.iter().chain(cycle.first()), NAMED, " -> ")
}

/// The sizes that stories lack, or that are neither points nor a working time.
pub(crate) fn missing_sizes(stories: &[&Story]) -> Option<String> {
    let sizeless = stories.iter().filter(|story| story.effort.is_none());
    let of: Vec<&str> = sizeless.map(|story| story.id.as_str()).collect();
    let ids = ids(of.iter().copied());
    let question = format!("estimate: no points or working time of {ids} (add 5, 4h or 2d)");
    (!of.is_empty()).then_some(question)
}

/// A list for data and templates: the number of all, the first [`LISTED`] as `rows`, and the number of the `rest`.
pub(crate) fn limit_rows<T>(all: &[T], row: impl Fn(&T) -> Value) -> Value {
    let rows: Vec<Value> = all.iter().take(LISTED).map(row).collect();
    json!({"count": all.len(), "rest": all.len() - rows.len(), "rows": rows})
}
