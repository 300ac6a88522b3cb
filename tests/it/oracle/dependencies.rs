//! The dependencies of stories and tasks, and the members computed from them.

use super::json::{Json, Text};
use super::records::{Kind, Record};
use super::{At, Problem, State, tally};

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

/// The ids that a record refers to, each once, and its reasons.
pub(crate) fn named(record: &Record, all: &[Record]) -> (Vec<String>, Vec<String>) {
    let is_known = |text: &str| all.iter().any(|other| other.id == text);
    let is_id = |text: &str| {
        let one_word = text.split_whitespace().count() == 1;
        is_known(text) || one_word && text.bytes().any(|byte| byte.is_ascii_digit())
    };
    let (mut ids, mut reasons): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let Json::Map(members) = &record.body else { return (ids, reasons) };
    for (name, value) in members {
        if !FIELDS.iter().any(|field| name.is(field)) {
            continue;
        }
        let values = if let Json::List(list) = value {
            list.as_slice()
        } else {
            std::slice::from_ref(value)
        };
        for value in values {
            let text = match value {
                Json::Number(digits) => {
                    ids.push(digits.clone());
                    continue;
                }
                Json::Text(text) => text.plain.clone().expect("such records are skipped"),
                _ => continue,
            };
            let text = text.trim();
            let pieces: Vec<&str> =
                text.split(',').map(str::trim).filter(|piece| !piece.is_empty()).collect();
            if is_known(text) {
                ids.push(text.to_owned());
            } else if pieces.iter().all(|piece| is_id(piece)) {
                ids.extend(pieces.iter().map(|piece| (*piece).to_owned()));
            } else {
                reasons.push(text.to_owned());
            }
        }
    }
    let mut once: Vec<String> = Vec::new();
    for id in ids {
        if !once.contains(&id) {
            once.push(id);
        }
    }
    (once, reasons)
}

/// The ids among those that a record refers to which are not done.
pub(crate) fn waits_for(record: &Record, all: &[Record], words: &Words) -> Vec<String> {
    let is_done = |id: &String| all.iter().any(|other| other.id == *id && words.is_done(other));
    named(record, all).0.into_iter().filter(|id| !is_done(id)).collect()
}

/// Adds the computed members to each record with dependencies, and reports replaced ones.
pub(crate) fn compute(records: &mut [Record], kind: &Kind, words: &Words) -> Vec<Problem> {
    let all = records.to_vec();
    let mut problems = Vec::new();
    for record in records {
        if named(record, &all).0.is_empty() {
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
                let at = At::Id(Some(record.id.clone()));
                problems.push(Problem { source: kind.source, at, certain: true });
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
