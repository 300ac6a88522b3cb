//! Dependencies of records, and whether a record is open: the one definition for the API and all planning skills.
//!
//! A story depends on stories, a task on tasks. It knows neither files nor snapshots.

use indexmap::IndexSet;

use super::json;
use super::record::{COMPLETED, Kind, Record};

/// The fields that name dependencies.
pub const FIELDS: [&str; 6] =
    ["depends_on", "deps", "dependencies", "dependsOn", "blocked_by", "blockedBy"];

/// Statuses of stories, in their canonical spelling, whose work can begin once their dependencies are done; `none` is that
/// of a story without one. Any other word, such as `waiting` or `backlog`, says that something else comes first.
pub const READY: [&str; 5] = ["none", "open", "ready", "to-do", "todo"];
/// Statuses of stories whose work has begun and is not done.
pub const BEGUN: [&str; 4] = ["doing", "in-progress", "in-review", "review"];
/// Statuses of stories that are open and deferred: nobody works on them or plans them.
pub const ON_HOLD: [&str; 3] = ["deferred", "on-hold", "paused"];
/// Statuses of stories that were abandoned, and states of tasks that ended without completion.
const GIVEN_UP: [&str; 6] = ["canceled", "cancelled", "dropped", "rejected", "wont-do", "wontfix"];
const ENDED: [&str; 3] = ["canceled", "cancelled", "failed"];

/// The content of a record's dependency fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// The ids, each once, in the order of the record.
    pub ids: IndexSet<String>,
    /// The texts that are not ids, in the order of the record.
    pub reasons: Vec<String>,
}

/// Whether a member with this name lists dependencies. Called for every member of every record.
pub fn is_field(name: &str) -> bool {
    matches!(name.as_bytes(), [b'd', b'e', b'p', ..] | [b'b', b'l', b'o', ..])
        && FIELDS.contains(&name)
}

impl Dependencies {
    /// Reads the dependency fields of a record. `is_known` says whether its collection has a record with an id.
    pub fn read(record: &Record<'_>, is_known: impl Fn(&str) -> bool) -> Self {
        let mut found = Self::default();
        for member in record.members().iter().filter(|member| is_field(&member.name)) {
            match member.value.as_bytes().first() {
                Some(b'[') => {
                    for element in json::elements(member.value).unwrap_or_default() {
                        found.add(element, &is_known);
                    }
                }
                _ => found.add(member.value, &is_known),
            }
        }
        found
    }

    /// Adds the dependency that a text or a number names; other values name none.
    fn add(&mut self, raw: &str, is_known: &impl Fn(&str) -> bool) {
        match raw.as_bytes().first() {
            Some(b'"') => {}
            Some(b'-' | b'0'..=b'9') => {
                self.ids.insert(raw.to_owned());
                return;
            }
            _ => return,
        }
        let Ok(text) = json::string(raw) else { return };
        let text = text.trim();
        let pieces = text.split(',').map(str::trim).filter(|piece| !piece.is_empty());
        if is_known(text) {
            self.ids.insert(text.to_owned());
        } else if pieces.clone().all(|piece| is_known(piece) || looks_like_id(piece)) {
            self.ids.extend(pieces.map(str::to_owned));
        } else {
            self.reasons.push(text.to_owned());
        }
    }
}

/// Whether a text that is no record's id has the form of one: one word with a digit, such as `US-0001`.
fn looks_like_id(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && !text.contains(char::is_whitespace)
}

/// The statuses or states, in their canonical spelling, of records of a kind that are done.
pub const fn done(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Task => &["completed"],
        _ => &COMPLETED,
    }
}

/// The statuses or states, in their canonical spelling, of records of a kind that are neither done nor open.
pub const fn given_up(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Task => &ENDED,
        _ => &GIVEN_UP,
    }
}

/// Whether a story or task with this status or state, in its canonical spelling, is still to be done.
pub fn is_open(kind: Kind, status: Option<&str>) -> bool {
    !status.is_some_and(|status| done(kind).contains(&status) || given_up(kind).contains(&status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(record: &str, ids: &[&str], reasons: &[&str]) {
        let record = Record::read(Kind::Story, record).unwrap();
        let found =
            Dependencies::read(&record, |id| ["auth", "the login page", "a,b"].contains(&id));
        assert_eq!(found.ids.iter().map(String::as_str).collect::<Vec<_>>(), ids);
        assert_eq!(found.reasons, reasons);
    }

    #[test]
    fn ids_are_told_from_reasons() {
        check("{}", &[], &[]);
        check(
            r#"{"deps":null,"depends_on":[],"dependsOn":{"US-1":1},"blocked_by":true}"#,
            &[],
            &[],
        );
        check(r#"{"blockedBy":"US-2","deps":["US-1"," US-2 ",7]}"#, &["US-2", "US-1", "7"], &[]);
        check(r#"{"blocked_by":"signing secret, 2nd one"}"#, &[], &["signing secret, 2nd one"]);
        check(r#"{"dependencies":"US-1, BUG-2,,"}"#, &["US-1", "BUG-2"], &[]);
        check(
            r#"{"depends_on":["auth","the login page","db"]}"#,
            &["auth", "the login page"],
            &["db"],
        );
        check(r#"{"depends_on":["a,b","auth,c"]}"#, &["a,b"], &["auth,c"]);
        check(r#"{"depends_on":["\u0055S-1","",", ,",[1]]}"#, &["US-1"], &[]);
        check(r#"{"deps":"a1","deps":"a2"}"#, &["a2"], &[]);
    }

    #[test]
    fn open_is_neither_done_nor_given_up() {
        for (kind, status, open) in [
            (Kind::Story, Some("archived"), false),
            (Kind::Story, Some("done"), false),
            (Kind::Story, Some("wontfix"), false),
            (Kind::Story, Some("deferred"), true),
            (Kind::Story, None, true),
            (Kind::Task, Some("completed"), false),
            (Kind::Task, Some("failed"), false),
            (Kind::Task, Some("blocked"), true),
        ] {
            assert_eq!(is_open(kind, status), open, "{kind:?} {status:?}");
        }
    }
}
