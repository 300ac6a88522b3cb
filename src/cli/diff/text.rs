//! The comparison for a terminal.

use std::fmt::Write as _;

use super::states::States;
use crate::cli::plan_table;
use crate::cli::text::{emphasis, escape};
use crate::store::plan_changes::PlanChanges;
use crate::store::plan_rows::{Row, Summary};

pub(super) fn report(
    states: &States,
    found: &PlanChanges,
    summary: &Summary<'_>,
    all: bool,
) -> String {
    if states.is_first {
        return "There was no comparison before.\n".to_owned();
    }
    if found.changes.is_empty() {
        let compared = if states.is_partial(found) { " in what was compared," } else { "" };
        return format!("No plan changes{compared} between {}\n", escape(&states.names()));
    }
    let is_shown = |row: &&Row<'_>| all || row.label.is_weaker();
    let mut out =
        plan_table::lines(summary.rows.iter().filter(is_shown).map(|row| (String::new(), row)));
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
