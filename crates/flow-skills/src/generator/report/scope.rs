//! What a report is about: names and a time span, and which records belong to it.

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::values::{Line, Names};
use crate::output::{Result, bad_text};
use crate::project_state::changes::Change;
use crate::project_state::names::{Name, Named};
use crate::project_state::say::ids;
use crate::project_state::span::{Span, names_and_time};
use crate::project_state::{Context, Message, Session, Snapshot, Story, Task, when};
use crate::text::line;

/// The fields of an input that select.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a> {
    /// A field with names of any kind, then a time span.
    pub(crate) about: Option<(&'static str, &'a str)>,
    /// Fields with names, each with the kinds that it takes.
    pub(crate) named: Vec<(&'static str, &'static [Named], Option<&'a Names>)>,
    /// Names that are read already.
    pub(crate) names: Vec<Name>,
    pub(crate) since: Option<&'a str>,
    pub(crate) until: Option<&'a str>,
    /// The beginning of the span if neither a name nor a time is given.
    pub(crate) lately: Option<&'a str>,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(epic: Option<&'a Names>, owner: Option<&'a Names>) -> Self {
        let named: Vec<(_, &[Named], _)> =
            vec![("epic", &[Named::Epic], epic), ("owner", &[Named::Agent], owner)];
        Self { named, ..Self::default() }
    }
}

/// What a report on a time is about. Default: the whole project; in a status report of all of it the changes of the last
/// week, else all of time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Times {
    /// The beginning: a time, a date, or yesterday, monday, last week, 2 weeks; also `A until B`. Ids and names before it
    /// limit the report: `EP-0001 api since monday`.
    #[schemars(extend("x-labels" = ["From"]))]
    since: Option<Line>,
    /// The end, in the same forms; a date includes its whole day.
    until: Option<Line>,
    /// Ids of epics: only their stories and what concerns them.
    epic: Option<Names>,
    /// Owners of stories: only theirs and what concerns them.
    owner: Option<Names>,
}

impl Times {
    /// The scope, from `lately` on if neither a name nor a time is given.
    pub(crate) fn scope(
        &self,
        lately: Option<&str>,
        project: &Snapshot,
        context: &Context,
    ) -> Result<Scope> {
        let fields = Fields {
            about: self.since.as_deref().map(|text| ("since", text)),
            until: self.until.as_deref(),
            lately,
            ..Fields::of(self.epic.as_ref(), self.owner.as_ref())
        };
        Scope::read(&fields, project, context)
    }
}

/// What a report is about; everything if nothing is named.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) names: Vec<Name>,
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
        let mut names = fields.names.clone();
        let mut since = fields.since;
        if let Some((field, text)) = fields.about {
            when::dates_exist(field, text)?;
            let (words, time) = names_and_time(text, &context.now);
            if let (Some(_), Some(since)) = (time, since) {
                return Err(bad_text("since", since, &format!("without a time: {field} has one")));
            }
            since = time.or(since);
            if !words.is_empty() {
                let times = format!("; or {}, also `A until B`", when::ALLOWED);
                names.extend(project.names(field, &Named::ALL, words, &times)?);
            }
        }
        for (field, kinds, text) in &fields.named {
            for text in text.iter().flat_map(|names| &names.0) {
                names.extend(project.names(field, kinds, text, "")?);
            }
        }
        if since.is_none() && fields.until.is_none() && names.is_empty() {
            since = fields.lately;
        }
        let span = Span::read(since, fields.until, &context.now)?;
        if let Some(begin) = span.since.as_deref().filter(|_| span.is_future(&context.now)) {
            return Err(bad_text("since", begin, "a time that is not in the future"));
        }
        Ok(Self::of(names, project, span))
    }

    pub(crate) fn of(mut names: Vec<Name>, snapshot: &Snapshot, span: Span) -> Self {
        // A task stands for its story too, with the session and the other tasks of that.
        let tasks = names.iter().filter(|name| name.kind == Named::Task);
        let stories = tasks.filter_map(|name| snapshot.task(&name.id)?.story.clone());
        let stories: Vec<Name> = stories.map(|id| Name { kind: Named::Story, id }).collect();
        names.extend(stories);
        let names: IndexSet<Name> = names.into_iter().collect();
        let mut scope = Self {
            names: names.into_iter().collect(),
            span,
            stories: IndexSet::new(),
            tasks: IndexSet::new(),
            people: IndexSet::new(),
            is_placed: false,
        };
        for Name { kind, id } in scope.names.clone() {
            scope.is_placed |= !matches!(kind, Named::Agent | Named::Session);
            match kind {
                Named::Story => _ = scope.stories.insert(id),
                Named::Task => _ = scope.tasks.insert(id),
                Named::Agent => _ = scope.people.insert(id.to_lowercase()),
                Named::Epic => {
                    let of_epic = |story: &&Story| story.epic.as_ref() == Some(&id);
                    let stories = snapshot.stories.iter().filter(of_epic);
                    scope.stories.extend(stories.map(|story| story.id.clone()));
                }
                Named::Session => scope.add_session(&id, snapshot),
            }
        }
        scope
    }

    /// Adds the first session with an id or a name. One without a story has the work of the agent of its name.
    fn add_session(&mut self, name: &str, snapshot: &Snapshot) {
        let mut sessions = snapshot.sessions.iter();
        let Some(session) = sessions.find(|one| one.id == name || one.name == name) else { return };
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
        let shown =
            self.names.iter().map(|name| format!("{} {}", name.kind.word(), line(&name.id)));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// What the report is limited to, and what the names say of each other that the records do not.
    pub(crate) fn remarks(&self, project: &Snapshot) -> Vec<String> {
        let alone = (!self.is_all()).then(|| format!("About the {} alone.", self.phrase()));
        alone.into_iter().chain(contradictions(&self.names, project)).collect()
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

/// What names say beside each other that the records do not: a story and an epic that it is not in, or an agent that has
/// neither the story nor the task.
pub(crate) fn contradictions(names: &[Name], project: &Snapshot) -> Vec<String> {
    let of = |kind| names.iter().filter(move |name| name.kind == kind).map(|name| name.id.as_str());
    let mut facts = Vec::new();
    for story in of(Named::Story).filter_map(|id| project.story(id)) {
        let (id, epic) = (line(&story.id), story.epic.as_deref());
        facts.push((Named::Epic, format!("{id} is in"), epic.or(Some("no epic"))));
        facts.push((Named::Agent, format!("The owner of {id} is"), story.owner.as_deref()));
    }
    for task in of(Named::Task).filter_map(|id| project.task(id)) {
        let phrase = format!("The agent of {} is", line(&task.id));
        facts.push((Named::Agent, phrase, task.agent.as_deref()));
    }
    let contradiction = |(kind, phrase, fact): (Named, String, Option<&str>)| {
        let is_named = |fact: &str| of(kind).any(|name| name.eq_ignore_ascii_case(fact));
        let fact = fact.filter(|fact| of(kind).count() > 0 && !is_named(fact))?;
        Some(format!("{phrase} {}, not {}.", line(fact), ids(of(kind))))
    };
    facts.into_iter().filter_map(contradiction).collect()
}
