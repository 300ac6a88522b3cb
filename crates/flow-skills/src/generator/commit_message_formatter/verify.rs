//! What is wrong with a commit's message, for `flow skill verify commit-message-formatter`. Lines that begin with `#`, as
//! git's own template has them, are no part of it.

use super::super::conventional::{self, TYPES};
use super::body::TOO_LONG;
use crate::page::Finding;

/// Checks a message by the rules of commitlint's conventional configuration.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let (numbers, lines): (Vec<usize>, Vec<&str>) = lines.map(|(at, line)| (at + 1, line)).unzip();
    let Some(header) = lines.first().filter(|header| !header.trim().is_empty()) else {
        return vec![Finding::new(1, "the message is empty: write `fix: what was done`")];
    };
    let first = numbers.first().copied().unwrap_or(1);
    let mut findings = Vec::new();
    let message = conventional::parse(&lines.join("\n"));
    let description = header.split_once(": ").map(|(_, description)| description.trim());
    let mut add = |line: usize, what: &str| findings.push(Finding::new(line, what));
    match (&message, description) {
        (_, None) => add(first, "the subject has no type: begin with `fix: ` or another"),
        (None, Some(_)) => {
            add(first, &format!("the type of the subject is none of {}", TYPES.join(", ")));
        }
        (Some(_), Some(description)) => {
            if description.ends_with('.') {
                add(first, "the subject ends with a full stop: remove it");
            }
            if description.starts_with(char::is_uppercase)
                && !description.chars().nth(1).is_some_and(char::is_uppercase)
            {
                add(first, "the subject begins with a capital: use lower case");
            }
        }
    }
    if lines.get(1).is_some_and(|line| !line.trim().is_empty()) {
        add(first + 1, "an empty line must stand below the subject");
    }
    // A URL cannot be wrapped.
    let long = |line: &str| Some(line.chars().count()).filter(|_| !line.contains("://"));
    for (number, line) in numbers.iter().zip(&lines) {
        if let Some(length) = long(line).filter(|length| *length > TOO_LONG) {
            add(*number, &format!("the line has {length} characters, over {TOO_LONG}: wrap it"));
        }
    }
    let breaks = message.as_ref().is_some_and(|message| message.what_breaks().is_some());
    let is_marked = header.split(": ").next().is_some_and(|start| start.ends_with('!'));
    if breaks && !is_marked {
        add(first, "a footer says what breaks: put `!` before the colon of the subject too");
    }
    findings
}
