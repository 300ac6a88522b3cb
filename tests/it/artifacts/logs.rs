//! Projects for the reporting skills: their four files, written and read as raw text. This module shares no code
//! with the product's reading of records.

use std::fs;
use std::path::Path;

use flow::files::Files;
use flow::project::Project;
use flow::skill::project_state::Context;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::making::{HOSTILE, context};

/// The paths of the four files.
pub(super) const STATUS: &str = "docs/09-agents/status.json";
pub(super) const LOG: &str = "docs/09-agents/bus/log.jsonl";
pub(super) const TASKS: &str = ".agileflow/state/task-dependencies.json";
pub(super) const SESSIONS: &str = ".agileflow/sessions/registry.json";

/// The contents of a project.
#[derive(Debug, Clone)]
pub(super) struct Raw {
    pub(super) status: Value,
    pub(super) tasks: Value,
    pub(super) sessions: Value,
    pub(super) log: String,
}

impl Raw {
    /// An empty project with this log.
    pub(super) fn of_log(messages: &[Value]) -> Self {
        let log =
            messages.iter().flat_map(|message| [message.to_string(), "\n".to_owned()]).collect();
        let empty = json!({});
        Self { status: empty.clone(), tasks: empty.clone(), sessions: empty, log }
    }

    /// As many hostile texts as possible.
    pub(super) fn hostile() -> Self {
        let (mut stories, mut tasks, mut sessions) = (json!({}), json!({}), json!({}));
        let mut epics = json!({"EP-1": {"title": HOSTILE[5], "goal": HOSTILE[9]}});
        let mut log = String::new();
        let kinds =
            ["blocked", "question", "answer", "task_completed", "review_done", "gate_check"];
        for (at, text) in HOSTILE.iter().enumerate() {
            let broken = format!("{text}\r\n# {text}\u{7}\u{2028}| x");
            let (id, task) = (format!("US-{at}"), format!("t-{at}"));
            epics[text] = json!({"title": broken});
            let status = ["blocked", "in_progress", "Completed", text][at % 4];
            stories[&id] = json!({
                "title": broken, "status": status, "owner": text, "blocked_by": broken,
                "depends_on": [format!("US-{}", at + 1), text, "US-50"], "acceptance_criteria": [broken],
                "epic_id": "EP-1", "points": text, "priority": text, "type": "debt",
                "summary": broken, "completed_at": if at % 2 == 0 { "2026-03-10" } else { *text },
            });
            let state = ["blocked", "failed", "running", "completed", "queued", text][at % 6];
            tasks[&task] = json!({
                "description": broken, "state": state, "error": broken, "story_id": id, "subagent_type": text,
                "blockedBy": [text], "metadata": {"files_modified": [text]},
            });
            sessions[at.to_string()] =
                json!({"nickname": broken, "branch": text, "path": broken, "story": id});
            for kind in kinds.iter().chain([text]) {
                log += &json!({
                    "at": "2026-03-10T09:00:00Z", "from": text, "to": "lead", "type": kind, "story": id,
                    "task_id": task, "text": broken, "passed": at % 2 == 0, "approved": at % 3 == 0,
                })
                .to_string();
                log += "\n";
            }
            log += &json!({"from": broken, "type": broken, "story": broken, "text": {"x": 1}})
                .to_string();
            log += "\n";
        }
        stories["US-50"] = json!({});
        stories["a | b\n# c"] =
            json!({"status": "ready", "epic_id": "EP-1", "depends_on": ["US-50"]});
        Self {
            status: json!({"epics": epics, "stories": stories}),
            tasks: json!({"tasks": tasks}),
            sessions: json!({"sessions": sessions}),
            log: log + "{}\nnot json\n{\"timestamp\":7,\"type\":[1],\"from\":null}\n",
        }
    }

    /// Writes it, and returns its context.
    pub(super) fn open(&self, folder: &Path) -> Context {
        self.write(|path, text| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        });
        let project = Project::at(folder).unwrap();
        Context { state: Files::read(&project).state(), ..context(folder) }
    }

    /// Passes each file's path and text to `file`.
    pub(super) fn write(&self, mut file: impl FnMut(&str, &str)) {
        file(STATUS, &self.status.to_string());
        file(TASKS, &self.tasks.to_string());
        file(SESSIONS, &self.sessions.to_string());
        file(LOG, &self.log);
    }

    /// The messages of the log's complete lines.
    pub(super) fn messages(&self) -> Vec<Value> {
        let read = |line: &str| serde_json::from_str::<Value>(line).ok();
        self.log.lines().filter_map(read).filter(Value::is_object).collect()
    }

    /// The citation of a message, from its raw line.
    pub(super) fn cite(message: &Value) -> String {
        let first = |names: &[&str], no: &str| {
            let found = names.iter().find_map(|name| message.get(*name).filter(|it| !it.is_null()));
            let word =
                found.map(|found| found.as_str().map_or_else(|| found.to_string(), str::to_owned));
            let plain = |c: &char| !c.is_control() || c.is_whitespace();
            let word: String = word.unwrap_or_default().chars().filter(plain).collect();
            let word = word.split_whitespace().collect::<Vec<_>>().join(" ");
            if word.is_empty() { no.to_owned() } else { word }
        };
        let time = first(&["timestamp", "ts", "at"], "no time");
        let from = first(&["from", "agent", "sender"], "no sender");
        format!("message {time} {from} {}", first(&["type"], "no type"))
    }
}

/// Every `cite` in data.
pub(super) fn cites(data: &Value) -> Vec<String> {
    match data {
        Value::Array(items) => items.iter().flat_map(cites).collect(),
        Value::Object(members) => {
            let own = members.get("cite").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(cites)).collect()
        }
        _ => Vec::new(),
    }
}

/// Logs of up to `most` messages between a few agents about a few stories, with every type that is counted, in
/// common spellings, some without a time, a story or an end.
pub(super) fn logs(most: usize) -> impl Strategy<Value = Vec<Value>> {
    let kinds = "question question answer answer task_assignment task_started task_completed Task-Completed task_failed blocked \
                 review_done gate_check agent_gate_check note task_cancelled";
    let kind = prop::sample::select(kinds.split_whitespace().collect::<Vec<_>>());
    let person = || prop::sample::select(vec!["a", "b", "c"]);
    let to = prop::sample::select(vec![json!("a"), json!("b"), json!("all"), Value::Null]);
    let story = prop::sample::select(vec![json!("US-1"), json!("US-2"), Value::Null]);
    let outcome = prop::sample::select(vec![json!(true), json!(false), Value::Null]);
    let message = (0..5000_i64, kind, person(), to, story, outcome, 0..9_u32);
    proptest::collection::vec(message, 0..most).prop_map(|all| {
        all.into_iter()
            .map(|(minute, kind, from, to, story, outcome, more)| {
                let (day, hour) = (minute / 1440 + 9, minute / 60 % 24);
                let time = format!("2026-03-{day:02}T{hour:02}:{:02}:00Z", minute % 60);
                let mut message =
                    json!({"from": from, "to": to, "type": kind, "story_id": story, "text": "x"});
                message[["timestamp", "ts", "at"][(more % 3) as usize]] = json!(time);
                if more == 8 {
                    message["at"] = json!("soon");
                }
                message["task_id"] = json!(format!("t-{}", more % 4));
                message[if kind == "review_done" { "approved" } else { "passed" }] = outcome;
                message["duration_ms"] = if more < 6 { json!(minute * 7) } else { Value::Null };
                message
            })
            .collect()
    })
}
