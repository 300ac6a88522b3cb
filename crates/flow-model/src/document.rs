//! Splits the three JSON documents (status, sessions, tasks) into records.
//!
//! Invalid syntax makes a whole document invalid; an invalid record becomes a problem, and the rest is served.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::dependency;
use super::fault::Fault;
use super::filter::{MOST_FILTERS, filters};
use super::json::{self, Member};
use super::names::plain;
use super::problem::{Effect, Position, Problems, Suspicion, Suspicions, quote};
use super::record::{self, Kind, Record};
use super::similar::{Errors, resembles};
use super::suspicions::Observed;
use super::synonyms::Synonyms;

/// A record within its document.
#[derive(Debug)]
pub struct Entry<'a> {
    /// Its text in the document.
    pub raw: &'a str,
    /// Numbers of its values of the fields of [`filters`], in that order; [`Collection::words`] gives their texts.
    words: [Option<u32>; MOST_FILTERS],
    /// Whether it has dependency fields.
    pub dependencies: Mention,
    /// A hash of its id and text, to compare with another state of the file. Computed here, while the text is in the
    /// cache: a separate pass over 60 MB takes 20 ms instead of 5.
    pub hash: u64,
    /// The id of the epic that contains a story in its record, as it is on disk.
    pub epic: Option<&'a str>,
    /// Its number in the order of reading.
    number: u64,
}

/// Whether a record has dependency fields.
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
    pub entries: IndexMap<Cow<'a, str>, Entry<'a>, foldhash::fast::RandomState>,
    /// What was skipped or repaired among them.
    pub problems: Problems,
    observed: Observed,
    /// The values of each field of [`filters`]. Entries have their numbers, since with texts 200,000 of them would be over
    /// 32 MiB, which the allocator takes from the system anew each time: page faults then cost a fifth of the reading.
    values: [IndexSet<Cow<'a, str>, foldhash::fast::RandomState>; MOST_FILTERS],
    /// Number of records that were read.
    read: u64,
    /// The member `stories` of epics that have records there, by the id of the epic.
    containers: HashMap<Cow<'a, str>, Container<'a>>,
    /// What statuses mean in the records that are being read, where they are those of formats.
    synonyms: Option<&'a Synonyms>,
}

/// The stories in the record of an epic.
#[derive(Debug, Clone, Copy)]
struct Container<'a> {
    /// The id of the epic as it is on disk.
    epic: &'a str,
    /// The map or array.
    stories: &'a str,
}

/// The id of a record.
struct Id<'a> {
    text: Cow<'a, str>,
    /// As it is on disk.
    raw: &'a str,
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
        let members = json::members_at_most(text, most).map_err(|fault| fault.explained(text))?;
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
        let all = members.list.clone();
        let list = json::Members { unreadable: Vec::new(), ..members }.unique()?;
        if list.len() < all.len() {
            note_doubled(&all, &list, &mut problems);
        }
        Ok(Self { members: list, most, problems })
    }

    /// The records of the collection of a kind, a map by id or an array.
    ///
    /// # Errors
    /// When there are more than the document may have.
    pub fn collection(&self, kind: Kind) -> Result<Collection<'a>, Fault> {
        let name = kind.collection();
        let mut found = Collection::new(kind);
        let Some(raw) = self.members.iter().find(|member| member.name == name).map(|m| m.value)
        else {
            return Ok(found);
        };
        match raw.as_bytes().first() {
            Some(b'{') => found.read_map(json::members_at_most(raw, self.most)?),
            Some(b'[') => {
                let elements = json::elements_at_most(raw, self.most)?;
                found.entries.reserve(elements.len());
                found.read_array(name, elements, Nesting::NONE);
            }
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

    /// Adds the stories that epics contain: objects in the member `stories`, a map by id or an array. Other elements of it
    /// are ids, or figures of the writer.
    ///
    /// # Errors
    /// When there are more than the document may have.
    pub fn add_nested(
        &self,
        epics: &Collection<'a>,
        stories: &mut Collection<'a>,
    ) -> Result<(), Fault> {
        let before = stories.entries.len();
        for id in epics.entries.keys() {
            let Some(Container { epic, stories: raw }) = epics.containers.get(id) else { continue };
            let nesting = Nesting { epic: Some(epic), before };
            if raw.starts_with('{') {
                for member in json::members_at_most(raw, self.most)?.unique()? {
                    if json::is_object(member.value) {
                        stories.read_keyed(&member, nesting);
                    }
                }
            } else {
                let elements = json::elements_at_most(raw, self.most)?;
                stories.read_array(&format!("{id}.stories"), elements, nesting);
            }
        }
        Ok(())
    }

    /// Reports maps and arrays of objects at the top level that are none of its collections, and records at the top level
    /// whose key is that of a stray record only but for case.
    pub fn note_unread(&mut self, collections: &[(Kind, Records)]) {
        for member in &self.members {
            let name = member.name.as_ref();
            let is_read = |(kind, _): &(Kind, Records)| {
                kind.collection() == name
                    || kind.prefixes().iter().any(|prefix| name.starts_with(prefix))
            };
            if collections.iter().any(is_read) {
                continue;
            }
            let mut prefixes = collections.iter().flat_map(|(kind, _)| kind.prefixes());
            let prefix = prefixes.find(|prefix| is_stray_but_for_case(name, prefix));
            let mut meant = collections.iter();
            let meant = meant.find(|(kind, records)| is_meant_by(*kind, *records, name));
            let reason = if let Some(prefix) = prefix
                && json::is_object(member.value)
            {
                format!("this record is not read; begin its id with {prefix}")
            } else if let Some((kind, _)) = meant
                && let Some(count) = objects(member.value)
            {
                let noun = if count == 1 { "object is" } else { "objects are" };
                format!("its {count} {noun} not read; write {:?}", kind.collection())
            } else {
                continue;
            };
            let place = Position::Id(name.to_owned());
            self.problems.note(place, Effect::Suspicious, reason);
        }
    }

    /// Whether the document has a member with this name and a value.
    pub fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.name == name && !json::is_null(member.value))
    }

    /// Adds to a collection the array of its kind in this document of formats, behind what it contains. A record whose
    /// id the collection has is left out.
    ///
    /// # Errors
    /// When there are more records than the document may have.
    pub fn add_collection(
        &self,
        found: &mut Collection<'a>,
        synonyms: &'a Synonyms,
    ) -> Result<(), Fault> {
        let name = found.kind.collection();
        let Some(member) = self.members.iter().find(|member| member.name == name) else {
            return Ok(());
        };
        found.synonyms = Some(synonyms).filter(|synonyms| !synonyms.is_empty());
        let before = found.entries.len();
        let elements = json::elements_at_most(member.value, self.most)?;
        found.read_array(name, elements, Nesting { epic: None, before });
        found.synonyms = None;
        Ok(())
    }

    /// Adds to a collection the records at the top level whose key begins like an id of its kind.
    pub fn add_strays(&self, found: &mut Collection<'a>) {
        let prefixes = found.kind.prefixes();
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
                found.read_keyed(stray, Nesting::NONE);
            }
        }
    }
}

/// Reports each map, and each array of objects, that a later member of the same name replaced.
fn note_doubled(all: &[Member<'_>], last: &[Member<'_>], problems: &mut Problems) {
    let served: HashSet<*const u8> = last.iter().map(|member| member.value.as_ptr()).collect();
    for member in all.iter().filter(|member| !served.contains(&member.value.as_ptr())) {
        if json::is_object(member.value) || objects(member.value).is_some() {
            let place = Position::Id(member.name.to_string());
            problems.note(
                place,
                Effect::Skipped,
                "an earlier one of this name; the last one is served",
            );
        }
    }
}

/// Whether a document has records of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// It has some.
    Some,
    /// It has none.
    None,
}

/// Whether a member of a document may stand for the collection of a kind.
fn is_meant_by(kind: Kind, records: Records, name: &str) -> bool {
    let folded = plain(name);
    // A shop has stores.
    let is_misspelled =
        || resembles(name, kind.collection(), Errors::Collection) && folded != "stores";
    folded == kind.collection()
        || kind.misnamed_collections().contains(&folded.as_ref())
        || records == Records::None && kind.general_collections().contains(&folded.as_ref())
        || is_misspelled()
}

/// Whether a key is that of a stray record but for case, or `_` in place of `-`: `us-0001`, but not `us-east-1`.
fn is_stray_but_for_case(name: &str, prefix: &str) -> bool {
    let Some((start, rest)) = name.split_at_checked(prefix.len()) else { return false };
    start.to_uppercase().replace('_', "-") == *prefix
        && rest.starts_with(|c: char| c.is_ascii_digit())
}

/// Number of objects in a map or an array; `None` if there is none.
fn objects(raw: &str) -> Option<usize> {
    let count = match raw.as_bytes().first()? {
        b'{' => {
            let members = json::members(raw).ok()?.list;
            members.iter().filter(|member| json::is_object(member.value)).count()
        }
        b'[' => json::elements(raw).ok()?.into_iter().filter(|raw| json::is_object(raw)).count(),
        _ => 0,
    };
    (count > 0).then_some(count)
}

/// Where records are within the document.
#[derive(Debug, Clone, Copy)]
struct Nesting<'a> {
    /// The id of the epic that contains them, as it is on disk.
    epic: Option<&'a str>,
    /// Number of records of the collection that win over them if they have the same id.
    before: usize,
}

impl Nesting<'_> {
    /// In their collection, or at the top level.
    const NONE: Self = Self { epic: None, before: 0 };
}

impl<'a> Collection<'a> {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            entries: IndexMap::default(),
            problems: Problems::default(),
            observed: Observed::new(kind),
            values: Default::default(),
            read: 0,
            containers: HashMap::new(),
            synonyms: None,
        }
    }

    fn read_map(&mut self, members: json::Members<'a>) {
        for key in members.unreadable {
            self.skip(key, "its key cannot be read".to_owned());
        }
        // Growth would copy all entries several times.
        self.entries.reserve(members.list.len());
        for member in members.list {
            self.read_keyed(&member, Nesting::NONE);
        }
    }

    fn read_array(&mut self, name: &str, elements: Vec<&'a str>, nesting: Nesting<'a>) {
        for (at, raw) in elements.into_iter().enumerate() {
            if nesting.epic.is_some() && !json::is_object(raw) {
                continue;
            }
            let place = format!("{name}[{at}]");
            let Some(record) = self.record(&place, raw) else { continue };
            let id = record.field("id").and_then(|raw| Some(Id { text: identity(raw)?, raw }));
            match id {
                Some(id) => self.insert(id, raw, record, nesting),
                None => self.skip(&place, without_id(&record)),
            }
        }
    }

    /// Adds a record whose id is the key of a map.
    fn read_keyed(&mut self, member: &Member<'a>, nesting: Nesting<'a>) {
        let id = Id { text: member.name.clone(), raw: member.key };
        if id.text.is_empty() {
            return self.skip("", format!("{} without an id: its key is empty", self.kind.one()));
        }
        let Some(record) = self.record(&id.text, member.value) else { return };
        self.insert(id, member.value, record, nesting);
    }

    fn record(&mut self, place: &str, raw: &'a str) -> Option<Record<'a>> {
        if !json::is_object(raw) {
            self.skip(place, format!("{} that is not an object", self.kind.one()));
            return None;
        }
        Record::read(self.kind, raw).map_err(|fault| self.skip(place, fault.to_string())).ok()
    }

    fn insert(&mut self, id: Id<'a>, raw: &'a str, record: Record<'a>, nesting: Nesting<'a>) {
        let record = record.within(nesting.epic);
        let is_before = |at| at < nesting.before;
        if nesting.before > 0 && self.entries.get_index_of(&id.text).is_some_and(is_before) {
            // What a format says of a record that the file contains is not used.
            if nesting.epic.is_none() {
                return;
            }
            let noun = self.kind.noun();
            let reason =
                format!("a second {noun} of this id, inside its epic; the other one is served");
            return self.skip(&id.text, reason);
        }
        self.note_repairs(&id.text, &record);
        self.read += 1;
        self.observed.add(&record, &id.text, self.read);
        if self.kind == Kind::Epic {
            self.note_container(&id, &record);
        }
        let place = id.text.clone();
        let entry = Entry {
            raw,
            words: self.numbers(&record),
            dependencies: mention(&record),
            hash: hash(&id, raw, nesting),
            epic: nesting.epic,
            number: self.read,
        };
        if let Some(earlier) = self.entries.insert(id.text, entry) {
            if let Ok(earlier) =
                Record::read(self.kind, earlier.raw).map(|r| r.within(earlier.epic))
            {
                self.observed.remove(&earlier, &place);
            }
            let noun = self.kind.noun();
            self.skip(&place, format!("an earlier {noun} of this id; the last one is served"));
        }
    }

    /// The numbers of a record's values.
    fn numbers(&mut self, record: &Record<'a>) -> [Option<u32>; MOST_FILTERS] {
        let mut numbers = [None; MOST_FILTERS];
        let values = self.values.iter_mut().zip(filters(self.kind));
        for (number, (values, filter)) in numbers.iter_mut().zip(values) {
            let Some(word) = word(record, filter.field) else { continue };
            let word = self
                .synonyms
                .and_then(|synonyms| meaning(synonyms, record, filter.field, &word))
                .map_or(word, Cow::Borrowed);
            *number = u32::try_from(values.insert_full(word).0).ok();
        }
        numbers
    }

    /// The values of an entry's fields of [`filters`], in that order.
    pub fn words(&self, entry: &Entry<'a>) -> impl Iterator<Item = Option<&str>> {
        let values = self.values.iter().zip(entry.words);
        values.map(|(values, number)| values.get_index(number? as usize).map(Cow::as_ref))
    }

    /// Reports what is served otherwise than it is on disk.
    fn note_repairs(&mut self, id: &str, record: &Record<'a>) {
        if let Some(inner) = record.field("id").filter(|raw| identity(raw).as_deref() != Some(id)) {
            self.repair(id, format!("its own id {} is replaced by its key", quote(inner)));
        }
        for name in record.replaced() {
            self.repair(id, format!("its field {name:?} is replaced by the computed value"));
        }
    }

    fn note_container(&mut self, id: &Id<'a>, epic: &Record<'a>) {
        let stories = epic.member("stories").filter(|raw| raw.starts_with(['{', '[']));
        match stories {
            Some(stories) => {
                self.containers.insert(id.text.clone(), Container { epic: id.raw, stories });
            }
            None => {
                self.containers.remove(&id.text);
            }
        }
    }

    /// The names of members that records have; `None` if there are too many to tell.
    pub fn member_names(&self) -> Option<impl Iterator<Item = &str>> {
        self.observed.member_names()
    }

    /// What may not be read as meant: for each report the position of the record, or `None` for the whole collection.
    pub fn suspicions(&self) -> Suspicions<usize> {
        let found = self.observed.suspicions();
        if found.list.is_empty() {
            return Suspicions { count: found.count, list: Vec::new() };
        }
        let numbers = self.entries.values().enumerate().map(|(at, entry)| (entry.number, at));
        let positions: HashMap<u64, usize> = numbers.collect();
        let mut list: Vec<Suspicion<usize>> = Vec::with_capacity(found.list.len());
        for Suspicion { record, reason } in found.list {
            match record.map(|number| positions.get(&number).copied()) {
                None => list.push(Suspicion { record: None, reason }),
                Some(Some(at)) => list.push(Suspicion { record: Some(at), reason }),
                // An earlier record of its id, which is not served.
                Some(None) => {}
            }
        }
        // Records in place of earlier ones were read later.
        list.sort_by_key(|suspicion| suspicion.record);
        Suspicions { count: found.count, list }
    }

    fn skip(&mut self, place: &str, reason: String) {
        self.problems.note(Position::Id(place.to_owned()), Effect::Skipped, reason);
    }

    fn repair(&mut self, place: &str, reason: String) {
        self.problems.note(Position::Id(place.to_owned()), Effect::Repaired, reason);
    }
}

/// A hash of a record's id and text, and of the epic that contains it.
fn hash(id: &Id<'_>, raw: &str, nesting: Nesting<'_>) -> u64 {
    let seed = xxh3_64(id.text.as_bytes());
    let seed = nesting.epic.map_or(seed, |epic| xxh3_64_with_seed(epic.as_bytes(), seed));
    xxh3_64_with_seed(raw.as_bytes(), seed)
}

/// Why a record of an array is not served, with the member that may stand for its id.
fn without_id(record: &Record<'_>) -> String {
    const MEANT: [&str; 6] = ["id", "key", "uid", "storyid", "taskid", "epicid"];
    let is_meant = |name: &str| name != "id" && MEANT.contains(&plain(name).as_ref());
    let mut names = record.members().iter().map(|member| member.name.as_ref());
    let one = record.kind().one();
    match names.find(|name| is_meant(name)) {
        Some(name) => format!("{one} without an id; write \"id\" in place of {}", quote(name)),
        None => format!("{one} without an id"),
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

/// A record's value of a field of [`filters`].
fn word<'a>(record: &Record<'a>, field: &str) -> Option<Cow<'a, str>> {
    match record.kind() {
        Kind::Session => Some(Cow::Borrowed(if is_active(record) { "true" } else { "false" })),
        // Only a text or a number can be the id of an epic.
        Kind::Story if field == "epic_id" => record.field(field).and_then(identity),
        kind => record.field(field).and_then(|raw| spelled(kind, field, raw)),
    }
}

/// What a status means in a record of a format, if it is not the word itself.
fn meaning<'a>(
    synonyms: &'a Synonyms,
    record: &Record<'_>,
    field: &str,
    word: &str,
) -> Option<&'a str> {
    let is_status = matches!(field, "status" | "state");
    let format = record.word("format").filter(|_| is_status)?;
    synonyms.meaning(record.kind(), &format, word)
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
