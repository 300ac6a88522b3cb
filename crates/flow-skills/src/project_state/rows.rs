//! Records of the board as the rows of lists that several skills show, each with where it is found.

use serde_json::{Value, json};

use super::say::name;
use super::{Board, Kind, Message, Session, Story, Task, say};
use crate::text::line;

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

/// Where a task is found.
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

/// Something said, and where it is found.
pub fn said(words: &str, cite: &str) -> Value {
    json!({"said": words, "cite": cite})
}

/// What a story needs, each with its status, in a few words; none where it needs nothing.
pub fn needs(board: &Board, story: &Story, is_meant: impl Fn(&Story) -> bool) -> Option<String> {
    let found = story.needs.iter().map(|id| (id, board.story(id)));
    let meant = found.filter(|(_, need)| need.is_none_or(&is_meant)).map(|(id, need)| {
        format!("{id} ({})", need.map_or("not in the project", |need| need.status.as_str()))
    });
    let meant: Vec<String> = meant.collect();
    (!meant.is_empty()).then(|| say::ids(meant.iter().map(String::as_str)))
}

/// Why a story is blocked, in the words of its record, of its blocked tasks, and of the last message that says so and
/// is not taken back.
pub fn blocked_by(board: &Board, story: &Story, blocks: &[Message]) -> Vec<Value> {
    let own = format!("story {}", line(&story.id));
    let mut why = Vec::new();
    why.extend(story.waits_for.as_deref().map(|words| said(&format!("waits for: {words}"), &own)));
    let needs = needs(board, story, |need| !need.is_completed());
    why.extend(needs.map(|needs| said(&format!("needs {needs}"), &own)));
    let ours = |task: &&Task| task.story.as_ref() == Some(&story.id) && task.state == "blocked";
    why.extend(board.tasks.iter().filter(ours).take(20).map(blocked_task));
    let about = |message: &&Message| message.story.as_ref() == Some(&story.id);
    let last = blocks.iter().rfind(about).filter(|message| message.kind == Kind::Blocked);
    why.extend(last.map(|message| {
        let words =
            message.said().unwrap_or_else(|| "says that it is blocked, not by what".to_owned());
        said(&words, &message.cite())
    }));
    why
}

/// A blocked task and what it says of why.
pub fn blocked_task(task: &Task) -> Value {
    let needs = (!task.needs.is_empty())
        .then(|| format!("needs {}", say::ids(task.needs.iter().map(String::as_str))));
    let why = [task.error.as_deref().map(line), needs];
    let why = why.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let why = if why.is_empty() { "nothing is said of why".to_owned() } else { why };
    said(&format!("{}: {why}", line(&task.description)), &cite_task(task))
}
