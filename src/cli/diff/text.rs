//! The comparison for a terminal.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use super::states::States;
use crate::cli::terminal::{Size, cut, fit};
use crate::cli::text::{attention, emphasis, escape};
use crate::store::plan_change::RecordPlace;
use crate::store::plan_changes::PlanChanges;
use crate::store::plan_rows::{Label, Row, Summary};

/// Widest column of records, and of what happened to them where the width of the output is not known.
const SUBJECT: usize = 34;
const WHAT: usize = 90;

pub(super) fn report(
    states: &States,
    found: &PlanChanges,
    summary: &Summary<'_>,
    all: bool,
) -> String {
    if found.changes.is_empty() {
        let compared = if states.is_partial(found) { " in what was compared," } else { "" };
        return format!("No change of the plan{compared} between {}\n", escape(&states.names()));
    }
    let is_shown = |row: &&Row<'_>| all || row.label.is_weaker();
    let rows: Vec<[String; 4]> = summary.rows.iter().filter(is_shown).map(cells).collect();
    let widest = |at: usize| rows.iter().map(|row| row[at].width()).max().unwrap_or_default();
    let (label, subject) = (widest(0), widest(1).min(SUBJECT));
    let place = widest(3);
    let what = match Size::known_width() {
        Some(width) => widest(2).min(width.saturating_sub(label + subject + place + 6).max(20)),
        None => widest(2).min(WHAT),
    };
    let mut out = String::new();
    for [name, id, text, at] in &rows {
        // A text that does not fit is cut only where the width is known.
        let text = if Size::known_width().is_some() { cut(text, what) } else { text.clone() };
        let line = format!(
            "{}  {}  {}  {at}",
            attention(&fit(name, label)),
            padded(id, subject),
            padded(&text, what)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let rest = summary.counts.iter().filter(|(label, _)| all || !label.is_weaker());
    let rest: Vec<String> =
        rest.map(|(label, count)| format!("{} {count}", label.name())).collect();
    let mut last = if rest.is_empty() { String::new() } else { rest.join(" · ") };
    if !summary.is_weaker() {
        let nothing = if states.is_partial(found) {
            "Nothing was taken back in what was compared"
        } else {
            "Nothing was taken back"
        };
        last = if last.is_empty() { nothing.to_owned() } else { format!("{nothing}. {last}") };
    }
    let shows_rest = summary.counts.iter().any(|(label, _)| !label.is_weaker());
    if !all && shows_rest {
        let words =
            if states.words.is_empty() { String::new() } else { format!(" {}", states.words) };
        let _ = write!(
            last,
            "   to list them: {}",
            emphasis(&format!("flow diff{} --all", escape(&words)))
        );
    }
    if !last.is_empty() {
        let _ = writeln!(out, "{last}");
    }
    out
}

fn cells(row: &Row<'_>) -> [String; 4] {
    let label = if row.label == Label::Gone { "Removed" } else { row.label.name() };
    [
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
