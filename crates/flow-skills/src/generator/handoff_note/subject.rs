//! The subject of a note: an agent, a session, a story, or the whole project; and the records that belong to it.

use serde_json::Value;

use super::{Input, Message, Snapshot, Story, Task, line, rows, say};
use crate::output::{Result, bad_text};
use crate::project_state::{Activity, Session, not_there};

/// Largest number of sessions of an agent that are listed.
const LISTED: usize = 20;

/// The subject of a note, and what belongs to it: everything if it is the project.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    /// `project`, `agent`, `session` or `story`.
    pub(super) kind: &'static str,
    pub(super) name: &'a str,
    /// The id of its story.
    story: Option<&'a str>,
    /// The name of its agent; a session without a story has the work of the agent with its name.
    agent: Option<&'a str>,
    session: Option<&'a Session>,
}

impl<'a> Subject<'a> {
    const PROJECT: Self =
        Self { kind: "project", name: "project", story: None, agent: None, session: None };

    /// Reads the fields `agent`, `session`, `story` and `about`, of which at most one may be given.
    pub(super) fn read(input: &'a Input, snapshot: &'a Snapshot, metrics: &Value) -> Result<Self> {
        let mut found: Option<(&str, Self)> = None;
        let given = [
            ("about", &input.about),
            ("agent", &input.agent),
            ("session", &input.session),
            ("story", &input.story),
        ];
        for (field, name) in given {
            let Some(name) = name.as_deref() else { continue };
            if let Some((other, _)) = found {
                return Err(bad_text(field, name, &format!("left out where {other} is given")));
            }
            found = Some((field, Self::named(field, name, snapshot, metrics)?));
        }
        Ok(found.map_or(Self::PROJECT, |(_, subject)| subject))
    }

    fn named(field: &str, name: &'a str, snapshot: &'a Snapshot, metrics: &Value) -> Result<Self> {
        let (kind, name) = match name.split_once(' ') {
            Some((kind @ ("agent" | "session" | "story"), rest)) if field == "about" => {
                (kind, rest)
            }
            _ => (field, name),
        };
        let session = |by: fn(&Session) -> &str| {
            snapshot.sessions.iter().find(|session| by(session) == name).map(Self::of_session)
        };
        let by_id = || session(|session| &session.id);
        let by_name = || session(|session| &session.name);
        let agent = || {
            let subject = Self { kind: "agent", name, agent: Some(name), ..Self::PROJECT };
            Some(subject).filter(|_| is_agent(name, snapshot, metrics))
        };
        let story = || {
            let subject = Self { kind: "story", name, story: Some(name), ..Self::PROJECT };
            Some(subject).filter(|_| snapshot.story(name).is_some())
        };
        let found = match kind {
            "agent" => agent(),
            "session" => by_id().or_else(by_name),
            "story" => story(),
            _ => story().or_else(by_id).or_else(agent).or_else(by_name),
        };
        let (what, known) = known(kind, snapshot);
        found.ok_or_else(|| not_there(field, name, what, known.into_iter()))
    }

    fn of_session(session: &'a Session) -> Self {
        let (name, story) = (session.name.as_str(), session.story.as_deref());
        let agent = story.is_none().then_some(name);
        Self { kind: "session", name, story, agent, session: Some(session) }
    }

    pub(super) fn is_project(&self) -> bool {
        self.kind == "project"
    }

    pub(super) fn title(&self) -> String {
        if self.is_project() {
            return "Handoff of the project".to_owned();
        }
        format!("Handoff of the {} {}", self.kind, line(self.name))
    }

    /// Facts from the records of the subject and its sessions, one per line; no claims about work.
    pub(super) fn facts(&self, snapshot: &Snapshot) -> Vec<String> {
        if let Some(session) = self.session {
            return vec![place(session)];
        }
        if let Some(story) = self.story.and_then(|id| snapshot.story(id)) {
            let owner = story.owner.as_deref().map(|owner| format!(", owner {}", line(owner)));
            let (id, owner) = (line(&story.id), owner.unwrap_or_default());
            let needs = rows::open_needs(snapshot, story);
            let needs = needs.map(|needs| format!(", needs {needs}")).unwrap_or_default();
            let name = say::name(story);
            return vec![format!("story {id}: {name}, {}{owner}{needs}", story.status)];
        }
        let is_its = |session: &&Session| self.agent == Some(session.name.as_str());
        snapshot.sessions.iter().filter(is_its).take(LISTED).map(place).collect()
    }

    /// Whether a message was sent by the subject, rather than to it.
    pub(super) fn sends(&self, message: &Message) -> bool {
        self.kind != "agent" || message.from.as_deref() == self.agent
    }

    pub(super) fn has_task(&self, task: &Task) -> bool {
        self.is_of(task.story.as_deref(), &[task.agent.as_deref()])
    }

    pub(super) fn has_story(&self, story: &Story) -> bool {
        let owner = story.owner.as_deref().filter(|_| self.session.is_none());
        self.is_of(Some(&story.id), &[owner])
    }

    pub(super) fn has_message(&self, message: &Message) -> bool {
        let is_of_session =
            |session: &Session| message.session.as_deref() == Some(session.id.as_str());
        self.is_of(message.story.as_deref(), &[message.from.as_deref(), message.to.as_deref()])
            || self.session.is_some_and(is_of_session)
    }

    /// Whether something of a story and of agents belongs to it.
    fn is_of(&self, story: Option<&str>, agents: &[Option<&str>]) -> bool {
        self.is_project()
            || self.story.is_some() && self.story == story
            || self.agent.is_some() && agents.contains(&self.agent)
    }
}

/// Where a session works.
fn place(session: &Session) -> String {
    let activity = if session.activity == Activity::Active { "active" } else { "ended" };
    let facts = [
        ("story", &session.story),
        ("branch", &session.branch),
        ("path", &session.path),
        ("last active", &session.last_active),
    ];
    let said =
        facts.into_iter().filter_map(|(name, fact)| Some(format!(", {name} {}", fact.as_ref()?)));
    format!("session {} ({}): {activity}{}", session.id, session.name, said.collect::<String>())
}

/// Whether a name is that of an agent: of a task, an owner of a story, or a sender. It may be one of the senders that
/// the count does not name.
fn is_agent(name: &str, snapshot: &Snapshot, metrics: &Value) -> bool {
    let name = Some(name);
    let senders = &metrics["bus"];
    snapshot.tasks.iter().any(|task| task.agent.as_deref() == name)
        || snapshot.stories.iter().any(|story| story.owner.as_deref() == name)
        || name.is_some_and(|name| senders["by_sender"].get(name).is_some())
        || senders.get("by_sender_others").is_some()
}

/// The known names in an error.
fn known<'a>(kind: &str, snapshot: &'a Snapshot) -> (&'static str, Vec<&'a str>) {
    let stories = || snapshot.stories.iter().map(|story| story.id.as_str());
    let sessions = || snapshot.sessions.iter().map(|session| session.name.as_str());
    let mut agents: Vec<&str> = Vec::new();
    let tasks = snapshot.tasks.iter().filter_map(|task| task.agent.as_deref());
    let owners = snapshot.stories.iter().filter_map(|story| story.owner.as_deref());
    for agent in tasks.chain(owners) {
        if agents.len() < 5 && !agents.contains(&agent) {
            agents.push(agent);
        }
    }
    match kind {
        "agent" => ("an agent", agents),
        "session" => ("a session", sessions().collect()),
        "story" => ("a story", stories().collect()),
        _ => {
            agents.truncate(2);
            let other = sessions().find(|session| !agents.contains(session));
            let known = agents.into_iter().chain(other).chain(stories()).collect();
            ("an agent, a session or a story", known)
        }
    }
}
