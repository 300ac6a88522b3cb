//! Finds the messages of a page: by the indexes of the log if only filters and order are given, else by examining the
//! newest messages that match the filters. Each message goes to the caller as it is found, since a list of them would
//! cost as much as writing them.

use std::borrow::Cow;

use bytes::Bytes;
use indexmap::IndexMap;

use crate::model::bus;
use crate::model::record::Kind;
use crate::routes::MOST_EXAMINED_MESSAGES;
use crate::store::chunk::{Chunk, Query as LogQuery};
use crate::store::cursor::Cursor;
use crate::store::log::{Log, Page as LogPage};
use crate::store::metrics::Tally;
use crate::store::postings::{Order, Postings, Span};

use super::super::examined::{Examined, TooExpensive};
use super::super::list::{Facets, Page, Shape, tally};
use super::counts::{Bucket, Counted, MOST_VALUES};

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
    /// What is counted by time.
    pub(super) counted: Option<Counted>,
}

/// What is known of a page besides its messages.
pub(super) struct Summary<'a> {
    /// Number of messages on the page.
    pub(super) count: usize,
    /// Number of matches, if known.
    pub(super) total: Option<u64>,
    /// Number of messages that match the filters and were not examined, because there are too many.
    pub(super) left_out: u64,
    /// The last message that was examined or returned.
    pub(super) last: Option<Found<'a>>,
    /// Whether more messages that match the filters follow.
    pub(super) is_more: bool,
    pub(super) facets: Facets,
    /// The matches by time, if requested.
    pub(super) buckets: Option<Vec<Bucket>>,
}

/// Counts of the matches.
struct Counts {
    facets: Facets,
    buckets: Option<Vec<Bucket>>,
}

impl Request<'_> {
    /// Calls `each` for the messages of the page.
    pub(super) fn find<'a>(
        &self,
        log: &'a Log,
        examined: &mut Examined,
        each: impl FnMut(Found<'a>),
    ) -> Result<Summary<'a>, TooExpensive> {
        let facets = self.shape.facets.iter();
        let facets = facets.map(|field| bus::FIELDS.iter().position(|known| known == field));
        for at in facets.chain(self.counted.map(|counted| counted.by)) {
            let values = log.chunks().filter_map(|chunk| Some(chunk.terms().get(at?)?.len()));
            examined.entries(values.sum())?;
        }
        match (self.shape.is_searched() || self.shape.is_sorted(), self.begin) {
            (false, begin) => self.by_index(log, begin, examined, each),
            (true, None) => self.among_newest(log, examined, each),
            (true, Some(begin)) => self.beyond_cursor(log, begin, examined, each),
        }
    }

    fn by_index<'a>(
        &self,
        log: &'a Log,
        begin: Option<Begin>,
        examined: &mut Examined,
        mut each: impl FnMut(Found<'a>),
    ) -> Result<Summary<'a>, TooExpensive> {
        let offset = begin.map_or(self.page.offset, |begin| self.passed_over(log, begin));
        let page = LogPage { offset, limit: self.page.size(), order: self.order };
        let (mut last, mut is_within) = (None, Ok(()));
        let found = log.query(&self.filters, page, |chunk, position| {
            let one = Found { chunk, position };
            last = Some(one);
            if self.shape.is_reduced() && is_within.is_ok() {
                is_within = examined.bytes(one.size());
            }
            if is_within.is_ok() {
                each(one);
            }
        });
        is_within?;
        let counts = self.counts(log, examined, |chunk| chunk.page(&self.filters, Span::ALL))?;
        let total = found.total as u64;
        let is_more = offset.saturating_add(found.count as u64) < total;
        let Counts { facets, buckets } = counts;
        Ok(Summary {
            count: found.count,
            total: Some(total),
            left_out: 0,
            last,
            is_more,
            facets,
            buckets,
        })
    }

    fn among_newest<'a>(
        &self,
        log: &'a Log,
        examined: &mut Examined,
        each: impl FnMut(Found<'a>),
    ) -> Result<Summary<'a>, TooExpensive> {
        let newest = LogPage { offset: 0, limit: MOST_EXAMINED_MESSAGES, order: Order::Descending };
        let (mut found, matches) = self.list(log, newest);
        let left_out = matches - found.len() as u64;
        if self.order == Order::Ascending {
            found.reverse();
        }
        if self.shape.is_searched() {
            examined.bytes(found.iter().map(|one| one.size()).sum())?;
        }
        found.retain(|one| self.is_found(*one));
        let counts = self.counts_of(log, examined, &found)?;
        if self.shape.is_sorted() {
            examined.bytes(found.iter().map(|one| one.size()).sum())?;
        }
        self.shape.sort(Kind::Message, &mut found, Found::text);
        let total = found.len() as u64;
        let given = self.page.of(&found);
        given.iter().copied().for_each(each);
        let count = given.len();
        let Counts { facets, buckets } = counts;
        Ok(Summary {
            count,
            total: Some(total),
            left_out,
            last: None,
            is_more: false,
            facets,
            buckets,
        })
    }

    /// Examines messages from the cursor on until the page is full or the limit is reached.
    fn beyond_cursor<'a>(
        &self,
        log: &'a Log,
        begin: Begin,
        examined: &mut Examined,
        each: impl FnMut(Found<'a>),
    ) -> Result<Summary<'a>, TooExpensive> {
        let offset = self.passed_over(log, begin);
        let page = LogPage { offset, limit: MOST_EXAMINED_MESSAGES, order: self.order };
        let (looked_at, total) = self.list(log, page);
        let (mut given, mut last, mut seen) = (Vec::new(), None, 0);
        for one in looked_at {
            if given.len() >= self.page.size() {
                break;
            }
            (last, seen) = (Some(one), seen + 1);
            examined.bytes(one.size())?;
            if self.is_found(one) {
                given.push(one);
            }
        }
        let counts = self.counts_of(log, examined, &given)?;
        let is_more = offset.saturating_add(seen) < total;
        let count = given.len();
        given.into_iter().for_each(each);
        let Counts { facets, buckets } = counts;
        Ok(Summary { count, total: None, left_out: 0, last, is_more, facets, buckets })
    }

    /// The messages of a page of the log, and the number of messages that match the filters.
    fn list<'a>(&self, log: &'a Log, page: LogPage) -> (Vec<Found<'a>>, u64) {
        let mut found = Vec::new();
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

    fn counts_of(
        &self,
        log: &Log,
        examined: &mut Examined,
        found: &[Found<'_>],
    ) -> Result<Counts, TooExpensive> {
        self.counts(log, examined, |chunk| {
            let ours = found.iter().filter(|one| std::ptr::eq(one.chunk, chunk));
            let mut positions: Vec<u32> = ours.map(|one| one.position).collect();
            positions.sort_unstable();
            positions
        })
    }

    /// Counts the matches by the requested fields and by time; `matching` returns their positions in each chunk, ascending.
    fn counts(
        &self,
        log: &Log,
        examined: &mut Examined,
        matching: impl Fn(&Chunk) -> Vec<u32>,
    ) -> Result<Counts, TooExpensive> {
        let mut facets = Facets::default();
        if self.shape.facets.is_empty() && self.counted.is_none() {
            return Ok(Counts { facets, buckets: None });
        }
        let runs: Vec<(&Chunk, Postings)> = log
            .chunks()
            .map(|chunk| (chunk.as_ref(), Postings::pack(matching(chunk), chunk.len())))
            .collect();
        for field in self.shape.facets {
            add_facet(&mut facets, field, &runs, examined)?;
        }
        let buckets = match self.counted {
            None => None,
            Some(counted) => {
                let mut of_field = Facets::default();
                if let Some(field) = counted.by.map(|at| bus::FIELDS[at]) {
                    add_facet(&mut of_field, field, &runs, examined)?;
                }
                let values: Vec<&str> = of_field.values().take(MOST_VALUES).collect();
                Some(counted.count(&runs, &values, examined)?)
            }
        };
        Ok(Counts { facets, buckets })
    }
}

/// Counts the values of a field.
fn add_facet(
    facets: &mut Facets,
    field: &str,
    runs: &[(&Chunk, Postings)],
    examined: &mut Examined,
) -> Result<(), TooExpensive> {
    let Some(at) = bus::FIELDS.iter().position(|known| *known == field) else { return Ok(()) };
    let mut counts = Tally::default();
    let mut in_rest = CountsInRest::default();
    for (chunk, positions) in runs {
        tally(&mut counts, chunk.terms()[at].counts_in(positions));
        in_rest.add(chunk, at, positions, examined)?;
    }
    tally(&mut counts, in_rest.0.iter().map(|(value, count)| (value.as_ref(), *count)));
    facets.add(field, &counts);
    Ok(())
}

/// Counts of the values that have no set of positions, in the order of their first match.
#[derive(Default)]
struct CountsInRest<'a>(IndexMap<Cow<'a, str>, usize, foldhash::fast::RandomState>);

impl<'a> CountsInRest<'a> {
    fn add(
        &mut self,
        chunk: &'a Chunk,
        field: usize,
        matching: &Postings,
        examined: &mut Examined,
    ) -> Result<(), TooExpensive> {
        let positions = chunk.terms()[field].rest().common(matching);
        let sizes = positions.iter().map(|position| Found { chunk, position: *position }.size());
        examined.bytes(sizes.sum())?;
        examined.entries(positions.len())?;
        for position in positions {
            if let Some(value) = chunk.word(position, field) {
                *self.0.entry(value).or_default() += 1;
            }
        }
        Ok(())
    }
}

impl Found<'_> {
    /// Size of the message in the log, in bytes.
    fn size(self) -> usize {
        self.chunk.message(self.position).0.len()
    }

    /// The message as it is in the log.
    fn text(self) -> Bytes {
        Bytes::copy_from_slice(self.chunk.message(self.position).0.as_bytes())
    }
}
