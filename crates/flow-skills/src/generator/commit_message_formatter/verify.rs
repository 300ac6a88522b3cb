//! What is wrong with a commit's message, for `flow skill verify commit-message-formatter`. Lines that begin with `#`, as
//! git's own template has them, are no part of it.

use super::super::conventional::{self, TYPES};
use super::body::TOO_LONG;
use crate::generator::skill::Finding;

/// Checks a message by the rules of commitlint's conventional configuration.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let (numbers, lines): (Vec<usize>, Vec<&str>) = lines.map(|(at, line)| (at + 1, line)).unzip();
    let Some(header) = lines.first().filter(|header| !header.trim().is_empty()) else {
        return vec![Finding::new(1, "the message is empty: write `fix: what was done`")];
    };
    let first = numbers.first().copied().unwrap_or(1);
    let mut found = Vec::new();
    let message = conventional::parse(&lines.join("\n"));
    let description = header.split_once(": ").map(|(_, description)| description.trim());
    match (&message, description) {
        (_, None) => {
            found.push(Finding::new(
                first,
                "the subject has no type: begin with `fix: ` or another",
            ));
        }
        (None, Some(_)) => {
            let types = TYPES.join(", ");
            found.push(Finding::new(first, format!("the type of the subject is none of {types}")));
        }
        (Some(_), Some(description)) => {
            if description.ends_with('.') {
                found.push(Finding::new(first, "the subject ends with a full stop: remove it"));
            }
            if description.starts_with(char::is_uppercase)
                && !description.chars().nth(1).is_some_and(char::is_uppercase)
            {
                found
                    .push(Finding::new(first, "the subject begins with a capital: write it small"));
            }
        }
    }
    if lines.get(1).is_some_and(|line| !line.trim().is_empty()) {
        found.push(Finding::new(first + 1, "an empty line must stand below the subject"));
    }
    for (number, line) in numbers.iter().zip(&lines) {
        found.extend(too_long(line).map(|what| Finding::new(*number, what)));
    }
    let breaks = message.as_ref().is_some_and(|message| message.what_breaks().is_some());
    let is_marked = header.split(": ").next().is_some_and(|start| start.ends_with('!'));
    if breaks && !is_marked {
        let what = "a footer says what breaks: put `!` before the colon of the subject too";
        found.push(Finding::new(first, what));
    }
    found
}

/// The error of a line that is too long. A URL cannot be wrapped.
fn too_long(line: &str) -> Option<String> {
    let length = line.chars().count();
    (length > TOO_LONG && !line.contains("://"))
        .then(|| format!("the line has {length} characters, over {TOO_LONG}: wrap it"))
}
