//! Compares a log file with what was read of it, in pieces, so that the owner thread is never busy for long.
//!
//! A log that grew may also have been changed in its middle. Only reading it again detects that, and reading 200 MB
//! takes a while.

use std::io;

use xxhash_rust::xxh3::Xxh3;

use super::disk::{Open, read_exact_at};
use super::lines::Lines;

/// Bytes read at once.
const BLOCK: usize = 1 << 20;
/// Bytes compared in one piece: well under a millisecond.
const PIECE: u64 = 2 << 20;

/// How much is compared in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// The next piece.
    Piece,
    /// Everything, from the beginning.
    All,
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The file does not contain what was read.
    Different,
    /// The compared part is unchanged, and more remains.
    More,
    /// Every byte is unchanged since the last one was appended.
    Same,
}

/// The progress of a comparison.
#[derive(Default)]
pub struct Comparison {
    /// The offset at which it continues; `None` before it began.
    at: Option<u64>,
    /// Hash of the current part, up to that offset.
    hash: Xxh3,
    /// Whether the log grew since the comparison began. The part compared before may have been changed with that write.
    grew: bool,
}

impl std::fmt::Debug for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Comparison").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Comparison {
    /// Records that the log grew.
    pub fn grew(&mut self) {
        self.grew = self.at.is_some();
    }

    /// Continues the comparison.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub fn go_on(&mut self, file: &dyn Open, lines: &Lines, amount: Amount) -> io::Result<Found> {
        if amount == Amount::All {
            *self = Self::default();
        }
        let mut left = if amount == Amount::All { u64::MAX } else { PIECE };
        let mut block = Vec::new();
        for (part, known) in lines.parts() {
            let mut at = self.at.unwrap_or(part.start).max(part.start);
            if at >= part.end {
                continue;
            }
            if at == part.start {
                self.hash.reset();
            }
            while at < part.end && left > 0 {
                let length = (part.end - at).min(left).min(BLOCK as u64);
                block.resize(usize::try_from(length).unwrap_or(BLOCK), 0);
                read_exact_at(file, &mut block, at)?;
                self.hash.update(&block);
                (at, left) = (at + length, left - length);
            }
            self.at = Some(at);
            if at < part.end {
                return Ok(Found::More);
            }
            if self.hash.digest() != known {
                return Ok(Found::Different);
            }
        }
        let ended = std::mem::take(self);
        Ok(if ended.grew { Found::More } else { Found::Same })
    }
}
