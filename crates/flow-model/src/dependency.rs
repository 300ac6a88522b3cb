//! Dependencies of records, and whether a record is open: the one definition for the API and all planning skills.
//!
//! A story depends on stories, a task on tasks. It knows neither files nor snapshots.

use std::cell::OnceCell;
use std::collections::HashMap;

use indexmap::IndexSet;

use super::json;
use super::record::{COMPLETED, Kind, Record};

/// Statuses of stories, in their canonical spelling, whose work can begin once their dependencies are done; `none` is that
/// of a story without one. Any other word, such as `waiting` or `backlog`, says that something else comes first.
pub const READY: [&str; 5] = ["none", "open", "ready", "to-do", "todo"];
/// Statuses of stories whose work has begun and is not done.
pub const BEGUN: [&str; 4] = ["doing", "in-progress", "in-review", "review"];
/// Statuses of stories that are open and deferred: nobody works on them or plans them.
pub const ON_HOLD: [&str; 3] = ["deferred", "on-hold", "paused"];
/// Statuses of stories that are open and not begun, and that something else precedes.
pub const LATER: [&str; 6] = ["backlog", "blocked", "draft", "pending", "planned", "waiting"];
/// Statuses of stories that were abandoned, and states of tasks that ended without completion.
const GIVEN_UP: [&str; 6] = ["canceled", "cancelled", "dropped", "rejected", "wont-do", "wontfix"];
const ENDED: [&str; 3] = ["canceled", "cancelled", "failed"];

/// The ids of a collection.
pub trait Ids {
    /// Whether a record has exactly this id.
    fn has(&self, id: &str) -> bool;
    /// Calls `each` for every id.
    fn visit(&self, each: &mut dyn FnMut(&str));
}

impl Ids for IndexSet<String> {
    fn has(&self, id: &str) -> bool {
        self.contains(id)
    }

    fn visit(&self, each: &mut dyn FnMut(&str)) {
        for id in self {
            each(id);
        }
    }
}

/// Finds the records that texts name: by their id, else by their id without case.
pub struct Resolver<'a, T> {
    ids: &'a T,
    /// The ids by their lower case; `None` where several have the same. Made for the first text that is not an id.
    folded: OnceCell<HashMap<String, Option<String>>>,
}

impl<'a, T: Ids> Resolver<'a, T> {
    /// Over the ids of a collection.
    pub fn new(ids: &'a T) -> Self {
        Self { ids, folded: OnceCell::new() }
    }

    /// The id of the record that a text names, if it is the only one.
    fn find(&self, text: &str) -> Option<String> {
        if self.ids.has(text) {
            return Some(text.to_owned());
        }
        self.folded.get_or_init(|| self.fold()).get(&text.to_lowercase())?.clone()
    }

    fn fold(&self) -> HashMap<String, Option<String>> {
        let mut folded: HashMap<String, Option<String>> = HashMap::new();
        self.ids.visit(&mut |id| {
            let several = |found: &mut Option<String>| *found = None;
            folded
                .entry(id.to_lowercase())
                .and_modify(several)
                .or_insert_with(|| Some(id.to_owned()));
        });
        folded
    }
}

/// The content of a record's dependency fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// The ids, each once, in the order of the record.
    pub ids: IndexSet<String>,
    /// The texts that are not ids, in the order of the record.
    pub reasons: Vec<String>,
    /// The first element that is not read, as it is on disk.
    pub unread: Option<String>,
}

/// Whether a member with this name lists dependencies. Called for every member of every record.
pub fn is_field(name: &str) -> bool {
    matches!(name.as_bytes(), [b'd', b'e', b'p', ..] | [b'b', b'l', b'o', ..])
        && Kind::Story.spellings("depends_on").contains(&name)
}

impl Dependencies {
    /// Reads the dependency fields of a record, whose ids are those of its collection.
    pub fn read<T: Ids>(record: &Record<'_>, known: &Resolver<'_, T>) -> Self {
        let mut found = Self::default();
        for member in record.members().iter().filter(|member| is_field(&member.name)) {
            match member.value.as_bytes().first() {
                Some(b'[') => {
                    for element in json::elements(member.value).unwrap_or_default() {
                        found.add(element, known);
                    }
                }
                _ => found.add(member.value, known),
            }
        }
        found
    }

    /// Adds the dependency that an element names.
    fn add<T: Ids>(&mut self, raw: &str, known: &Resolver<'_, T>) {
        match raw.as_bytes().first() {
            Some(b'"') => {
                if let Ok(text) = json::string(raw) {
                    self.add_text(text.trim(), known);
                }
            }
            Some(b'-' | b'0'..=b'9') => self.add_id(raw, known),
            Some(b'n') => {}
            Some(b'{') => match id_of(raw) {
                Some(id) => self.add_id(&id, known),
                None => self.note_unread(raw),
            },
            _ => self.note_unread(raw),
        }
    }

    fn add_id<T: Ids>(&mut self, id: &str, known: &Resolver<'_, T>) {
        self.ids.insert(known.find(id).unwrap_or_else(|| id.to_owned()));
    }

    fn note_unread(&mut self, raw: &str) {
        self.unread.get_or_insert_with(|| raw.to_owned());
    }

    fn add_text<T: Ids>(&mut self, text: &str, known: &Resolver<'_, T>) {
        let find = |word: &str| known.find(word);
        let pieces = text.split(',').map(str::trim).filter(|piece| !piece.is_empty());
        if let Some(id) = known.find(text) {
            self.ids.insert(id);
            return;
        }
        let found = words(text).map(find);
        let ids = found.collect::<Option<Vec<String>>>().filter(|ids| !ids.is_empty());
        if let Some(ids) = ids {
            self.ids.extend(ids);
        } else if pieces.clone().all(|piece| looks_like_id(piece) || find(piece).is_some()) {
            pieces.for_each(|piece| self.add_id(piece, known));
        } else {
            self.reasons.push(text.to_owned());
        }
    }
}

/// The words of a text that may be a list of ids: what is between spaces, commas and semicolons, but for `and`.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_separator = |c: char| c.is_whitespace() || matches!(c, ',' | ';');
    let words = text.split(is_separator).filter(|word| !word.is_empty());
    words.filter(|word| !word.eq_ignore_ascii_case("and"))
}

/// The id in an object that stands for a record.
fn id_of(object: &str) -> Option<String> {
    let members = json::members(object).and_then(json::Members::unique).ok()?;
    let raw = members.into_iter().find(|member| member.name == "id")?.value;
    let id = match raw.as_bytes().first() {
        Some(b'"') => json::string(raw).ok()?.trim().to_owned(),
        Some(b'-' | b'0'..=b'9') => raw.to_owned(),
        _ => return None,
    };
    Some(id).filter(|id| !id.is_empty())
}

/// Whether a text that is not a record's id has the form of one: one word with a digit, such as `US-0001`.
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
