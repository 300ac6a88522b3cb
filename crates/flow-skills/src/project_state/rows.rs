//! Records as rows of lists that several skills show, each with a reference to its source.

use serde_json::{Value, json};

use super::exchange::Blocks;
use super::say::name;
use super::{Session, Snapshot, Story, Task, say};
use crate::text::line;

/// Largest number of blocked tasks that are listed for a story.
const MOST_TASKS: usize = 20;

/// A story.
pub fn story(story: &Story) -> Value {
    json!({
        "id": story.id, "title": name(story), "status": story.status, "owner": story.owner,
        "cite": format!("story {}", line(&story.id)),
    })
}

/// A task.
pub fn task(task: &Task) -> Value {
    json!({
        "id": task.id, "description": line(&task.description), "state": task.state, "agent": task.agent,
        "story": task.story, "updated_at": task.updated_at, "error": task.error.as_deref().map(line),
        "cite": cite_task(task),
    })
}

/// A reference to a task.
pub fn cite_task(task: &Task) -> String {
    format!("task {}", line(&task.id))
}

/// A session.
pub fn session(session: &Session) -> Value {
    json!({
        "id": session.id, "name": session.name, "story": session.story, "branch": session.branch,
        "path": session.path, "last_active": session.last_active,
    })
}

/// A text and a reference to its source.
pub fn quote(words: &str, cite: &str) -> Value {
    json!({"said": words, "cite": cite})
}

/// An id with the status of its story.
pub fn need(snapshot: &Snapshot, id: &str) -> String {
    let status = snapshot.story(id).map_or("not in the project", |need| need.status.as_str());
    format!("{} ({status})", line(id))
}

/// The dependencies of a story that are not completed, each with its status; `None` if there are none.
pub fn open_needs(snapshot: &Snapshot, story: &Story) -> Option<String> {
    let open =
        story.needs.iter().filter(|id| snapshot.story(id).is_none_or(|need| !need.is_completed()));
    let open: Vec<String> = open.map(|id| need(snapshot, id)).collect();
    (!open.is_empty()).then(|| say::ids(open.iter().map(String::as_str)))
}

/// The reasons why a story is blocked: from its record, its blocked tasks, and the current block in the log.
pub fn blocked_by(snapshot: &Snapshot, story: &Story, blocks: &Blocks<'_>) -> Vec<Value> {
    let own = format!("story {}", line(&story.id));
    let mut why: Vec<Value> = story
        .reasons
        .iter()
        .map(|words| quote(&format!("waits for: {}", line(words)), &own))
        .collect();
    why.extend(open_needs(snapshot, story).map(|needs| quote(&format!("needs {needs}"), &own)));
    let ours = |task: &&Task| task.story.as_ref() == Some(&story.id) && task.state == "blocked";
    why.extend(snapshot.tasks.iter().filter(ours).take(MOST_TASKS).map(blocked_task));
    let block = blocks.of(&story.id);
    why.extend(block.and_then(|block| Some(quote(&block.excerpt()?, &block.cite()))));
    why
}

/// A blocked task with its reasons.
pub fn blocked_task(task: &Task) -> Value {
    let needs = (!task.needs.is_empty())
        .then(|| format!("needs {}", say::ids(task.needs.iter().map(String::as_str))));
    let why = [Some(line(&task.description)), task.error.as_deref().map(line), needs];
    quote(&why.into_iter().flatten().collect::<Vec<_>>().join("; "), &cite_task(task))
}
