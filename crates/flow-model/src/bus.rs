//! A line of the message log: the messages on it, and what of each is counted and searched.

use std::borrow::Cow;

use serde::Deserialize;

use super::fault::Fault;
use super::json::{Escapes, Members, Plain};
use super::record::{Kind, Record};
use super::time::{self, Edge};

/// The fields that messages are counted and searched by.
pub const FIELDS: [&str; 4] = ["story_id", "from", "type", "to"];

/// How a message is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it stands in the log.
    Verbatim,
    /// With documented names filled, doubled keys once, or white space removed.
    Rewritten,
}

/// One message of a line.
#[derive(Debug)]
pub struct Message<'a> {
    /// Its text in the log.
    pub text: &'a str,
    /// How it is served.
    pub form: Form,
    /// Its time in nanoseconds since 1970, where it has a readable one.
    pub time: Option<i64>,
    /// Its values of [`FIELDS`].
    pub words: [Option<Cow<'a, str>>; FIELDS.len()],
}

/// Gives the messages of a line (without its newline) up to the first thing that is none.
///
/// # Errors
/// Why the rest of the line is not served: it is not an object, cannot be read, or is not UTF-8.
pub fn read_line<'a>(line: &'a [u8], each: impl FnMut(Message<'a>)) -> Result<(), Fault> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let (text, broken) = match std::str::from_utf8(line) {
        Ok(text) => (text, None),
        Err(error) => (valid_part(line, error.valid_up_to()), Some(error.valid_up_to())),
    };
    match Escapes::of(text) {
        Escapes::None => read_objects::<Plain<'a>>(text, broken, each),
        Escapes::Possible => read_objects::<Members<'a>>(text, broken, each),
    }
}

/// The objects of a text that ends, where `broken` says so, before a byte that is not UTF-8.
fn read_objects<'a, T: Deserialize<'a> + Into<Members<'a>>>(
    text: &'a str,
    broken: Option<usize>,
    mut each: impl FnMut(Message<'a>),
) -> Result<(), Fault> {
    let not_utf8 = |at: usize| Fault::Bad(format!("not UTF-8 at column {}", at + 1));
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<T>();
    let mut end = 0;
    while let Some(next) = objects.next() {
        let members = match (next, broken) {
            (Ok(members), _) => members.into(),
            // A text that ends inside an object does so because of the byte that ends it.
            (Err(error), Some(at)) if error.is_eof() => return Err(not_utf8(at)),
            (Err(error), _) => return Err(error.into()),
        };
        let object = text.get(end..objects.byte_offset()).unwrap_or_default().trim_ascii_start();
        end = objects.byte_offset();
        each(message(object, members)?);
    }
    broken.map_or(Ok(()), |at| Err(not_utf8(at)))
}

fn valid_part(line: &[u8], length: usize) -> &str {
    line.get(..length).and_then(|part| std::str::from_utf8(part).ok()).unwrap_or_default()
}

fn message<'a>(text: &'a str, members: Members<'a>) -> Result<Message<'a>, Fault> {
    let record = Record::of_members(Kind::Message, members)?;
    let form = if record.is_verbatim(text) { Form::Verbatim } else { Form::Rewritten };
    let is_text = record.field("timestamp").is_some_and(|raw| raw.starts_with('"'));
    let written = if is_text { record.word("timestamp") } else { None };
    let time = written.and_then(|text| time::parse(&text, Edge::Start));
    Ok(Message { text, form, time, words: FIELDS.map(|field| record.word(field)) })
}

/// Writes a message of the log as it is served.
pub fn write(text: &str, form: Form, out: &mut Vec<u8>) {
    if form == Form::Rewritten
        && let Ok(record) = Record::read(Kind::Message, text)
    {
        return record.write(None, &[], out);
    }
    out.extend_from_slice(text.as_bytes());
}

/// A message's time as written, where it has one.
pub fn written_time(text: &str) -> Option<String> {
    let record = Record::read(Kind::Message, text).ok()?;
    record.word("timestamp").map(Cow::into_owned)
}
