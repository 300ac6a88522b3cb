//! Sets of positions: a list if there are few, a bitmap if there are many.
//!
//! Cost: a set takes at most 4 bytes per position, or n/8 bytes.

use std::borrow::Cow;
use std::ops::Range;

/// A set of positions, all below the number of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Postings {
    /// One position, which takes no allocation: a log may have tens of thousands of values that occur once in a chunk.
    One(u32),
    /// The positions, ascending.
    List(Box<[u32]>),
    /// A bitmap, and the number of bits that are set.
    Bits(Box<[u64]>, u32),
}

impl Default for Postings {
    /// No positions.
    fn default() -> Self {
        Self::List(Box::default())
    }
}

/// A list with more than one in this many positions becomes a bitmap, which has at most twice the list's size.
const DENSE: usize = 64;

impl Postings {
    /// Packs ascending positions of `length` records.
    pub fn pack(positions: Vec<u32>, length: usize) -> Self {
        if let [position] = positions.as_slice() {
            return Self::One(*position);
        }
        if positions.len() <= length / DENSE || positions.len() < DENSE {
            return Self::List(positions.into());
        }
        let mut bits = vec![0; length.div_ceil(64)];
        for position in &positions {
            set(&mut bits, *position);
        }
        Self::Bits(bits.into(), count_u32(positions.len()))
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::List(list) => list.len(),
            Self::Bits(_, count) => *count as usize,
        }
    }

    /// Whether it has no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a position is in the set.
    pub fn contains(&self, position: u32) -> bool {
        match self {
            Self::One(only) => *only == position,
            Self::List(list) => list.binary_search(&position).is_ok(),
            Self::Bits(bits, _) => has_bit(bits, position),
        }
    }

    /// Number of positions that another set has too.
    pub fn count_common(&self, other: &Self) -> usize {
        let (list, set) = match (self, other) {
            (Self::Bits(words, _), Self::Bits(others, _)) => {
                let both = words.iter().zip(others).map(|(word, other)| word & other);
                return both.map(|word| word.count_ones() as usize).sum();
            }
            (Self::Bits(..), _) => (other, self),
            _ => (self, other),
        };
        let list = list.list().unwrap_or_default();
        list.iter().filter(|position| set.contains(**position)).count()
    }

    /// The positions that another set has too, ascending.
    pub fn common(&self, other: &Self) -> Vec<u32> {
        let mut positions = Vec::new();
        self.append_to(0, &mut positions);
        positions.retain(|position| other.contains(*position));
        positions
    }

    /// The last position in the set.
    pub fn last(&self) -> Option<u32> {
        match self {
            Self::One(position) => Some(*position),
            Self::List(list) => list.last().copied(),
            Self::Bits(bits, _) => {
                let at = bits.iter().rposition(|word| *word != 0)?;
                Some(count_u32(at) * 64 + 63 - bits.get(at)?.leading_zeros())
            }
        }
    }

    /// The bitmap, if it is one.
    pub fn bits(&self) -> Option<&[u64]> {
        match self {
            Self::Bits(bits, _) => Some(bits),
            Self::One(_) | Self::List(_) => None,
        }
    }

    /// The positions, if it is not a bitmap.
    pub(super) fn list(&self) -> Option<&[u32]> {
        match self {
            Self::One(position) => Some(std::slice::from_ref(position)),
            Self::List(list) => Some(list),
            Self::Bits(..) => None,
        }
    }

    /// A bitmap of `length` records.
    pub(super) fn to_bits(&self, length: usize) -> Cow<'_, [u64]> {
        match self {
            Self::Bits(bits, _) => Cow::Borrowed(bits),
            Self::One(_) | Self::List(_) => {
                let mut bits = vec![0; length.div_ceil(64)];
                self.or_into(&mut bits);
                Cow::Owned(bits)
            }
        }
    }

    /// Appends each position, increased by `base`, to `out`.
    pub fn append_to(&self, base: u32, out: &mut Vec<u32>) {
        match self {
            Self::One(position) => out.push(base + position),
            Self::List(list) => out.extend(list.iter().map(|position| base + position)),
            Self::Bits(bits, _) => each_bit(bits, |position| out.push(base + position)),
        }
    }

    fn or_into(&self, bits: &mut [u64]) {
        match self {
            Self::One(position) => set(bits, *position),
            Self::List(list) => list.iter().for_each(|position| set(bits, *position)),
            Self::Bits(set, _) => bits.iter_mut().zip(set).for_each(|(word, more)| *word |= more),
        }
    }
}

/// Whether a bit is set; one beyond the end is not.
#[inline]
pub(super) fn has_bit(bits: &[u64], position: u32) -> bool {
    bits.get(position as usize / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
}

fn set(bits: &mut [u64], position: u32) {
    if let Some(word) = bits.get_mut(position as usize / 64) {
        *word |= 1 << (position % 64);
    }
}

pub(super) fn each_bit(bits: &[u64], mut each: impl FnMut(u32)) {
    for (at, word) in bits.iter().enumerate() {
        let mut rest = *word;
        while rest != 0 {
            each(count_u32(at) * 64 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

fn count_bits(bits: &[u64]) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

/// Chunks and collections have at most 2^32 records, so a position always fits.
pub fn count_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The order in which a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// In the order of the file.
    Ascending,
    /// In reverse order of the file.
    Descending,
}

/// Which positions of a set are on a page.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Number of positions to skip.
    pub skip: usize,
    /// Largest number of positions to take.
    pub take: usize,
    /// From which end positions are counted.
    pub order: Order,
}

impl Span {
    /// All positions, ascending.
    pub const ALL: Self = Self { skip: 0, take: usize::MAX, order: Order::Ascending };
}

/// The positions of a page of a set; `None` means all `length` positions.
pub fn page(set: Option<&Postings>, length: usize, span: Span) -> Vec<u32> {
    match set {
        None => in_order(0..count_u32(length), span),
        Some(Postings::Bits(bits, _)) => {
            let (range, span) = after_skipped(bits, span);
            of_words(range, |at| bits.get(at).copied().unwrap_or_default(), span)
        }
        Some(set) => in_order(set.list().unwrap_or_default().iter().copied(), span),
    }
}

/// Words that are skipped at once: their bits are counted together, with vector instructions.
const SKIPPED: usize = 16;

/// The words that remain after groups of words all of which are skipped, and what of the span remains for them.
fn after_skipped(bits: &[u64], mut span: Span) -> (Range<usize>, Span) {
    let mut rest = 0..bits.len();
    while span.skip > 0 && rest.len() >= SKIPPED {
        let (group, others) = match span.order {
            Order::Ascending => (rest.start..rest.start + SKIPPED, rest.start + SKIPPED..rest.end),
            Order::Descending => (rest.end - SKIPPED..rest.end, rest.start..rest.end - SKIPPED),
        };
        let ones = bits.get(group).map_or(0, count_bits) as usize;
        if ones > span.skip {
            break;
        }
        span.skip -= ones;
        rest = others;
    }
    (rest, span)
}

/// The positions of a page of those of a list.
pub(super) fn in_order(
    positions: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator,
    Span { skip, take, order }: Span,
) -> Vec<u32> {
    match order {
        Order::Ascending => positions.skip(skip).take(take).collect(),
        Order::Descending => positions.rev().skip(skip).take(take).collect(),
    }
}

/// The same of the set bits of words, of which those outside `range` have none.
pub(super) fn of_words(
    range: Range<usize>,
    word: impl Fn(usize) -> u64,
    Span { skip, take, order }: Span,
) -> Vec<u32> {
    let mut positions = Vec::with_capacity(take.min(range.len() * 64));
    let mut skip = u32::try_from(skip).unwrap_or(u32::MAX);
    for step in 0..range.len() {
        let at = if order == Order::Ascending { range.start + step } else { range.end - 1 - step };
        let mut rest = word(at);
        let ones = if skip == 0 { 0 } else { rest.count_ones() };
        if rest == 0 || skip >= ones && skip > 0 {
            skip -= ones;
            continue;
        }
        while rest != 0 {
            let bit = match order {
                Order::Ascending => rest.trailing_zeros(),
                Order::Descending => rest.ilog2(),
            };
            rest ^= 1 << bit;
            if skip > 0 {
                skip -= 1;
            } else if positions.len() < take {
                positions.push(count_u32(at) * 64 + bit);
            } else {
                return positions;
            }
        }
    }
    positions
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_page_is_a_part_of_all_positions(
            has in proptest::collection::vec(0..3_u8, 0..5_000),
            (skip, take, is_descending) in (0..2_500_usize, 0..50_usize, any::<bool>()),
        ) {
            let mut all: Vec<u32> = (0..count_u32(has.len())).filter(|at| has[*at as usize] > 0).collect();
            let set = Postings::pack(all.clone(), has.len());
            if is_descending {
                all.reverse();
            }
            let order = if is_descending { Order::Descending } else { Order::Ascending };
            let expected: Vec<u32> = all.into_iter().skip(skip).take(take).collect();
            prop_assert_eq!(page(Some(&set), has.len(), Span { skip, take, order }), expected);
        }
    }
}
