//! Records, messages and reasons as rows of sections, each with a reference to its source.

use serde_json::{Value, json};

use super::Listing;
use crate::project_state::say::{LISTED, arrows, name};
use crate::project_state::{Message, MessageKind, Session, Story, Task};
use crate::text::line;

/// Number of the newest messages that are shown.
const LATEST: usize = 10;
pub(crate) const STORY: &str = "story=id, title, status, owner";
pub(crate) const TASK: &str = "task=id, what=description, agent, story";

pub(crate) fn stories(
    key: &'static str,
    heading: &str,
    columns: &'static str,
    all: &[&Story],
) -> Listing {
    Listing::table(key, heading, columns, all, |one| story(one))
}

pub(crate) fn tasks(
    key: &'static str,
    heading: &str,
    columns: &'static str,
    all: &[&Task],
) -> Listing {
    Listing::table(key, heading, columns, all, |one| task(one))
}

/// A list of rows that have their texts.
pub(crate) fn list(key: &'static str, heading: &str, all: &[Value]) -> Listing {
    Listing::list(key, heading, all, Value::clone)
}

pub(crate) fn cycles(all: &[Vec<&str>]) -> Listing {
    Listing::list("cycles", "Dependency cycles", all, |cycle| {
        let ids: Vec<_> = cycle.iter().take(LISTED).collect();
        json!({"ids": ids, "count": cycle.len(), "said": arrows(cycle)})
    })
}

pub(crate) fn story(story: &Story) -> Value {
    json!({
        "id": story.id, "title": name(story), "status": story.status, "owner": story.owner,
        "size": story.effort.map(|size| size.to_string()), "priority": story.priority,
        "epic": story.epic, "depends_on": story.needs, "completed_at": story.completed_at,
        "cite": cite_story(story),
    })
}

pub(crate) fn cite_story(story: &Story) -> String {
    format!("story {}", line(&story.id))
}

pub(crate) fn task(task: &Task) -> Value {
    json!({
        "id": task.id, "description": line(&task.description), "state": task.state, "agent": task.agent,
        "story": task.story, "updated_at": task.updated_at, "error": task.error.as_deref().map(line),
        "cite": cite_task(task),
    })
}

pub(crate) fn cite_task(task: &Task) -> String {
    format!("task {}", line(&task.id))
}

pub(crate) fn sessions(heading: &str, all: &[&Session]) -> Listing {
    let columns = "session=name, id, state, story, branch, path, last active";
    Listing::table("sessions", heading, columns, all, |session| {
        json!({
            "id": session.id, "name": session.name, "story": session.story,
            "state": if session.is_active { "active" } else { "ended" },
            "branch": session.branch, "path": session.path, "last_active": session.last_active,
        })
    })
}

/// The newest of some messages, and the questions that nobody has answered.
pub(crate) fn talk(all: &[&Message], unanswered: &[&Message]) -> [Listing; 2] {
    let asked = Listing::list("questions", "Unanswered questions", unanswered, |one| message(one));
    [latest(all), asked]
}

/// The newest of some messages, which are in the order of the log.
pub(crate) fn latest(all: &[&Message]) -> Listing {
    let newest = &all[all.len().saturating_sub(LATEST)..];
    Listing::list("messages", "Latest messages", newest, |one| message(one))
}

/// A message with its sender and its receiver, what it is about, and the outcome of a review or check:
/// `qa to ui, US-0004 rejected: …`.
pub(crate) fn message(message: &Message) -> Value {
    let from = message.from.as_deref().map_or_else(|| "somebody".to_owned(), line);
    let to = message.to.as_deref().map(|to| format!(" to {}", line(to))).unwrap_or_default();
    let about = message.subject().map(|id| format!(", {id}")).unwrap_or_default();
    let outcome = match (message.kind, message.is_passed()) {
        (MessageKind::Review, Some(true)) => " accepted",
        (MessageKind::Review, Some(false)) => " rejected",
        (MessageKind::Gate, Some(true)) => " passed",
        (MessageKind::Gate, Some(false)) => " failed",
        _ => "",
    };
    json!({
        "time": message.time, "from": message.from, "to": message.to, "type": message.spelt,
        "story": message.story, "task": message.task,
        "said": format!("{from}{to}{about}{outcome}{}", message.quoted()), "cite": message.cite(),
    })
}

/// A row with one more member.
pub(crate) fn with(mut row: Value, member: &str, value: impl Into<Value>) -> Value {
    row[member] = value.into();
    row
}

/// A text and a reference to its source.
pub(crate) fn cited(words: &str, cite: &str) -> Value {
    json!({"said": words, "cite": cite})
}

/// A message's text behind its subject.
pub(crate) fn excerpt(message: &Message) -> Value {
    let parts: Vec<String> = message.subject().into_iter().chain(message.excerpt()).collect();
    cited(&parts.join(": "), &message.cite())
}
