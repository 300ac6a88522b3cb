//! What each agent does: its work now, its sessions, tasks and stories, its last message, and its open questions. The page,
//! the terminal and MCP show the state and the work from here.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use indexmap::IndexMap;
use serde::Serialize;

use crate::model::dependency::BEGUN;
use crate::model::record::Kind;
use crate::model::time;
use crate::store::Snapshot;
use crate::store::collection::Collection;
use crate::store::records::Records;
use crate::store::terms::Terms;

use super::conversation::{Conversation, Message};
use super::excerpt;
use super::records::statuses_seen;
use super::sessions::ActiveSession;

/// Number of agents that are listed, most recently active first; all are counted.
pub const LISTED: usize = 1_000;

/// What one agent does.
#[derive(Debug, Clone, Default, Serialize)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub struct Agent {
    pub id: String,
    pub state: &'static str,
    pub doing: Option<Doing>,
    pub more: usize,
    pub needs_you: usize,
    pub last_seen_at: Option<String>,
    pub sessions: Vec<String>,
    pub tasks: Tasks,
    pub stories: Vec<String>,
    pub last_message: Option<Said>,
    pub questions: Questions,
    #[serde(skip)]
    seen_at: Option<i64>,
    #[serde(skip)]
    blocked_stories: usize,
    /// The running tasks, then the stories in progress.
    #[serde(skip)]
    work: Vec<Work>,
    /// The one of them that `doing` describes.
    #[serde(skip)]
    current: Option<Work>,
}

/// The work of an agent now: the running task that began last, else the story in progress that began last.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub struct Doing {
    pub kind: &'static str,
    pub id: String,
    pub title: Option<String>,
    pub since: Option<String>,
    pub status: &'static str,
}

/// A task that is running, or a story in progress.
#[derive(Debug, Clone)]
struct Work {
    kind: Kind,
    position: u32,
    began_at: Option<i64>,
    status: &'static str,
    /// The story of a task.
    story: Option<String>,
    id: String,
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

/// The agents that sessions, tasks, stories or messages name: those listed, and the number of all. First those that need
/// somebody, then those that work, then the others; in each group the most recently active first.
pub fn agents(snapshot: &Snapshot) -> (Vec<Agent>, usize) {
    let mut found = Agents(IndexMap::new());
    found.add_sessions(snapshot);
    found.add_tasks(snapshot);
    found.add_stories(snapshot);
    found.add_messages(&Conversation::of(snapshot));
    let total = found.0.len();
    let mut agents: Vec<Agent> = found.0.into_values().collect();
    for agent in &mut agents {
        agent.summarise();
    }
    agents.sort_by_key(|agent| (agent.group(), std::cmp::Reverse(agent.seen_at)));
    agents.truncate(LISTED);
    for agent in &mut agents {
        agent.describe(snapshot);
    }
    (agents, total)
}

impl Agent {
    /// The current work first, the number of other pieces, what needs somebody, and the state.
    fn summarise(&mut self) {
        // A story in progress is not another piece of work beside a running task on it.
        let of_tasks: HashSet<String> =
            self.work.iter_mut().filter_map(|work| work.story.take()).collect();
        self.work.retain(|work| work.kind == Kind::Task || !of_tasks.contains(&work.id));
        let now = |work: &&Work| (work.kind == Kind::Task, work.began_at, work.position);
        self.current = self.work.iter().max_by_key(now).cloned();
        self.more = self.work.len().saturating_sub(1);
        let (failed, blocked) = (self.tasks.failed.len(), self.tasks.blocked.len());
        let (blocked, asked) = (blocked + self.blocked_stories, self.questions.from.len());
        self.needs_you = failed + blocked + asked;
        self.state = match &self.current {
            Some(work) => work.status,
            None if failed > 0 => "failed",
            None if blocked > 0 => "blocked",
            None if asked > 0 => "asked",
            None if !self.tasks.waiting.is_empty() => "waiting",
            None if !self.sessions.is_empty() => "idle",
            None => "no work",
        };
    }

    fn group(&self) -> u8 {
        match (self.needs_you, &self.current) {
            (1.., _) => 0,
            (0, Some(_)) => 1,
            (0, None) => 2,
        }
    }

    /// Reads what is shown: only of the agents that are listed, since it costs a record each.
    fn describe(&mut self, snapshot: &Snapshot) {
        self.last_seen_at = self.seen_at.and_then(time::format_nanoseconds);
        self.doing = self.current.take().map(|work| {
            let (kind, records) = match work.kind {
                Kind::Task => ("task", &snapshot.tasks.records),
                _ => ("story", &snapshot.status.stories),
            };
            let title = records.record(work.position as usize).and_then(|record| record.title());
            Doing {
                kind,
                id: work.id,
                title: title.as_deref().and_then(excerpt),
                since: work.began_at.and_then(time::format_nanoseconds),
                status: work.status,
            }
        });
    }
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

    fn add_tasks(&mut self, snapshot: &Snapshot) {
        let (tasks, seen) = (&snapshot.tasks.records, statuses_seen(snapshot, Collection::Tasks));
        for (name, position) in named(tasks, "subagent_type") {
            let agent = self.of(name);
            let Some(id) = tasks.id(position) else { continue };
            let list = match state(tasks, position) {
                Some("running") => {
                    agent.work.push(Work::of(tasks, position, "running", &seen));
                    &mut agent.tasks.running
                }
                Some("queued") => &mut agent.tasks.waiting,
                Some("blocked") => &mut agent.tasks.blocked,
                Some("failed") => &mut agent.tasks.failed,
                _ => continue,
            };
            list.push(id.to_owned());
        }
    }

    fn add_stories(&mut self, snapshot: &Snapshot) {
        let stories = &snapshot.status.stories;
        let seen = statuses_seen(snapshot, Collection::Stories);
        for (name, position) in named(stories, "owner") {
            let agent = self.of(name);
            if !stories.is_open(position) {
                continue;
            }
            let terms = stories.terms("status");
            let is_in = |status: &&'static str| {
                terms.and_then(|terms| terms.get(status)).is_some_and(|set| set.contains(position))
            };
            agent.blocked_stories += usize::from(is_in(&"blocked"));
            let Some(status) = BEGUN.into_iter().find(|status| is_in(status)) else { continue };
            if let Some(id) = stories.id(position) {
                agent.stories.push(id.to_owned());
                agent.work.push(Work::of(stories, position, status, &seen));
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

impl Work {
    /// Work begins when the record says so, or else when the server saw it begin. A task may begin when it was created: many
    /// writers record nothing else. A story is created long before.
    fn of(
        records: &Records,
        position: u32,
        status: &'static str,
        seen: &HashMap<&str, SystemTime>,
    ) -> Self {
        let kind = records.kind();
        let record = records.record(position as usize);
        let time = |name| record.as_ref()?.first_time(kind.spellings(name));
        let created =
            || Some(kind).filter(|kind| *kind == Kind::Task).and_then(|_| time("created_at"));
        let seen_at = || Some(time::of_system(*seen.get(records.id(position)?)?));
        Self {
            kind,
            position,
            began_at: time("started_at").or_else(seen_at).or_else(created),
            status,
            story: record.as_ref().and_then(|record| Some(record.word("story_id")?.into_owned())),
            id: records.id(position).unwrap_or_default().to_owned(),
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
