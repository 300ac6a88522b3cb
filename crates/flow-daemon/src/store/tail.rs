//! Reads the message log: all of it once, then only what was appended.
//!
//! A log over its limit is read from a segment border on. A segment is a sixteenth of the limit, counted from the start
//! of the file, so that what is served depends on the file alone and never on when it was read.

use std::io;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::model::problem::Problems;
use crate::project::Limits;

use super::compare::{Amount, Comparison, Found};
use super::disk::{Open, Stat, read_exact_at};
use super::lines::Lines;
use super::log::Log;
use super::names::Names;

/// Bytes read at once.
const BLOCK: usize = 1 << 20;
/// Bytes read at once while searching for the end of a line.
const PEEK: usize = 4 << 10;
/// Bytes at each end of the part read before that are compared before a file counts as appended to.
const EDGE: usize = 16 << 10;
/// Number of segments in the limit.
const SEGMENTS: u64 = 16;

/// The result of a reading.
#[derive(Debug)]
pub struct Reading {
    /// The messages.
    pub log: Log,
    /// What was skipped.
    pub problems: Arc<Problems>,
    /// A hash of the bytes that are served and of the number of those that are not.
    pub hash: u64,
    /// Size of the oldest part that is not served, in bytes.
    pub left_out: u64,
    /// Whether every byte was compared or read in this reading.
    pub certain: bool,
}

/// How much of the log is read and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The appended part, if both ends of the part read before are unchanged.
    Appended,
    /// The same, if the next piece of it is unchanged too ([`super::compare`]).
    Compared,
    /// The same, if every byte of it is unchanged.
    Checked,
    /// The whole log.
    Whole,
}

/// The part of a log that has been read.
#[derive(Debug)]
pub struct Tail {
    limits: Limits,
    /// Largest number of values of a field that get a set of positions.
    names: usize,
    read: Option<Read>,
}

/// The file up to the end of the last complete line.
#[derive(Debug)]
struct Read {
    identity: (u64, u64),
    /// Offset of the served part.
    start: u64,
    /// The first bytes of the served part, at most [`EDGE`].
    head: Vec<u8>,
    /// The last bytes of the part that was read, at most [`EDGE`].
    tail: Vec<u8>,
    lines: Lines,
    comparison: Comparison,
}

impl Tail {
    /// Nothing read yet; this many values of a field will get a set of positions ([`super::names`]).
    pub fn new(limits: Limits, names: usize) -> Self {
        Self { limits, names, read: None }
    }

    /// Drops what was read: the file no longer exists.
    pub fn forget(&mut self) {
        self.read = None;
    }

    /// Reads the file up to the size in `stat`.
    ///
    /// # Errors
    /// I/O errors of the system; `UnexpectedEof` if the file was replaced or shortened during the reading. The reading
    /// after an error reads the whole file.
    pub fn read(&mut self, file: &dyn Open, stat: &Stat, extent: Extent) -> io::Result<Reading> {
        let before = self.read.take();
        let from = self.served_from(file, stat.size)?;
        // If the served part would now begin earlier, the part that is left out has changed. If it begins later, other
        // values may be the first ones.
        let known = |read: &Read| {
            let has_same_names = read.start == from || read.lines.names().have_all();
            extent != Extent::Whole && read.start <= from && has_same_names
        };
        let mut found = Found::Different;
        let before = match before.filter(known) {
            Some(mut read) if read.is_prefix_of(file, stat)? => {
                found = read.compare(file, extent)?;
                Some(read).filter(|_| found != Found::Different)
            }
            _ => None,
        };
        let mut read = match before {
            Some(read) => read,
            None => Read {
                identity: stat.identity,
                start: from,
                head: Vec::new(),
                tail: Vec::new(),
                lines: self.lines(from),
                comparison: Comparison::default(),
            },
        };
        if read.start < from {
            read.leave_out(file, from, self.segment())?;
        }
        let unfinished = read.advance(file, stat.size)?;
        if file.stat()? != *stat && !read.is_prefix_of(file, stat)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (log, problems, hash) = read.lines.with_unfinished(&unfinished);
        let hash = xxh3_64(&[hash.to_le_bytes(), read.start.to_le_bytes()].concat());
        let left_out = read.start;
        self.read = Some(read);
        // What was just read is as certain as what was compared.
        Ok(Reading { log, problems, hash, left_out, certain: found != Found::More })
    }

    fn lines(&self, start: u64) -> Lines {
        let names = Names::new(self.names);
        Lines::new(start, self.limits.json_bytes, self.segment(), names)
    }

    fn segment(&self) -> u64 {
        (self.limits.bus_bytes / SEGMENTS).max(1)
    }

    /// Offset of the served part of a log of this size: the first line at or after a segment border.
    fn served_from(&self, file: &dyn Open, size: u64) -> io::Result<u64> {
        let over = size.saturating_sub(self.limits.bus_bytes);
        if over == 0 {
            return Ok(0);
        }
        let border = over.div_ceil(self.segment()) * self.segment();
        after_newline(file, border - 1, size)
    }
}

/// The offset after the first newline at or after `from`, or `size`.
fn after_newline(file: &dyn Open, from: u64, size: u64) -> io::Result<u64> {
    let mut at = from;
    let mut block = vec![0; PEEK];
    while at < size {
        let part = &mut block[..length(size - at, PEEK)];
        read_exact_at(file, part, at)?;
        if let Some(found) = memchr::memchr(b'\n', part) {
            return Ok(at + found as u64 + 1);
        }
        at += part.len() as u64;
    }
    Ok(size)
}

fn length(bytes: u64, most: usize) -> usize {
    usize::try_from(bytes).map_or(most, |bytes| bytes.min(most))
}

impl Read {
    /// Whether the file still begins with what was read.
    fn is_prefix_of(&self, file: &dyn Open, stat: &Stat) -> io::Result<bool> {
        let end = self.lines.end();
        if self.identity != stat.identity || stat.size < end {
            return Ok(false);
        }
        let mut head = vec![0; self.head.len()];
        read_exact_at(file, &mut head, self.start)?;
        let mut tail = vec![0; self.tail.len()];
        read_exact_at(file, &mut tail, end - self.tail.len() as u64)?;
        Ok(head == self.head && tail == self.tail)
    }

    /// Whether the file still contains what was read, as far as `extent` requires.
    fn compare(&mut self, file: &dyn Open, extent: Extent) -> io::Result<Found> {
        match extent {
            Extent::Compared => self.comparison.go_on(file, &self.lines, Amount::Piece),
            Extent::Checked => self.comparison.go_on(file, &self.lines, Amount::All),
            Extent::Appended | Extent::Whole => {
                self.comparison.grew();
                Ok(Found::More)
            }
        }
    }

    /// Drops everything before `start`.
    fn leave_out(&mut self, file: &dyn Open, start: u64, segment: u64) -> io::Result<()> {
        self.lines.leave_out(start, start / segment);
        self.comparison = Comparison::default();
        self.start = start;
        let kept = self.lines.end() - start;
        self.head = vec![0; length(kept, EDGE)];
        self.tail.drain(..self.tail.len() - length(kept, self.tail.len()));
        read_exact_at(file, &mut self.head, start)
    }

    /// Reads up to `size`; returns the bytes of the unfinished last line.
    fn advance(&mut self, file: &dyn Open, size: u64) -> io::Result<Vec<u8>> {
        // One buffer for everything, which grows only for a longer line: the unfinished part moves to its front.
        let mut buffer: Vec<u8> = Vec::new();
        let mut pending = 0;
        let mut at = self.lines.end();
        while at < size {
            let filled = pending + length(size - at, BLOCK);
            buffer.resize(filled.max(buffer.len()), 0);
            read_exact_at(file, &mut buffer[pending..filled], at)?;
            at += (filled - pending) as u64;
            let taken = self.lines.take(&buffer[..filled], pending);
            self.remember(&buffer[..taken]);
            buffer.copy_within(taken..filled, 0);
            pending = filled - taken;
        }
        self.lines.seal();
        buffer.truncate(pending);
        Ok(buffer)
    }

    fn remember(&mut self, bytes: &[u8]) {
        let missing = EDGE - self.head.len();
        self.head.extend_from_slice(&bytes[..missing.min(bytes.len())]);
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(EDGE)..]);
        self.tail.drain(..self.tail.len().saturating_sub(EDGE));
    }
}
