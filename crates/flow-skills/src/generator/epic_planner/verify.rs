//! Verifies the plan of an epic, for `flow skill verify epic-planner`.

use std::collections::HashMap;

use crate::generator::skill::Finding;
use crate::input::effort::Effort;
use crate::input::notation::outside_fences;
use crate::project_state::{Context, Snapshot};
use crate::text::{heading, is_id, table};

/// Checks a plan: its title and waves, that each story depends only on stories of earlier waves or of the project,
/// duplicate ids, and open questions.
pub(super) fn verify(text: &str, context: &Context) -> Vec<Finding> {
    let mut found: Vec<Finding> = Finding::left_open(text).into_iter().collect();
    let mut add = |line: usize, what: String| found.push(Finding::new(line, what));
    let title = outside_fences(text).find_map(|(_, line)| heading(line.trim()));
    let is_titled = title.is_some_and(|(level, name)| {
        level == 1 && name.split_once(": ").is_some_and(|(id, _)| is_id(id))
    });
    if !is_titled {
        add(1, "the plan has no title: begin with `# EP-0001: Title`".to_owned());
    }
    let rows = rows(text);
    if rows.is_empty() {
        add(1, "there is no story: add `## Wave 1` with a table of stories".to_owned());
    }
    let snapshot = Snapshot::read(&context.state).ok();
    let mut places: HashMap<&str, (usize, usize)> = HashMap::new();
    for (line, wave, row) in &rows {
        if let Some((first, _)) = places.insert(&row.id, (*line, *wave)) {
            add(*line, format!("{} is already in line {first}", row.id));
        }
        if row.size != "-" && Effort::parse(&row.size).is_none() {
            add(*line, format!("{:?} is not a size: write 3 points, 4 h or 2d", row.size));
        }
    }
    for (at, own_wave, row) in &rows {
        for need in &row.after {
            let is_recorded =
                || snapshot.as_ref().is_none_or(|snapshot| snapshot.story(need).is_some());
            match places.get(need.as_str()) {
                Some((line, wave)) if wave >= own_wave => add(
                    *at,
                    format!("{} needs {need} of line {line}, which is in no earlier wave", row.id),
                ),
                None if !is_recorded() => {
                    add(*at, format!("{} needs {need}, which is not in the project", row.id));
                }
                _ => {}
            }
        }
    }
    found.sort_by_key(|finding| finding.line);
    found
}

/// A row of a table of stories.
struct Row {
    id: String,
    /// Its size, as written.
    size: String,
    after: Vec<String>,
}

/// Reads a row: story, title, size, after.
fn row(raw: &str) -> Option<Row> {
    let mut cells = table::cells(raw).into_iter().map(|cell| table::text(&cell));
    let (id, _) = (cells.next().filter(|id| is_id(id))?, cells.next()?);
    let (size, after) = (cells.next()?, cells.next()?);
    let after = after.split(", ").filter(|id| is_id(id)).map(str::to_owned).collect();
    Some(Row { id, size, after })
}

/// The rows of the waves, each with its line and its wave.
fn rows(text: &str) -> Vec<(usize, usize, Row)> {
    let mut wave = None;
    let mut found = Vec::new();
    for (line, raw) in outside_fences(text) {
        if let Some((_, name)) = heading(raw.trim()) {
            wave = name.strip_prefix("Wave ").and_then(|number| number.parse().ok());
        }
        let Some(wave) = wave.filter(|_| table::is_row(raw.trim())) else { continue };
        found.extend(row(raw).map(|row| (line, wave, row)));
    }
    found
}
