//! What a report is about: the stories, epics, tasks, agents and sessions that its input names, and a time span.
//!
//! Names of places (stories, epics, tasks, sessions) add up, and so do agents; with both, what is listed must belong to
//! one of each.

use indexmap::IndexSet;
use serde_json::Value;

use crate::input::values::Line;
use crate::output::{Fault, Result, bad_text};
use crate::project_state::span::Span;
use crate::project_state::{Message, Session, Snapshot, Story, Task, when};
use crate::text::line;

/// Largest number of names in an error.
const LISTED: usize = 5;

/// The kind of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub(crate) enum Kind {
    Story,
    Epic,
    Task,
    Session,
    Agent,
    Owner,
}

impl Kind {
    const ALL: [(&'static str, Self); 6] = [
        ("story", Self::Story),
        ("epic", Self::Epic),
        ("task", Self::Task),
        ("session", Self::Session),
        ("agent", Self::Agent),
        ("owner", Self::Owner),
    ];

    fn of(word: &str) -> Option<Self> {
        let kind = Self::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        kind.map(|(_, kind)| *kind)
    }

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// The fields of an input that select.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a> {
    /// A field with names of any kind, then a time span, and its text.
    pub(crate) about: Option<(&'static str, &'a str)>,
    /// Fields with names of one kind.
    pub(crate) named: Vec<(Kind, &'a Option<Line>)>,
    pub(crate) since: Option<&'a str>,
    pub(crate) until: Option<&'a str>,
    /// The beginning of the span if no time is given.
    pub(crate) lately: Option<&'a str>,
}

/// What a report is about; everything if nothing is named.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    /// What was named.
    pub(crate) names: Vec<(Kind, &'a str)>,
    /// The ids of the stories: those named, those of epics, and those of sessions.
    pub(crate) stories: IndexSet<&'a str>,
    pub(crate) tasks: IndexSet<&'a str>,
    pub(crate) people: IndexSet<&'a str>,
    pub(crate) sessions: Vec<&'a Session>,
    /// Whether any name is that of a place.
    is_placed: bool,
    pub(crate) span: Span,
}

/// Finds names among the records.
pub(crate) struct Names<'a> {
    pub(crate) snapshot: &'a Snapshot,
    /// The counts of messages by sender, as in `/api/metrics`.
    pub(crate) senders: &'a Value,
}

impl<'a> Names<'a> {
    /// What a text names, of a kind or of any; ids without case.
    pub(crate) fn find(&self, kind: Option<Kind>, text: &str) -> Option<(Kind, &'a str)> {
        let kinds: &[Kind] = match &kind {
            Some(kind) => std::slice::from_ref(kind),
            None => &[Kind::Story, Kind::Epic, Kind::Task, Kind::Session, Kind::Agent],
        };
        let is_exact = |id: &&str| *id == text;
        let is_like = |id: &&str| id.eq_ignore_ascii_case(text);
        let exact = kinds.iter().find_map(|kind| Some((*kind, self.all(*kind).find(is_exact)?)));
        let like = || kinds.iter().find_map(|kind| Some((*kind, self.all(*kind).find(is_like)?)));
        exact.or_else(like).or_else(|| {
            let is_session = |session: &&Session| session.name == text;
            let session = self.snapshot.sessions.iter().find(is_session)?;
            let is_meant = kind.is_none_or(|kind| kind == Kind::Session);
            is_meant.then_some((Kind::Session, session.id.as_str()))
        })
    }

    /// The known ids or names of a kind.
    fn all(&self, kind: Kind) -> Box<dyn Iterator<Item = &'a str> + 'a> {
        let Self { snapshot, senders } = *self;
        let owners = snapshot.stories.iter().filter_map(|story| story.owner.as_deref());
        let agents = snapshot.tasks.iter().filter_map(|task| task.agent.as_deref());
        let senders = senders["by_sender"].as_object().into_iter().flatten();
        match kind {
            Kind::Story => Box::new(snapshot.stories.iter().map(|story| story.id.as_str())),
            Kind::Epic => Box::new(snapshot.epics.iter().map(|epic| epic.id.as_str())),
            Kind::Task => Box::new(snapshot.tasks.iter().map(|task| task.id.as_str())),
            Kind::Session => Box::new(snapshot.sessions.iter().map(|session| session.id.as_str())),
            Kind::Owner => Box::new(owners),
            Kind::Agent => {
                Box::new(agents.chain(owners).chain(senders.map(|(name, _)| name.as_str())))
            }
        }
    }

    /// The names in a text: one name of any form, or several between commas, spaces and "and", each optionally after the
    /// word for its kind.
    ///
    /// # Errors
    /// When the project does not have a name.
    pub(crate) fn read(
        &self,
        field: &str,
        kind: Option<Kind>,
        text: &str,
    ) -> Result<Vec<(Kind, &'a str)>> {
        let text = text.trim();
        if let Some(name) = self.find(kind, text) {
            return Ok(vec![name]);
        }
        if let Some((word, rest)) = text.split_once(' ')
            && let Some(name) = Kind::of(word).and_then(|kind| self.find(Some(kind), rest.trim()))
        {
            return Ok(vec![name]);
        }
        let mut names = Vec::new();
        let mut kind_of_next = kind;
        for word in text.split([',', ';', ' ']).filter(|word| !matches!(*word, "" | "and")) {
            if kind.is_none()
                && let Some(kind) = Kind::of(word)
            {
                kind_of_next = Some(kind);
                continue;
            }
            let name = self.find(kind_of_next, word);
            names.push(name.ok_or_else(|| self.unknown(field, kind_of_next, text, word))?);
        }
        if names.is_empty() { Err(self.unknown(field, kind, text, text)) } else { Ok(names) }
    }

    /// The fault of a word that names nothing; of a text with several words that is all of it.
    fn unknown(&self, field: &str, kind: Option<Kind>, text: &str, word: &str) -> Fault {
        let (what, known): (&str, IndexSet<&str>) = if let Some(kind) = kind {
            (kind.name(), self.all(kind).take(LISTED * 100).collect())
        } else {
            let some = |kind| self.all(kind).take(2);
            let known = some(Kind::Story).chain(some(Kind::Epic)).chain(some(Kind::Agent));
            ("story, an epic, a task, an agent or a session", known.collect())
        };
        let known: Vec<&str> = known.into_iter().take(LISTED).collect();
        let article = if what.starts_with(['a', 'e', 'o']) { "an" } else { "a" };
        let is_long = text.split(' ').nth(3).is_some();
        let given = if is_long { text } else { word };
        self.snapshot.absent(field, given, &format!("{article} {what}"), known.into_iter())
    }
}

impl<'a> Scope<'a> {
    /// Reads the fields of an input.
    ///
    /// # Errors
    /// When something named does not exist, or a time cannot be read.
    pub(crate) fn read(fields: &Fields<'_>, names: &Names<'a>, now: &str) -> Result<Self> {
        let mut all = Vec::new();
        let mut since = fields.since;
        if let Some((field, text)) = fields.about {
            let (words, time) = split(text, now);
            if time.is_some() && since.is_some() {
                let why = format!("without a time: {field} has one");
                return Err(bad_text("since", since.unwrap_or_default(), &why));
            }
            since = time.or(since);
            if !words.is_empty() {
                all = names.read(field, None, words).map_err(|fault| with_times(fault, field))?;
            }
        }
        for (kind, text) in &fields.named {
            if let Some(text) = text {
                all.extend(names.read(kind.name(), Some(*kind), text)?);
            }
        }
        let since = since.or(fields.lately.filter(|_| fields.until.is_none()));
        let span = Span::read(since, fields.until, now)?;
        Ok(Self::of(all, names.snapshot, span.until_now(now, names.snapshot.time.as_deref())))
    }

    /// The scope of a report about the whole project.
    pub(crate) fn everything(span: Span) -> Self {
        Self {
            names: Vec::new(),
            stories: IndexSet::new(),
            tasks: IndexSet::new(),
            people: IndexSet::new(),
            sessions: Vec::new(),
            is_placed: false,
            span,
        }
    }

    /// The scope of some names.
    pub(crate) fn of(names: Vec<(Kind, &'a str)>, snapshot: &'a Snapshot, span: Span) -> Self {
        let mut scope = Self { names, ..Self::everything(span) };
        for (at, (kind, name)) in scope.names.clone().into_iter().enumerate() {
            let people = scope.people.len();
            match kind {
                Kind::Story => _ = scope.stories.insert(name),
                Kind::Task => _ = scope.tasks.insert(name),
                Kind::Agent | Kind::Owner => _ = scope.people.insert(name),
                Kind::Epic => {
                    let is_in = |story: &&Story| story.epic.as_deref() == Some(name);
                    let stories = snapshot.stories.iter().filter(is_in);
                    scope.stories.extend(stories.map(|story| story.id.as_str()));
                }
                Kind::Session => {
                    let session = snapshot.sessions.iter().find(|session| session.id == name);
                    if let Some(session) = session {
                        scope.names[at].1 = &session.name;
                        // A session without a story has the work of the agent with its name.
                        match &session.story {
                            Some(story) => _ = scope.stories.insert(story),
                            None => _ = scope.people.insert(&session.name),
                        }
                        scope.sessions.push(session);
                    }
                }
            }
            let is_person =
                matches!(kind, Kind::Agent | Kind::Owner) || scope.people.len() > people;
            scope.is_placed |= !is_person;
        }
        scope
    }

    /// Limits it to these stories.
    pub(crate) fn limit_to(&mut self, stories: impl Iterator<Item = &'a str>) {
        self.stories.extend(stories);
        self.is_placed = true;
    }

    /// Whether it is everything.
    pub(crate) fn is_all(&self) -> bool {
        !self.is_placed && self.people.is_empty()
    }

    /// What it is, as a phrase: `epic EP-0002, owner ui`.
    pub(crate) fn phrase(&self) -> String {
        let shown = |(kind, name): &(Kind, &str)| format!("{} {}", kind.name(), line(name));
        self.names.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    fn has(&self, story: Option<&str>, people: &[Option<&str>]) -> bool {
        let is_of_place = story.is_some_and(|story| self.stories.contains(story));
        let is_of_person = people.iter().flatten().any(|person| self.people.contains(person));
        (is_of_place || !self.is_placed) && (is_of_person || self.people.is_empty())
    }

    pub(crate) fn has_story(&self, story: &Story) -> bool {
        self.has(Some(&story.id), &[story.owner.as_deref()])
    }

    pub(crate) fn has_task(&self, task: &Task) -> bool {
        self.tasks.contains(task.id.as_str())
            || self.has(task.story.as_deref(), &[task.agent.as_deref()])
    }

    pub(crate) fn has_session(&self, session: &Session) -> bool {
        let is_named = self.sessions.iter().any(|named| named.id == session.id);
        is_named || self.has(session.story.as_deref(), &[Some(&session.name)])
    }

    /// Whether a message was sent by one of its agents, rather than to one.
    pub(crate) fn sends(&self, message: &Message) -> bool {
        let from = message.from.as_deref();
        self.people.is_empty() || from.is_some_and(|from| self.people.contains(from))
    }

    pub(crate) fn has_message(&self, message: &Message) -> bool {
        let is_of_session =
            |session: &&Session| message.session.as_deref() == Some(session.id.as_str());
        message.task.as_deref().is_some_and(|task| self.tasks.contains(task))
            || self.has(message.story.as_deref(), &[message.from.as_deref(), message.to.as_deref()])
            || self.sessions.iter().any(is_of_session)
    }
}

/// The names at the beginning of a text, and the time span at its end.
fn split<'t>(text: &'t str, now: &str) -> (&'t str, Option<&'t str>) {
    let words = text.match_indices(' ').map(|(at, _)| at + 1);
    match std::iter::once(0).chain(words).find(|at| is_time(&text[*at..], now)) {
        Some(at) => (text[..at].trim(), Some(&text[at..])),
        None => (text, None),
    }
}

/// Whether a text is a time or a time span.
pub(crate) fn is_time(text: &str, now: &str) -> bool {
    Span::read(Some(text), None, now).is_ok()
}

/// Adds to the fault of a name that a time is allowed too.
fn with_times(fault: Fault, field: &str) -> Fault {
    match fault {
        Fault::Bad { given, allowed, .. } => {
            let allowed = format!("{allowed}; or {}, also `A until B`", when::ALLOWED);
            Fault::Bad { field: field.to_owned(), given, allowed }
        }
        other => other,
    }
}
