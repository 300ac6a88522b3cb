//! Changes of the plan as lines of a terminal: when, what kind, which record, what, where.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::terminal::{Size, cut, fit};
use super::text::{attention, escape};
use crate::store::plan_change::RecordPlace;
use crate::store::plan_rows::{Label, Row};

/// Widest column of records, and of what happened to them where the width of the output is not known.
const SUBJECT: usize = 34;
const WHAT: usize = 90;

/// The rows, each with a text before it, such as its time.
pub(super) fn lines<'a>(rows: impl Iterator<Item = (String, &'a Row<'a>)>) -> String {
    let rows: Vec<[String; 5]> = rows.map(|(before, row)| cells(before, row)).collect();
    let widest = |at: usize| rows.iter().map(|row| row[at].width()).max().unwrap_or_default();
    let before = match widest(0) {
        0 => 0,
        width => width + 2,
    };
    let (label, subject, place) = (widest(1), widest(2).min(SUBJECT), widest(4));
    let what = match Size::known_width() {
        Some(width) => {
            let others = before + label + subject + place + 6;
            widest(3).min(width.saturating_sub(others).max(20))
        }
        None => widest(3).min(WHAT),
    };
    let mut out = String::new();
    for [first, name, id, text, at] in &rows {
        // A text that does not fit is cut only where the width is known.
        let text = if Size::known_width().is_some() { cut(text, what) } else { text.clone() };
        let line = format!(
            "{}{}  {}  {}  {at}",
            padded(first, before),
            attention(&fit(name, label)),
            padded(id, subject),
            padded(&text, what)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn cells(before: String, row: &Row<'_>) -> [String; 5] {
    let label = if row.label == Label::Gone { "Removed" } else { row.label.name() };
    [
        before,
        label.to_owned(),
        escape(&row.subject),
        escape(&row.what),
        row.place.as_ref().map(place).unwrap_or_default(),
    ]
}

/// A file with the line: `specs/001/tasks.md:17`.
pub(super) fn place(place: &RecordPlace) -> String {
    let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}", escape(&place.file))
}

/// A text with at least this width.
fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}
