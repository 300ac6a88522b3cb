//! The index of one field: the positions of the records that have each value.

use std::sync::Arc;

use indexmap::{Equivalent, IndexMap};

use super::postings::{Postings, count_u32};

/// The name under which records without the field are counted and found, together with those that have this very value.
pub const NONE: &str = "none";

/// A value, or none. The chunks of a log share the texts ([`super::names`]).
type Key = Option<Arc<str>>;

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
pub struct Terms {
    values: Map<Postings>,
    /// The records whose values have no set of their own.
    rest: Postings,
}

impl Terms {
    /// Each value in the order of its first record, and how many records have it. Records without one count as
    /// [`NONE`], which may so be given twice; those in [`Terms::rest`] are not counted.
    pub fn counts(&self) -> impl Iterator<Item = (&str, usize)> {
        self.values
            .iter()
            .map(|(value, postings)| (value.as_deref().unwrap_or(NONE), postings.len()))
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
        self.values.iter().map(|(value, postings)| (value.as_deref().unwrap_or(NONE), postings))
    }

    /// Each value that a record has.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.values.keys().filter_map(Option::as_deref)
    }

    /// The records whose values have no set of their own: of a log with too many values ([`super::names`]). A value that
    /// has a set in some chunk of a log is in the rest of none.
    pub fn rest(&self) -> &Postings {
        &self.rest
    }

    /// Number of different values that have a set.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The positions of one value.
    pub fn get(&self, value: &str) -> Option<&Postings> {
        self.values.get(&Lookup(Some(value)))
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
        let find = |key| self.values.get_full(&key).map(|(at, _, postings)| (at, postings));
        let absent = if value == NONE { find(Lookup(None)) } else { None };
        find(Lookup(Some(value))).into_iter().chain(absent)
    }

    /// The indexes and bitmaps of the values that are frequent enough to have a bitmap.
    pub fn bitmaps(&self) -> impl Iterator<Item = (usize, &[u64])> {
        self.values.values().enumerate().filter_map(|(at, postings)| Some((at, postings.bits()?)))
    }

    /// The index of `length` records without the field.
    pub fn absent(length: usize) -> Self {
        let mut builder = Builder::default();
        (0..length).for_each(|position| builder.add(position, None, |_| None));
        builder.finish(length)
    }

    /// The index of several chunks, one after the other.
    pub fn concatenate<'a>(parts: impl Iterator<Item = (&'a Self, usize)> + Clone) -> Self {
        let mut builder = Builder::default();
        let length = parts.clone().map(|(_, length)| length).sum();
        let mut base = 0;
        for (terms, length) in parts {
            let moved = count_u32(base);
            for (key, postings) in &terms.values {
                builder.select(key.as_deref(), |_| key.clone());
                postings.append_to(moved, builder.selected());
            }
            terms.rest.append_to(moved, &mut builder.rest);
            base += length;
        }
        builder.finish(length)
    }
}

/// An index that is being filled.
#[derive(Debug, Default)]
pub struct Builder {
    values: Map<Vec<u32>>,
    rest: Vec<u32>,
    /// Index of the records without the field among the values: the most common case, found without hashing.
    none: Option<usize>,
    /// Index of the last record's value among the values; `None` if it has no set of its own.
    last: Option<usize>,
}

impl Builder {
    /// Adds a record's value. Positions must ascend. `text` gives the text under which a value that is new here is kept,
    /// or `None` if it gets no set of its own.
    pub fn add(
        &mut self,
        position: usize,
        value: Option<&str>,
        text: impl FnOnce(&str) -> Option<Arc<str>>,
    ) {
        self.select(value, text);
        self.repeat(position);
    }

    /// Adds a record with the same value as the one before, which must exist.
    pub fn repeat(&mut self, position: usize) {
        self.selected().push(count_u32(position));
    }

    /// Makes this value the last one.
    fn select(&mut self, value: Option<&str>, text: impl FnOnce(&str) -> Option<Arc<str>>) {
        let is_last =
            |at: &usize| self.values.get_index(*at).is_some_and(|(key, _)| key.as_deref() == value);
        let known = if value.is_some() {
            // Records in a row often have the same value.
            let last = self.last.filter(is_last);
            last.or_else(|| self.values.get_index_of(&Lookup(value)))
        } else {
            self.none
        };
        self.last = match (known, value) {
            (Some(at), _) => Some(at),
            (None, None) => {
                self.none = Some(self.insert(None));
                self.none
            }
            (None, Some(value)) => text(value).map(|text| self.insert(Some(text))),
        };
    }

    fn insert(&mut self, key: Key) -> usize {
        self.values.insert_full(key, Vec::new()).0
    }

    /// The positions of the last value.
    fn selected(&mut self) -> &mut Vec<u32> {
        match self.last {
            Some(at) => &mut self.values[at],
            None => &mut self.rest,
        }
    }

    /// The finished index over `length` records.
    pub fn finish(self, length: usize) -> Terms {
        let pack = |(value, positions)| (value, Postings::pack(positions, length));
        Terms {
            values: self.values.into_iter().map(pack).collect(),
            rest: Postings::pack(self.rest, length),
        }
    }
}
