//! The conditions of `flow wait`.

use crate::error::{Error, Result};
use crate::model::kind::Kind;
use crate::model::record::{self, TASK_STATES};
use crate::model::status_words;
use crate::skill::input::typed::nearest;
use crate::store::collection::Collection;

/// The conditions, as they are listed.
const ALL: &str = "needs-you, change, 'story US-0010 done' (or epic, task, session), 'no running tasks' (or stories, epics, sessions)";
const NEEDS_YOU: &str = "needs-you";
const CHANGE: &str = "change";
const NO: &str = "no";
/// The words that a condition begins with.
const FIRST: [&str; 7] = [NEEDS_YOU, CHANGE, "story", "epic", "task", "session", NO];
/// The statuses of sessions, as the API tells them.
pub(super) const SESSION_STATUSES: [&str; 2] = ["active", "ended"];

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    /// An item of attention that was not there.
    NeedsYou,
    /// A change of the plan.
    Change,
    /// A record has a status.
    Record {
        collection: Collection,
        /// As it was given.
        id: String,
        /// In its canonical spelling.
        status: String,
    },
    /// No record of a kind has a status.
    None { collection: Collection, status: String },
}

impl Condition {
    /// Reads the words of the command line; none of them means `needs-you`.
    ///
    /// # Errors
    /// What is wrong, with the conditions there are.
    pub(super) fn read(words: &[String]) -> Result<Self> {
        let text = words.join(" ");
        let words: Vec<&str> = text.split_whitespace().collect();
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        match lower.as_slice() {
            [] | [NEEDS_YOU] | ["needs", "you"] => Ok(Self::NeedsYou),
            [CHANGE] => Ok(Self::Change),
            [NO, status @ .., kind] if !status.is_empty() => none(&text, status, kind),
            [first, _, _, ..] => {
                let is_named = |collection: &Collection| kind(*collection).noun() == *first;
                match Collection::ALL.into_iter().find(is_named) {
                    Some(collection) => of_record(collection, &words[1..]),
                    None => Err(unknown(&text, first)),
                }
            }
            [first, ..] => Err(unknown(&text, first)),
        }
    }

    /// The condition in its canonical words.
    pub(super) fn text(&self) -> String {
        match self {
            Self::NeedsYou => NEEDS_YOU.to_owned(),
            Self::Change => CHANGE.to_owned(),
            Self::Record { collection, id, status } => {
                format!("{} {id} {status}", kind(*collection).noun())
            }
            Self::None { collection, status } => format!("no {status} {}", collection.name()),
        }
    }
}

/// The kind of the records of a collection.
pub(super) const fn kind(collection: Collection) -> Kind {
    match collection {
        Collection::Stories => Kind::Story,
        Collection::Epics => Kind::Epic,
        Collection::Tasks => Kind::Task,
        Collection::Sessions => Kind::Session,
    }
}

fn unknown(text: &str, word: &str) -> Error {
    let near = match nearest(word, &FIRST) {
        Some(near) if near != word => format!("; did you mean {near}?"),
        Some("story" | "epic" | "task" | "session") => "; it needs an id and a status".to_owned(),
        _ => String::new(),
    };
    Error::Usage(format!("{text:?} is not a condition; the conditions are {ALL}{near}"))
}

/// `no running tasks`.
fn none(text: &str, status: &[&str], plural: &str) -> Result<Condition> {
    let is_named =
        |collection: &Collection| collection.name() == plural || kind(*collection).noun() == plural;
    let Some(collection) = Collection::ALL.into_iter().find(is_named) else {
        let near = nearest(plural, &Collection::ALL.map(Collection::name));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        return Err(Error::Usage(format!(
            "{text:?} is not a condition; the conditions are {ALL}{near}"
        )));
    };
    let status = known(collection, &status.join("-"))?;
    let allowed: &[&str] = match collection {
        Collection::Tasks => &TASK_STATES,
        Collection::Sessions => &SESSION_STATUSES[..1],
        Collection::Stories | Collection::Epics => {
            return Ok(Condition::None { collection, status });
        }
    };
    if allowed.iter().any(|one| record::status(one) == status) {
        return Ok(Condition::None { collection, status });
    }
    let (plural, allowed) = (collection.name(), allowed.join(", "));
    Err(Error::Usage(format!(
        "'no {status} {plural}' is not a condition; of {plural}, use {allowed}"
    )))
}

/// `story US-0010 done`: the status is the last word, or the last two, as in `in progress`.
fn of_record(collection: Collection, words: &[&str]) -> Result<Condition> {
    let two = words.len().checked_sub(2).filter(|at| *at > 0);
    let two = two.and_then(|at| Some((at, known(collection, &words[at..].join("-")).ok()?)));
    let (at, status) = match two {
        Some(found) => found,
        None => (words.len() - 1, known(collection, words[words.len() - 1])?),
    };
    Ok(Condition::Record { collection, id: words[..at].join(" "), status })
}

/// A status in its canonical spelling.
fn known(collection: Collection, word: &str) -> Result<String> {
    let status = record::status(word).into_owned();
    if collection == Collection::Sessions {
        let status = if record::is_ended(&status) { "ended".to_owned() } else { status };
        if SESSION_STATUSES.contains(&status.as_str()) {
            return Ok(status);
        }
        let allowed = SESSION_STATUSES.join(" or ");
        return Err(Error::Usage(format!("a session is {allowed}, not {word:?}")));
    }
    // Statuses of stories and epics and states of tasks are the same words.
    let kind = Kind::Story;
    if status_words::is_known(kind, &status) {
        return Ok(status);
    }
    let hint = match status_words::meant(kind, &status) {
        Some(near) => format!("did you mean {near}?"),
        None => "use one such as ready, in-progress, blocked, in-review, done, running, failed"
            .to_owned(),
    };
    Err(Error::Usage(format!("{word:?} is not a known status; {hint}")))
}
