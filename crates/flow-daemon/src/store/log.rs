//! The message log: sealed chunks, the newest of them small, and the queries over them.
//!
//! An append adds a small chunk. Chunks of similar size are merged, so that each message is copied a handful of times
//! in its life (log8 of [`chunk::FULL`]) and a log never has more than about forty chunks besides its full ones.
//! Existing chunks are shared with earlier snapshots.

use std::sync::Arc;

use super::chunk::{self, Chunk, Query};
use super::postings::{Order, Span};
use super::times::Ends;

/// Number of chunks of one size class that are merged into one of the next; also the ratio between two classes.
const JOINED: usize = 8;
/// Largest number of small chunks, whatever their sizes.
const SMALL: usize = 48;

/// The messages. Immutable.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// Full chunks, oldest first. Behind an `Arc`, since an append does not change them.
    full: Arc<Vec<Arc<Chunk>>>,
    /// The newer, smaller chunks.
    small: Vec<Arc<Chunk>>,
    total: usize,
    has_rest: bool,
}

/// A page of messages.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// Number of matching messages to skip.
    pub offset: u64,
    /// Largest number of messages on the page.
    pub limit: usize,
    /// The order in which messages are returned.
    pub order: Order,
}

/// The result of a query.
#[derive(Debug)]
pub struct Found {
    /// Number of messages that match.
    pub total: usize,
    /// Number of messages on the page.
    pub count: usize,
}

impl Log {
    /// Number of messages.
    pub fn len(&self) -> usize {
        self.total
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Whether some value has no set of positions ([`super::names`]).
    pub fn has_rest(&self) -> bool {
        self.has_rest
    }

    /// The chunks, oldest first.
    pub fn chunks(&self) -> impl DoubleEndedIterator<Item = &Arc<Chunk>> {
        self.full.iter().chain(&self.small)
    }

    /// The log with a chunk appended. Full chunks and those of earlier segments are shared, not copied.
    #[must_use]
    pub fn with(&self, chunk: Chunk) -> Self {
        let mut next = self.clone();
        if chunk.is_empty() {
            return next;
        }
        next.total += chunk.len();
        next.has_rest |= chunk.has_rest();
        next.small.push(Arc::new(chunk));
        next.join_small();
        next.move_full();
        next
    }

    fn join_small(&mut self) {
        while let Some(start) = self.joinable() {
            let joined = Chunk::concatenate(&self.small[start..]);
            self.small.truncate(start);
            self.small.push(Arc::new(joined));
        }
    }

    /// The index of the first of the last [`JOINED`] chunks, if they are of one class and segment and fit into one.
    fn joinable(&self) -> Option<usize> {
        let start = self.small.len().checked_sub(JOINED)?;
        let last = &self.small[start..];
        let (first, newest) = (last.first()?, last.last()?);
        let fits = last.iter().map(|chunk| chunk.len()).sum::<usize>() <= chunk::FULL;
        (fits && class(first) <= class(newest) && first.segment() == newest.segment())
            .then_some(start)
    }

    /// Moves the chunks that no later merge can include to the full ones: all but the last segment's unfilled chunks.
    fn move_full(&mut self) {
        let Some(segment) = self.small.last().map(|newest| newest.segment()) else { return };
        let settled =
            |chunk: &Arc<Chunk>| chunk.len() > chunk::FULL / JOINED || chunk.segment() != segment;
        let settled = self.small.iter().take_while(|chunk| settled(chunk)).count();
        let count = settled.max(self.small.len().saturating_sub(SMALL));
        if count > 0 {
            Arc::make_mut(&mut self.full).extend(self.small.drain(..count));
        }
    }

    /// The log without the chunks of segments before this one, and the number of messages removed.
    #[must_use]
    pub fn from_segment(&self, segment: u64) -> Self {
        let kept = |chunk: &&Arc<Chunk>| chunk.segment() >= segment;
        let full: Vec<_> = self.full.iter().filter(kept).cloned().collect();
        let small: Vec<_> = self.small.iter().filter(kept).cloned().collect();
        let total = full.iter().chain(&small).map(|chunk| chunk.len()).sum();
        let has_rest = full.iter().chain(&small).any(|chunk| chunk.has_rest());
        Self { full: Arc::new(full), small, total, has_rest }
    }

    /// Calls `each` for each message of a page, and counts the matches.
    pub fn query<'a>(
        &'a self,
        query: &Query<'_>,
        page: Page,
        mut each: impl FnMut(&'a Chunk, u32),
    ) -> Found {
        let all = query.allows_all();
        let mut chunks = self.chunks();
        let mut next = || match page.order {
            Order::Ascending => chunks.next(),
            Order::Descending => chunks.next_back(),
        };
        let mut skip = usize::try_from(page.offset).unwrap_or(usize::MAX);
        let (mut total, mut left) = (0, page.limit);
        while let Some(chunk) = next() {
            let count = if all { chunk.len() } else { chunk.count(query) };
            total += count;
            if skip >= count {
                skip -= count;
            } else if left > 0 {
                let positions = chunk.page(query, Span { skip, take: left, order: page.order });
                for position in &positions {
                    each(chunk, *position);
                }
                left -= positions.len();
                skip = 0;
            }
        }
        Found { total, count: page.limit - left }
    }

    /// The earliest and the latest message, each as its chunk and position.
    pub fn ends(&self) -> Option<[(&Chunk, u32); 2]> {
        let mut found: Option<[(i64, &Chunk, u32); 2]> = None;
        for chunk in self.chunks() {
            let Some(Ends { first, last, .. }) = chunk.times().ends() else { continue };
            let [mut earliest, mut latest] = found
                .unwrap_or([(first.0, chunk.as_ref(), first.1), (last.0, chunk.as_ref(), last.1)]);
            if first.0 < earliest.0 {
                earliest = (first.0, chunk, first.1);
            }
            if last.0 > latest.0 {
                latest = (last.0, chunk, last.1);
            }
            found = Some([earliest, latest]);
        }
        found.map(|ends| ends.map(|(_, chunk, position)| (chunk, position)))
    }
}

fn class(chunk: &Chunk) -> u32 {
    chunk.len().max(1).ilog2() / JOINED.ilog2()
}
