//! The records of a project and the counts of its metrics; names of stories, epics, tasks, agents and sessions among them.

use serde_json::Value;

use crate::output::{Fault, Result, bad_text};
use crate::project_state::state::State;
use crate::project_state::{Context, Snapshot};

/// The kind of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Story,
    Epic,
    Task,
    Agent,
    Session,
}

/// The words for kinds.
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

/// The records of a project, and `/api/metrics`.
pub(crate) struct Project {
    pub(crate) snapshot: Snapshot,
    pub(crate) metrics: Value,
    state: State,
}

impl Project {
    /// Reads the state.
    pub(crate) fn read(context: &Context) -> Result<Self> {
        let (snapshot, metrics) = Snapshot::with_metrics(&context.state)?;
        Ok(Self { snapshot, metrics, ..Self::none(context) })
    }

    /// A project without records.
    pub(crate) fn none(context: &Context) -> Self {
        let state = context.state.clone();
        Self { snapshot: Snapshot::default(), metrics: Value::Null, state }
    }

    /// Refuses one without records and messages.
    pub(crate) fn with_records(self) -> Result<Self> {
        if self.snapshot.is_empty() && self.metrics["bus"]["total"] == 0 {
            return Err(self.empty("stories, tasks, sessions or messages", "its files"));
        }
        Ok(self)
    }

    /// Refuses one without stories.
    pub(crate) fn with_stories(self) -> Result<Self> {
        if self.snapshot.stories.is_empty() {
            return Err(self.empty("stories", "its status file"));
        }
        Ok(self)
    }

    /// The fault of a project without records of a kind, with a remedy.
    fn empty(&self, what: &str, file: &str) -> Fault {
        let gaps = &self.snapshot.gaps;
        let why = match &gaps.doubtful {
            _ if !gaps.unread.is_empty() => {
                format!("repair the files that could not be read: {}", gaps.unread.join(", "))
            }
            Some(doubtful) => doubtful.trim_end_matches('.').to_owned(),
            None => format!("add them to {file}, or name another project by --project DIR"),
        };
        Fault::Refused(format!("the project has no {what}; {why}"))
    }

    /// What a text names, of a kind or of any; in any case if no name has its case.
    pub(crate) fn find(&self, kind: Option<Kind>, text: &str) -> Result<Option<(Kind, String)>> {
        let kinds = kinds(kind);
        for is_same in [str::eq, str::eq_ignore_ascii_case] {
            for kind in &kinds {
                let mut known = self.known(*kind).into_iter();
                if let Some(name) = known.find(|name| is_same(name, text)) {
                    return Ok(Some((*kind, name.to_owned())));
                }
            }
        }
        // The metrics name the most frequent senders only.
        for part in ["from", "to"] {
            let query = format!("/api/bus/messages?limit=1&{part}={}", State::encoded(text));
            if kinds.contains(&Kind::Agent) && self.state.get(&query)?["total"] != 0 {
                return Ok(Some((Kind::Agent, text.to_owned())));
            }
        }
        Ok(None)
    }

    /// The ids or names of a kind.
    pub(crate) fn known(&self, kind: Kind) -> Vec<&str> {
        let Snapshot { stories, epics, tasks, sessions, .. } = &self.snapshot;
        match kind {
            Kind::Story => stories.iter().map(|story| story.id.as_str()).collect(),
            Kind::Epic => epics.iter().map(|epic| epic.id.as_str()).collect(),
            Kind::Task => tasks.iter().map(|task| task.id.as_str()).collect(),
            Kind::Agent => {
                let agents = tasks.iter().filter_map(|task| task.agent.as_deref());
                let owners = stories.iter().filter_map(|story| story.owner.as_deref());
                let leads = epics.iter().filter_map(|epic| epic.owner.as_deref());
                let senders = self.metrics["bus"]["by_sender"].as_object().into_iter().flatten();
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
        if let Some(name) = self.find(kind, text)? {
            return Ok(vec![name]);
        }
        if let Some((word, rest)) = text.split_once(' ')
            && let Some(kind) = Kind::of(word)
            && let Some(name) = self.find(Some(kind), rest.trim())?
        {
            return Ok(vec![name]);
        }
        let mut names = Vec::new();
        let mut kind_of_next = kind;
        for word in text.split([',', ';', ' ']).filter(|word| !matches!(*word, "" | "and")) {
            if let (None, Some(kind)) = (kind, Kind::of(word)) {
                kind_of_next = Some(kind);
            } else if names.len() == MAX_NAMES {
                let allowed = format!("at most {MAX_NAMES} names");
                return Err(bad_text(field, text, &allowed));
            } else if let Some(name) = self.find(kind_of_next, word)? {
                names.push(name);
            } else {
                // Of a sentence no word is the wrong one.
                let part = if text.split(' ').count() > 3 { text } else { word };
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
        let known = kinds(kind).into_iter().flat_map(|kind| self.known(kind));
        match self.snapshot.absent(field, text, &what, known) {
            Fault::Bad { field, given, allowed: names } => {
                Fault::Bad { field, given, allowed: names + allowed }
            }
            other => other,
        }
    }
}

/// A kind, or all of them.
fn kinds(kind: Option<Kind>) -> Vec<Kind> {
    match kind {
        Some(kind) => vec![kind],
        None => vec![Kind::Story, Kind::Epic, Kind::Task, Kind::Agent, Kind::Session],
    }
}
