//! The messages of a log.

use super::json::{self, Json};
use super::problem::{At, Level, Problem};
use super::records::{self, MESSAGES};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// A message.
pub(crate) struct Message {
    pub(crate) body: Json,
    /// The line that it is on, if that one is finished.
    pub(crate) line: Option<usize>,
}

/// All messages in the order of the file, and the lines that were skipped completely or in part.
pub(crate) fn read(bytes: &[u8]) -> (Vec<Message>, Vec<Problem>) {
    let mut messages = Vec::new();
    let mut problems = Vec::new();
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    for (index, line) in lines.iter().enumerate() {
        let (found, whole) = read_line(line);
        let finished = (index + 1 < lines.len()).then_some(index + 1);
        messages.extend(found.into_iter().map(|body| Message { body, line: finished }));
        if let Some(line) = finished.filter(|_| !whole) {
            problems.push(Problem { source: "bus", at: At::Line(line), level: Level::Skipped });
        }
    }
    (messages, problems)
}

/// The objects of a line up to the first invalid one; `false` if there is one.
fn read_line(line: &[u8]) -> (Vec<Json>, bool) {
    let line = line.strip_prefix(BOM).unwrap_or(line);
    let mut messages = Vec::new();
    let mut at = json::skip_space(line, 0);
    while at < line.len() {
        match json::read_first(line, at) {
            Ok((object @ Json::Map(_), end)) if !object.is_unservable() => {
                messages.push(served(object));
                at = json::skip_space(line, end);
            }
            _ => return (messages, false),
        }
    }
    (messages, true)
}

fn served(object: Json) -> Json {
    let Json::Map(mut members) = object.without_doubles() else { unreachable!("it is a map") };
    records::fill_aliases(&mut members, MESSAGES.aliases, None);
    Json::Map(members)
}
