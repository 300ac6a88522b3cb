//! The offset of each message of a chunk in its text, and the end of the last one: 2 bytes each if messages are short,
//! else 4.

use std::ops::Range;

/// Messages that share one full offset.
const BLOCK: usize = 64;

/// The offsets.
#[derive(Debug)]
pub enum Starts {
    /// Distances from the full offset of each block.
    Near {
        /// Of the first message of each block.
        blocks: Box<[u32]>,
        /// Of each message.
        distances: Box<[u16]>,
    },
    /// Full offsets.
    Far(Box<[u32]>),
}

impl Starts {
    /// Packs full offsets, the last of which is the end of the text.
    pub fn new(offsets: Vec<u32>) -> Self {
        let near = |block: &[u32]| match (block.first(), block.last()) {
            (Some(first), Some(last)) => u16::try_from(last - first).is_ok(),
            _ => true,
        };
        if !offsets.chunks(BLOCK).all(near) {
            return Self::Far(offsets.into());
        }
        let first = |block: &[u32]| block.first().copied().unwrap_or_default();
        let distance = |block: &'_ [u32]| {
            let first = first(block);
            // Only offsets of near blocks get here.
            block
                .iter()
                .map(move |offset| u16::try_from(offset - first).unwrap_or(u16::MAX))
                .collect::<Vec<_>>()
        };
        Self::Near {
            blocks: offsets.chunks(BLOCK).map(first).collect(),
            distances: offsets.chunks(BLOCK).flat_map(distance).collect(),
        }
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        let offsets = match self {
            Self::Near { distances, .. } => distances.len(),
            Self::Far(offsets) => offsets.len(),
        };
        offsets.saturating_sub(1)
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The range of a message; empty if there is none with this number.
    pub fn range(&self, at: usize) -> Range<usize> {
        match (self.offset(at), self.offset(at + 1)) {
            (Some(start), Some(end)) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    fn offset(&self, at: usize) -> Option<u32> {
        match self {
            Self::Near { blocks, distances } => {
                Some(blocks.get(at / BLOCK)? + u32::from(*distances.get(at)?))
            }
            Self::Far(offsets) => offsets.get(at).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_offsets_are_the_same() {
        let lengths = |n: u32| (n * 7919) % 1500;
        for factor in [1, 100] {
            let offsets: Vec<u32> = (0..1000)
                .scan(0, |at, n| Some(std::mem::replace(at, *at + lengths(n) * factor)))
                .collect();
            let starts = Starts::new(offsets.clone());
            assert_eq!(matches!(starts, Starts::Far(_)), factor == 100);
            assert_eq!(starts.len(), offsets.len() - 1);
            for (at, pair) in offsets.windows(2).enumerate() {
                assert_eq!(starts.range(at), pair[0] as usize..pair[1] as usize);
            }
            assert_eq!(starts.range(offsets.len() - 1), 0..0);
        }
        assert!(Starts::new(vec![0]).is_empty());
    }
}
