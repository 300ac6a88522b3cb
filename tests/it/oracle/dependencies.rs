//! The dependencies of stories and tasks, and the members computed from them.

use super::json::{Json, Text};
use super::problem::{Level, Problem};
use super::records::{Kind, Record};
use super::{State, tally};

const FIELDS: [&str; 6] =
    ["depends_on", "deps", "dependencies", "dependsOn", "blocked_by", "blockedBy"];

/// The statuses of a collection.
pub(crate) struct Words {
    field: &'static str,
    finished: &'static str,
    done: &'static [&'static str],
    given_up: &'static [&'static str],
}

pub(crate) const OF_STORIES: Words = Words {
    field: "status",
    finished: tally::DONE,
    done: &["done", "archived"],
    given_up: &["cancelled", "canceled", "dropped", "rejected", "wont-do", "wontfix"],
};
pub(crate) const OF_TASKS: Words = Words {
    field: "state",
    finished: tally::COMPLETED,
    done: &["completed"],
    given_up: &["cancelled", "canceled", "failed"],
};

impl Words {
    pub(crate) fn status(&self, record: &Record) -> String {
        tally::status_key(&record.body, self.field, self.finished)
    }

    pub(crate) fn is_done(&self, record: &Record) -> bool {
        self.done.contains(&self.status(record).as_str())
    }

    pub(crate) fn is_open(&self, record: &Record) -> bool {
        !self.is_done(record) && !self.given_up.contains(&self.status(record).as_str())
    }
}

/// The content of a record's dependency fields.
#[derive(Default)]
pub(crate) struct Named {
    /// Each once.
    pub(crate) ids: Vec<String>,
    pub(crate) reasons: Vec<String>,
    /// Whether an element can be neither.
    pub(crate) has_unread: bool,
}

/// The parts of a text that may be several ids.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    let separates = |letter: char| letter.is_whitespace() || [',', ';'].contains(&letter);
    let is_piece = |piece: &&str| !piece.is_empty() && !piece.eq_ignore_ascii_case("and");
    text.split(separates).filter(is_piece).collect()
}

/// The id of the record that a text stands for: exactly, else without case if there is only one.
fn found(text: &str, all: &[Record]) -> Option<String> {
    if all.iter().any(|other| other.id == text) {
        return Some(text.to_owned());
    }
    let is_same = |other: &&Record| other.id.to_lowercase() == text.to_lowercase();
    let mut same = all.iter().filter(is_same);
    let first = same.next()?;
    same.next().is_none().then(|| first.id.clone())
}

impl Named {
    fn add_id(&mut self, id: &str, all: &[Record]) {
        let id = found(id, all).unwrap_or_else(|| id.to_owned());
        if !self.ids.contains(&id) {
            self.ids.push(id);
        }
    }

    fn add_ids(&mut self, ids: &[&str], all: &[Record]) {
        for id in ids {
            self.add_id(id, all);
        }
    }

    fn add_text(&mut self, text: &str, all: &[Record]) {
        let looks_like_id = |text: &str| {
            text.split_whitespace().count() == 1 && text.bytes().any(|byte| byte.is_ascii_digit())
        };
        let words = pieces(text);
        let parts: Vec<&str> =
            text.split(',').map(str::trim).filter(|piece| !piece.is_empty()).collect();
        let is_known = |text: &&str| found(text, all).is_some();
        if text.is_empty() {
            return;
        }
        if is_known(&text) {
            self.add_id(text, all);
        } else if !words.is_empty() && words.iter().all(is_known) {
            self.add_ids(&words, all);
        } else if parts.iter().all(|part| is_known(part) || looks_like_id(part)) {
            self.add_ids(&parts, all);
        } else {
            self.reasons.push(text.to_owned());
        }
    }

    fn add(&mut self, value: &Json, all: &[Record]) {
        let plain = |text: &Text| text.plain.clone().expect("such records are skipped");
        match value {
            Json::Null => {}
            Json::Number(digits) => self.add_id(digits, all),
            Json::Text(text) => self.add_text(plain(text).trim(), all),
            Json::Map(_) => match value.get("id") {
                Some(Json::Number(digits)) => self.add_id(digits, all),
                Some(Json::Text(id)) if !plain(id).trim().is_empty() => {
                    self.add_id(plain(id).trim(), all);
                }
                _ => self.has_unread = true,
            },
            Json::Bool(_) | Json::List(_) => self.has_unread = true,
        }
    }
}

/// What a record refers to.
pub(crate) fn named(record: &Record, all: &[Record]) -> Named {
    let mut named = Named::default();
    let Json::Map(members) = &record.body else { return named };
    for (name, value) in members {
        if !FIELDS.iter().any(|field| name.is(field)) {
            continue;
        }
        match value {
            Json::List(list) => list.iter().for_each(|value| named.add(value, all)),
            value => named.add(value, all),
        }
    }
    named
}

/// The ids among those that a record refers to which are not done.
pub(crate) fn waits_for(record: &Record, all: &[Record], words: &Words) -> Vec<String> {
    let is_done = |id: &String| all.iter().any(|other| other.id == *id && words.is_done(other));
    named(record, all).ids.into_iter().filter(|id| !is_done(id)).collect()
}

/// Adds the computed members to each record with dependencies, and reports replaced ones.
pub(crate) fn compute(records: &mut [Record], kind: &Kind) -> Vec<Problem> {
    let Some(words) = kind.words else { return Vec::new() };
    let all = records.to_vec();
    let mut problems = Vec::new();
    for record in records {
        if named(record, &all).ids.is_empty() {
            continue;
        }
        let waits_for = waits_for(record, &all, words);
        let is_ready = waits_for.is_empty() && words.is_open(record);
        let list = waits_for.iter().map(|id| Json::text(id)).collect();
        let Json::Map(members) = &mut record.body else { unreachable!("records are maps") };
        for name in ["ready", "waits_for"] {
            let before = members.len();
            members.retain(|(key, _)| !key.is(name));
            if members.len() < before {
                problems.push(Problem::of(kind.source, &record.id, Level::Repaired));
            }
        }
        members.push((Text::made("ready"), Json::Bool(is_ready)));
        members.push((Text::made("waits_for"), Json::List(list)));
    }
    problems
}

impl State {
    /// Whether a story is open and waits for nothing.
    pub(super) fn is_story_ready(&self, story: &Record) -> bool {
        OF_STORIES.is_open(story) && waits_for(story, &self.stories, &OF_STORIES).is_empty()
    }

    /// The same of a task.
    pub(super) fn is_task_ready(&self, task: &Record) -> bool {
        OF_TASKS.is_open(task) && waits_for(task, &self.tasks, &OF_TASKS).is_empty()
    }
}
