//! The messages of a log.

use super::json::{self, Json};
use super::records::{self, Alias};
use super::{At, Problem};

const ALIASES: &[Alias] = &[
    ("story_id", &["story", "storyId"]),
    ("from", &["agent", "sender"]),
    ("timestamp", &["ts", "at"]),
];
const BOM: &[u8] = b"\xef\xbb\xbf";

/// All messages in the order of the file, and the lines that were skipped completely or in part.
pub(crate) fn read(bytes: &[u8]) -> (Vec<Json>, Vec<Problem>) {
    let mut messages = Vec::new();
    let mut problems = Vec::new();
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    for (index, line) in lines.iter().enumerate() {
        let whole = read_line(line, &mut messages);
        let finished = index + 1 < lines.len();
        if !whole && finished {
            problems.push(Problem { source: "bus", at: At::Line(index + 1), certain: true });
        }
    }
    (messages, problems)
}

/// Adds the objects of a line up to the first invalid one; `false` if there is one.
fn read_line(line: &[u8], messages: &mut Vec<Json>) -> bool {
    let line = line.strip_prefix(BOM).unwrap_or(line);
    let mut at = json::skip_space(line, 0);
    while at < line.len() {
        match json::read_first(line, at) {
            Ok((object @ Json::Map(_), end)) if !object.is_unservable() => {
                messages.push(served(object));
                at = json::skip_space(line, end);
            }
            _ => return false,
        }
    }
    true
}

fn served(object: Json) -> Json {
    let Json::Map(mut members) = object.without_doubles() else { unreachable!("it is a map") };
    records::fill_aliases(&mut members, ALIASES);
    Json::Map(members)
}
