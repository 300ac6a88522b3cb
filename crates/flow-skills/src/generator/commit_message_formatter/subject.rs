//! The first line of a message: its type, and its description in the form of the convention.

use super::super::conventional::Message;
use super::NAME;
use super::body::{self, TOO_LONG};
use crate::output::{self, Fault, Result, bad_text};
use crate::text::{bare, lists};

/// Width from which a first line is long, in columns; git and its hosts truncate it in lists.
const LONG: usize = 72;

/// The types of commits, each with the verbs that name it, as the first word of a description.
const VERBS: [(&str, &str); 8] = [
    ("feat", "add introduce implement support allow"),
    ("fix", "fix correct repair prevent"),
    ("docs", "document"),
    ("style", "format reformat"),
    ("refactor", "refactor rename extract move simplify"),
    ("test", "test"),
    ("chore", "bump upgrade"),
    ("revert", "revert"),
];

pub(super) fn missing() -> Fault {
    let what = "what the commit does, in the imperative, such as \"add a login form\"";
    output::missing("description", "text", what)
}

/// The fault of a missing type, with the command that has one.
pub(super) fn no_type(description: &str) -> Fault {
    let text = bare(description).replace(['"', '\\', '$', '`'], "'");
    let command = format!("flow skill {NAME} type=feat \"{text}\"");
    let wanted = format!("write {command}, or with type=fix or type=refactor");
    output::missing("type", &wanted, "the kind of change")
}

/// The description in the form of the convention: one line, without a full stop and without an initial capital.
pub(super) fn conventional(text: &str, notes: &mut Vec<String>) -> Result<String> {
    if text.chars().any(char::is_control) {
        return Err(bad_text("description", text, "one line without control characters"));
    }
    let mut line = text.trim();
    if line.ends_with('.') {
        let is_ellipsis = line.ends_with("...") && !line.ends_with("....");
        let end = if is_ellipsis { "dots" } else { "full stop" };
        notes.push(format!("removed the {end} at the end of the description"));
        line = line.trim_end_matches(['.', ' ']);
    }
    let Some(first) = line.chars().next() else { return Err(missing()) };
    let is_lower = |c: char| !c.is_alphabetic() || c.to_lowercase().eq(std::iter::once(c));
    if is_lower(first) {
        return Ok(line.to_owned());
    }
    let (word, rest) = line.split_at(line.find(' ').unwrap_or(line.len()));
    let is_plain = word.chars().skip(1).all(is_lower);
    // An acronym or a name keeps its case, as code, which commitlint accepts.
    let name = word.trim_end_matches([',', ':', ';']);
    let begun = if is_plain {
        word.to_lowercase()
    } else {
        format!("`{}`{}", name.replace('`', ""), &word[name.len()..])
    };
    notes.push(format!("wrote {begun} for {word}: a description does not begin with a capital"));
    if begun.starts_with(is_lower) {
        return Ok(begun + rest);
    }
    Err(bad_text("description", text, "a text that begins with a lower-case letter"))
}

/// Adds a missing type if the first word of the description names it.
pub(super) fn complete(message: &mut Message, notes: &mut Vec<String>) -> Result<()> {
    if !message.kind.is_empty() {
        return Ok(());
    }
    let word = message.description.split(' ').next().unwrap_or_default();
    let Some((kind, _)) = VERBS.into_iter().find(|(_, verbs)| lists(verbs, word)) else {
        return Err(no_type(&message.description));
    };
    notes.push(format!("took the type {kind} from the word {word:?}; type=… sets another"));
    kind.clone_into(&mut message.kind);
    Ok(())
}

/// Refuses a first line that is too long, and adds a note on a long one.
pub(super) fn measure(header: &str, notes: &mut Vec<String>) -> Result<()> {
    let columns = body::width(header);
    if columns > TOO_LONG {
        let wanted = format!("a first line of at most {TOO_LONG} columns; it has {columns}");
        return Err(bad_text("description", header, &wanted));
    }
    if columns > LONG {
        notes.push(format!("the first line has {columns} columns; {LONG} are better"));
    }
    Ok(())
}
