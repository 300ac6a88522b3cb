//! A line of the message log: its messages, and the fields of each that are counted and searched.

use std::borrow::Cow;

use serde::Deserialize;

use super::fault::Fault;
use super::json::{Escapes, Members, Plain};
use super::record::{Filled, Kind, Record};
use super::suspicions::{Counted, Observed};

/// The fields that messages are counted and searched by.
pub const FIELDS: [&str; 4] = ["story_id", "from", "type", "to"];

/// Number of documented names of messages that have aliases.
const ALIASES: usize = 5;

/// What precedes the value of each of these names in a message.
const ADDED: [&str; ALIASES] =
    [",\"story_id\":", ",\"from\":", ",\"timestamp\":", ",\"to\":", ",\"type\":"];

/// The places within a message of the values that documented names get from aliases, in the order of the aliases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Additions([Place; ALIASES]);

/// The place of a text without escapes, in bytes, with its quotes; of length 0 for a name that gets no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Place {
    start: u16,
    length: u16,
}

/// The form in which a message is served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// As it is in the log.
    #[default]
    Verbatim,
    /// The same, with documented names appended.
    Extended(Additions),
    /// With documented names filled in, duplicate keys removed, or white space removed.
    Rewritten,
}

/// One message of a line.
#[derive(Debug)]
pub struct Message<'a> {
    /// Its text in the log.
    pub text: &'a str,
    /// The form in which it is served.
    pub form: Form,
    /// Its time in nanoseconds since 1970, if it has a readable one.
    pub time: Option<i64>,
    /// Its values of [`FIELDS`], in that order.
    pub words: Words<'a>,
    /// Whether something in it counts as suspicious.
    pub counted: Counted,
}

/// Takes note of messages that may not be read as meant.
#[derive(Debug)]
pub struct Observer<'o> {
    /// What was observed in earlier messages.
    pub observed: &'o mut Observed,
    /// The number of the line.
    pub line: u64,
}

/// Calls `each` for the messages of a line (without its newline) up to the first invalid part.
///
/// # Errors
/// Why the rest of the line is not served: it is not an object, is invalid, or is not UTF-8.
pub fn read_line<'a>(
    line: &'a [u8],
    observer: Option<Observer<'_>>,
    each: impl FnMut(Message<'a>),
) -> Result<(), Fault> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let (text, broken) = match std::str::from_utf8(line) {
        Ok(text) => (text, None),
        Err(error) => (valid_part(line, error.valid_up_to()), Some(error.valid_up_to())),
    };
    match Escapes::of(text) {
        Escapes::None => read_objects::<Plain<'a>>(text, broken, observer, each),
        Escapes::Possible => read_objects::<Members<'a>>(text, broken, observer, each),
    }
}

/// Reads the objects of a text; `broken` says that it ends before a byte that is not UTF-8.
fn read_objects<'a, T: Deserialize<'a> + Into<Members<'a>>>(
    text: &'a str,
    broken: Option<usize>,
    mut observer: Option<Observer<'_>>,
    mut each: impl FnMut(Message<'a>),
) -> Result<(), Fault> {
    let not_utf8 = |at: usize| Fault::Bad(format!("not UTF-8 at column {}", at + 1));
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<T>();
    let mut end = 0;
    while let Some(next) = objects.next() {
        let members = match (next, broken) {
            (Ok(members), _) => members.into(),
            // A text that ends inside an object is cut by the invalid byte.
            (Err(error), Some(at)) if error.is_eof() => return Err(not_utf8(at)),
            (Err(error), _) => return Err(Fault::from(error).explained(text)),
        };
        let object = text.get(end..objects.byte_offset()).unwrap_or_default().trim_ascii_start();
        end = objects.byte_offset();
        each(message(object, members, observer.as_mut())?);
    }
    broken.map_or(Ok(()), |at| Err(not_utf8(at)))
}

fn valid_part(line: &[u8], length: usize) -> &str {
    line.get(..length).and_then(|part| std::str::from_utf8(part).ok()).unwrap_or_default()
}

fn message<'a>(
    text: &'a str,
    members: Members<'a>,
    observer: Option<&mut Observer<'_>>,
) -> Result<Message<'a>, Fault> {
    let record = Record::of_members(Kind::Message, members)?;
    let counted = observer
        .map_or(Counted::Nothing, |Observer { observed, line }| observed.add(&record, "", *line));
    let form = form(text, &record);
    let time = record.time("timestamp");
    let words = FIELDS.map(|field| record.word(field));
    Ok(Message { text, form, time, words, counted })
}

fn form(text: &str, record: &Record<'_>) -> Form {
    if !record.is_compact(text) {
        return Form::Rewritten;
    }
    let mut additions = Additions::default();
    for (place, row) in additions.0.iter_mut().zip(Kind::Message.filled()) {
        match record.filled(row) {
            None => {}
            Some(Filled::Added(value)) if value.starts_with('"') && !value.contains('\\') => {
                let start = (value.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
                let (Ok(start), Ok(length)) = (u16::try_from(start), u16::try_from(value.len()))
                else {
                    return Form::Rewritten;
                };
                *place = Place { start, length };
            }
            Some(_) => return Form::Rewritten,
        }
    }
    if additions.is_empty() { Form::Verbatim } else { Form::Extended(additions) }
}

impl Additions {
    /// Whether no alias is added.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Writes a message of the log as it is served.
pub fn write(text: &str, form: Form, out: &mut Vec<u8>) {
    match form {
        Form::Verbatim => out.extend_from_slice(text.as_bytes()),
        Form::Extended(additions) => write_extended(text.as_bytes(), additions, out),
        Form::Rewritten => match Record::read(Kind::Message, text) {
            Ok(record) => record.write(None, &[], out),
            // Only messages that were read before get here.
            Err(_) => out.extend_from_slice(text.as_bytes()),
        },
    }
}

fn write_extended(text: &[u8], Additions(places): Additions, out: &mut Vec<u8>) {
    out.extend_from_slice(text.strip_suffix(b"}").unwrap_or(text));
    for (Place { start, length }, added) in places.iter().zip(&ADDED) {
        if *length > 0 {
            let (start, length) = (usize::from(*start), usize::from(*length));
            out.extend_from_slice(added.as_bytes());
            out.extend_from_slice(text.get(start..start + length).unwrap_or_default());
        }
    }
    out.push(b'}');
}

/// The values of [`FIELDS`] of a message, in that order.
pub type Words<'a> = [Option<Cow<'a, str>>; FIELDS.len()];

/// Reads the values of [`FIELDS`] of a message that was read before.
pub fn words(text: &str) -> Words<'_> {
    let record = Record::read(Kind::Message, text).ok();
    FIELDS.map(|field| record.as_ref()?.word(field))
}

/// A message's time as written, if it has one.
pub fn written_time(text: &str) -> Option<String> {
    let record = Record::read(Kind::Message, text).ok()?;
    record.word("timestamp").map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_too_far_behind_for_the_short_form_is_added_too() {
        let long = "x".repeat(70_000);
        let line = format!(r#"{{"n":"{long}","ts":"t"}}"#);
        let mut text = Vec::new();
        let write = |message: Message<'_>| write(message.text, message.form, &mut text);
        read_line(line.as_bytes(), None, write).unwrap();
        let expected = format!(r#"{{"n":"{long}","ts":"t","timestamp":"t"}}"#);
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
