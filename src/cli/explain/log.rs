//! The lines of the message log, read one after the other: which of them hold what is asked for.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::model::bus;
use crate::model::record::{Kind, Record};

/// Messages on one line that are looked at.
const MOST_ON_LINE: usize = 1_000;

/// Messages of one id that are shown, and lines of messages about a record.
const MOST_MESSAGES: usize = 100;
const MOST_ABOUT: usize = 10;

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// The messages of one line, from 1.
    Line(usize),
    /// The messages whose `id` is this.
    Id(&'a str),
}

/// A message that was found.
#[derive(Debug)]
pub(super) struct Message {
    /// Its line in the file, from 1.
    pub(super) line: usize,
    /// Which one of the line it is, from 1, and how many there are.
    pub(super) nth: usize,
    pub(super) of: usize,
    pub(super) raw: String,
    /// Why the rest of the line is not served.
    pub(super) rest: Option<String>,
}

/// What a search through the log gave.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) messages: Vec<Message>,
    /// Why a line that was asked for holds no message.
    pub(super) bad_line: Option<(usize, String)>,
    /// How many messages are about the record that is asked for, and the lines of the last of them.
    pub(super) about_count: usize,
    pub(super) about: VecDeque<usize>,
    /// Lines in the oldest part, which is not served.
    pub(super) left_out: usize,
    /// Lines in all.
    pub(super) lines: usize,
}

/// Reads a log from its begin. Lines of more than `longest` bytes are passed over; of the first `left_out` bytes only the
/// lines are counted.
///
/// # Errors
/// When it cannot be read.
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

/// Passes over the rest of a line.
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
        let rest = bus::read_line(trimmed, |message| {
            if texts.len() < MOST_ON_LINE {
                texts.push(message.text);
            }
        });
        let rest = rest.err().map(|fault| fault.to_string());
        for (at, raw) in texts.iter().enumerate() {
            let Ok(record) = Record::read(Kind::Message, raw) else { continue };
            let is_wanted = match wanted {
                Wanted::Line(line) => line == number,
                Wanted::Id(id) => record.word("id").is_some_and(|own| own == id),
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
            if matches!(wanted, Wanted::Id(id) if record.word("story_id").is_some_and(|own| own == id))
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
