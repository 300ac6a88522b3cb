//! Cursors: positions in the log that a client can store. A cursor stays valid while the log grows and across restarts,
//! and is recognised as expired after the log was rotated or rewritten.
//!
//! A cursor consists of the segment of the file in which the message's line begins, the message's index within that
//! segment, and a hash of messages around it. All three follow from the file alone.

use xxhash_rust::xxh3::Xxh3;

use super::chunk::{Chunk, Query};
use super::log::Log;
use super::postings::Span;

/// Number of messages that the hash of a cursor covers besides the first one of the segment, its own included.
const COVERED: u64 = 8;

/// The position of a message in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    segment: u64,
    /// Number of messages of the segment before it.
    index: u64,
    check: u64,
}

impl Cursor {
    /// The text that [`Cursor::parse`] accepts.
    pub fn format(self) -> String {
        format!("{:x}-{:x}-{:016x}", self.segment, self.index, self.check)
    }

    /// Parses the output of [`Cursor::format`]; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-').map(|part| {
            let is_plain = part.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
            u64::from_str_radix(part, 16).ok().filter(|_| is_plain)
        });
        let cursor = Self { segment: parts.next()??, index: parts.next()??, check: parts.next()?? };
        (parts.next().is_none() && cursor.format() == text).then_some(cursor)
    }
}

impl Log {
    /// The cursor of a message.
    pub fn cursor(&self, chunk: &Chunk, position: u32) -> Cursor {
        let before = self.of_segment(chunk.segment());
        let before = before.take_while(|other| !std::ptr::eq(*other, chunk));
        let index = before.map(|other| other.len() as u64).sum::<u64>() + u64::from(position);
        Cursor { segment: chunk.segment(), index, check: self.check(chunk.segment(), index) }
    }

    /// Number of messages of the log before the one at a cursor; `None` if another message is there now.
    pub fn number_at(&self, cursor: Cursor) -> Option<u64> {
        let Cursor { segment, index, check } = cursor;
        let of_segment: u64 = self.of_segment(segment).map(|chunk| chunk.len() as u64).sum();
        if index >= of_segment || self.check(segment, index) != check {
            return None;
        }
        let earlier = self.chunks().take_while(|chunk| chunk.segment() != segment);
        Some(earlier.map(|chunk| chunk.len() as u64).sum::<u64>() + index)
    }

    /// How many of the messages before this number match.
    pub fn count_before(&self, query: &Query<'_>, number: u64) -> u64 {
        let mut count = 0;
        let mut begin = 0;
        for chunk in self.chunks() {
            let end = begin + chunk.len() as u64;
            if end <= number {
                count += chunk.count(query);
            } else {
                let positions = chunk.page(query, Span::ALL);
                count += positions.partition_point(|at| begin + u64::from(*at) < number);
                break;
            }
            begin = end;
        }
        count as u64
    }

    fn of_segment(&self, segment: u64) -> impl Iterator<Item = &Chunk> {
        self.chunks().map(AsRef::as_ref).filter(move |chunk| chunk.segment() == segment)
    }

    fn check(&self, segment: u64, index: u64) -> u64 {
        let mut hash = Xxh3::new();
        let mut begin = 0;
        for chunk in self.of_segment(segment) {
            let end = begin + chunk.len() as u64;
            let mut cover = |number: u64| {
                let at = number.checked_sub(begin).filter(|_| number < end);
                if let Some(position) = at.and_then(|at| u32::try_from(at).ok()) {
                    let (text, _) = chunk.message(position);
                    hash.update(&(text.len() as u64).to_le_bytes());
                    hash.update(text.as_bytes());
                }
            };
            cover(0);
            (index.saturating_sub(COVERED - 1)..=index).for_each(&mut cover);
            begin = end;
        }
        hash.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_round_trips_and_no_other_text_is_accepted() {
        for cursor in [
            Cursor { segment: 0, index: 0, check: 0 },
            Cursor { segment: 7, index: 65_536, check: u64::MAX },
        ] {
            assert_eq!(Cursor::parse(&cursor.format()), Some(cursor));
        }
        for text in [
            "",
            "start",
            "0",
            "0-0",
            "0-0-0",
            "0-0-0000000000000000-",
            "00-0-0000000000000000",
            "+0-0-0000000000000000",
            "0-0-000000000000000G",
        ] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
