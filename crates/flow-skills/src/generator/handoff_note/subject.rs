//! The subject of a note: an agent, a session, a story, or the whole project; and the records that belong to it.

use serde_json::Value;

use super::{Input, Message, Snapshot, Story, Task, line, rows, say};
use crate::output::{Result, bad_text};
use crate::project_state::{Activity, Session, not_there};

/// Largest number of sessions of an agent that are listed.
const LISTED: usize = 20;

#[derive(Debug)]
pub(super) enum Subject<'a> {
    Project,
    /// The work of the agent with this name.
    Agent(String),
    /// The work of a session: its story, or the work of the agent with its name if it has none.
    Session(&'a Session),
    Story(&'a Story),
}

impl<'a> Subject<'a> {
    /// Reads the fields `agent`, `session`, `story` and `about`, of which at most one may be given.
    ///
    /// # Errors
    /// When several are given, or the project does not have it.
    pub(super) fn read(input: &Input, snapshot: &'a Snapshot, metrics: &Value) -> Result<Self> {
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
        Ok(found.map_or(Self::Project, |(_, subject)| subject))
    }

    fn named(field: &str, name: &str, snapshot: &'a Snapshot, metrics: &Value) -> Result<Self> {
        let (kind, name) = match name.split_once(' ') {
            Some((kind @ ("agent" | "session" | "story"), rest)) if field == "about" => {
                (kind, rest)
            }
            _ => (field, name),
        };
        let session = |by: fn(&Session) -> &str| {
            snapshot.sessions.iter().find(|session| by(session) == name).map(Self::Session)
        };
        let by_id = || session(|session| &session.id);
        let by_name = || session(|session| &session.name);
        let agent = || is_agent(name, snapshot, metrics).then(|| Self::Agent(name.to_owned()));
        let story = || snapshot.story(name).map(Self::Story);
        let found = match kind {
            "agent" => agent(),
            "session" => by_id().or_else(by_name),
            "story" => story(),
            _ => story().or_else(by_id).or_else(agent).or_else(by_name),
        };
        let (what, known) = known(kind, snapshot);
        found.ok_or_else(|| not_there(field, name, what, known.into_iter()))
    }

    pub(super) fn is_project(&self) -> bool {
        matches!(self, Self::Project)
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Agent(_) => "agent",
            Self::Session(_) => "session",
            Self::Story(_) => "story",
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Project => "project",
            Self::Agent(name) => name,
            Self::Session(session) => &session.name,
            Self::Story(story) => &story.id,
        }
    }

    pub(super) fn title(&self) -> String {
        match self {
            Self::Project => "Handoff of the project".to_owned(),
            _ => format!("Handoff of the {} {}", self.kind(), line(self.name())),
        }
    }

    /// Facts from the records of the subject and its sessions, one per line; no claims about work.
    pub(super) fn facts(&self, snapshot: &Snapshot) -> Vec<String> {
        let of = |name: &str| {
            let named = snapshot.sessions.iter().filter(|session| session.name == name);
            named.take(LISTED).map(place).collect()
        };
        match self {
            Self::Project => Vec::new(),
            Self::Agent(name) => of(name),
            Self::Session(session) => vec![place(session)],
            Self::Story(story) => {
                let owner = story.owner.as_deref().map(|owner| format!(", owner {}", line(owner)));
                let (id, owner) = (line(&story.id), owner.unwrap_or_default());
                let needs = rows::open_needs(snapshot, story);
                let needs = needs.map(|needs| format!(", needs {needs}")).unwrap_or_default();
                vec![format!("story {id}: {}, {}{owner}{needs}", say::name(story), story.status)]
            }
        }
    }

    /// Whether a message was sent by the subject, rather than to it.
    pub(super) fn sends(&self, message: &Message) -> bool {
        match self {
            Self::Agent(name) => message.from.as_ref() == Some(name),
            _ => true,
        }
    }

    pub(super) fn has_task(&self, task: &Task) -> bool {
        match self {
            Self::Project => true,
            Self::Agent(name) => task.agent.as_ref() == Some(name),
            Self::Story(story) => task.story.as_ref() == Some(&story.id),
            Self::Session(session) => match &session.story {
                Some(_) => task.story == session.story,
                None => task.agent.as_ref() == Some(&session.name),
            },
        }
    }

    pub(super) fn has_story(&self, story: &Story) -> bool {
        match self {
            Self::Project => true,
            Self::Agent(name) => story.owner.as_ref() == Some(name),
            Self::Story(own) => story.id == own.id,
            Self::Session(session) => session.story.as_ref() == Some(&story.id),
        }
    }

    pub(super) fn has_message(&self, message: &Message) -> bool {
        let is_of = |name: &String| {
            message.from.as_ref() == Some(name) || message.to.as_ref() == Some(name)
        };
        match self {
            Self::Project => true,
            Self::Agent(name) => is_of(name),
            Self::Story(story) => message.story.as_ref() == Some(&story.id),
            Self::Session(session) => {
                let is_its = match &session.story {
                    Some(_) => message.story == session.story,
                    None => is_of(&session.name),
                };
                is_its || message.session.as_ref() == Some(&session.id)
            }
        }
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

/// Whether a name is that of an agent: of a task, an owner of a story, or a sender.
fn is_agent(name: &str, snapshot: &Snapshot, metrics: &Value) -> bool {
    let name = Some(name);
    snapshot.tasks.iter().any(|task| task.agent.as_deref() == name)
        || snapshot.stories.iter().any(|story| story.owner.as_deref() == name)
        || name.is_some_and(|name| metrics["bus"]["by_sender"].get(name).is_some())
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
