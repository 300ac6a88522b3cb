//! The records of one kind in a document: their positions by id, and their values of the documented fields.

use std::ops::Range;

use bytes::Bytes;
use indexmap::IndexMap;

use crate::model::change::Standing;
use crate::model::dependency::{self, Ids};
use crate::model::filter;
use crate::model::record::{Kind, Record};

use super::postings::{self, Postings, Span};
use super::terms::Terms;

/// The index of the records of one kind.
#[derive(Debug)]
pub struct Index {
    kind: Kind,
    pub(super) document: Bytes,
    /// Where the text of the formats begins in the document, behind that of the file.
    pub(super) plans_at: usize,
    /// Each id and the range of its record in the document; the range of a record that no document contains is empty.
    pub(super) places: IndexMap<Box<str>, Range<u32>, foldhash::fast::RandomState>,
    pub(super) terms: Vec<Terms>,
    /// The stories in records of epics, by position, ascending: the range of the epic's id in the document.
    pub(super) nested: Vec<(u32, Range<u32>)>,
}

impl Index {
    pub(super) fn none(kind: Kind) -> Self {
        Self {
            kind,
            document: Bytes::new(),
            plans_at: 0,
            places: IndexMap::default(),
            terms: filter::filters(kind).iter().map(|_| Terms::default()).collect(),
            nested: Vec::new(),
        }
    }

    /// The text of a record in the document.
    pub(super) fn raw(&self, range: &Range<u32>) -> &[u8] {
        self.document.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are no records.
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

    /// The kind of all records.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A record as it is in the document; `None` for one that no document contains.
    pub fn record(&self, position: usize) -> Option<Record<'_>> {
        let (_, range) = self.places.get_index(position)?;
        let text = std::str::from_utf8(self.raw(range)).ok()?;
        Some(Record::read(self.kind, text).ok()?.within(self.epic(position)))
    }

    /// The id, as it is on disk, of the epic whose record contains the story at a position.
    pub fn epic(&self, position: usize) -> Option<&str> {
        let position = postings::count_u32(position);
        let at = self.nested.binary_search_by_key(&position, |(story, _)| *story).ok()?;
        let (_, range) = self.nested.get(at)?;
        std::str::from_utf8(self.raw(range)).ok()
    }

    /// The text of the file that the records were read from; `None` if there is no file.
    pub fn document(&self) -> Option<&str> {
        let file = self.document.get(..self.plans_at)?;
        std::str::from_utf8(file).ok().filter(|text| !text.is_empty())
    }

    /// The range of a record in [`Self::document`]; `None` for one that the file does not contain.
    pub fn range(&self, position: usize) -> Option<Range<usize>> {
        let (_, range) = self.places.get_index(position)?;
        let range = range.start as usize..range.end as usize;
        (!range.is_empty() && range.end <= self.plans_at).then_some(range)
    }

    /// The id at a position of any size.
    pub fn id_at(&self, position: usize) -> Option<&str> {
        self.places.get_index(position).map(|(id, _)| id.as_ref())
    }

    /// The position of an id.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.places.get_index_of(id)
    }

    /// The index of a field that the list can be filtered by.
    pub fn terms(&self, field: &str) -> Option<&Terms> {
        self.terms.get(filter::position(self.kind, field)?)
    }

    /// The positions in a set, ascending.
    pub fn positions(&self, set: Option<&Postings>) -> Vec<u32> {
        postings::page(set, self.len(), Span::ALL)
    }

    /// Whether the record at `position` has one of the statuses.
    fn has_status(&self, position: u32, statuses: &[&str]) -> bool {
        let Some(terms) = self.terms(status_field(self.kind)) else { return false };
        let mut sets = statuses.iter().filter_map(|status| terms.get(status));
        sets.any(|set| set.contains(position))
    }

    /// Whether the story or task at a position is done.
    pub fn is_done(&self, position: u32) -> bool {
        self.has_status(position, dependency::done(self.kind))
    }

    /// Whether the story or task at a position is still to be done.
    pub fn is_open(&self, position: u32) -> bool {
        self.standing(position) == Standing::Open
    }

    /// Where the story or task at a position stands.
    pub fn standing(&self, position: u32) -> Standing {
        if self.is_done(position) {
            Standing::Done
        } else if self.has_status(position, dependency::given_up(self.kind)) {
            Standing::GivenUp
        } else {
            Standing::Open
        }
    }
}

impl Ids for Index {
    fn has(&self, id: &str) -> bool {
        self.position(id).is_some()
    }

    fn visit(&self, each: &mut dyn FnMut(&str)) {
        self.ids().for_each(each);
    }
}

/// The status field of records of this kind.
pub const fn status_field(kind: Kind) -> &'static str {
    match kind {
        Kind::Task => "state",
        _ => "status",
    }
}
