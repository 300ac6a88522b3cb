//! The messages of one chunk that match a query, before they are counted or a page of them is read. If all sets are
//! bitmaps, the set of all matches is never built, so that a page costs what precedes its end.

use std::ops::Range;

use super::postings::{self, Postings, Set, Span};
use super::times::{Times, Window};

/// The messages that are in all sets, and in the window if there is one.
#[derive(Debug)]
pub struct Matching<'a> {
    sets: Vec<Set<'a>>,
    window: Option<(&'a Times, &'a Window)>,
    length: usize,
}

impl<'a> Matching<'a> {
    /// The matches in a chunk of `length` messages.
    pub fn new(sets: Vec<Set<'a>>, window: Option<(&'a Times, &'a Window)>, length: usize) -> Self {
        Self { sets, window, length }
    }

    /// Number of matches.
    pub fn count(self) -> usize {
        match self.bitmaps() {
            Some(all) => self.count_words(&all),
            None => self.listed().len(),
        }
    }

    /// Counts whole runs of words at once where the window needs no look at single times.
    fn count_words(&self, bitmaps: &[&[u64]]) -> usize {
        let Range { start: mut at, end } = self.words();
        let mut count = 0;
        while at < end {
            let inside = match self.window {
                Some((times, window)) => times.words_inside(at, window),
                None => end,
            };
            if inside > 0 && !bitmaps.is_empty() {
                let next = at.saturating_add(inside).min(end);
                count += postings::count_common(bitmaps, at..next);
                at = next;
            } else {
                count += self.word(bitmaps, at).count_ones() as usize;
                at += 1;
            }
        }
        count
    }

    /// The positions of one page of the matches.
    pub fn page(self, span: Span) -> Vec<u32> {
        let length = self.length;
        match (self.sets.as_slice(), self.window) {
            ([], None) => return postings::page(None, length, span),
            ([one], None) => return postings::page(Some(one.postings()), length, span),
            _ => {}
        }
        if let Some(all) = self.bitmaps() {
            return postings::of_words(self.words(), |at| self.word(&all, at), span);
        }
        postings::page(Some(&self.listed()), length, span)
    }

    /// The sets, if all are bitmaps.
    fn bitmaps(&self) -> Option<Vec<&[u64]>> {
        self.sets.iter().map(|set| set.postings().bits()).collect()
    }

    /// The words of the bitmaps that may contain matches.
    fn words(&self) -> Range<usize> {
        self.window.map_or(0..self.length.div_ceil(64), |(times, window)| times.words(window))
    }

    fn word(&self, bitmaps: &[&[u64]], at: usize) -> u64 {
        let common =
            bitmaps.iter().fold(u64::MAX, |common, bits| common & postings::word(bits, at));
        match self.window {
            Some((times, window)) if common != 0 => common & times.word(at, window),
            _ => common,
        }
    }

    /// All matches, if one of the sets is a short list.
    fn listed(self) -> Postings {
        let common = postings::intersection(self.sets);
        let mut found = postings::page(Some(common.postings()), self.length, Span::ALL);
        if let Some((times, window)) = self.window {
            found.retain(|position| times.is_in(*position, window));
        }
        Postings::List(found)
    }
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
            (since, until, is_timed) in (0..1_600_i64, 0..1_600_i64, any::<bool>()),
        ) {
            let length = times.len();
            // Mostly ascending, as in a log, with gaps.
            let moment = |(at, time): (usize, &i64)| match time % 97 {
                0 => None,
                1 => Some(*time),
                _ => i64::try_from(at).ok(),
            };
            let of_each = Times::new(times.iter().enumerate().map(moment).collect());
            let window = Window { since, until };
            let sets = || shares.iter().map(|share| {
                let has = |at: &u32| at.wrapping_mul(2_654_435_761).wrapping_add(*share).is_multiple_of(*share);
                let positions = (0..postings::count_u32(length)).filter(has).collect();
                Set::Made(Postings::pack(positions, length))
            }).collect();
            let matching = || Matching::new(sets(), is_timed.then_some((&of_each, &window)), length);
            prop_assert_eq!(matching().count(), matching().page(Span::ALL).len());
        }
    }
}
