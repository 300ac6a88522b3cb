//! Searches the lines of the message log.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::model::bus;
use crate::model::record::{Kind, Record};

/// Largest number of messages of a line that are examined.
const MOST_ON_LINE: usize = 1_000;

/// Largest number of messages with one id that are shown, and of lines of messages about a record.
const MOST_MESSAGES: usize = 100;
const MOST_ABOUT: usize = 10;

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// The messages of one line, from 1.
    Line(usize),
    /// The messages with this `id`.
    Id(&'a str),
}

/// A message.
#[derive(Debug)]
pub(super) struct Message {
    /// Its line in the file, from 1.
    pub(super) line: usize,
    /// Its number within the line, from 1, and the number of messages of the line.
    pub(super) nth: usize,
    pub(super) of: usize,
    pub(super) raw: String,
    /// Why the rest of the line is not served.
    pub(super) rest: Option<String>,
}

/// The result of a search.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) messages: Vec<Message>,
    /// Why a requested line contains no message.
    pub(super) bad_line: Option<(usize, String)>,
    /// Number of messages about the requested record, and the lines of the last ones.
    pub(super) about_count: usize,
    pub(super) about: VecDeque<usize>,
    /// Number of lines in the oldest part, which is not served.
    pub(super) left_out: usize,
    /// Number of all lines.
    pub(super) lines: usize,
}

/// Searches a log from its beginning. Lines of more than `longest` bytes are skipped; in the first `left_out` bytes
/// lines are only counted.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn search(
    path: &Path,
    wanted: Wanted<'_>,
    longest: u64,
    left_out: u64,
) -> io::Result<Found> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut found = Found::default();
    let mut position = 0_u64;
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = (&mut reader).take(longest).read_until(b'\n', &mut line)? as u64;
        if count == 0 {
            return Ok(found);
        }
        let is_whole = line.last() == Some(&b'\n') || count < longest;
        position += count;
        found.lines += 1;
        if !is_whole {
            position += skip_line(&mut reader)?;
        } else if position > left_out {
            found.look_at(&line, wanted);
        }
        if position <= left_out {
            found.left_out = found.lines;
        }
    }
}

/// Skips the rest of a line.
fn skip_line(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let piece = reader.fill_buf()?;
        if piece.is_empty() {
            return Ok(skipped);
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let count = end.map_or(piece.len(), |end| end + 1);
        reader.consume(count);
        skipped += count as u64;
        if end.is_some() {
            return Ok(skipped);
        }
    }
}

impl Found {
    fn look_at(&mut self, line: &[u8], wanted: Wanted<'_>) {
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() {
            return;
        }
        let number = self.lines;
        let mut texts: Vec<&str> = Vec::new();
        let rest = bus::read_line(trimmed, None, |message| {
            if texts.len() < MOST_ON_LINE {
                texts.push(message.text);
            }
        });
        let rest = rest.err().map(|fault| fault.to_string());
        for (at, raw) in texts.iter().enumerate() {
            let Ok(record) = Record::read(Kind::Message, raw) else { continue };
            let is_wanted = match wanted {
                Wanted::Line(line) => line == number,
                Wanted::Id(id) => record.word("id").is_some_and(|found| found == id),
            };
            if is_wanted && self.messages.len() < MOST_MESSAGES {
                let (raw, rest) = ((*raw).to_owned(), rest.clone());
                self.messages.push(Message {
                    line: number,
                    nth: at + 1,
                    of: texts.len(),
                    raw,
                    rest,
                });
            }
            if matches!(wanted, Wanted::Id(id) if record.word("story_id").is_some_and(|story| story == id))
            {
                self.about_count += 1;
                if self.about.len() == MOST_ABOUT {
                    self.about.pop_front();
                }
                self.about.push_back(number);
            }
        }
        if let (Wanted::Line(line), true, Some(why)) = (wanted, texts.is_empty(), rest)
            && line == number
        {
            self.bad_line = Some((line, why));
        }
    }
}
