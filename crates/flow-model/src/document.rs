//! Splits the three JSON documents (status, sessions, tasks) into records.
//!
//! Invalid syntax makes a whole document invalid; an invalid record becomes a problem, and the rest is served.

use std::borrow::Cow;

use indexmap::IndexMap;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::dependency;
use super::fault::Fault;
use super::json::{self, Member};
use super::problem::{Effect, Position, Problems, quote};
use super::record::{self, Kind, Record};

/// Largest number of fields by which records of one kind are counted and searched.
pub const MOST_FIELDS: usize = 3;
/// The values of a record's fields, in the order of [`fields`].
pub type Words<'a> = [Option<Cow<'a, str>>; MOST_FIELDS];

/// A record within its document.
#[derive(Debug)]
pub struct Entry<'a> {
    /// Its text in the document.
    pub raw: &'a str,
    /// Its values of [`fields`], in that order.
    pub words: Words<'a>,
    /// Whether it has dependency fields.
    pub dependencies: Mention,
    /// A hash of its id and text, to compare with another state of the file. Computed here, while the text is in the
    /// cache: a separate pass over 60 MB takes 20 ms instead of 5.
    pub hash: u64,
}

/// Whether a record has dependency fields ([`dependency::FIELDS`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mention {
    /// It has none, or its kind has no dependencies.
    None,
    /// It has at least one.
    Some,
    /// It has some, and own members with the names that are computed then.
    WithOwnMembers,
}

/// The records of one kind.
#[derive(Debug)]
pub struct Collection<'a> {
    /// The kind of all records.
    pub kind: Kind,
    /// The records by id, in the order in which they are served.
    pub entries: IndexMap<Cow<'a, str>, Entry<'a>>,
    /// What was skipped or repaired among them.
    pub problems: Problems,
}

/// The fields by which records of a kind are counted and searched.
pub const fn fields(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Story => &["status", "epic_id", "owner"],
        Kind::Task => &["state", "story_id", "subagent_type"],
        Kind::Epic => &["status", "owner"],
        Kind::Session => &["active"],
        Kind::Message => &[],
    }
}

/// The form in which a field's value is compared: the canonical spelling of a status or state, else the value.
pub fn canonical(kind: Kind, field: &str, value: &str) -> String {
    let spelled = record::status(value);
    match (kind, field) {
        (Kind::Task, "state") if spelled == "done" => "completed".to_owned(),
        (Kind::Story | Kind::Epic, "status") | (Kind::Task, "state") => spelled.into_owned(),
        _ => value.to_owned(),
    }
}

/// A document, split at its top level.
#[derive(Debug)]
pub struct Document<'a> {
    members: Vec<Member<'a>>,
    /// Largest number of records.
    most: usize,
    /// What was skipped at the top level.
    pub problems: Problems,
}

impl<'a> Document<'a> {
    /// Reads the outermost object of a document of at most `most` records.
    ///
    /// # Errors
    /// When the text is not one JSON object, has more members, or is nested too deeply anywhere.
    pub fn read(text: &'a str, most: usize) -> Result<Self, Fault> {
        if text.trim_ascii().is_empty() {
            return Err(Fault::Bad("empty".to_owned()));
        }
        let members = json::members_at_most(text, most)?;
        if json::is_too_deep(text) {
            return Err(Fault::TooDeep);
        }
        let mut problems = Problems::default();
        for key in &members.unreadable {
            problems.note(
                Position::Id((*key).to_owned()),
                Effect::Skipped,
                "its key cannot be read",
            );
        }
        let list = json::Members { unreadable: Vec::new(), ..members }.unique()?;
        Ok(Self { members: list, most, problems })
    }

    /// The records of the collection `name`, a map by id or an array.
    ///
    /// # Errors
    /// When there are more than the document may have.
    pub fn collection(&self, kind: Kind, name: &str) -> Result<Collection<'a>, Fault> {
        let mut found =
            Collection { kind, entries: IndexMap::new(), problems: Problems::default() };
        let Some(raw) = self.members.iter().find(|member| member.name == name).map(|m| m.value)
        else {
            return Ok(found);
        };
        match raw.as_bytes().first() {
            Some(b'{') => found.read_map(json::members_at_most(raw, self.most)?),
            Some(b'[') => found.read_array(name, json::elements_at_most(raw, self.most)?),
            Some(b'n') => {}
            _ => found.skip(name, "neither a map nor an array".to_owned()),
        }
        Ok(found)
    }

    /// Refuses a number of records over the document's limit.
    ///
    /// # Errors
    /// When there are more.
    pub fn check_count(&self, records: usize) -> Result<(), Fault> {
        if records > self.most { Err(Fault::TooMany { most: self.most }) } else { Ok(()) }
    }

    /// Adds to a collection the records at the top level whose key begins with one of `prefixes`.
    pub fn add_strays(&self, prefixes: &[&str], found: &mut Collection<'a>) {
        let of_kind =
            |member: &&Member<'a>| prefixes.iter().any(|prefix| member.name.starts_with(prefix));
        for stray in self.members.iter().filter(of_kind) {
            if found.entries.contains_key(&stray.name) {
                let noun = found.kind.noun();
                let reason = format!(
                    "a second {noun} of this id, at the top level; the nested one is served"
                );
                found.skip(&stray.name, reason);
            } else {
                found.read_keyed(stray.name.clone(), stray.value);
            }
        }
    }
}

impl<'a> Collection<'a> {
    fn read_map(&mut self, members: json::Members<'a>) {
        for key in members.unreadable {
            self.skip(key, "its key cannot be read".to_owned());
        }
        for member in members.list {
            self.read_keyed(member.name, member.value);
        }
    }

    fn read_array(&mut self, name: &str, elements: Vec<&'a str>) {
        for (at, raw) in elements.into_iter().enumerate() {
            let place = format!("{name}[{at}]");
            let Some(record) = self.record(&place, raw) else { continue };
            match record.field("id").and_then(identity) {
                Some(id) => self.insert(id, raw, &record),
                None => self.skip(&place, format!("{} without an id", self.kind.one())),
            }
        }
    }

    /// Adds a record whose id is the key of a map.
    fn read_keyed(&mut self, id: Cow<'a, str>, raw: &'a str) {
        if id.is_empty() {
            return self.skip("", format!("{} without an id: its key is empty", self.kind.one()));
        }
        let Some(record) = self.record(&id, raw) else { return };
        if let Some(own) = record.field("id").filter(|raw| identity(raw).as_ref() != Some(&id)) {
            self.repair(&id, format!("its own id {} is replaced by its key", quote(own)));
        }
        self.insert(id, raw, &record);
    }

    fn record(&mut self, place: &str, raw: &'a str) -> Option<Record<'a>> {
        if !json::is_object(raw) {
            self.skip(place, format!("{} that is not an object", self.kind.one()));
            return None;
        }
        Record::read(self.kind, raw).map_err(|fault| self.skip(place, fault.to_string())).ok()
    }

    fn insert(&mut self, id: Cow<'a, str>, raw: &'a str, record: &Record<'a>) {
        for name in record.replaced() {
            self.repair(&id, format!("its field {name:?} is replaced by the computed value"));
        }
        let place = id.clone();
        let entry = Entry {
            raw,
            words: words(record),
            dependencies: mention(record),
            hash: xxh3_64_with_seed(raw.as_bytes(), xxh3_64(id.as_bytes())),
        };
        if self.entries.insert(id, entry).is_some() {
            self.skip(
                &place,
                format!("an earlier {} of this id; the last one is served", self.kind.noun()),
            );
        }
    }

    fn skip(&mut self, place: &str, reason: String) {
        self.problems.note(Position::Id(place.to_owned()), Effect::Skipped, reason);
    }

    fn repair(&mut self, place: &str, reason: String) {
        self.problems.note(Position::Id(place.to_owned()), Effect::Repaired, reason);
    }
}

/// An id as text: the text of a string, or the digits of a number.
fn identity(raw: &str) -> Option<Cow<'_, str>> {
    matches!(raw.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'))
        .then(|| json::word(raw))
        .flatten()
}

fn mention(record: &Record<'_>) -> Mention {
    let has_dependencies = !record.kind().computed_of_dependencies().is_empty()
        && record.members().iter().any(|member| dependency::is_field(&member.name));
    match has_dependencies {
        false => Mention::None,
        true if record.replaced_by_dependencies().next().is_some() => Mention::WithOwnMembers,
        true => Mention::Some,
    }
}

fn words<'a>(record: &Record<'a>) -> Words<'a> {
    let mut words = [const { None }; MOST_FIELDS];
    for (word, field) in words.iter_mut().zip(fields(record.kind())) {
        *word = match record.kind() {
            Kind::Session => Some(Cow::Borrowed(if is_active(record) { "true" } else { "false" })),
            // Only a text or a number can be the id of an epic.
            Kind::Story if *field == "epic_id" => record.field(field).and_then(identity),
            kind => record.field(field).and_then(|raw| spelled(kind, field, raw)),
        };
    }
    words
}

/// The value as it is compared: [`canonical`] if it is a string, else its JSON text.
fn spelled<'a>(kind: Kind, field: &str, raw: &'a str) -> Option<Cow<'a, str>> {
    let word = json::word(raw)?;
    if !raw.starts_with('"') {
        return Some(word);
    }
    let canonical = canonical(kind, field, &word);
    Some(if canonical == word { word } else { Cow::Owned(canonical) })
}

/// A session is active until its status or one of its two times says that it has ended.
pub fn is_active(record: &Record<'_>) -> bool {
    let is_given = |name| record.member(name).is_some_and(is_text_or_number);
    let has_ended =
        record.word("status").is_some_and(|status| record::is_ended(&record::status(&status)));
    !(has_ended || is_given("ended_at") || is_given("closed_at"))
}

fn is_text_or_number(raw: &str) -> bool {
    match raw.as_bytes().first() {
        Some(b'"') => raw.len() > 2,
        first => matches!(first, Some(b'-' | b'0'..=b'9')),
    }
}
