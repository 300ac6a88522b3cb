//! The messages of one chunk that match a query, before they are counted or a page of them is read.
//!
//! A condition that allows only rare values lists its positions, and these are checked one by one. Without such a
//! condition the bitmaps are combined word by word, and no further than the end of the page.

use std::borrow::Cow;
use std::ops::Range;

use super::postings::{self, Postings, Span};
use super::times::{Times, Window};

/// Words of bitmaps that are combined at once.
const AT_ONCE: usize = 32;

/// The positions that one condition of a query allows.
#[derive(Debug)]
pub struct Condition<'a> {
    /// The sets of its values, which have no position in common.
    pub sets: Vec<&'a Postings>,
    /// Whether it allows the positions in none of the sets, instead of those in any.
    pub is_excluding: bool,
}

impl Condition<'_> {
    fn allows(&self, position: u32) -> bool {
        self.sets.iter().any(|set| set.contains(position)) != self.is_excluding
    }

    /// Removes the positions that it does not allow.
    fn keep(&self, positions: &mut Vec<u32>) {
        match self.sets.as_slice() {
            // Found once, not for each position.
            [Postings::Bits(bits, _)] => {
                positions
                    .retain(|position| postings::has_bit(bits, *position) != self.is_excluding);
            }
            _ => positions.retain(|position| self.allows(*position)),
        }
    }

    /// Number of positions in its sets, if it allows these and all of them are listed.
    fn listed(&self) -> Option<usize> {
        let is_listed = |set: &&Postings| set.bits().is_none();
        let is_listed = !self.is_excluding && self.sets.iter().all(is_listed);
        is_listed.then(|| self.sets.iter().map(|set| set.len()).sum())
    }
}

/// The messages that meet all conditions and have a time in the window, if there is one.
#[derive(Debug)]
pub struct Matching<'a> {
    conditions: Vec<Condition<'a>>,
    window: Option<(&'a Times, &'a Window)>,
    length: usize,
}

impl<'a> Matching<'a> {
    /// The matches in a chunk of `length` messages.
    pub fn new(
        mut conditions: Vec<Condition<'a>>,
        window: Option<(&'a Times, &'a Window)>,
        length: usize,
    ) -> Self {
        // The shortest list is the first one.
        conditions.sort_by_key(|condition| condition.listed().unwrap_or(usize::MAX));
        Self { conditions, window, length }
    }

    /// Number of matches.
    pub fn count(&self) -> usize {
        match self.listed() {
            Some(positions) => positions.len(),
            None => Bitmaps::of(self).count(),
        }
    }

    /// The positions of one page of the matches.
    pub fn page(&self, span: Span) -> Vec<u32> {
        match (self.conditions.as_slice(), self.window) {
            ([], None) => return postings::page(None, self.length, span),
            ([Condition { sets, is_excluding: false }], None) if sets.len() == 1 => {
                return postings::page(sets.first().copied(), self.length, span);
            }
            _ => {}
        }
        match self.listed() {
            Some(mut positions) => {
                positions.sort_unstable();
                postings::in_order(positions.into_iter(), span)
            }
            None => Bitmaps::of(self).page(span),
        }
    }

    /// The matches in no particular order, if a condition lists what it allows.
    fn listed(&self) -> Option<Vec<u32>> {
        let (first, others) = self.conditions.split_first()?;
        let mut positions = Vec::with_capacity(first.listed()?);
        first.sets.iter().filter_map(|set| set.list()).for_each(|list| positions.extend(list));
        for condition in others {
            condition.keep(&mut positions);
        }
        if let Some((times, window)) = self.window {
            positions.retain(|position| times.is_in(*position, window));
        }
        Some(positions)
    }
}

/// The conditions of a query as bitmaps.
struct Bitmaps<'a> {
    conditions: Vec<(Vec<Cow<'a, [u64]>>, bool)>,
    matching: &'a Matching<'a>,
}

impl<'a> Bitmaps<'a> {
    fn of(matching: &'a Matching<'a>) -> Self {
        let bitmaps = |condition: &'a Condition<'a>| {
            let sets = condition.sets.iter().map(|set| set.to_bits(matching.length)).collect();
            (sets, condition.is_excluding)
        };
        Self { conditions: matching.conditions.iter().map(bitmaps).collect(), matching }
    }

    fn count(&self) -> usize {
        let Range { mut start, end } = self.words();
        let mut count = 0;
        while start < end {
            let mut all = [u64::MAX; AT_ONCE];
            let all = &mut all[..AT_ONCE.min(end - start)];
            self.combine(start, all);
            count += all.iter().map(|word| word.count_ones()).sum::<u32>();
            start += AT_ONCE;
        }
        count as usize
    }

    fn page(&self, span: Span) -> Vec<u32> {
        let word = |at| {
            let mut one = [u64::MAX];
            self.combine(at, &mut one);
            one[0]
        };
        postings::of_words(self.words(), word, span)
    }

    /// The words that may contain matches.
    fn words(&self) -> Range<usize> {
        let all = 0..self.matching.length.div_ceil(64);
        self.matching.window.map_or(all, |(times, window)| times.words(window))
    }

    /// Removes from the words from `start` on what does not match.
    fn combine(&self, start: usize, all: &mut [u64]) {
        for (sets, is_excluding) in &self.conditions {
            let flip = if *is_excluding { u64::MAX } else { 0 };
            match sets.as_slice() {
                [set] => {
                    all.iter_mut()
                        .zip(from(set, start))
                        .for_each(|(all, word)| *all &= word ^ flip);
                }
                sets => {
                    let mut any = [0; AT_ONCE];
                    for set in sets {
                        any.iter_mut().zip(from(set, start)).for_each(|(any, word)| *any |= word);
                    }
                    all.iter_mut().zip(any).for_each(|(all, any)| *all &= any ^ flip);
                }
            }
        }
        if let Some((times, window)) = self.matching.window {
            times.keep(start, window, all);
        }
        let rest = self.matching.length.saturating_sub(start * 64);
        if let (Some(last), 1..64) = (all.get_mut(rest / 64), rest % 64) {
            *last &= (1 << (rest % 64)) - 1;
        }
    }
}

/// The words from `start` on.
fn from(words: &[u64], start: usize) -> &[u64] {
    words.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_count_is_the_length_of_the_page_of_all(
            shares in proptest::collection::vec(1..4_u32, 1..4),
            times in proptest::collection::vec(0..1_500_i64, 0..1_500),
            (since, until, is_timed, is_ascending) in (0..1_600_i64, 0..1_600_i64, any::<bool>(), any::<bool>()),
        ) {
            let length = times.len();
            // Ascending, as in a log, each twice; or with gaps and early and late ones too.
            let moment = |(at, time): (usize, &i64)| match time % 97 {
                0 if !is_ascending => None,
                1 if !is_ascending => Some(*time),
                _ => i64::try_from(at / 2 * 2).ok(),
            };
            let moments: Vec<_> = times.iter().enumerate().map(moment).collect();
            let of_each = Times::new(moments.clone());
            let window = Window { since, until };
            let sets: Vec<Postings> = shares.iter().map(|share| {
                let has = |at: &u32| at.wrapping_mul(2_654_435_761).wrapping_add(*share).is_multiple_of(*share);
                let positions = (0..postings::count_u32(length)).filter(has).collect();
                Postings::pack(positions, length)
            }).collect();
            let conditions = sets.iter().zip(shares).map(|(set, share)| {
                Condition { sets: vec![set], is_excluding: share == 3 }
            });
            let is_inside = |at: &usize| moments[*at].is_some_and(|time| since <= time && time <= until);
            let inside: Vec<u32> = (0..length).filter(is_inside).map(postings::count_u32).collect();
            prop_assert_eq!(of_each.count(&window), inside.len());
            let in_window = Matching::new(Vec::new(), Some((&of_each, &window)), length);
            prop_assert_eq!(in_window.page(Span::ALL), inside);
            let matching = Matching::new(conditions.collect(), is_timed.then_some((&of_each, &window)), length);
            prop_assert_eq!(matching.count(), matching.page(Span::ALL).len());
        }
    }
}
