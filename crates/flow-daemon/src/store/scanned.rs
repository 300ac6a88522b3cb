//! Filters by values that have no set of positions ([`super::names`]): the messages that may match are read.

use std::collections::HashSet;

use crate::model::bus::FIELDS;

use super::chunk::{Chunk, Query, Scanned};
use super::log::Log;
use super::matching::Condition;
use super::postings::{Postings, Span};
use super::terms::NONE;

impl Log {
    /// Finds the matches of a query in the chunks whose indexes do not suffice. `examine` is called with the size of
    /// the messages of each chunk that will be read, before any is.
    ///
    /// # Errors
    /// Those of `examine`.
    pub fn scan<E>(
        &self,
        query: &Query<'_>,
        mut examine: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Scanned, E> {
        let mut scanned = Scanned::default();
        if !self.has_rest() {
            return Ok(scanned);
        }
        let unknown = (0..FIELDS.len()).filter(|field| self.has_unknown(query, *field));
        let fields: Vec<Asked<'_>> = unknown.map(|field| Asked::new(query, field)).collect();
        let scan = |chunk| Scan::of(chunk, query, &fields);
        // The positions are found again below, since all of them together would take more memory than the time is worth.
        for scan in self.chunks().filter_map(|chunk| scan(chunk)) {
            examine(scan.bytes())?;
        }
        for scan in self.chunks().filter_map(|chunk| scan(chunk)) {
            scanned.insert(scan.chunk, scan.matches());
        }
        Ok(scanned)
    }

    /// Whether a query names a value of a field that has no set in any chunk. One that has a set somewhere has one
    /// everywhere.
    fn has_unknown(&self, query: &Query<'_>, field: usize) -> bool {
        let named =
            [&query.values, &query.excluded].into_iter().filter_map(|lists| lists.get(field));
        let terms = || self.chunks().filter_map(|chunk| chunk.terms().get(field));
        let is_unknown =
            |value: &String| value != NONE && terms().all(|terms| terms.get(value).is_none());
        named.copied().flatten().any(is_unknown)
    }
}

/// A field, and what a query asks of its values. A query may name thousands of them.
struct Asked<'q> {
    field: usize,
    values: HashSet<&'q str>,
    excluded: HashSet<&'q str>,
}

impl<'q> Asked<'q> {
    fn new(query: &Query<'q>, field: usize) -> Self {
        let set = |list: &'q [String]| list.iter().map(String::as_str).collect();
        Self { field, values: set(query.values[field]), excluded: set(query.excluded[field]) }
    }

    fn allows(&self, word: &str) -> bool {
        (self.values.is_empty() || self.values.contains(word)) && !self.excluded.contains(word)
    }

    fn is_in_rest(&self, chunk: &Chunk, position: u32) -> bool {
        chunk.terms()[self.field].rest().contains(position)
    }
}

/// The search of a chunk.
struct Scan<'a, 'q> {
    chunk: &'a Chunk,
    query: &'a Query<'q>,
    /// The fields whose values are read where they have no set.
    fields: Vec<&'a Asked<'q>>,
}

impl<'a, 'q> Scan<'a, 'q> {
    /// The search of a chunk; `None` if its indexes suffice.
    fn of(chunk: &'a Chunk, query: &'a Query<'q>, fields: &'a [Asked<'q>]) -> Option<Self> {
        let has_rest = |asked: &&Asked<'_>| !chunk.terms()[asked.field].rest().is_empty();
        let fields: Vec<&Asked<'q>> = fields.iter().filter(has_rest).collect();
        (!fields.is_empty()).then_some(Self { chunk, query, fields })
    }

    /// Size of the messages that are read.
    fn bytes(&self) -> usize {
        let read = self.possible().into_iter().filter(|at| self.is_read(*at));
        read.map(|at| self.chunk.message(at).0.len()).sum()
    }

    fn matches(&self) -> Postings {
        let mut positions = self.possible();
        positions.retain(|at| !self.is_read(*at) || self.is_match(*at));
        Postings::pack(positions, self.chunk.len())
    }

    fn is_read(&self, position: u32) -> bool {
        self.fields.iter().any(|asked| asked.is_in_rest(self.chunk, position))
    }

    /// The messages that match, as far as the indexes tell, ascending.
    fn possible(&self) -> Vec<u32> {
        let mut conditions = Vec::new();
        for (field, terms) in self.chunk.terms().iter().enumerate() {
            let (values, excluded) = (self.query.values[field], self.query.excluded[field]);
            if !values.is_empty() {
                let mut sets = terms.sets(values);
                let is_read = self.fields.iter().any(|asked| asked.field == field);
                sets.extend(is_read.then(|| terms.rest()));
                conditions.push(Condition { sets, is_excluding: false });
            }
            if !excluded.is_empty() {
                conditions.push(Condition { sets: terms.sets(excluded), is_excluding: true });
            }
        }
        self.chunk.matching_all(conditions, self.query).page(Span::ALL)
    }

    /// Whether the values without a set are ones that the query allows.
    fn is_match(&self, position: u32) -> bool {
        let words = self.chunk.words(position);
        let mut in_rest = self.fields.iter().filter(|asked| asked.is_in_rest(self.chunk, position));
        in_rest.all(|asked| words[asked.field].as_ref().is_some_and(|word| asked.allows(word)))
    }
}
