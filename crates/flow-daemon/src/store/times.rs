//! The times of the messages of a chunk, in blocks, so that a window is counted without reading each time.

use std::ops::Range;

use super::postings::count_u32;

/// Stands for the time of a message without a readable one.
const NO_TIME: i64 = i64::MIN;
/// Messages per block. A query reads the ends of every block, and the messages of the blocks that the window cuts.
const BLOCK: usize = 256;
/// Words of a bitmap, each of 64 messages, that a block covers.
const WORDS: usize = BLOCK / 64;

/// A span of time in nanoseconds since 1970, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first moment.
    pub since: i64,
    /// The last moment.
    pub until: i64,
}

impl Window {
    fn contains(self, time: i64) -> bool {
        // One comparison: times before `since` wrap around to large numbers. `since` is never as early as NO_TIME, so a
        // message without a time is never inside.
        let after = |moment: i64| moment.wrapping_sub(self.since).cast_unsigned();
        self.since <= self.until && after(time) <= after(self.until)
    }
}

/// The earliest and the latest time of some messages, and the first position of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    /// Time and position of the earliest.
    pub first: (i64, u32),
    /// Time and position of the latest.
    pub last: (i64, u32),
    timed: u32,
}

/// The times of a chunk.
#[derive(Debug)]
pub struct Times {
    length: usize,
    /// The time of each message; empty if none has one.
    of_each: Box<[i64]>,
    blocks: Box<[Option<Ends>]>,
    ends: Option<Ends>,
    /// Whether each message has a time that is not before the one of the message before it, as in a log that only grows:
    /// a window is then found by binary search.
    is_ascending: bool,
}

impl Times {
    /// The times of messages, in their order.
    pub fn new(times: Vec<Option<i64>>) -> Self {
        Self::from_each(times.into_iter().map(|time| time.unwrap_or(NO_TIME)).collect())
    }

    /// The times of several chunks, one after the other.
    pub fn concatenate<'a>(parts: impl Iterator<Item = &'a Self>) -> Self {
        let mut times = Vec::new();
        for part in parts {
            times.extend_from_slice(&part.of_each);
            let untimed = part.length - part.of_each.len();
            times.resize(times.len() + untimed, NO_TIME);
        }
        Self::from_each(times.into())
    }

    fn from_each(times: Box<[i64]>) -> Self {
        let length = times.len();
        let blocks: Box<[_]> = times
            .chunks(BLOCK)
            .enumerate()
            .map(|(at, block)| ends(block, count_u32(at * BLOCK)))
            .collect();
        let ends = blocks.iter().flatten().copied().reduce(join);
        let (of_each, blocks) = if ends.is_some() { (times, blocks) } else { Default::default() };
        // NO_TIME is the smallest, so only the first message needs a look.
        let is_ascending = of_each.first() != Some(&NO_TIME) && of_each.is_sorted();
        Self { length, of_each, blocks, ends, is_ascending }
    }

    /// The earliest and the latest time.
    pub fn ends(&self) -> Option<Ends> {
        self.ends
    }

    /// Whether a message may have a time in the window.
    pub fn any_in(&self, window: &Window) -> bool {
        self.ends.is_some_and(|ends| overlaps(ends, *window))
    }

    /// Whether every message has a time in the window.
    pub fn all_in(&self, window: &Window) -> bool {
        self.ends.is_some_and(|ends| ends.timed as usize == self.length && inside(ends, *window))
    }

    /// Number of messages with a time in the window.
    pub fn count(&self, window: &Window) -> usize {
        match self.ends {
            _ if self.is_ascending => self.positions(*window).len(),
            Some(ends) if overlaps(ends, *window) && !inside(ends, *window) => self
                .of_each
                .chunks(BLOCK)
                .zip(&self.blocks)
                .map(|(times, ends)| count_block(times, ends.as_ref(), *window))
                .sum(),
            Some(ends) if inside(ends, *window) => ends.timed as usize,
            _ => 0,
        }
    }

    /// The time of a message; `None` without a readable one, and for one that nanoseconds of 64 bits do not hold.
    pub fn of(&self, position: u32) -> Option<i64> {
        let time = self.of_each.get(position as usize)?;
        (NO_TIME + 1 < *time && *time < i64::MAX).then_some(*time)
    }

    /// Whether a message has a time in the window.
    pub fn is_in(&self, position: u32, window: &Window) -> bool {
        self.of_each.get(position as usize).is_some_and(|time| window.contains(*time))
    }

    /// The positions in the window, of ascending times.
    fn positions(&self, window: Window) -> Range<usize> {
        let start = self.of_each.partition_point(|time| *time < window.since);
        let end = self.of_each.partition_point(|time| *time <= window.until);
        start..end.max(start)
    }

    /// The words of the window's bitmap, each of 64 messages, outside of which no bit is set.
    pub fn words(&self, window: &Window) -> Range<usize> {
        if self.is_ascending {
            let Range { start, end } = self.positions(*window);
            return start / 64..end.div_ceil(64);
        }
        let may = |ends: &Option<Ends>| ends.is_some_and(|ends| overlaps(ends, *window));
        match (self.blocks.iter().position(may), self.blocks.iter().rposition(may)) {
            (Some(first), Some(last)) => {
                first * WORDS..((last + 1) * WORDS).min(self.length.div_ceil(64))
            }
            _ => 0..0,
        }
    }

    /// Removes from words of a bitmap, the first of which is number `start`, the messages outside of the window.
    pub fn keep(&self, start: usize, window: &Window, mut words: &mut [u64]) {
        let mut at = start;
        while !words.is_empty() {
            let of_block = (WORDS - at % WORDS).min(words.len());
            let (block, rest) = words.split_at_mut(of_block);
            self.keep_of_block(at, window, block);
            (at, words) = (at + of_block, rest);
        }
    }

    fn keep_of_block(&self, start: usize, window: &Window, words: &mut [u64]) {
        match self.blocks.get(start / WORDS) {
            Some(ends) if is_whole(ends.as_ref(), *window) => {}
            Some(Some(ends)) if overlaps(*ends, *window) => {
                let times = self.of_each.get(start * 64..).unwrap_or_default();
                // Messages that do not match anyway are not compared.
                let words = words.iter_mut().zip(times.chunks(64)).filter(|(word, _)| **word != 0);
                words.for_each(|(word, times)| *word &= bits_in(times, *window));
            }
            _ => words.fill(0),
        }
    }
}

/// Whether each message of a full block has a time in the window.
fn is_whole(ends: Option<&Ends>, window: Window) -> bool {
    ends.is_some_and(|ends| ends.timed as usize == BLOCK && inside(*ends, window))
}

/// One bit for each of at most 64 times: whether it is in the window.
fn bits_in(times: &[i64], window: Window) -> u64 {
    // Eight at a time: the comparisons of eight do not depend on each other, so the processor makes them at once.
    let (eights, rest) = times.as_chunks::<8>();
    let bits = |times: &[i64]| {
        let bits = times.iter().enumerate();
        bits.fold(0, |word, (at, time)| word | u64::from(window.contains(*time)) << at)
    };
    let last = bits(rest);
    eights.iter().rev().fold(last, |word, eight| word << 8 | bits(eight))
}

fn count_block(times: &[i64], ends: Option<&Ends>, window: Window) -> usize {
    match ends {
        Some(ends) if inside(*ends, window) => ends.timed as usize,
        Some(ends) if overlaps(*ends, window) => {
            times.iter().filter(|time| window.contains(**time)).count()
        }
        _ => 0,
    }
}

fn inside(ends: Ends, window: Window) -> bool {
    window.contains(ends.first.0) && window.contains(ends.last.0)
}

fn overlaps(ends: Ends, window: Window) -> bool {
    ends.first.0 <= window.until && window.since <= ends.last.0
}

fn ends(times: &[i64], base: u32) -> Option<Ends> {
    let with_time = times.iter().zip(base..).filter(|(time, _)| **time != NO_TIME);
    with_time
        .map(|(time, at)| Ends { first: (*time, at), last: (*time, at), timed: 1 })
        .reduce(join)
}

/// The ends of two groups, the second of which comes later in the file: of equal times the earlier position is kept.
fn join(a: Ends, b: Ends) -> Ends {
    Ends {
        first: if b.first.0 < a.first.0 { b.first } else { a.first },
        last: if b.last.0 > a.last.0 { b.last } else { a.last },
        timed: a.timed + b.timed,
    }
}
