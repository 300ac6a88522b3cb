//! The records of a project and the counts of its metrics; names of stories, epics, tasks, agents and sessions among them.

use indexmap::IndexSet;

use crate::input::values::Line;
use crate::output::{Fault, Result, bad_text};
use crate::project_state::changes::Change;
use crate::project_state::span::Span;
use crate::project_state::{Context, Message, Session, Snapshot, Story, Task, is_same_id, when};
use crate::text::line;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Story,
    Epic,
    Task,
    Agent,
    Session,
}

/// The words for kinds, in the order in which a name is looked up.
const KINDS: [(&str, Kind); 6] = [
    ("story", Kind::Story),
    ("epic", Kind::Epic),
    ("task", Kind::Task),
    ("agent", Kind::Agent),
    ("session", Kind::Session),
    ("owner", Kind::Agent),
];

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    fn of(word: &str) -> Option<Self> {
        let kind = KINDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        kind.map(|(_, kind)| *kind)
    }
}

/// The names that a field takes: each is looked up among all of the project's.
const MAX_NAMES: usize = 200;

impl Snapshot {
    /// Refuses one without records and messages.
    pub(crate) fn with_records(self) -> Result<Self> {
        let is_empty = self.is_empty() && self.metrics["bus"]["total"] == 0;
        self.unless(is_empty, "stories, tasks, sessions or messages")
    }

    /// Refuses one without stories.
    pub(crate) fn with_stories(self) -> Result<Self> {
        let is_empty = self.stories.is_empty();
        self.unless(is_empty, "stories")
    }

    /// Refuses one that has none of what a report is of, with a remedy.
    fn unless(self, is_empty: bool, what: &str) -> Result<Self> {
        let why = match &self.gaps.doubtful {
            _ if !is_empty => return Ok(self),
            _ if !self.gaps.unread.is_empty() => {
                format!("repair the files that could not be read: {}", self.gaps.unread.join(", "))
            }
            Some(doubtful) => doubtful.trim_end_matches('.').to_owned(),
            None => "add them to its files, or name another project by --project DIR".to_owned(),
        };
        Err(Fault::Refused(format!("the project has no {what}; {why}")))
    }

    /// What a text names, of a kind or of any: in any case if no name has its case; of ids also without the zeros of their
    /// number, or without the scope before a slash, if that is one record only.
    pub(crate) fn find(&self, kind: Option<Kind>, text: &str) -> Option<(Kind, String)> {
        let known = || {
            kinds(kind).flat_map(|kind| self.known(kind).into_iter().map(move |name| (kind, name)))
        };
        let is_near = |name: &str| {
            let scope = name.strip_suffix(text);
            is_same_id(name, text) || scope.is_some_and(|scope| scope.ends_with('/'))
        };
        let exact = known().find(|(_, name)| *name == text);
        let found = exact.or_else(|| known().find(|(_, name)| name.eq_ignore_ascii_case(text)));
        let found = found.or_else(|| {
            let near: IndexSet<(Kind, &str)> = known().filter(|(_, name)| is_near(name)).collect();
            near.first().copied().filter(|_| near.len() == 1)
        });
        found.map(|(kind, name)| (kind, name.to_owned()))
    }

    /// The ids or names of a kind.
    pub(crate) fn known(&self, kind: Kind) -> Vec<&str> {
        let Snapshot { stories, epics, tasks, sessions, metrics, .. } = self;
        match kind {
            Kind::Story => stories.iter().map(|story| story.id.as_str()).collect(),
            Kind::Epic => epics.iter().map(|epic| epic.id.as_str()).collect(),
            Kind::Task => tasks.iter().map(|task| task.id.as_str()).collect(),
            Kind::Agent => {
                let agents = tasks.iter().filter_map(|task| task.agent.as_deref());
                let owners = stories.iter().filter_map(|story| story.owner.as_deref());
                let leads = epics.iter().filter_map(|epic| epic.owner.as_deref());
                let senders = metrics["bus"]["by_sender"].as_object().into_iter().flatten();
                let senders = senders.map(|(name, _)| name.as_str());
                agents.chain(owners).chain(leads).chain(senders).collect()
            }
            Kind::Session => {
                let names = sessions.iter().map(|session| session.name.as_str());
                sessions.iter().map(|session| session.id.as_str()).chain(names).collect()
            }
        }
    }

    /// The names in a text: one name of any form, or several between commas, spaces and "and", each optionally after the
    /// word for its kind. `allowed` is what the field takes besides names.
    pub(crate) fn names(
        &self,
        field: &str,
        kind: Option<Kind>,
        text: &str,
        allowed: &str,
    ) -> Result<Vec<(Kind, String)>> {
        let (word, rest) = text.split_once(' ').unwrap_or_default();
        let of_kind = Kind::of(word).and_then(|kind| self.find(Some(kind), rest.trim()));
        if let Some(name) = self.find(kind, text).or(of_kind) {
            return Ok(vec![name]);
        }
        let mut names = Vec::new();
        let mut kind_of_next = kind;
        let is_filler = |word: &&str| matches!(*word, "" | "and" | "for" | "of" | "about");
        for word in text.split([',', ';', ' ']).filter(|word| !is_filler(word)) {
            if let (None, Some(kind)) = (kind, Kind::of(word)) {
                kind_of_next = Some(kind);
            } else if names.len() == MAX_NAMES {
                let allowed = format!("at most {MAX_NAMES} names");
                return Err(bad_text(field, text, &allowed));
            } else if let Some(name) = self.find(kind_of_next, word) {
                names.push(name);
            } else {
                // Of a sentence, and of a time, no word is the wrong one.
                let is_whole = text.split(' ').count() > 3 || matches!(word, "since" | "until");
                let part = if is_whole { text } else { word };
                return Err(self.unknown(field, kind_of_next, part, allowed));
            }
        }
        if names.is_empty() {
            return Err(self.unknown(field, kind, text, allowed));
        }
        Ok(names)
    }

    fn unknown(&self, field: &str, kind: Option<Kind>, text: &str, allowed: &str) -> Fault {
        let what = match kind {
            None => "a story, an epic, a task, an agent or a session".to_owned(),
            Some(kind @ (Kind::Epic | Kind::Agent)) => format!("an {}", kind.name()),
            Some(kind) => format!("a {}", kind.name()),
        };
        let known = kinds(kind).flat_map(|kind| self.known(kind));
        self.absent(field, text, &what, known, allowed)
    }
}

fn kinds(only: Option<Kind>) -> impl Iterator<Item = Kind> {
    let all = KINDS[..5].iter().map(|(_, kind)| *kind);
    all.filter(move |kind| only.is_none_or(|only| only == *kind))
}

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
    pub(crate) fn of(epic: Option<&'a Line>, owner: Option<&'a Line>) -> Self {
        let named = vec![("epic", Some(Kind::Epic), epic), ("owner", Some(Kind::Agent), owner)];
        Self { named, ..Self::default() }
    }
}

/// What a report is about; everything if nothing is named.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) names: Vec<(Kind, String)>,
    pub(crate) span: Span,
    /// The stories that are named, and those of the epics and sessions.
    stories: IndexSet<String>,
    tasks: IndexSet<String>,
    /// The agents, in lower case: one who is written in two ways is one.
    people: IndexSet<String>,
    /// Whether any name is that of a place.
    is_placed: bool,
}

impl Scope {
    pub(crate) fn read(fields: &Fields<'_>, project: &Snapshot, context: &Context) -> Result<Self> {
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
        if let Some(begin) = span.since.as_deref().filter(|_| span.is_future(&context.now)) {
            return Err(bad_text("since", begin, "a time that is not in the future"));
        }
        Ok(Self::of(names, project, span))
    }

    pub(crate) fn of(names: Vec<(Kind, String)>, snapshot: &Snapshot, span: Span) -> Self {
        let mut scope = Self {
            names,
            span,
            stories: IndexSet::new(),
            tasks: IndexSet::new(),
            people: IndexSet::new(),
            is_placed: false,
        };
        for (kind, name) in scope.names.clone() {
            scope.is_placed |= !matches!(kind, Kind::Agent | Kind::Session);
            match kind {
                Kind::Story => _ = scope.stories.insert(name),
                Kind::Task => _ = scope.tasks.insert(name),
                Kind::Agent => _ = scope.people.insert(name.to_lowercase()),
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
        match &session.story {
            Some(story) => self.limit_to([story.as_str()]),
            None => _ = self.people.insert(session.name.to_lowercase()),
        }
    }

    /// Limits it to these stories too.
    pub(crate) fn limit_to<'s>(&mut self, stories: impl IntoIterator<Item = &'s str>) {
        self.stories.extend(stories.into_iter().map(str::to_owned));
        self.is_placed = true;
    }

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
        let is_of_person = people.iter().flatten().any(|person| self.has_person(person));
        (is_of_place || !self.is_placed) && (is_of_person || self.people.is_empty())
    }

    fn has_person(&self, name: &str) -> bool {
        !self.people.is_empty() && self.people.contains(&name.to_lowercase())
    }

    pub(crate) fn has_story(&self, story: &Story) -> bool {
        self.has(Some(&story.id), &[story.owner.as_deref()])
    }

    pub(crate) fn has_task(&self, task: &Task) -> bool {
        self.tasks.contains(&task.id) || self.has(task.story.as_deref(), &[task.agent.as_deref()])
    }

    pub(crate) fn has_change(&self, change: &Change) -> bool {
        self.tasks.contains(&change.id)
            || self.has(change.story.as_deref(), &[change.owner.as_deref()])
    }

    pub(crate) fn has_session(&self, session: &Session) -> bool {
        self.has(session.story.as_deref(), &[Some(&session.name)])
    }

    pub(crate) fn has_message(&self, message: &Message) -> bool {
        message.task.as_ref().is_some_and(|task| self.tasks.contains(task))
            || self.has(message.story.as_deref(), &[message.from.as_deref(), message.to.as_deref()])
    }

    /// Whether a message was sent by one of its agents, rather than to one.
    pub(crate) fn sends(&self, message: &Message) -> bool {
        let from = message.from.as_deref();
        self.people.is_empty() || from.is_some_and(|from| self.has_person(from))
    }
}

/// The words at the end of a text that can be a time span: more than the longest notation has.
const SPAN_WORDS: usize = 16;

/// The names at the beginning of a text, and the time span at its end: the longest of at most [`SPAN_WORDS`] words.
pub(crate) fn split<'t>(text: &'t str, now: &str) -> (&'t str, Option<&'t str>) {
    let words = text.rmatch_indices(' ').map(|(at, _)| at + 1);
    let mut starts: Vec<usize> = words.chain([0]).take(SPAN_WORDS).collect();
    starts.reverse();
    match starts.into_iter().find(|at| is_time(&text[*at..], now)) {
        Some(at) => (text[..at].trim(), Some(&text[at..])),
        None => (text.trim(), None),
    }
}

/// Whether a text is a time or a time span, even if that ends before it begins.
fn is_time(text: &str, now: &str) -> bool {
    let is_one = |text: &str| Span::read(Some(text), None, now).is_ok();
    is_one(text) || text.split_once(" until ").is_some_and(|(from, to)| is_one(from) && is_one(to))
}
