//! Words that all skills over the board share: which time the state is of, names as Markdown, lists with a limit.

use serde_json::{Value, json};

use super::{Board, Story};
use crate::text::{bare, line, markdown};

/// Most rows of a list in an artifact.
pub const LISTED: usize = 200;
/// Most ids in a sentence or a cell.
const NAMED: usize = 20;

/// Which time the state is of, in a sentence.
pub fn state_of(board: &Board) -> String {
    board.time.as_ref().map_or_else(
        || "State: the project has no files yet.".to_owned(),
        |time| format!("State of {time}."),
    )
}

/// Anything that a record says, on one line of Markdown.
pub fn escape(text: &str) -> String {
    let safe = markdown(&line(text));
    // `1.5 h` begins no list: its stop is not followed by a blank.
    let is_number = |head: &str| !head.is_empty() && head.bytes().all(|byte| byte.is_ascii_digit());
    match safe.split_once("\\.") {
        Some((head, rest)) if is_number(head) && rest.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{head}.{rest}")
        }
        _ => safe,
    }
}

/// A story's title as recorded, on one line and not too long; its id where nothing of it is left.
pub fn name(story: &Story) -> String {
    let name = bare(&story.title);
    if name.is_empty() { line(&story.id) } else { name }
}

/// A count and its noun: `1 story`, `2 stories`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Ids with commas, and how many more there are.
pub fn ids<'a>(all: impl IntoIterator<Item = &'a str>) -> String {
    let mut all = all.into_iter();
    let shown = |id| Some(line(id)).filter(|id| !id.is_empty()).unwrap_or("(blank)".to_owned());
    let mut named: Vec<String> = all.by_ref().take(NAMED).map(shown).collect();
    let rest = all.count();
    if rest > 0 {
        named.push(format!("and {rest} more"));
    }
    named.join(", ")
}

/// A list for data and templates: how many there are, the first [`LISTED`] as `rows`, and the `rest` as a number.
pub fn limit_rows<T>(all: &[T], row: impl Fn(&T) -> Value) -> Value {
    let rows: Vec<Value> = all.iter().take(LISTED).map(row).collect();
    json!({"count": all.len(), "rest": all.len() - rows.len(), "rows": rows})
}

/// Data as a template of Markdown takes it: every text in it reads as written.
pub fn escaped(data: &Value) -> Value {
    match data {
        Value::String(text) => Value::from(escape(text)),
        Value::Array(items) => items.iter().map(escaped).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), escaped(value))).collect()
        }
        other => other.clone(),
    }
}

/// A question about some records by their ids, which stand in place of `{}`; none where there are none.
pub fn question<'a>(
    about: impl IntoIterator<Item = &'a str>,
    (one, many): (&str, &str),
) -> Option<String> {
    let about: Vec<&str> = about.into_iter().collect();
    let asked = if about.len() == 1 { one } else { many };
    (!about.is_empty()).then(|| asked.replacen("{}", &ids(about.iter().copied()), 1))
}

/// The question how large stories are that have no size.
pub fn unsized_question<'a>(about: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let words = ("How large is {}? It has no size.", "How large are {}? They have no size.");
    question(about, words)
}
