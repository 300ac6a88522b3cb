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
    let mut findings: Vec<Finding> = Finding::left_open(text).into_iter().collect();
    let mut add = |line: usize, what: String| findings.push(Finding::new(line, what));
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
    let mut places: HashMap<&str, &Row> = HashMap::new();
    for row in &rows {
        if let Some(first) = places.insert(&row.id, row) {
            add(row.line, format!("{} is already in line {}", row.id, first.line));
        }
        if row.size != "-" && Effort::parse(&row.size).is_none() {
            add(row.line, format!("{:?} is not a size: write 3 points, 4 h or 2d", row.size));
        }
    }
    for Row { line, wave, id, after, .. } in &rows {
        for need in after {
            if let Some(other) = places.get(need.as_str()) {
                if other.wave >= *wave {
                    let place = format!("of line {}, which is in no earlier wave", other.line);
                    add(*line, format!("{id} needs {need} {place}"));
                }
            } else if snapshot.as_ref().is_some_and(|snapshot| snapshot.story(need).is_none()) {
                add(*line, format!("{id} needs {need}, which is not in the project"));
            }
        }
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// A row of a table of stories.
struct Row {
    line: usize,
    wave: usize,
    id: String,
    /// Its size, as written.
    size: String,
    after: Vec<String>,
}

/// The rows of the waves: story, title, size, after.
fn rows(text: &str) -> Vec<Row> {
    let mut current = None;
    let mut rows = Vec::new();
    for (line, raw) in outside_fences(text) {
        if let Some((_, name)) = heading(raw.trim()) {
            current = name.strip_prefix("Wave ").and_then(|number| number.parse().ok());
        }
        let Some(wave) = current else { continue };
        let cells: Vec<String> =
            table::cells(raw).into_iter().map(|cell| table::text(&cell)).collect();
        if let [id, _, size, after, ..] = cells.as_slice()
            && table::is_row(raw.trim())
            && is_id(id)
        {
            let after = after.split(", ").filter(|id| is_id(id)).map(str::to_owned).collect();
            rows.push(Row { line, wave, id: id.clone(), size: size.clone(), after });
        }
    }
    rows
}
