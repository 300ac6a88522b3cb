//! Places in the log that a client can keep: right while the log grows, also after a restart, and recognisably wrong
//! after the log was rotated or rewritten.
//!
//! A message is named by the segment of the file that its line begins in, by how many messages of the segment stand
//! before it, and by a hash of messages around it. All of that follows from the file alone.

use xxhash_rust::xxh3::Xxh3;

use super::chunk::{Chunk, Query};
use super::log::Log;
use super::postings::Span;

/// How many messages, this one included, the hash of a place covers beside the first one of the segment.
const COVERED: u64 = 8;

/// A message of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    segment: u64,
    /// How many messages of the segment stand before it.
    index: u64,
    check: u64,
}

impl Place {
    /// As [`Place::parse`] reads it.
    pub fn format(self) -> String {
        format!("{:x}-{:x}-{:016x}", self.segment, self.index, self.check)
    }

    /// Reads what [`Place::format`] writes; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-').map(|part| {
            let is_plain = part.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
            u64::from_str_radix(part, 16).ok().filter(|_| is_plain)
        });
        let place = Self { segment: parts.next()??, index: parts.next()??, check: parts.next()?? };
        (parts.next().is_none() && place.format() == text).then_some(place)
    }
}

impl Log {
    /// The place of a message.
    pub fn place(&self, chunk: &Chunk, position: u32) -> Place {
        let before = self.of_segment(chunk.segment());
        let before = before.take_while(|other| !std::ptr::eq(*other, chunk));
        let index = before.map(|other| other.len() as u64).sum::<u64>() + u64::from(position);
        Place { segment: chunk.segment(), index, check: self.check(chunk.segment(), index) }
    }

    /// How many messages of the log stand before the one at a place; `None` where another message is there now.
    pub fn number_at(&self, place: Place) -> Option<u64> {
        let Place { segment, index, check } = place;
        let of_segment: u64 = self.of_segment(segment).map(|chunk| chunk.len() as u64).sum();
        if index >= of_segment || self.check(segment, index) != check {
            return None;
        }
        let earlier = self.chunks().take_while(|chunk| chunk.segment() != segment);
        Some(earlier.map(|chunk| chunk.len() as u64).sum::<u64>() + index)
    }

    /// How many of the messages before this number match.
    pub fn count_before(&self, query: &Query, number: u64) -> u64 {
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
    fn a_place_reads_as_it_is_written_and_no_other_text_is_one() {
        for place in [
            Place { segment: 0, index: 0, check: 0 },
            Place { segment: 7, index: 65_536, check: u64::MAX },
        ] {
            assert_eq!(Place::parse(&place.format()), Some(place));
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
            assert_eq!(Place::parse(text), None, "{text}");
        }
    }
}
