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
            Some(all) => self.words().map(|at| self.word(&all, at).count_ones() as usize).sum(),
            None => self.listed().len(),
        }
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
