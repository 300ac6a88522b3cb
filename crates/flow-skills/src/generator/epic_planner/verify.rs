//! Verifies the plan of an epic, for `flow skill verify epic-planner`.

use std::collections::HashMap;

use crate::input::effort::Effort;
use crate::page::{self, Document, Finding, Form};
use crate::project_state::{Context, Snapshot};
use crate::text::is_id;

/// Checks a plan: its title and waves, that each story depends only on stories of earlier waves or of the project,
/// duplicate ids, and open questions.
pub(super) fn verify(text: &str, context: &Context) -> Vec<Finding> {
    page::check(text, &Form::new("# EP-0001: Title", &[]), |document, findings| {
        plan(document, context, findings);
    })
}

fn plan(document: &Document<'_>, context: &Context, findings: &mut Vec<Finding>) {
    let mut add = |line: usize, what: String| findings.push(Finding::new(line, what));
    let title = document.parts.iter().find(|part| part.level == 1);
    let id = title.and_then(|title| title.name.split_once(": ")).filter(|(id, _)| is_id(id));
    if let Some(title) = title.filter(|_| id.is_none()) {
        add(title.number, "the title has no id: begin with `# EP-0001: Title`".to_owned());
    }
    let rows = rows(document);
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
fn rows(document: &Document<'_>) -> Vec<Row> {
    let wave = |name: &str| name.strip_prefix("Wave ").and_then(|number| number.parse().ok());
    let mut rows = Vec::new();
    for part in &document.parts {
        let Some(wave) = wave(part.name) else { continue };
        for (line, cells) in part.rows() {
            let [id, _, size, after, ..] = cells.as_slice() else { continue };
            if is_id(id) {
                let after = after.split(", ").filter(|id| is_id(id)).map(str::to_owned).collect();
                rows.push(Row { line, wave, id: id.clone(), size: size.clone(), after });
            }
        }
    }
    rows
}
