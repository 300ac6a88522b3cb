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

/// A set of cell indexes of a field, one bit for each: fewer than 64 values have a bitmap, since each of these has more
/// than a 64th of the messages.
type Places = u64;

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

    /// The number of messages that have one of the given values in each field that names any, and none of the excluded
    /// ones. `None` if one of the values is not frequent.
    pub fn count(
        &self,
        terms: &[Terms; FIELDS],
        values: &[&[String]; FIELDS],
        excluded: &[&[String]; FIELDS],
    ) -> Option<usize> {
        let mut places: [Places; FIELDS] = [0; FIELDS];
        for (at, (field, places)) in self.fields.iter().zip(&mut places).enumerate() {
            *places = field.places(&terms[at], values[at], excluded[at])?;
        }
        Some(self.sum(&self.fields, &places, 0))
    }

    /// The sum over the given fields; `base` is the cell index of all others.
    fn sum(&self, fields: &[Field], places: &[Places], base: usize) -> usize {
        let (Some((field, fields)), Some((positions, places))) =
            (fields.split_first(), places.split_first())
        else {
            return self.counts[base] as usize;
        };
        let mut rest = *positions;
        let mut count = 0;
        while rest != 0 {
            let place = rest.trailing_zeros() as usize;
            count += self.sum(fields, places, base + place * field.stride);
            rest &= rest - 1;
        }
        count
    }
}

impl Field {
    /// The cell indexes that the values allow, without the excluded ones. `None` if a value shares its cell index with
    /// others.
    fn places(&self, terms: &Terms, values: &[String], excluded: &[String]) -> Option<Places> {
        let allowed = match values {
            [] => Places::MAX >> (Places::BITS as usize - 1 - self.frequent.len()),
            values => self.places_of(terms, values)?,
        };
        Some(allowed & !self.places_of(terms, excluded)?)
    }

    fn places_of(&self, terms: &Terms, values: &[String]) -> Option<Places> {
        let mut places = 0;
        for (at, _) in values.iter().flat_map(|value| terms.find(value)) {
            places |= 1 << (self.frequent.binary_search(&at).ok()? + 1);
        }
        Some(places)
    }
}
