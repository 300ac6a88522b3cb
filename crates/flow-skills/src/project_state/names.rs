//! Which record a text names: stories, epics, tasks, agents and sessions by their ids and names.

use flow_model::similar::{distance, is_same_id};
use indexmap::IndexSet;

use super::{Epic, Snapshot, Story};
use crate::output::{Fault, Result, bad_text};

/// The names that a field takes: each is looked up among all of the project's.
pub(crate) const MAX_NAMES: usize = 200;
/// Number of similar ids that a fault suggests.
const SUGGESTED: usize = 5;

/// The kind of what has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Named {
    Story,
    Epic,
    Task,
    Agent,
    Session,
}

impl Named {
    /// In the order in which a name is looked up.
    pub(crate) const ALL: [Self; 5] =
        [Self::Story, Self::Epic, Self::Task, Self::Agent, Self::Session];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Story => "story",
            Self::Epic => "epic",
            Self::Task => "task",
            Self::Agent => "agent",
            Self::Session => "session",
        }
    }

    fn of(word: &str) -> Option<Self> {
        if word.eq_ignore_ascii_case("owner") {
            return Some(Self::Agent);
        }
        Self::ALL.into_iter().find(|kind| kind.word().eq_ignore_ascii_case(word))
    }
}

/// A name as the project writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    pub(crate) kind: Named,
    pub(crate) id: String,
}

impl Snapshot {
    /// What a text names among some kinds: in any case if no name has its case; of ids also without the zeros of their
    /// number, or without the scope before a slash. `None` if that could be several records; an agent who is written in
    /// several ways is one.
    pub(crate) fn find(&self, kinds: &[Named], text: &str) -> Option<Name> {
        let names = || {
            let of_kind = |kind| self.known(kind).into_iter().map(move |id| (kind, id));
            kinds.iter().copied().flat_map(of_kind)
        };
        let is_near = |id: &str| {
            let scope = id.strip_suffix(text);
            is_same_id(id, text) || scope.is_some_and(|scope| scope.ends_with('/'))
        };
        let exact = names().find(|(_, id)| *id == text);
        let in_any_case = || {
            let same = names().filter(|(_, id)| id.eq_ignore_ascii_case(text));
            let same: IndexSet<(Named, &str)> = same.collect();
            let (kind, id) = *same.first()?;
            let is_one = same.iter().filter(|(other, _)| *other == kind).count() == 1;
            (is_one || kind == Named::Agent).then_some((kind, id))
        };
        let near = || {
            let near: IndexSet<(Named, &str)> = names().filter(|(_, id)| is_near(id)).collect();
            near.first().copied().filter(|_| near.len() == 1)
        };
        let (kind, id) = exact.or_else(in_any_case).or_else(near)?;
        Some(Name { kind, id: id.to_owned() })
    }

    /// An agent or a session by a name; a name that the project does not have is that of an agent.
    pub(crate) fn agent_or_session(&self, name: &str) -> Name {
        let known = self.find(&[Named::Agent, Named::Session], name);
        known.unwrap_or_else(|| Name { kind: Named::Agent, id: name.to_owned() })
    }

    /// The ids or names of a kind.
    pub(crate) fn known(&self, kind: Named) -> Vec<&str> {
        let Snapshot { stories, epics, tasks, sessions, metrics, .. } = self;
        match kind {
            Named::Story => stories.iter().map(|story| story.id.as_str()).collect(),
            Named::Epic => epics.iter().map(|epic| epic.id.as_str()).collect(),
            Named::Task => tasks.iter().map(|task| task.id.as_str()).collect(),
            Named::Agent => {
                let agents = tasks.iter().filter_map(|task| task.agent.as_deref());
                let owners = stories.iter().filter_map(|story| story.owner.as_deref());
                let leads = epics.iter().filter_map(|epic| epic.owner.as_deref());
                let senders = metrics["bus"]["by_sender"].as_object().into_iter().flatten();
                let senders = senders.map(|(name, _)| name.as_str());
                agents.chain(owners).chain(leads).chain(senders).collect()
            }
            Named::Session => {
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
        kinds: &[Named],
        text: &str,
        allowed: &str,
    ) -> Result<Vec<Name>> {
        let kind_of = |word: &str| Named::of(word).filter(|kind| kinds.contains(kind));
        let (word, rest) = text.split_once(' ').unwrap_or_default();
        let behind_word = || self.find(&[kind_of(word)?], rest.trim());
        if let Some(name) = self.find(kinds, text).or_else(behind_word) {
            return Ok(vec![name]);
        }
        let unknown = |kinds: &[Named], text: &str| Err(self.unknown(field, kinds, text, allowed));
        let is_filler = |word: &&str| matches!(*word, "" | "and" | "for" | "of" | "about");
        let mut names = Vec::new();
        // A word for a kind holds for all names behind it.
        let mut kinds_here = kinds.to_vec();
        for word in text.split([',', ';', ' ']).filter(|word| !is_filler(word)) {
            if let Some(kind) = kind_of(word) {
                kinds_here = vec![kind];
                continue;
            }
            if names.len() == MAX_NAMES {
                return Err(bad_text(field, text, &format!("at most {MAX_NAMES} names")));
            }
            match self.find(&kinds_here, word) {
                Some(name) => names.push(name),
                // If nothing before it is a name, or a time begins here, the fault is that of the text as a whole.
                None if names.is_empty() || matches!(word, "since" | "until") => {
                    return unknown(&kinds_here, text);
                }
                None => return unknown(&kinds_here, word),
            }
        }
        if names.is_empty() { unknown(kinds, text) } else { Ok(names) }
    }

    /// The story whose id is the value of a field.
    pub(crate) fn named_story(&self, field: &str, id: &str) -> Result<&Story> {
        let story = self.find(&[Named::Story], id).and_then(|name| self.story(&name.id));
        story.ok_or_else(|| self.unknown(field, &[Named::Story], id, ""))
    }

    /// The epic whose id is the value of a field.
    pub(crate) fn named_epic(&self, field: &str, id: &str) -> Result<&Epic> {
        let epic = self.find(&[Named::Epic], id).and_then(|name| self.epic(&name.id));
        epic.ok_or_else(|| self.unknown(field, &[Named::Epic], id, ""))
    }

    /// The fault of a name that does not exist: it names the nearest ones, or the files that were not read; then `end`.
    pub(crate) fn unknown(&self, field: &str, kinds: &[Named], text: &str, end: &str) -> Fault {
        let what = one_of(kinds);
        let known: IndexSet<&str> = kinds.iter().flat_map(|kind| self.known(*kind)).collect();
        let mut known: Vec<&str> = known.into_iter().collect();
        // Stable, so that ids equally far away stay in the order of the file.
        known.sort_by_cached_key(|known| distance(&text.to_lowercase(), &known.to_lowercase()));
        known.truncate(SUGGESTED);
        let unread = self.gaps.unread.join(", ");
        let allowed = match known.as_slice() {
            _ if !unread.is_empty() => {
                format!("{what} of the project, some of whose files could not be read: {unread}")
            }
            [] => format!("{what} of the project, which has none"),
            known => format!("{what} of the project, such as {}", known.join(", ")),
        };
        let is_other = |kind: &Named| {
            !kinds.contains(kind) && self.known(*kind).iter().any(|id| is_same_id(id, text))
        };
        let other = [Named::Epic, Named::Story].into_iter().find(is_other);
        let other = other.map(|kind| format!("; it is {}", one_of(&[kind]))).unwrap_or_default();
        bad_text(field, text, &(allowed + end + &other))
    }
}

/// The words of a text that can be ids.
pub(crate) fn id_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
    words.map(|word| word.trim_matches('-')).filter(|word| !word.is_empty())
}

/// The kinds with their articles: `a story, an epic or a task`.
fn one_of(kinds: &[Named]) -> String {
    let with_article = |kind: &Named| match kind {
        Named::Epic | Named::Agent => format!("an {}", kind.word()),
        Named::Story | Named::Task | Named::Session => format!("a {}", kind.word()),
    };
    let words: Vec<String> = kinds.iter().map(with_article).collect();
    match words.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        words => words.concat(),
    }
}
