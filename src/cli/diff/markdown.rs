//! The comparison as Markdown, for a comment on a pull request.

use std::fmt::Write as _;

use super::states::States;
use crate::cli::plan_table::place;
use crate::cli::text::escape;
use crate::skill::text::{md, table};
use crate::store::plan_changes::PlanChanges;
use crate::store::plan_rows::{Label, Row, Summary};

pub(super) fn document(
    states: &States,
    found: &PlanChanges,
    summary: &Summary<'_>,
    all: bool,
) -> String {
    let heading = match (found.changes.is_empty(), summary.is_weaker()) {
        (_, true) => "The plan promises less",
        _ if states.is_partial(found) => "A part of the plan was not compared",
        (true, false) => "No plan changes",
        (false, false) => "Nothing was taken back from the plan",
    };
    let mut out = format!("### {heading}\n\nBetween {}.\n", text(&states.names()));
    let shown: Vec<&Row<'_>> = summary.rows.iter().filter(|row| row.label.is_weaker()).collect();
    write_table(&mut out, &shown);
    let rest: Vec<&Row<'_>> = summary.rows.iter().filter(|row| !row.label.is_weaker()).collect();
    let counts = summary.counts.iter().filter(|(label, _)| !label.is_weaker());
    let counts: Vec<String> =
        counts.map(|(label, count)| format!("{} {count}", label.name())).collect();
    if !counts.is_empty() {
        let _ = writeln!(out, "\n{}", counts.join(" · "));
    }
    if all {
        write_table(&mut out, &rest);
    }
    for one in &found.not_compared {
        let (file, reason) = (md::code_span(&escape(&one.file)), text(&one.reason));
        let _ = writeln!(out, "\nNot compared: {file}: {reason}");
    }
    for sentence in states.notes() {
        let _ = writeln!(out, "\n{}", text(&sentence));
    }
    out
}

fn write_table(out: &mut String, rows: &[&Row<'_>]) {
    if rows.is_empty() {
        return;
    }
    out.push_str("\n| | Record | Change | File |\n|---|---|---|---|\n");
    for row in rows {
        let name = if row.label == Label::Gone { "Removed" } else { row.label.name() };
        let at = row.place.as_ref().map(|at| table::cell(&md::code_span(&place(at))));
        let (subject, what) = (cell(&row.subject), cell(&row.what));
        let _ = writeln!(out, "| {name} | {subject} | {what} | {} |", at.unwrap_or_default());
    }
}

/// A text in a paragraph. Characters that would hide a part of it are shown.
fn text(text: &str) -> String {
    md::escape(&escape(text))
}

fn cell(text: &str) -> String {
    table::cell(&escape(text))
}
