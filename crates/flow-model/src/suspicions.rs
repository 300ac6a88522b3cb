//! What may not be read as it is meant: members whose name resembles a documented one that the record lacks, statuses that
//! resemble a known word, values that are not times.
//!
//! The rules see the records of a collection one by one and decide at the end, since a name that many records have is the
//! writer's own field. Example: among 80 stories one has `stauts` and no `status`. The name resembles a documented one,
//! one record is no more than a tenth, so that story is reported. Of 80 stories that all have `Status`, which differs in
//! its case only, the collection is reported once.

use std::borrow::Cow;
use std::collections::VecDeque;

use indexmap::IndexMap;

use super::dependency;
use super::json;
use super::name::{Name, Similar, Value};
use super::names::plain;
use super::problem::{KEPT, Suspicion, Suspicions, cut, quote};
use super::record::{self, Kind, Record, alias_value, is_absent};
use super::similar::{Errors, resembles};
use super::status_words::{is_known, meant};
use super::time;

/// Largest number of different names, and of different statuses, of a collection that are looked at.
const DISTINCT: usize = 4096;
/// Number of records that may have a name, however few there are in all, before it counts as the writer's own field.
const FEW: u64 = 2;

/// Where a record is: in the order of reading, and a member within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// The number of the record in the order of reading, or the line of the message.
    record: u64,
    /// The order of the reasons of one record.
    part: Part,
}

/// The order of the reasons of one record: names, the status, times; each in the order of the members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Name(usize),
    Status,
    Time(usize),
}

/// How a name is related to the documented one that may be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// A synonym.
    Synonym,
    /// The same but for case and separators.
    Spelling,
    /// A few letters differ.
    Misspelling,
}

/// A name that may stand for a documented one.
#[derive(Debug, Clone)]
struct Misnamed {
    meant: &'static Name,
    relation: Relation,
    /// Number of records that have the name.
    records: u64,
    /// Those among them that lack the documented one, with a value that fits it.
    lacking: Newest<()>,
}

/// A name of members.
#[derive(Debug, Clone)]
struct Named {
    /// Number of records that have it.
    records: u64,
    seen: Seen,
}

/// What is known of a name.
#[derive(Debug, Clone)]
enum Seen {
    /// Nothing follows from it.
    Plain,
    /// Its value is a time; the values that cannot be read.
    Time(Newest<String>),
    /// It may stand for a documented one.
    Misnamed(Misnamed),
}

/// A number of reports, and the newest [`KEPT`] of them.
#[derive(Debug, Clone)]
struct Newest<T> {
    count: u64,
    kept: VecDeque<(Place, T)>,
}

impl<T> Default for Newest<T> {
    fn default() -> Self {
        Self { count: 0, kept: VecDeque::new() }
    }
}

impl<T> Newest<T> {
    fn add(&mut self, place: Place, what: T) {
        self.count += 1;
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((place, what));
    }
}

/// The value of a status, as far as one record is concerned.
#[derive(Debug, Clone)]
struct Word {
    records: u64,
    last: Place,
}

/// What was observed in the records of one kind.
#[derive(Debug, Clone)]
pub struct Observed {
    kind: Kind,
    records: u64,
    names: IndexMap<Box<str>, Named, foldhash::fast::RandomState>,
    /// Whether there are more different names than are looked at.
    has_more_names: bool,
    statuses: IndexMap<Box<str>, Word, foldhash::fast::RandomState>,
    /// Statuses that are not text, as they are on disk.
    no_texts: Newest<String>,
}

/// Whether something in a record counts towards a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Nothing does.
    Nothing,
    /// Something does, or may at the end.
    Something,
}

impl Observed {
    /// No records yet.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            records: 0,
            names: IndexMap::default(),
            has_more_names: false,
            statuses: IndexMap::default(),
            no_texts: Newest::default(),
        }
    }

    /// Adds a record, whose number is greater than that of earlier ones. A message has no id.
    pub fn add(&mut self, record: &Record<'_>, id: &str, number: u64) -> Counted {
        self.records += 1;
        let mut counted = Counted::Nothing;
        for (at, member) in record.members().iter().enumerate() {
            let Some(at_name) = self.name(&member.name) else { continue };
            let Named { records, seen } = &mut self.names[at_name];
            *records += 1;
            if json::is_null(member.value) {
                continue;
            }
            match seen {
                Seen::Plain => {}
                Seen::Misnamed(misnamed) => {
                    counted = Counted::Something;
                    misnamed.records += 1;
                    if misnamed.stands_in(record, id, member.value) {
                        misnamed.lacking.add(Place { record: number, part: Part::Name(at) }, ());
                    }
                }
                Seen::Time(unread) => {
                    if !is_time(self.kind, member.value) {
                        counted = Counted::Something;
                        let place = Place { record: number, part: Part::Time(at) };
                        unread.add(place, quote_json(member.value));
                    }
                }
            }
        }
        if self.kind == Kind::Message {
            counted = self.add_time_of_message(record, number, counted);
        }
        self.add_status(record, number);
        counted
    }

    /// Removes a record that is not served after all.
    pub fn remove(&mut self, record: &Record<'_>, id: &str) {
        self.records -= 1;
        for member in record.members() {
            let Some(named) = self.names.get_mut(member.name.as_ref()) else { continue };
            named.records -= 1;
            match &mut named.seen {
                _ if json::is_null(member.value) => {}
                Seen::Misnamed(misnamed) => {
                    misnamed.records -= 1;
                    let stood_in = misnamed.stands_in(record, id, member.value);
                    misnamed.lacking.count -= u64::from(stood_in);
                }
                Seen::Time(unread) if !is_time(self.kind, member.value) => unread.count -= 1,
                Seen::Time(_) | Seen::Plain => {}
            }
        }
        let Some(raw) = self.status_of(record) else { return };
        match status_word(raw) {
            None => self.no_texts.count -= 1,
            Some(word) => {
                if let Some(word) = self.statuses.get_mut(word.as_ref()) {
                    word.records -= 1;
                }
            }
        }
    }

    /// Adds a message like the last one, of which nothing counted.
    pub fn add_same(&mut self) {
        self.records += 1;
    }

    /// What the reports depend on besides the names: if it is unchanged, so are they.
    pub fn basis(&self) -> u64 {
        let is_plain = |named: &Named| matches!(named.seen, Seen::Plain);
        if self.names.values().all(is_plain) { 0 } else { self.records }
    }

    /// Adds the records of `later`, whose numbers are increased by `numbers`. Statuses are left out: messages have none.
    pub fn append(&mut self, later: &Self, numbers: u64) {
        self.records += later.records;
        for (name, Named { seen, .. }) in &later.names {
            let fresh = || Named { records: 0, seen: seen.without_records() };
            let before = self.names.entry(name.clone()).or_insert_with(fresh);
            match (&mut before.seen, seen) {
                (Seen::Misnamed(before), Seen::Misnamed(more)) => {
                    before.records += more.records;
                    before.lacking.append(&more.lacking, numbers);
                }
                (Seen::Time(before), Seen::Time(more)) => before.append(more, numbers),
                _ => {}
            }
        }
    }

    /// The index of a name; `None` beyond the limit of different names.
    fn name(&mut self, name: &str) -> Option<usize> {
        if let Some(at) = self.names.get_index_of(name) {
            return Some(at);
        }
        if self.names.len() == DISTINCT {
            self.has_more_names = true;
            return None;
        }
        let named = Named { records: 0, seen: classify(self.kind, name) };
        Some(self.names.insert_full(name.into(), named).0)
    }

    /// The names that records have; `None` if there are too many to tell.
    pub fn member_names(&self) -> Option<impl Iterator<Item = &str>> {
        let names = self.names.iter().filter(|(_, named)| named.records > 0);
        (!self.has_more_names).then(|| names.map(|(name, _)| name.as_ref()))
    }

    fn add_time_of_message(
        &mut self,
        record: &Record<'_>,
        number: u64,
        counted: Counted,
    ) -> Counted {
        let raw = record.field("timestamp").filter(|raw| !is_time(self.kind, raw));
        let Some(raw) = raw else { return counted };
        let fresh = || Named { records: 0, seen: Seen::Time(Newest::default()) };
        let unread = self.names.entry(UNREAD_TIME.into()).or_insert_with(fresh);
        if let Seen::Time(unread) = &mut unread.seen {
            let place = Place { record: number, part: Part::Time(0) };
            unread.add(place, quote_json(raw));
        }
        Counted::Something
    }

    /// The status or state of a record, as it is on disk.
    fn status_of<'a>(&self, record: &Record<'a>) -> Option<&'a str> {
        match self.kind {
            Kind::Story | Kind::Epic | Kind::Session => record.field("status"),
            Kind::Task => record.field("state"),
            Kind::Message => None,
        }
    }

    fn add_status(&mut self, record: &Record<'_>, number: u64) {
        let Some(raw) = self.status_of(record) else { return };
        let last = Place { record: number, part: Part::Status };
        let Some(word) = status_word(raw) else {
            return self.no_texts.add(last, quote_json(raw));
        };
        if let Some(word) = self.statuses.get_mut(word.as_ref()) {
            word.records += 1;
            word.last = last;
        } else if self.statuses.len() < DISTINCT {
            self.statuses.insert(word.as_ref().into(), Word { records: 1, last });
        }
    }

    /// The reports.
    pub fn suspicions(&self) -> Suspicions<u64> {
        let mut reports = Reports { most: FEW.max(self.records / 10), ..Reports::default() };
        for (name, named) in &self.names {
            match &named.seen {
                Seen::Plain => {}
                Seen::Misnamed(misnamed) => reports.add_misnamed(name, misnamed),
                Seen::Time(unread) => reports.add_times(name, unread),
            }
        }
        reports.add_no_texts(&self.no_texts);
        for (word, Word { last, .. }) in self.statuses.iter().filter(|(_, word)| word.records == 1)
        {
            if let Some(meant) = meant(self.kind, word) {
                let word = quote(word);
                reports.add(
                    *last,
                    format!("no other record has its status {word}; is {meant:?} meant?"),
                );
            }
        }
        reports.finish()
    }
}

/// The reports while they are collected.
#[derive(Default)]
struct Reports {
    /// Number of records beyond which they are reported as a whole.
    most: u64,
    count: u64,
    whole: Vec<String>,
    single: Vec<(Place, String)>,
}

impl Reports {
    fn add(&mut self, place: Place, reason: String) {
        self.count += 1;
        self.single.push((place, reason));
    }

    fn add_whole(&mut self, reason: String) {
        self.count += 1;
        self.whole.push(reason);
    }

    /// Adds a report for each record, of which the newest are known.
    fn add_each<T>(&mut self, of: &Newest<T>, reason: impl Fn(&T) -> String) {
        self.count += of.count;
        self.single.extend(of.kept.iter().map(|(place, what)| (*place, reason(what))));
    }

    fn add_misnamed(&mut self, name: &str, misnamed: &Misnamed) {
        let meant = misnamed.meant.documented();
        let name = quote(name);
        if misnamed.records <= self.most {
            let reason = |(): &()| format!("its member {name} is not read; write {meant:?}");
            self.add_each(&misnamed.lacking, reason);
        } else if misnamed.relation != Relation::Misspelling && misnamed.lacking.count > 0 {
            let count = misnamed.lacking.count;
            self.add_whole(format!(
                "the member {name} of {count} records is not read; write {meant:?}"
            ));
        }
    }

    fn add_times(&mut self, name: &str, unread: &Newest<String>) {
        let name = if name == UNREAD_TIME { "timestamp" } else { name };
        let is_none = format!("is not a time that can be read; write it as {EXAMPLE_TIME}");
        if unread.count <= self.most {
            self.add_each(unread, |raw| format!("its {name:?}, {raw}, {is_none}"));
        } else if let Some((_, raw)) = unread.kept.front() {
            let count = unread.count;
            self.add_whole(format!("{name:?} of {count} records, such as {raw}, {is_none}"));
        }
    }

    fn add_no_texts(&mut self, no_texts: &Newest<String>) {
        let how = "is not a text; write a word in quotes";
        if no_texts.count <= self.most {
            self.add_each(no_texts, |raw| format!("its status, {raw}, {how}"));
        } else if let Some((_, raw)) = no_texts.kept.front() {
            let count = no_texts.count;
            self.add_whole(format!("the status of {count} records, such as {raw}, {how}"));
        }
    }

    fn finish(mut self) -> Suspicions<u64> {
        self.single.sort_by_key(|(place, _)| *place);
        let whole = self.whole.into_iter().map(|reason| Suspicion { record: None, reason });
        let single = self.single.into_iter();
        let single = single.map(|(place, reason)| Suspicion { record: Some(place.record), reason });
        Suspicions { count: self.count, list: whole.chain(single).collect() }
    }
}

/// The key of the unreadable times of messages among the names: `timestamp` and its aliases are one.
const UNREAD_TIME: &str = "";
/// A time in the form that is documented.
const EXAMPLE_TIME: &str = "\"2026-03-01T09:00:00Z\"";

impl<T: Clone> Newest<T> {
    fn append(&mut self, later: &Self, numbers: u64) {
        let dropped = later.count - later.kept.len() as u64;
        for (place, what) in &later.kept {
            self.add(Place { record: place.record + numbers, ..*place }, what.clone());
        }
        self.count += dropped;
    }
}

impl Seen {
    fn without_records(&self) -> Self {
        match self {
            Self::Plain => Self::Plain,
            Self::Time(_) => Self::Time(Newest::default()),
            Self::Misnamed(Misnamed { meant, relation, .. }) => misnamed(meant, *relation),
        }
    }
}

/// What follows from a name.
fn classify(kind: Kind, name: &str) -> Seen {
    if kind != Kind::Message && is_name_of_time(name) {
        return Seen::Time(Newest::default());
    }
    if kind.names().iter().any(|row| row.read.contains(&name)) {
        return Seen::Plain;
    }
    let is_known = kind.is_known_name(name);
    let folded = plain(name);
    let relation = |row: &'static Name| {
        if row.synonyms.contains(&name) {
            Some(Relation::Synonym)
        } else if is_known {
            None
        } else if row.read.iter().any(|read| plain(read) == folded) {
            Some(Relation::Spelling)
        } else {
            is_misspelled(name, row).then_some(Relation::Misspelling)
        }
    };
    let mut reported = kind.names().iter().filter(|row| row.similar == Similar::Reported);
    let found = reported.find_map(|row| Some((row, relation(row)?)));
    found.map_or(Seen::Plain, |(meant, relation)| misnamed(meant, relation))
}

/// Whether a name may be a misspelling of a documented one, or of a long other spelling of it.
fn is_misspelled(name: &str, row: &Name) -> bool {
    let is_long = |other: &&&str| other.len() >= 8 && row.value != Value::Time;
    let others = row.others().iter().filter(is_long);
    let mut spellings = std::iter::once(row.documented()).chain(others.copied());
    spellings.any(|spelling| resembles(name, spelling, Errors::Name))
}

fn misnamed(meant: &'static Name, relation: Relation) -> Seen {
    Seen::Misnamed(Misnamed { meant, relation, records: 0, lacking: Newest::default() })
}

impl Misnamed {
    /// Whether a record lacks the documented name, and the value fits it.
    fn stands_in(&self, record: &Record<'_>, id: &str, raw: &str) -> bool {
        is_lacking(record, self.meant)
            && (self.relation == Relation::Spelling || fits(record.kind(), self.meant, id, raw))
    }
}

/// Whether a value may be that of a documented name. `id` is that of the record.
fn fits(kind: Kind, meant: &Name, id: &str, raw: &str) -> bool {
    let text = || json::string(raw).ok().filter(|_| raw.starts_with('"'));
    let is_filled = || text().is_some_and(|text| !text.trim().is_empty());
    let is_number = || raw.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let elements = || json::elements(raw).unwrap_or_default();
    match meant.value {
        Value::Text => is_filled(),
        Value::Status => status_word(raw).is_some_and(|word| is_known(kind, &word)),
        Value::Id | Value::Amount => is_number() || is_filled(),
        Value::Names => {
            is_filled() && read_time(kind, raw).is_none()
                || elements().iter().any(|element| element.starts_with('"') && element.len() > 2)
        }
        Value::Texts => is_filled() || !elements().is_empty(),
        Value::Ids if raw.starts_with('[') => elements().iter().any(|one| names_records(one, id)),
        Value::Ids => names_records(raw, id),
        Value::Time => read_time(kind, raw).is_some(),
        Value::Any => true,
    }
}

/// Whether a value may name records by ids that begin like `id`: a number, a text of such ids, or an object with one.
fn names_records(raw: &str, id: &str) -> bool {
    match raw.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => true,
        Some(b'"') => json::string(raw).is_ok_and(|text| are_ids(&text, id)),
        Some(b'{') => {
            let members = json::members(raw).map(|members| members.list).unwrap_or_default();
            let inner = members.iter().rfind(|member| member.name == "id");
            inner.is_some_and(|inner| {
                !json::is_object(inner.value) && names_records(inner.value, id)
            })
        }
        _ => false,
    }
}

fn are_ids(text: &str, id: &str) -> bool {
    let prefix = |word: &str| {
        let digit = word.find(|c: char| c.is_ascii_digit())?;
        Some(word[..digit].to_lowercase())
    };
    let of_id = prefix(id);
    let is_id = |word: &str| {
        prefix(word).is_some_and(|prefix| {
            ["us-", "tech-", "bug-"].contains(&prefix.as_str()) || of_id.as_ref() == Some(&prefix)
        })
    };
    let mut words = dependency::words(text).peekable();
    words.peek().is_some() && words.all(is_id)
}

/// Whether a member of a story, epic, task or session with this name is a time in every project: `created_at`.
pub(crate) fn is_name_of_time(name: &str) -> bool {
    const STEMS: [&str; 6] = ["created", "updated", "started", "completed", "failed", "blocked"];
    match name.strip_suffix("_at").or_else(|| name.strip_suffix("At")) {
        Some(stem) if STEMS.contains(&stem) => true,
        _ => matches!(
            name,
            "ended_at" | "closed_at" | "last_active" | "lastActive" | "last_seen" | "lastSeen"
        ),
    }
}

/// Whether a record has no value for a documented name, in any spelling. A task has a title or a description.
fn is_lacking(record: &Record<'_>, meant: &Name) -> bool {
    let documented = meant.documented();
    let has = |name: &&str| {
        let value = record.member(name).filter(|raw| !is_absent(documented, raw));
        match value {
            Some(raw) if *name != documented => alias_value(documented, raw).is_some(),
            value => value.is_some(),
        }
    };
    let titles: &[&str] = match (record.kind(), meant.documented()) {
        (Kind::Task, "description") => &["title", "name"],
        _ => &[],
    };
    record.field(meant.documented()).is_none() && !meant.read.iter().chain(titles).any(has)
}

/// A value as a time, as records of this kind are read.
fn read_time(kind: Kind, raw: &str) -> Option<i64> {
    if kind == Kind::Message { time::of_json(raw) } else { time::of_member(raw) }
}

/// Whether a value is a readable time, or stands for none.
fn is_time(kind: Kind, raw: &str) -> bool {
    let is_none = || {
        let text = json::string(raw).unwrap_or_default().trim().to_lowercase();
        text.is_empty() || time::PLACEHOLDERS.contains(&text.as_str())
    };
    matches!(raw, "true" | "false" | "null")
        || read_time(kind, raw).is_some()
        || raw.starts_with('"') && is_none()
}

/// A status in its canonical spelling; `None` if it is not text.
fn status_word(raw: &str) -> Option<Cow<'_, str>> {
    if !raw.starts_with('"') {
        return None;
    }
    match json::string(raw).ok()? {
        Cow::Borrowed(text) => Some(record::status(text)),
        Cow::Owned(text) => Some(Cow::Owned(record::status(&text).into_owned())),
    }
}

/// A value of a file for a reason.
fn quote_json(raw: &str) -> String {
    match json::string(raw) {
        Ok(text) if raw.starts_with('"') => quote(&text),
        _ => cut(raw),
    }
}
