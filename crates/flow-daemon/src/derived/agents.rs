//! What each agent does: its sessions, tasks and stories, its last message, and its open questions.

use indexmap::IndexMap;
use serde::Serialize;

use crate::model::dependency::BEGUN;
use crate::model::record::Kind;
use crate::model::time;
use crate::store::Snapshot;
use crate::store::records::Records;
use crate::store::terms::Terms;

use super::conversation::{Conversation, Message};
use super::sessions::ActiveSession;

/// Number of agents that are listed, most recently active first; all are counted.
pub const LISTED: usize = 1_000;

/// What one agent does.
#[derive(Debug, Clone, Default, Serialize)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub struct Agent {
    pub id: String,
    pub last_seen_at: Option<String>,
    pub sessions: Vec<String>,
    pub tasks: Tasks,
    pub stories: Vec<String>,
    pub last_message: Option<Said>,
    pub questions: Questions,
    #[serde(skip)]
    seen_at: Option<i64>,
}

/// The ids of its tasks that are not done.
#[derive(Debug, Clone, Default, Serialize)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub struct Tasks {
    pub running: Vec<String>,
    pub waiting: Vec<String>,
    pub blocked: Vec<String>,
    pub failed: Vec<String>,
}

/// The last message of an agent.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub struct Said {
    pub timestamp: Option<String>,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub to: Option<String>,
    pub story_id: Option<String>,
    pub text: Option<String>,
}

/// The open questions that an agent was asked, and those that it asks.
#[derive(Debug, Clone, Default, Serialize)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub struct Questions {
    pub to: Vec<Question>,
    pub from: Vec<Question>,
}

/// An open question.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub struct Question {
    pub from: Option<String>,
    pub to: Option<String>,
    pub story_id: Option<String>,
    pub since: Option<String>,
    pub text: Option<String>,
}

/// The agents that sessions, tasks, stories or messages name: those listed, and the number of all.
pub fn agents(snapshot: &Snapshot) -> (Vec<Agent>, usize) {
    let mut found = Agents(IndexMap::new());
    found.add_sessions(snapshot);
    found.add_tasks(&snapshot.tasks.records);
    found.add_stories(&snapshot.status.stories);
    found.add_messages(&Conversation::of(snapshot));
    let total = found.0.len();
    let mut agents: Vec<Agent> = found.0.into_values().collect();
    agents.sort_by_key(|agent| std::cmp::Reverse(agent.seen_at));
    agents.truncate(LISTED);
    for agent in &mut agents {
        agent.last_seen_at = agent.seen_at.and_then(time::format_nanoseconds);
    }
    (agents, total)
}

/// Agents by name, in the order of their first mention.
struct Agents(IndexMap<String, Agent>);

impl Agents {
    fn of(&mut self, name: &str) -> &mut Agent {
        let new = || Agent { id: name.to_owned(), ..Agent::default() };
        self.0.entry(name.to_owned()).or_insert_with(new)
    }

    fn add_sessions(&mut self, snapshot: &Snapshot) {
        for session in ActiveSession::all(snapshot) {
            let agent = self.of(&session.agent);
            agent.seen_at = agent.seen_at.max(session.seen_at);
            agent.sessions.push(session.id);
        }
    }

    fn add_tasks(&mut self, tasks: &Records) {
        for (name, position) in named(tasks, "subagent_type") {
            let agent = self.of(name);
            let Some(id) = tasks.id(position) else { continue };
            let list = match state(tasks, position) {
                Some("running") => &mut agent.tasks.running,
                Some("queued") => &mut agent.tasks.waiting,
                Some("blocked") => &mut agent.tasks.blocked,
                Some("failed") => &mut agent.tasks.failed,
                _ => continue,
            };
            list.push(id.to_owned());
        }
    }

    fn add_stories(&mut self, stories: &Records) {
        for (name, position) in named(stories, "owner") {
            let agent = self.of(name);
            let has_begun = stories.is_open(position)
                && stories.terms("status").is_some_and(|terms| {
                    let mut begun = BEGUN.iter().filter_map(|status| terms.get(status));
                    begun.any(|set| set.contains(position))
                });
            if let Some(id) = stories.id(position).filter(|_| has_begun) {
                agent.stories.push(id.to_owned());
            }
        }
    }

    fn add_messages(&mut self, conversation: &Conversation) {
        for (name, message) in &conversation.last {
            let agent = self.of(name);
            agent.seen_at = agent.seen_at.max(message.at);
            agent.last_message = Some(Said {
                timestamp: message.written.clone(),
                kind: message.kind.clone(),
                to: message.to.clone(),
                story_id: message.story.clone(),
                text: message.text.clone(),
            });
        }
        for name in &conversation.receivers {
            self.of(name);
        }
        for message in &conversation.open {
            let question = question(message);
            if let Some(name) = &message.from {
                self.of(name).questions.from.push(question.clone());
            }
            if let Some(name) = &message.to {
                self.of(name).questions.to.push(question);
            }
        }
    }
}

fn question(message: &Message) -> Question {
    Question {
        from: message.from.clone(),
        to: message.to.clone(),
        story_id: message.story.clone(),
        since: message.at.and_then(time::format_nanoseconds),
        text: message.text.clone(),
    }
}

/// Each name in a field, with the position of the record, in the order of the file.
fn named<'a>(records: &'a Records, field: &str) -> Vec<(&'a str, u32)> {
    let terms = records.terms(field);
    let mut found: Vec<(&str, u32)> = Vec::new();
    for name in terms.into_iter().flat_map(Terms::values).filter(|name| !name.is_empty()) {
        let set = terms.and_then(|terms| terms.get(name));
        let positions = set.map_or_else(Vec::new, |set| records.positions(Some(set)));
        found.extend(positions.into_iter().map(|position| (name, position)));
    }
    found.sort_unstable_by_key(|(_, position)| *position);
    found
}

/// The state of a task that is not done, else `None`.
fn state(tasks: &Records, position: u32) -> Option<&'static str> {
    debug_assert_eq!(tasks.kind(), Kind::Task);
    let terms = tasks.terms("state")?;
    let states = ["running", "queued", "blocked", "failed"];
    states.into_iter().find(|state| terms.get(state).is_some_and(|set| set.contains(position)))
}
