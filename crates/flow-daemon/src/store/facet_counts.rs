//! The number of messages of a chunk for each combination of frequent values. A query with several filters is counted
//! from this table instead of bitmaps.
//!
//! A value is frequent if its set is a bitmap ([`super::postings`]); all other values of a field share one cell index.
//! Cost: at most 4 bytes per message. A count reads one number for each combination of the requested values.

use super::postings::{count_u32, each_bit};
use super::terms::Terms;

/// Fields that messages are counted by.
const FIELDS: usize = crate::model::bus::FIELDS.len();
/// Shorter chunks are intersected just as fast.
const SHORTEST: usize = 8_192;

/// The table of a chunk.
#[derive(Debug)]
pub struct FacetCounts {
    fields: [Field; FIELDS],
    /// The cells; those that differ only in the last field are adjacent.
    counts: Box<[u32]>,
}

/// One dimension of the table.
#[derive(Debug, Default)]
struct Field {
    /// The indexes of the frequent values among all of the field's; the cell index is one more than the index here.
    frequent: Vec<usize>,
    /// The distance between neighbouring cells.
    stride: usize,
}

/// The indexes of the fields, and the requested values of each.
struct Facets<'a> {
    terms: &'a [Terms; FIELDS],
    values: &'a [Vec<String>; FIELDS],
}

impl FacetCounts {
    /// The table of a chunk of `length` messages; `None` if the chunk is short or the table would be longer than it.
    pub fn new(terms: &[Terms; FIELDS], length: usize) -> Option<Self> {
        if length < SHORTEST {
            return None;
        }
        let mut size = 1;
        let mut fields: [Field; FIELDS] = Default::default();
        for (field, terms) in fields.iter_mut().zip(terms).rev() {
            field.frequent = terms.bitmaps().map(|(at, _)| at).collect();
            field.stride = size;
            size *= field.frequent.len() + 1;
        }
        if size > length {
            return None;
        }
        let mut places = vec![0_u32; length];
        for (field, terms) in fields.iter().zip(terms) {
            for (at, (_, bits)) in terms.bitmaps().enumerate() {
                let step = count_u32((at + 1) * field.stride);
                each_bit(bits, |position| places[position as usize] += step);
            }
        }
        let mut counts = vec![0; size].into_boxed_slice();
        for place in places {
            counts[place as usize] += 1;
        }
        Some(Self { fields, counts })
    }

    /// The number of messages that have one of the given values in each field that names any. `None` if one of the
    /// values is not frequent.
    pub fn count(&self, terms: &[Terms; FIELDS], values: &[Vec<String>; FIELDS]) -> Option<usize> {
        // Fields without values come last, so that each value is searched for once.
        let mut order: [usize; FIELDS] = std::array::from_fn(|field| field);
        order.sort_by_key(|field| values[*field].is_empty());
        self.sum(&order, 0, &Facets { terms, values })
    }

    /// The sum over the given fields; `base` is the cell index of all others.
    fn sum(&self, order: &[usize], base: usize, facets: &Facets<'_>) -> Option<usize> {
        let Some((at, rest)) = order.split_first() else { return Some(self.counts[base] as usize) };
        let (field, terms, values) = (&self.fields[*at], &facets.terms[*at], &facets.values[*at]);
        let at_place = |place: usize| self.sum(rest, base + place * field.stride, facets);
        if values.is_empty() {
            return (0..=field.frequent.len()).map(at_place).sum();
        }
        let found = values.iter().flat_map(|value| terms.find(value));
        found.map(|(at, _)| at_place(field.frequent.binary_search(&at).ok()? + 1)).sum()
    }
}
