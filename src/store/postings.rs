//! Sets of positions in a run of records: a list where they are few, a bitmap where they are many.
//!
//! Cost: a set takes at most 4 bytes for each position in it, or n/8 bytes; a count over several sets takes the
//! smallest set's length where that one is a list, else n/64 words.

/// A set of positions below the length of its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Postings {
    /// The positions, ascending.
    List(Vec<u32>),
    /// One bit a position, and how many are set.
    Bits(Vec<u64>, u32),
}

/// A list of more than one in this many positions becomes a bitmap, at most twice the list's size.
const DENSE: usize = 64;

impl Postings {
    /// Packs ascending positions of a run of `length` records.
    pub fn pack(mut positions: Vec<u32>, length: usize) -> Self {
        if positions.len() <= length / DENSE || positions.len() < DENSE {
            positions.shrink_to_fit();
            return Self::List(positions);
        }
        let mut bits = vec![0; length.div_ceil(64)];
        for position in &positions {
            set(&mut bits, *position);
        }
        Self::Bits(bits, count_u32(positions.len()))
    }

    /// The positions of the set bits.
    pub fn of_bits(bits: Vec<u64>) -> Self {
        let count = count_bits(&bits);
        Self::Bits(bits, count)
    }

    /// How many positions.
    pub fn len(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Bits(_, count) => *count as usize,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a position is in the set.
    pub fn contains(&self, position: u32) -> bool {
        match self {
            Self::List(list) => list.binary_search(&position).is_ok(),
            Self::Bits(bits, _) => bits
                .get(position as usize / 64)
                .is_some_and(|word| word >> (position % 64) & 1 == 1),
        }
    }

    /// Adds each position, moved on by `base`, to `out`.
    pub fn append_to(&self, base: u32, out: &mut Vec<u32>) {
        match self {
            Self::List(list) => out.extend(list.iter().map(|position| base + position)),
            Self::Bits(bits, _) => each_bit(bits, |position| out.push(base + position)),
        }
    }

    fn or_into(&self, bits: &mut [u64]) {
        match self {
            Self::List(list) => list.iter().for_each(|position| set(bits, *position)),
            Self::Bits(own, _) => bits.iter_mut().zip(own).for_each(|(word, own)| *word |= own),
        }
    }
}

fn set(bits: &mut [u64], position: u32) {
    if let Some(word) = bits.get_mut(position as usize / 64) {
        *word |= 1 << (position % 64);
    }
}

fn each_bit(bits: &[u64], mut each: impl FnMut(u32)) {
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

/// Runs are at most 2^32 records long; a position is never beyond.
pub(super) fn count_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A set that a query works with: one of the run's own, or one made for the query.
#[derive(Debug, Clone)]
pub enum Set<'a> {
    /// One that is kept.
    Kept(&'a Postings),
    /// One that was made.
    Made(Postings),
}

impl Set<'_> {
    /// The set itself.
    pub fn postings(&self) -> &Postings {
        match self {
            Self::Kept(postings) => postings,
            Self::Made(postings) => postings,
        }
    }
}

/// The union of sets over a run of `length` records.
pub fn union<'a>(sets: &[&'a Postings], length: usize) -> Set<'a> {
    match sets {
        [] => Set::Made(Postings::List(Vec::new())),
        [one] => Set::Kept(one),
        several => {
            let mut bits = vec![0; length.div_ceil(64)];
            for postings in several {
                postings.or_into(&mut bits);
            }
            Set::Made(Postings::of_bits(bits))
        }
    }
}

/// The intersection of at least one set.
pub fn intersection<'a>(mut sets: Vec<Set<'a>>) -> Set<'a> {
    sets.sort_by_key(|set| set.postings().len());
    let mut sets = sets.into_iter();
    let Some(smallest) = sets.next() else { return Set::Made(Postings::List(Vec::new())) };
    let others: Vec<Set<'a>> = sets.collect();
    if others.is_empty() {
        return smallest;
    }
    match smallest.postings() {
        Postings::List(list) => Set::Made(Postings::List(common_of_list(list, &others))),
        Postings::Bits(bits, _) => {
            let mut bits = bits.clone();
            for other in &others {
                and_into(&mut bits, other.postings());
            }
            Set::Made(Postings::of_bits(bits))
        }
    }
}

fn common_of_list(list: &[u32], others: &[Set<'_>]) -> Vec<u32> {
    let mut common = list.to_vec();
    for other in others {
        match other.postings() {
            Postings::List(longer) => keep_common(&mut common, longer),
            bits @ Postings::Bits(..) => common.retain(|position| bits.contains(*position)),
        }
    }
    common
}

/// Keeps what is in `longer` too; the search goes on where the last one ended.
fn keep_common(list: &mut Vec<u32>, mut longer: &[u32]) {
    list.retain(|position| {
        let mut step = 1;
        while longer.get(step).is_some_and(|found| found < position) {
            step *= 2;
        }
        let window = longer.get(..=step).unwrap_or(longer);
        longer = longer.get(window.partition_point(|found| found < position)..).unwrap_or_default();
        longer.first() == Some(position)
    });
}

fn and_into(bits: &mut [u64], other: &Postings) {
    match other {
        Postings::Bits(own, _) => bits.iter_mut().zip(own).for_each(|(word, own)| *word &= own),
        Postings::List(_) => {
            let mut own = vec![0; bits.len()];
            other.or_into(&mut own);
            bits.iter_mut().zip(&own).for_each(|(word, own)| *word &= own);
        }
    }
}

/// Which way a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As in the file.
    Ascending,
    /// The last first.
    Descending,
}

/// The positions of a page: `take` of them after `skip`, in the given order.
pub fn page(
    set: Option<&Postings>,
    length: usize,
    (skip, take, order): (usize, usize, Order),
) -> Vec<u32> {
    let count = set.map_or(length, Postings::len);
    let end = skip.saturating_add(take).min(count);
    let window = match order {
        Order::Ascending => skip.min(count)..end,
        Order::Descending => count - end..count - skip.min(count),
    };
    let mut positions = match set {
        None => (count_u32(window.start)..count_u32(window.end)).collect(),
        Some(Postings::List(list)) => list.get(window).unwrap_or_default().to_vec(),
        Some(Postings::Bits(bits, _)) => bits_of_window(bits, window),
    };
    if order == Order::Descending {
        positions.reverse();
    }
    positions
}

fn bits_of_window(bits: &[u64], window: std::ops::Range<usize>) -> Vec<u32> {
    let mut positions = Vec::with_capacity(window.len());
    let mut seen = 0;
    for (at, word) in bits.iter().enumerate() {
        let ones = word.count_ones() as usize;
        if seen + ones > window.start && seen < window.end {
            let mut rank = seen;
            each_bit(std::slice::from_ref(word), |position| {
                if window.contains(&rank) {
                    positions.push(count_u32(at) * 64 + position);
                }
                rank += 1;
            });
        }
        seen += ones;
        if seen >= window.end {
            break;
        }
    }
    positions
}
