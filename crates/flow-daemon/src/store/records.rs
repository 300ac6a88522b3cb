//! The records of one kind from a document: found by id and by field, served from one rendered text.
//!
//! The text as served is made once for each change, at the first request that needs it.

use std::ops::Range;
use std::sync::OnceLock;

use bytes::Bytes;
use indexmap::IndexMap;

use crate::model::document::{self, Collection, Mention};
use crate::model::problem::{Effect, Place, Problems};
use crate::model::record::{Kind, Record};

use super::dependencies::Dependencies;
use super::postings::{self, Order, Postings, Set};
use super::prepared::InFlight;
use super::terms::{Builder, Terms};

/// Records of one kind.
#[derive(Debug)]
pub struct Records {
    kind: Kind,
    document: Bytes,
    /// Each id and where its record stands in the document; an empty range is a record that is not there.
    places: IndexMap<Box<str>, Range<u32>, foldhash::fast::RandomState>,
    terms: Vec<Terms>,
    /// The members that are added to each record, as JSON without braces; empty where its kind has none.
    computed: Vec<Vec<u8>>,
    /// A hash of each record's id and text, to compare with another state of the file.
    hashes: Vec<u64>,
    /// The positions of records that may name dependencies, and of those among them with own members of the computed
    /// names; ascending.
    mentions: [Vec<u32>; 2],
    dependencies: OnceLock<Dependencies>,
    rendered: OnceLock<Rendered>,
}

/// All records as they are served, with a comma after each but the last.
#[derive(Debug)]
struct Rendered {
    text: Bytes,
    /// Where each ends in the text.
    ends: Vec<usize>,
    /// Who is being sent a part of it.
    sharers: InFlight,
}

impl Records {
    /// No records.
    pub fn none(kind: Kind) -> Self {
        Self {
            kind,
            document: Bytes::new(),
            places: IndexMap::default(),
            terms: document::fields(kind).iter().map(|_| Terms::default()).collect(),
            computed: Vec::new(),
            hashes: Vec::new(),
            mentions: Default::default(),
            dependencies: OnceLock::new(),
            rendered: OnceLock::new(),
        }
    }

    /// Takes over a collection that was read from `document`.
    pub fn new(document: &Bytes, collection: &Collection<'_>) -> Self {
        let mut records = Self { document: document.clone(), ..Self::none(collection.kind) };
        let mut builders: Vec<Builder> = records.terms.iter().map(|_| Builder::default()).collect();
        for (id, entry) in &collection.entries {
            for (builder, word) in builders.iter_mut().zip(&entry.words) {
                builder.add(records.places.len(), word.as_ref());
            }
            let position = postings::count_u32(records.places.len());
            if entry.dependencies != Mention::None {
                records.mentions[0].push(position);
            }
            if entry.dependencies == Mention::WithOwnMembers {
                records.mentions[1].push(position);
            }
            records.hashes.push(entry.hash);
            records.places.insert(id.as_ref().into(), place_of(document, entry.raw));
        }
        records.terms =
            builders.into_iter().map(|builder| builder.finish(records.places.len())).collect();
        records
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(AsRef::as_ref)
    }

    /// The id at a position.
    pub fn id(&self, position: u32) -> Option<&str> {
        self.places.get_index(position as usize).map(|(id, _)| id.as_ref())
    }

    /// The kind of all of them.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A hash of each record's id and text, by position; records that no document holds have none.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// A record as it stands in the document; `None` for one that no document holds.
    pub fn record(&self, position: usize) -> Option<Record<'_>> {
        let (_, place) = self.places.get_index(position)?;
        let raw = self.document.get(place.start as usize..place.end as usize)?;
        Record::read(self.kind, std::str::from_utf8(raw).ok()?).ok()
    }

    /// What each record depends on, read at the first call.
    pub fn dependencies(&self) -> &Dependencies {
        self.dependencies.get_or_init(|| Dependencies::read(self, &self.mentions[0]))
    }

    /// Notes the own members that give way to those computed for records that name dependencies.
    pub fn note_replaced(&self, problems: &mut Problems) {
        for position in &self.mentions[1] {
            let Some(record) = self.record(*position as usize) else { continue };
            if self.dependencies().of(*position).is_none() {
                continue;
            }
            for name in record.replaced_by_dependencies() {
                let id = self.id(*position).unwrap_or_default().to_owned();
                let reason = format!("its own {name:?} is replaced by the computed one");
                problems.note(Place::Id(id), Effect::Repaired, reason);
            }
        }
    }

    /// The id at a position of any size.
    pub fn id_at(&self, position: usize) -> Option<&str> {
        self.places.get_index(position).map(|(id, _)| id.as_ref())
    }

    /// The position of an id.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.places.get_index_of(id)
    }

    /// The index of a documented field ([`document::fields`]).
    pub fn terms(&self, field: &str) -> Option<&Terms> {
        let at = document::fields(self.kind).iter().position(|known| *known == field)?;
        self.terms.get(at)
    }

    /// Where the records stand that match every filter: a field and the values of which it must have one.
    /// `None` stands for all.
    pub fn matching(&self, filters: &[(&str, &[String])]) -> Option<Set<'_>> {
        let set = |(field, values): &(&str, &[String])| {
            self.terms(field).map(|terms| terms.any_of(values, self.len()))
        };
        let sets: Vec<Set<'_>> = filters.iter().filter_map(set).collect();
        if sets.is_empty() { None } else { Some(postings::intersection(sets)) }
    }

    /// The positions in a set, ascending.
    pub fn positions(&self, set: Option<&Postings>) -> Vec<u32> {
        postings::page(set, self.len(), (0, usize::MAX, Order::Ascending))
    }

    /// All records as they are served, with commas between.
    pub fn text(&self) -> &Bytes {
        &self.rendered().text
    }

    /// Who is being sent a part of [`Self::text`].
    pub fn sharers(&self) -> &InFlight {
        &self.rendered().sharers
    }

    /// One record as it is served.
    pub fn one(&self, position: usize) -> Bytes {
        let rendered = self.rendered();
        let start = position
            .checked_sub(1)
            .and_then(|last| rendered.ends.get(last))
            .map_or(0, |end| end + 1);
        let end = rendered.ends.get(position).copied().unwrap_or(start);
        rendered.text.slice(start..end)
    }

    fn rendered(&self) -> &Rendered {
        self.rendered.get_or_init(|| {
            let mut text = Vec::with_capacity(self.document.len());
            let mut ends = Vec::with_capacity(self.len());
            for (position, (id, place)) in self.places.iter().enumerate() {
                if position > 0 {
                    text.push(b',');
                }
                let raw =
                    self.document.get(place.start as usize..place.end as usize).unwrap_or_default();
                let of_dependencies = self.dependencies().members(self, position);
                let computed = match &of_dependencies {
                    Some(members) => members.as_slice(),
                    None => self.computed.get(position).map_or(&[][..], Vec::as_slice),
                };
                write(self.kind, (id, raw), computed, &mut text);
                ends.push(text.len());
            }
            text.shrink_to_fit();
            Rendered { text: text.into(), ends, sharers: InFlight::default() }
        })
    }

    /// Adds members to each record, given by position: JSON without braces.
    #[must_use]
    pub fn with_computed(mut self, computed: impl Fn(usize) -> String) -> Self {
        self.computed = (0..self.len()).map(|position| computed(position).into_bytes()).collect();
        self
    }

    /// Adds records that no document holds, such as epics that only stories name.
    #[must_use]
    pub fn with_absent(mut self, ids: Vec<String>) -> Self {
        let (before, added) = (self.len(), ids.len());
        self.places.extend(ids.into_iter().map(|id| (id.into_boxed_str(), 0..0)));
        let absent = Terms::absent(added);
        let join =
            |terms: &Terms| Terms::concatenate([(terms, before), (&absent, added)].into_iter());
        self.terms = self.terms.iter().map(join).collect();
        self
    }
}

fn write(kind: Kind, (id, raw): (&str, &[u8]), computed: &[u8], out: &mut Vec<u8>) {
    // Only records that were read before come here; one that is nowhere is written as an empty object.
    let raw = std::str::from_utf8(raw).ok().filter(|raw| !raw.is_empty()).unwrap_or("{}");
    if let Ok(record) = Record::read(kind, raw) {
        record.write(Some(id), computed, out);
    }
}

/// Where `part` stands in `document`, which it was cut from.
fn place_of(document: &Bytes, part: &str) -> Range<u32> {
    let start = (part.as_ptr() as usize).saturating_sub(document.as_ptr() as usize);
    postings::count_u32(start)..postings::count_u32(start + part.len())
}
