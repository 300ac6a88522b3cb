//! The index of one field: the positions of the records that have each value.

use std::borrow::Cow;

use indexmap::{Equivalent, IndexMap};

use super::postings::{Postings, count_u32};

/// The name under which records without the field are counted and found, together with those that have this very value.
pub const NONE: &str = "none";

/// A value, or none.
type Key = Option<Box<str>>;

/// Values in the order of their first record. Every message is hashed once for each field, hence the fast hash; its
/// seed is random, so a hostile log cannot choose its collisions.
type Map<T> = IndexMap<Key, T, foldhash::fast::RandomState>;

/// A key to look up, without owning it. Hashes like [`Key`].
#[derive(Hash)]
struct Lookup<'a>(Option<&'a str>);

impl Equivalent<Key> for Lookup<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.0 == key.as_deref()
    }
}

/// The values of a field and the positions of each.
#[derive(Debug, Default)]
pub struct Terms(Map<Postings>);

impl Terms {
    /// Each value in the order of its first record, and how many records have it. Records without one count as
    /// [`NONE`], which may so be given twice.
    pub fn counts(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(value, postings)| (value.as_deref().unwrap_or(NONE), postings.len()))
    }

    /// The same of the records at some positions of a run; values that none of them has are counted too, as 0.
    pub fn counts_in<'a>(
        &'a self,
        matched: &'a Postings,
    ) -> impl Iterator<Item = (&'a str, usize)> {
        let values = self.sets_of_values();
        values.map(|(value, postings)| (value, postings.count_common(matched)))
    }

    /// Each value, or [`NONE`], and where it stands.
    pub fn sets_of_values(&self) -> impl Iterator<Item = (&str, &Postings)> {
        self.0.iter().map(|(value, postings)| (value.as_deref().unwrap_or(NONE), postings))
    }

    /// Each value that a record has.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.0.keys().filter_map(Option::as_deref)
    }

    /// Number of different values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The positions of one value.
    pub fn get(&self, value: &str) -> Option<&Postings> {
        self.0.get(&Lookup(Some(value)))
    }

    /// Whether [`Terms::find`] finds something for this value.
    pub fn finds(&self, value: &str) -> bool {
        self.find(value).next().is_some()
    }

    /// Number of records that have any of these values, which must be distinct.
    pub fn count_any_of(&self, values: &[String]) -> usize {
        let found = values.iter().flat_map(|value| self.find(value));
        found.map(|(_, postings)| postings.len()).sum()
    }

    /// The sets of these values.
    pub fn sets(&self, values: &[String]) -> Vec<&Postings> {
        let found = values.iter().flat_map(|value| self.find(value));
        found.map(|(_, postings)| postings).collect()
    }

    /// A value's index among the values and its positions; for [`NONE`] also those of the records without one.
    pub fn find(&self, value: &str) -> impl Iterator<Item = (usize, &Postings)> {
        let find = |key| self.0.get_full(&key).map(|(at, _, postings)| (at, postings));
        let absent = if value == NONE { find(Lookup(None)) } else { None };
        find(Lookup(Some(value))).into_iter().chain(absent)
    }

    /// The indexes and bitmaps of the values that are frequent enough to have a bitmap.
    pub fn bitmaps(&self) -> impl Iterator<Item = (usize, &[u64])> {
        self.0.values().enumerate().filter_map(|(at, postings)| Some((at, postings.bits()?)))
    }

    /// The index of `length` records without the field.
    pub fn absent(length: usize) -> Self {
        let mut builder = Builder::default();
        (0..length).for_each(|position| builder.add(position, None));
        builder.finish(length)
    }

    /// The index of several chunks, one after the other.
    pub fn concatenate<'a>(parts: impl Iterator<Item = (&'a Self, usize)> + Clone) -> Self {
        let mut builder = Builder::default();
        let length = parts.clone().map(|(_, length)| length).sum();
        let mut base = 0;
        for (terms, length) in parts {
            for (value, postings) in &terms.0 {
                postings.append_to(count_u32(base), builder.positions(value.as_deref()));
            }
            base += length;
        }
        builder.finish(length)
    }
}

/// An index that is being filled.
#[derive(Debug, Default)]
pub struct Builder {
    values: Map<Vec<u32>>,
    /// Index of the records without the field among the values: the most common case, found without hashing.
    none: Option<usize>,
    /// Index of the last record's value among the values.
    last: usize,
}

impl Builder {
    /// Adds a record's value. Positions must ascend.
    pub fn add(&mut self, position: usize, value: Option<&Cow<'_, str>>) {
        self.positions(value.map(AsRef::as_ref)).push(count_u32(position));
    }

    /// Adds a record with the same value as the one before, which must exist.
    pub fn repeat(&mut self, position: usize) {
        self.values[self.last].push(count_u32(position));
    }

    fn positions(&mut self, value: Option<&str>) -> &mut Vec<u32> {
        let known = match value {
            None => self.none,
            Some(_) => self.values.get_index_of(&Lookup(value)),
        };
        self.last = known.unwrap_or_else(|| self.insert(value));
        &mut self.values[self.last]
    }

    fn insert(&mut self, value: Option<&str>) -> usize {
        let at = self.values.insert_full(value.map(Box::from), Vec::new()).0;
        if value.is_none() {
            self.none = Some(at);
        }
        at
    }

    /// The finished index over `length` records.
    pub fn finish(self, length: usize) -> Terms {
        let pack = |(value, positions)| (value, Postings::pack(positions, length));
        Terms(self.values.into_iter().map(pack).collect())
    }
}
