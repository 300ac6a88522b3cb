//! The line on which a byte of a document stands, found without reading the document from its beginning.
//!
//! Memory: 4 bytes for each 64 KiB of the document.

use super::postings::count_u32;

/// Bytes of a block. A look-up counts the line feeds of one block at most.
const BLOCK: usize = 64 * 1024;

/// How many line feeds stand before each block of a document.
#[derive(Debug)]
pub struct LineIndex(Box<[u32]>);

impl LineIndex {
    /// Reads a document.
    pub fn of(document: &[u8]) -> Self {
        let mut seen = 0;
        let before = |block: &[u8]| {
            let before = count_u32(seen);
            seen += line_feeds(block);
            before
        };
        Self(document.chunks(BLOCK).map(before).collect())
    }

    /// The line of a byte of the same document, counted from 1.
    pub fn line(&self, document: &[u8], at: usize) -> u64 {
        let block = at / BLOCK;
        let before = self.0.get(block).copied().unwrap_or_default();
        let rest = document.get(block * BLOCK..at).unwrap_or_default();
        u64::from(before) + line_feeds(rest) as u64 + 1
    }
}

fn line_feeds(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

/// Where the key of a value in a document ends; where it has no key, where the value itself begins. JSON has no line feed
/// within a text, so that a key is on one line.
pub fn key_or_value(document: &[u8], value: usize) -> usize {
    let before = document.get(..value).unwrap_or_default().trim_ascii_end();
    before.strip_suffix(b":").map_or(value, |key| key.trim_ascii_end().len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_are_those_that_counting_from_the_beginning_gives(
            lengths in proptest::collection::vec(0..40_000_usize, 0..12),
            share in 0.0..1.0_f64,
        ) {
            let document: Vec<u8> =
                lengths.iter().flat_map(|length| [vec![b'x'; *length], vec![b'\n']].concat()).collect();
            #[allow(
                clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss,
                reason = "any place will do"
            )]
            let at = (document.len() as f64 * share) as usize;
            let counted = document[..at].split(|byte| *byte == b'\n').count() as u64;
            prop_assert_eq!(LineIndex::of(&document).line(&document, at), counted);
        }
    }

    #[test]
    fn a_value_stands_where_its_key_does() {
        let document = b"{\"a\"\n :\r\n {},\n\"b\":\n[\n{}]}";
        let at = |text: &[u8]| document.windows(text.len()).position(|part| part == text).unwrap();
        assert_eq!(key_or_value(document, at(b"{}")), at(b"\n"));
        assert_eq!(key_or_value(document, at(b"[")), at(b":\n["));
        assert_eq!(key_or_value(document, at(b"{}]")), at(b"{}]"));
        assert_eq!(key_or_value(document, 0), 0);
    }
}
