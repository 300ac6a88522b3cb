//! A sealed chunk of log messages: their text, their offsets, their times, and an index of each field.
//!
//! Memory per message, apart from its text: 4 bytes for its offset, 8 for its time if any
//! message has one, 1 bit for its form, 12 for the aliases if any message has some, at most 8 for each of the four
//! fields ([`super::postings`]) and at most 4 for their combinations ([`super::facet_counts`]). The texts of distinct
//! values are shared with the other chunks ([`super::names`]).

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::model::bus::{self, Additions, FIELDS, Form, Message, Words};

use super::facet_counts::FacetCounts;
use super::matching::{Condition, Matching};
use super::names::Names;
use super::postings::{self, Postings, Span, count_u32, has_bit};
use super::terms::{Builder as TermsBuilder, Terms};
use super::times::{Times, Window};

/// Number of messages at which a chunk is sealed; only a line of several concatenated objects exceeds it.
pub const FULL: usize = 65_536;

/// A sealed chunk of messages. Immutable.
#[derive(Debug)]
pub struct Chunk {
    text: Box<str>,
    /// The offset of each message in the text, and the end of the last one.
    starts: Box<[u32]>,
    /// One bit per message: whether it is served as it is in the log.
    verbatim: Box<[u64]>,
    /// The aliases added to each message, up to the last message that has any.
    additions: Box<[Additions]>,
    times: Times,
    terms: [Terms; FIELDS.len()],
    facet_counts: Option<FacetCounts>,
    /// The segment of the file in which its lines begin; see [`super::tail`].
    segment: u64,
}

/// The conditions of a query, as far as a chunk can check them.
#[derive(Debug, Default)]
pub struct Query<'q> {
    /// For each of [`FIELDS`], the values of which a message must have one; an empty list allows any.
    pub values: [&'q [String]; FIELDS.len()],
    /// For each of [`FIELDS`], the values of which a message must have none.
    pub excluded: [&'q [String]; FIELDS.len()],
    /// The window in which its time must be.
    pub window: Option<Window>,
    /// The matches in chunks whose indexes do not suffice, from [`super::log::Log::scan`].
    pub scanned: Scanned,
}

/// The matches of a query in the chunks whose indexes do not suffice, by the address of the chunk.
#[derive(Debug, Default)]
pub struct Scanned(HashMap<usize, Postings>);

impl Scanned {
    /// The matches in a chunk; `None` if its indexes suffice.
    fn of(&self, chunk: &Chunk) -> Option<&Postings> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&Self::address(chunk))
    }

    /// Adds the matches in a chunk.
    pub(super) fn insert(&mut self, chunk: &Chunk, matches: Postings) {
        self.0.insert(Self::address(chunk), matches);
    }

    fn address(chunk: &Chunk) -> usize {
        std::ptr::from_ref(chunk).addr()
    }
}

impl Query<'_> {
    /// Whether every message matches.
    pub fn allows_all(&self) -> bool {
        let is_open = |lists: &[&[String]]| lists.iter().all(|values| values.is_empty());
        self.window.is_none() && is_open(&self.values) && is_open(&self.excluded)
    }
}

impl Chunk {
    /// Number of messages.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether it has no messages.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The segment of the file in which its lines begin.
    pub fn segment(&self) -> u64 {
        self.segment
    }

    /// A message as it is in the log, and the form in which it is served.
    pub fn message(&self, position: u32) -> (&str, Form) {
        let text = self.text.get(self.range(position)).unwrap_or_default();
        if self.is_verbatim(position) {
            return (text, Form::Verbatim);
        }
        let additions = self.additions.get(position as usize);
        let additions = additions.filter(|additions| !additions.is_empty());
        (text, additions.copied().map_or(Form::Rewritten, Form::Extended))
    }

    /// A message that is served as it is in the log; `None` for another one. Costs less than [`Chunk::message`].
    #[inline]
    pub fn verbatim(&self, position: u32) -> Option<&[u8]> {
        self.is_verbatim(position).then(|| self.text.as_bytes().get(self.range(position)))?
    }

    #[inline]
    fn range(&self, position: u32) -> Range<usize> {
        match self.starts.get(position as usize..).unwrap_or_default() {
            [start, end, ..] => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    #[inline]
    fn is_verbatim(&self, position: u32) -> bool {
        has_bit(&self.verbatim, position)
    }

    /// The index of each of [`FIELDS`].
    pub fn terms(&self) -> &[Terms; FIELDS.len()] {
        &self.terms
    }

    /// Whether some value has no set of positions.
    pub fn has_rest(&self) -> bool {
        self.terms.iter().any(|terms| !terms.rest().is_empty())
    }

    /// The times of the messages.
    pub fn times(&self) -> &Times {
        &self.times
    }

    /// A message's values of [`FIELDS`], read from its text.
    pub fn words(&self, position: u32) -> Words<'_> {
        bus::words(self.message(position).0)
    }

    /// One of them.
    pub fn word(&self, position: u32, field: usize) -> Option<Cow<'_, str>> {
        self.words(position).into_iter().nth(field)?
    }

    /// Number of messages that match.
    pub fn count(&self, query: &Query<'_>) -> usize {
        if let Some(matches) = query.scanned.of(self) {
            return matches.len();
        }
        let window = query.window.as_ref().filter(|window| !self.times.all_in(window));
        if window.is_some_and(|window| !self.times.any_in(window)) {
            return 0;
        }
        let is_given = |(_, values): &(&Terms, &&[String])| !values.is_empty();
        let mut given = self.terms.iter().zip(&query.values).filter(is_given);
        let is_excluding = query.excluded.iter().any(|values| !values.is_empty());
        match (window, given.next(), given.next()) {
            (None, None, _) if !is_excluding => self.len(),
            (None, Some((terms, values)), None) if !is_excluding => terms.count_any_of(values),
            (Some(window), None, _) if !is_excluding => self.times.count(window),
            (None, ..) => {
                let counts = self.facet_counts.as_ref();
                let count = counts
                    .and_then(|counts| counts.count(&self.terms, &query.values, &query.excluded));
                count.unwrap_or_else(|| self.matching(query).count())
            }
            (Some(_), ..) => self.matching(query).count(),
        }
    }

    /// The positions of one page of the matching messages.
    pub fn page(&self, query: &Query<'_>, span: Span) -> Vec<u32> {
        if let Some(matches) = query.scanned.of(self) {
            return postings::page(Some(matches), self.len(), span);
        }
        self.matching(query).page(span)
    }

    fn matching<'a>(&'a self, query: &'a Query<'_>) -> Matching<'a> {
        let mut conditions = Vec::with_capacity(FIELDS.len());
        for (lists, is_excluding) in [(&query.values, false), (&query.excluded, true)] {
            let given = self.terms.iter().zip(lists).filter(|(_, values)| !values.is_empty());
            conditions.extend(
                given.map(|(terms, values)| Condition { sets: terms.sets(values), is_excluding }),
            );
        }
        self.matching_all(conditions, query)
    }

    /// The messages that meet these conditions and have a time in the window of a query.
    pub(super) fn matching_all<'a>(
        &'a self,
        conditions: Vec<Condition<'a>>,
        query: &'a Query<'_>,
    ) -> Matching<'a> {
        let window = query.window.as_ref().filter(|window| !self.times.all_in(window));
        Matching::new(conditions, window.map(|window| (&self.times, window)), self.len())
    }

    /// Concatenates chunks. Together they must have at most [`FULL`] messages.
    pub fn concatenate(parts: &[std::sync::Arc<Self>]) -> Self {
        let mut joined = Builder::new(parts.first().map_or(0, |first| first.segment));
        for part in parts {
            for position in 0..count_u32(part.len()) {
                let (text, form) = part.message(position);
                joined.add_text(text, form);
            }
        }
        let times = Times::concatenate(parts.iter().map(|part| &part.times));
        let terms = std::array::from_fn(|field| {
            Terms::concatenate(parts.iter().map(|part| (&part.terms[field], part.len())))
        });
        joined.seal(times, terms)
    }
}

/// A chunk that is being filled.
#[derive(Debug, Default)]
pub struct Builder {
    text: String,
    starts: Vec<u32>,
    verbatim: Vec<u64>,
    additions: Vec<Additions>,
    /// The form of the last message.
    last: Form,
    times: Vec<Option<i64>>,
    terms: [TermsBuilder; FIELDS.len()],
    segment: u64,
}

impl Builder {
    /// A chunk for messages whose lines begin in this segment of the file.
    pub fn new(segment: u64) -> Self {
        Self { segment, ..Self::default() }
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether it has no messages.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The segment of the file in which its lines begin.
    pub fn segment(&self) -> u64 {
        self.segment
    }

    /// Whether another message of this many bytes would exceed a limit.
    pub fn is_full(&self, bytes: usize) -> bool {
        self.len() >= FULL || self.text.len() + bytes > u32::MAX as usize
    }

    /// Adds a message.
    pub fn add(&mut self, message: &Message<'_>, names: &mut Names) {
        for (field, (terms, word)) in self.terms.iter_mut().zip(&message.words).enumerate() {
            terms.add(self.starts.len(), word.as_deref(), |value| names.text(field, value));
        }
        self.times.push(message.time);
        self.add_text(message.text, message.form);
    }

    /// Adds the last message again; `false` if there is none.
    pub fn repeat(&mut self) -> bool {
        let (Some(start), Some(time)) = (self.starts.last(), self.times.last().copied()) else {
            return false;
        };
        let (start, at) = (*start as usize, self.starts.len());
        self.terms.iter_mut().for_each(|terms| terms.repeat(at));
        self.times.push(time);
        self.add_place(self.last);
        self.text.extend_from_within(start..);
        true
    }

    fn add_text(&mut self, text: &str, form: Form) {
        self.add_place(form);
        self.text.push_str(text);
    }

    /// Records that a message begins at the end of the text.
    fn add_place(&mut self, form: Form) {
        let at = self.starts.len();
        if at.is_multiple_of(64) {
            self.verbatim.push(0);
        }
        if let (Form::Verbatim, Some(word)) = (form, self.verbatim.last_mut()) {
            *word |= 1 << (at % 64);
        }
        if let Form::Extended(additions) = form {
            self.additions.resize(at, Additions::default());
            self.additions.push(additions);
        }
        self.last = form;
        self.starts.push(count_u32(self.text.len()));
    }

    /// Seals the chunk.
    pub fn finish(mut self) -> Chunk {
        let length = self.len();
        let times = Times::new(std::mem::take(&mut self.times));
        let terms = std::mem::take(&mut self.terms).map(|builder| builder.finish(length));
        self.seal(times, terms)
    }

    fn seal(mut self, times: Times, terms: [Terms; FIELDS.len()]) -> Chunk {
        let length = self.len();
        self.starts.push(count_u32(self.text.len()));
        Chunk {
            text: self.text.into(),
            starts: self.starts.into(),
            verbatim: self.verbatim.into(),
            additions: self.additions.into(),
            times,
            facet_counts: FacetCounts::new(&terms, length),
            terms,
            segment: self.segment,
        }
    }
}
