//! Finds the messages of a page: by the indexes of the log if only filters and order are given, else by examining the
//! newest messages that match the filters.

use bytes::Bytes;

use crate::model::bus;
use crate::model::record::Kind;
use crate::routes::MOST_EXAMINED_MESSAGES;
use crate::store::chunk::{Chunk, Query as LogQuery};
use crate::store::cursor::Cursor;
use crate::store::log::{Log, Page as LogPage};
use crate::store::metrics::Tally;
use crate::store::postings::{Order, Postings, Span};

use super::super::list::{Facets, Page, Shape, tally};

/// A message of the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) chunk: &'a Chunk,
    pub(super) position: u32,
}

/// The start of a page by cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    /// At the first message in the requested order.
    First,
    /// After a message.
    Beyond {
        cursor: Cursor,
        /// Number of messages of the log before it.
        number: u64,
    },
}

/// A request to the log.
pub(super) struct Request<'q> {
    pub(super) filters: LogQuery<'q>,
    pub(super) order: Order,
    pub(super) shape: Shape<'q>,
    pub(super) page: Page,
    pub(super) begin: Option<Begin>,
}

/// The messages of a page.
pub(super) struct Messages<'a> {
    pub(super) given: Vec<Found<'a>>,
    /// Number of matches, if known.
    pub(super) total: Option<u64>,
    /// Number of messages that match the filters and were not examined, because there are too many.
    pub(super) left_out: u64,
    /// The last message that was examined or returned.
    pub(super) last: Option<Found<'a>>,
    /// Whether more messages that match the filters follow.
    pub(super) is_more: bool,
    pub(super) facets: Facets,
}

impl Request<'_> {
    /// Finds the messages of the page.
    pub(super) fn find<'a>(&self, log: &'a Log) -> Messages<'a> {
        match (self.shape.is_searched() || self.shape.is_sorted(), self.begin) {
            (false, begin) => self.by_index(log, begin),
            (true, None) => self.among_newest(log),
            (true, Some(begin)) => self.beyond_cursor(log, begin),
        }
    }

    fn by_index<'a>(&self, log: &'a Log, begin: Option<Begin>) -> Messages<'a> {
        let offset = begin.map_or(self.page.offset, |begin| self.passed_over(log, begin));
        let (given, total) = self.query(log, offset, self.page.size());
        let facets = self.facets(log, |chunk| chunk.page(&self.filters, Span::ALL));
        let last = given.last().copied();
        let is_more = offset.saturating_add(given.len() as u64) < total;
        Messages { given, total: Some(total), left_out: 0, last, is_more, facets }
    }

    fn among_newest<'a>(&self, log: &'a Log) -> Messages<'a> {
        let newest = LogPage { offset: 0, limit: MOST_EXAMINED_MESSAGES, order: Order::Descending };
        let mut found = Vec::new();
        let counted = log.query(&self.filters, newest, |chunk, position| {
            found.push(Found { chunk, position });
        });
        let left_out = (counted.total - found.len()) as u64;
        if self.order == Order::Ascending {
            found.reverse();
        }
        found.retain(|one| self.is_found(*one));
        let facets = self.facets_of(log, &found);
        self.shape.sort(Kind::Message, &mut found, Found::text);
        let total = found.len() as u64;
        let given = self.page.of(&found).to_vec();
        Messages { given, total: Some(total), left_out, last: None, is_more: false, facets }
    }

    /// Examines messages from the cursor on until the page is full or the limit is reached.
    fn beyond_cursor<'a>(&self, log: &'a Log, begin: Begin) -> Messages<'a> {
        let offset = self.passed_over(log, begin);
        let (looked_at, total) = self.query(log, offset, MOST_EXAMINED_MESSAGES);
        let (mut given, mut last, mut seen) = (Vec::new(), None, 0);
        for one in looked_at {
            if given.len() >= self.page.size() {
                break;
            }
            (last, seen) = (Some(one), seen + 1);
            if self.is_found(one) {
                given.push(one);
            }
        }
        let facets = self.facets_of(log, &given);
        let is_more = offset.saturating_add(seen) < total;
        Messages { given, total: None, left_out: 0, last, is_more, facets }
    }

    fn query<'a>(&self, log: &'a Log, offset: u64, limit: usize) -> (Vec<Found<'a>>, u64) {
        let mut found = Vec::with_capacity(limit.min(log.len()));
        let page = LogPage { offset, limit, order: self.order };
        let counted = log.query(&self.filters, page, |chunk, position| {
            found.push(Found { chunk, position });
        });
        (found, counted.total as u64)
    }

    fn is_found(&self, one: Found<'_>) -> bool {
        let (text, _) = one.chunk.message(one.position);
        !self.shape.is_searched() || self.shape.finds(Kind::Message, text)
    }

    /// Number of matching messages before a cursor.
    fn passed_over(&self, log: &Log, begin: Begin) -> u64 {
        let Begin::Beyond { number, .. } = begin else { return 0 };
        let before = |number: u64| log.count_before(&self.filters, number);
        match self.order {
            Order::Ascending => before(number + 1),
            Order::Descending => before(log.len() as u64) - before(number),
        }
    }

    fn facets_of(&self, log: &Log, found: &[Found<'_>]) -> Facets {
        self.facets(log, |chunk| {
            let ours = found.iter().filter(|one| std::ptr::eq(one.chunk, chunk));
            let mut positions: Vec<u32> = ours.map(|one| one.position).collect();
            positions.sort_unstable();
            positions
        })
    }

    /// Counts the values of the requested fields among the positions that `matching` returns for each chunk, ascending.
    fn facets(&self, log: &Log, matching: impl Fn(&Chunk) -> Vec<u32>) -> Facets {
        let mut facets = Facets::default();
        if self.shape.facets.is_empty() {
            return facets;
        }
        let runs: Vec<(&Chunk, Postings)> = log
            .chunks()
            .map(|chunk| (chunk.as_ref(), Postings::pack(matching(chunk), chunk.len())))
            .collect();
        for field in self.shape.facets {
            let Some(at) = bus::FIELDS.iter().position(|known| known == field) else { continue };
            let mut counts = Tally::default();
            for (chunk, positions) in &runs {
                tally(&mut counts, chunk.terms()[at].counts_in(positions));
            }
            facets.add(field, &counts);
        }
        facets
    }
}

impl Found<'_> {
    /// The message as it is in the log.
    fn text(self) -> Bytes {
        Bytes::copy_from_slice(self.chunk.message(self.position).0.as_bytes())
    }
}
