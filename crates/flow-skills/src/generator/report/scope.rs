//! What a report is about: the stories, epics, tasks, agents and sessions that its input names, and a time span.
//!
//! Names of places (stories, epics, tasks, sessions) add up, and so do agents; with both, what is listed must belong to
//! one of each.

use indexmap::IndexSet;

use super::project::{Kind, Project};
use crate::input::values::Line;
use crate::output::{Result, bad_text};
use crate::project_state::span::Span;
use crate::project_state::{Context, Message, Session, Snapshot, Story, Task, when};
use crate::text::line;

/// The fields of an input that select.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a> {
    /// A field with names of any kind, then a time span.
    pub(crate) about: Option<(&'static str, &'a str)>,
    /// Fields with names of a kind, or of any.
    pub(crate) named: Vec<(&'static str, Option<Kind>, Option<&'a Line>)>,
    pub(crate) since: Option<&'a str>,
    pub(crate) until: Option<&'a str>,
    /// The beginning of the span if no time is given.
    pub(crate) lately: Option<&'a str>,
}

impl<'a> Fields<'a> {
    /// The fields `epic` and `owner`.
    pub(crate) fn of(epic: Option<&'a Line>, owner: Option<&'a Line>) -> Self {
        let named = vec![("epic", Some(Kind::Epic), epic), ("owner", Some(Kind::Agent), owner)];
        Self { named, ..Self::default() }
    }
}

/// What a report is about; everything if nothing is named.
#[derive(Debug)]
pub(crate) struct Scope {
    /// What was named.
    pub(crate) names: Vec<(Kind, String)>,
    pub(crate) span: Span,
    /// The stories that are named, and those of the epics and sessions.
    stories: IndexSet<String>,
    tasks: IndexSet<String>,
    people: IndexSet<String>,
    sessions: IndexSet<String>,
    /// Whether any name is that of a place.
    is_placed: bool,
}

impl Scope {
    /// Reads the fields of an input.
    pub(crate) fn read(fields: &Fields<'_>, project: &Project, context: &Context) -> Result<Self> {
        let mut names = Vec::new();
        let mut since = fields.since;
        if let Some((field, text)) = fields.about {
            let (words, time) = split(text, &context.now);
            if let (Some(_), Some(since)) = (time, since) {
                return Err(bad_text("since", since, &format!("without a time: {field} has one")));
            }
            since = time.or(since);
            if !words.is_empty() {
                let times = format!("; or {}, also `A until B`", when::ALLOWED);
                names = project.names(field, None, words, &times)?;
            }
        }
        for (field, kind, text) in &fields.named {
            if let Some(text) = text {
                names.extend(project.names(field, *kind, text.trim(), "")?);
            }
        }
        if since.is_none() && fields.until.is_none() {
            since = fields.lately;
        }
        let span = Span::read(since, fields.until, &context.now)?;
        let span = span.until_now(&context.now, project.snapshot.time.as_deref());
        Ok(Self::of(names, &project.snapshot, span))
    }

    /// The scope of some names.
    pub(crate) fn of(names: Vec<(Kind, String)>, snapshot: &Snapshot, span: Span) -> Self {
        let mut scope = Self {
            names,
            span,
            stories: IndexSet::new(),
            tasks: IndexSet::new(),
            people: IndexSet::new(),
            sessions: IndexSet::new(),
            is_placed: false,
        };
        for (kind, name) in scope.names.clone() {
            scope.is_placed |= !matches!(kind, Kind::Agent | Kind::Session);
            match kind {
                Kind::Story => _ = scope.stories.insert(name),
                Kind::Task => _ = scope.tasks.insert(name),
                Kind::Agent => _ = scope.people.insert(name),
                Kind::Epic => {
                    let of_epic = |story: &&Story| story.epic.as_ref() == Some(&name);
                    let stories = snapshot.stories.iter().filter(of_epic);
                    scope.stories.extend(stories.map(|story| story.id.clone()));
                }
                Kind::Session => scope.add_session(&name, snapshot),
            }
        }
        scope
    }

    /// Adds a session by its id, or the first one with a name. One without a story has the work of the agent of its name.
    fn add_session(&mut self, name: &str, snapshot: &Snapshot) {
        let find = |is_it: &dyn Fn(&&Session) -> bool| snapshot.sessions.iter().find(is_it);
        let by_name = || find(&|session| session.name == name);
        let Some(session) = find(&|session| session.id == name).or_else(by_name) else { return };
        self.sessions.insert(session.id.clone());
        match &session.story {
            Some(story) => self.limit_to([story.as_str()]),
            None => _ = self.people.insert(session.name.clone()),
        }
    }

    /// Limits it to these stories too.
    pub(crate) fn limit_to<'s>(&mut self, stories: impl IntoIterator<Item = &'s str>) {
        self.stories.extend(stories.into_iter().map(str::to_owned));
        self.is_placed = true;
    }

    /// Whether it is everything.
    pub(crate) fn is_all(&self) -> bool {
        !self.is_placed && self.people.is_empty()
    }

    /// What it is, as a phrase: `epic EP-0002, agent ui`.
    pub(crate) fn phrase(&self) -> String {
        let shown = self.names.iter().map(|(kind, name)| format!("{} {}", kind.name(), line(name)));
        shown.collect::<Vec<_>>().join(", ")
    }

    fn has(&self, story: Option<&str>, people: &[Option<&str>]) -> bool {
        let is_of_place = story.is_some_and(|story| self.stories.contains(story));
        let is_of_person = people.iter().flatten().any(|person| self.people.contains(*person));
        (is_of_place || !self.is_placed) && (is_of_person || self.people.is_empty())
    }

    pub(crate) fn has_story(&self, story: &Story) -> bool {
        self.has(Some(&story.id), &[story.owner.as_deref()])
    }

    pub(crate) fn has_task(&self, task: &Task) -> bool {
        self.tasks.contains(&task.id) || self.has(task.story.as_deref(), &[task.agent.as_deref()])
    }

    pub(crate) fn has_session(&self, session: &Session) -> bool {
        self.sessions.contains(&session.id)
            || self.has(session.story.as_deref(), &[Some(&session.name)])
    }

    /// Whether a session is named, or its agent is.
    pub(crate) fn names_session(&self, session: &Session) -> bool {
        self.sessions.contains(&session.id) || self.people.contains(&session.name)
    }

    pub(crate) fn has_message(&self, message: &Message) -> bool {
        let is_in = |ids: &IndexSet<String>, id: &Option<String>| {
            id.as_ref().is_some_and(|id| ids.contains(id))
        };
        is_in(&self.tasks, &message.task)
            || is_in(&self.sessions, &message.session)
            || self.has(message.story.as_deref(), &[message.from.as_deref(), message.to.as_deref()])
    }

    /// Whether a message was sent by one of its agents, rather than to one.
    pub(crate) fn sends(&self, message: &Message) -> bool {
        let from = message.from.as_deref();
        self.people.is_empty() || from.is_some_and(|from| self.people.contains(from))
    }
}

/// The words at the end of a text that can be a time span: more than the longest notation has.
const SPAN_WORDS: usize = 16;

/// The names at the beginning of a text, and the time span at its end: the longest of at most [`SPAN_WORDS`] words.
fn split<'t>(text: &'t str, now: &str) -> (&'t str, Option<&'t str>) {
    let words = text.rmatch_indices(' ').map(|(at, _)| at + 1);
    let mut starts: Vec<usize> = words.chain([0]).take(SPAN_WORDS).collect();
    starts.reverse();
    match starts.into_iter().find(|at| is_time(&text[*at..], now)) {
        Some(at) => (text[..at].trim(), Some(&text[at..])),
        None => (text.trim(), None),
    }
}

/// Whether a text is a time or a time span.
pub(crate) fn is_time(text: &str, now: &str) -> bool {
    Span::read(Some(text), None, now).is_ok()
}
