//! Takes the lines of the log: messages go into chunks, bad lines into problems, and all bytes into a hash. Each
//! segment of the file is separate, so that the oldest can be dropped. It reads no file.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use crate::model::bus::{self, Observer};
use crate::model::problem::{Effect, Position, Problems};
use crate::model::record::Kind;
use crate::model::suspicions::{Counted, Observed};

use super::chunk::{Builder, Chunk};
use super::log::Log;
use super::names::Names;

/// Longest line that is compared with the next one, in bytes.
const LONGEST_SINGLE: usize = 4096;

/// All complete lines so far.
pub struct Lines {
    /// Offset of the next line, or of the rest of a line that is too long.
    end: u64,
    /// Longest line, in bytes.
    longest: u64,
    /// Size of a segment of the file, in bytes.
    segment: u64,
    next: Next,
    /// Those of all segments.
    names: Names,
    builder: Builder,
    /// The previous line, if it was one message; else empty.
    single: Vec<u8>,
    log: Log,
    segments: VecDeque<Segment>,
    /// Offset of the end of the newest segment.
    border: u64,
    /// The problems of all segments, and what they depend on when they were combined.
    problems: (Basis, Arc<Problems>),
}

/// What the problems of all segments depend on: if it is unchanged, so are they.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Basis {
    skipped: u64,
    observed: u64,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A line.
    Line,
    /// The rest of a line that is too long and was recorded as a problem.
    Rest,
}

/// The lines that begin in one segment of the file.
struct Segment {
    number: u64,
    /// Offset of its first line.
    begin: u64,
    lines: u64,
    hash: Xxh3,
    /// By the number of the line within the segment.
    problems: Problems,
    /// The same.
    observed: Observed,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("end", &self.end).finish_non_exhaustive()
    }
}

impl Segment {
    fn new(number: u64, begin: u64) -> Self {
        Self {
            number,
            begin,
            lines: 0,
            hash: Xxh3::new(),
            problems: Problems::default(),
            observed: Observed::new(Kind::Message),
        }
    }
}

impl Lines {
    /// No lines yet; the first one begins at `start`. `names` has no values yet.
    pub fn new(start: u64, longest: u64, segment: u64, names: Names) -> Self {
        Self {
            end: start,
            longest,
            segment,
            next: Next::Line,
            names,
            builder: Builder::new(start / segment),
            single: Vec::new(),
            log: Log::default(),
            segments: VecDeque::new(),
            border: 0,
            problems: (Basis::default(), Arc::default()),
        }
    }

    /// Offset of the end of what was taken.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The values that have sets of positions.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The parts of the file that were taken, each with the hash of its bytes.
    pub fn parts(&self) -> impl Iterator<Item = (Range<u64>, u64)> {
        let ends = self.segments.iter().skip(1).map(|next| next.begin).chain([self.end]);
        let part = |(segment, end): (&Segment, u64)| (segment.begin..end, segment.hash.digest());
        self.segments.iter().zip(ends).map(part)
    }

    /// Drops the segments before number `first`, and everything else before `start`. Each value must have a set, else
    /// the first values of what is left may be others.
    pub fn leave_out(&mut self, start: u64, first: u64) {
        self.log = self.log.from_segment(first);
        let chunks: Vec<_> = self.log.chunks().map(|chunk| chunk.terms()).collect();
        self.names.keep_those_of(&chunks);
        self.segments.retain(|segment| segment.number >= first);
        if self.end < start {
            // The line that was begun is dropped; a new one begins here.
            (self.end, self.next) = (start, Next::Line);
        }
        if self.segments.is_empty() {
            self.border = 0;
        }
        self.problems = (Basis { skipped: u64::MAX, observed: 0 }, Arc::default());
    }

    /// Takes the complete lines at the beginning of `bytes`, of which those before `from` contain no newline, and
    /// returns their length. The rest may become a line.
    pub fn take(&mut self, bytes: &[u8], from: usize) -> usize {
        let (mut start, mut hashed) = (0, 0);
        for newline in memchr::memchr_iter(b'\n', &bytes[from..]) {
            let end = from + newline + 1;
            if self.next == Next::Line && self.end >= self.border {
                // The previous line belongs to another segment.
                self.hash(&bytes[hashed..start]);
                hashed = start;
            }
            self.take_line(&bytes[start..end]);
            start = end;
        }
        self.hash(&bytes[hashed..start]);
        // The rest of a line that is too long is taken as it arrives, so that the hash does not depend on the pieces.
        let is_rest = self.next == Next::Rest && start < bytes.len();
        if is_rest || (bytes.len() - start) as u64 > self.longest {
            self.take_part(&bytes[start..]);
            start = bytes.len();
        }
        start
    }

    /// Takes a line with its newline. The caller hashes its bytes, those of many lines at once.
    fn take_line(&mut self, bytes: &[u8]) {
        let line = &bytes[..bytes.len() - 1];
        let next = std::mem::replace(&mut self.next, Next::Line);
        if next == Next::Line {
            self.begin_line();
            if line.len() as u64 > self.longest {
                self.note_too_long();
            } else {
                self.read_line(line);
            }
        }
        self.end += bytes.len() as u64;
    }

    /// Takes the beginning, or a further part, of a line that is too long.
    fn take_part(&mut self, bytes: &[u8]) {
        if std::mem::replace(&mut self.next, Next::Rest) == Next::Line {
            self.begin_line();
            self.note_too_long();
        }
        self.end += bytes.len() as u64;
        self.hash(bytes);
    }

    fn begin_line(&mut self) {
        if self.end >= self.border {
            self.begin_segment();
        }
        if let Some(segment) = self.segments.back_mut() {
            segment.lines += 1;
        }
    }

    fn read_line(&mut self, line: &[u8]) {
        if self.builder.is_full(line.len()) {
            self.seal();
        }
        // Heartbeat messages of agents are often identical for hours.
        let segment = self.segments.back_mut();
        if !self.single.is_empty() && line == self.single.as_slice() && self.builder.repeat() {
            if let Some(segment) = segment {
                segment.observed.add_same();
            }
            return;
        }
        self.single.clear();
        let observer = segment
            .map(|segment| Observer { observed: &mut segment.observed, line: segment.lines });
        let (builder, names) = (&mut self.builder, &mut self.names);
        let (mut messages, mut counted) = (0, Counted::Nothing);
        let read = bus::read_line(line, observer, |message| {
            builder.add(&message, names);
            messages += 1;
            counted = message.counted;
        });
        match read {
            // A line of which something counts is read each time, so that each one counts.
            Ok(())
                if messages == 1 && counted == Counted::Nothing && line.len() <= LONGEST_SINGLE =>
            {
                self.single.extend_from_slice(line);
            }
            Ok(()) => {}
            Err(fault) => self.note(fault.to_string()),
        }
    }

    fn note_too_long(&mut self) {
        self.single.clear();
        self.note(format!("a line longer than {} bytes", self.longest));
    }

    fn note(&mut self, reason: String) {
        if let Some(segment) = self.segments.back_mut() {
            segment.problems.note(Position::Line(segment.lines), Effect::Skipped, reason);
        }
    }

    fn begin_segment(&mut self) {
        let number = self.end / self.segment;
        self.border = (number + 1).saturating_mul(self.segment);
        self.segments.push_back(Segment::new(number, self.end));
        if self.builder.segment() != number {
            self.seal();
            self.builder = Builder::new(number);
        }
    }

    fn hash(&mut self, bytes: &[u8]) {
        if let Some(segment) = self.segments.back_mut() {
            segment.hash.update(bytes);
        }
    }

    /// Moves the messages taken so far into the log.
    pub fn seal(&mut self) {
        let fresh = Builder::new(self.builder.segment());
        let full = std::mem::replace(&mut self.builder, fresh);
        if !full.is_empty() {
            self.log = self.log.with(full.finish());
        }
    }

    /// The log, its problems and a hash of all bytes, including `unfinished`, the last line without a newline: its
    /// complete objects are messages, and the rest is ignored for now.
    pub fn with_unfinished(&mut self, unfinished: &[u8]) -> (Log, Arc<Problems>, u64) {
        let mut hash = Xxh3::new();
        self.segments.iter().for_each(|segment| hash.update(&segment.hash.digest().to_le_bytes()));
        hash.update(unfinished);
        // By the offset of the line, as when it will be complete; other values may come before its own until then.
        let (segment, mark) = (self.end / self.segment, self.names.mark());
        let log = match unfinished_messages(unfinished, segment, &mut self.names) {
            Some(chunk) if self.next == Next::Line => self.log.with(chunk),
            _ => self.log.clone(),
        };
        self.names.forget_since(mark);
        (log, self.problems(), hash.digest())
    }

    fn problems(&mut self) -> Arc<Problems> {
        let segments = self.segments.iter();
        let basis = Basis {
            skipped: segments.clone().map(|segment| segment.problems.skipped).sum(),
            observed: segments.map(|segment| segment.observed.basis()).sum(),
        };
        if self.problems.0 != basis {
            self.problems = (basis, Arc::new(self.combine_problems()));
        }
        Arc::clone(&self.problems.1)
    }

    fn combine_problems(&self) -> Problems {
        let (mut all, mut observed) = (Problems::default(), Observed::new(Kind::Message));
        let mut lines = 0;
        for segment in &self.segments {
            all.append(segment.problems.moved_on(lines));
            observed.append(&segment.observed, lines);
            lines += segment.lines;
        }
        all.add_suspicions(observed.suspicions(), Kind::Message.collection(), Position::Line);
        all
    }
}

fn unfinished_messages(line: &[u8], segment: u64, names: &mut Names) -> Option<Chunk> {
    let mut builder = Builder::new(segment);
    // The invalid part may still become valid.
    let _ = bus::read_line(line, None, |message| builder.add(&message, names));
    (!builder.is_empty()).then(|| builder.finish())
}
