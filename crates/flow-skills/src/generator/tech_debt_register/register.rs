//! The register as a document: reading its tables of debts, and checking it.

use serde_json::{Map, Value};

use super::item::Item;
use crate::output::{Fault, Result};
use crate::page::{self, Document, Finding, Form};
use crate::project_state::Context;

use super::super::report::unknown_ids;

/// The columns that are members of a debt.
const MEMBERS: [&str; 7] = ["title", "type", "place", "impact", "urgency", "effort", "story"];
/// The columns that are computed.
const COMPUTED: [&str; 3] = ["no.", "score", "missing"];

/// A row of a register: its line, and its cells by their columns.
pub(super) struct Row {
    pub(super) line: usize,
    cells: Map<String, Value>,
}

/// The rows of the tables of debts; a register's other parts are computed from them and from the project.
pub(super) fn rows(document: &Document<'_>) -> Vec<Row> {
    let mut all = Vec::new();
    for part in &document.parts {
        let mut rows = part.rows();
        let Some((_, header)) = rows.next() else { continue };
        let names = header.iter().map(|name| name.to_lowercase());
        let names: Vec<String> =
            names.map(|name| if name == "what" { "title".to_owned() } else { name }).collect();
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        if has("title") && (has("impact") || has("missing")) {
            all.extend(rows.map(|(line, cells)| Row::of(line, &names, cells)));
        }
    }
    all
}

impl Row {
    fn of(line: usize, names: &[String], cells: Vec<String>) -> Self {
        let cells = names.iter().cloned().zip(cells);
        let cells = cells.filter(|(_, cell)| !cell.is_empty() && cell != "-");
        let value = |cell: String| cell.parse::<i64>().map_or(cell.into(), Value::from);
        Self { line, cells: cells.map(|(name, cell)| (name, value(cell))).collect() }
    }

    /// What is wrong with a column that registers do not have.
    fn unknown_column(&self) -> Option<String> {
        let is_known = |name: &str| MEMBERS.contains(&name) || COMPUTED.contains(&name);
        let name = self.cells.keys().find(|name| !is_known(name))?;
        let what =
            "no column of a register: say it in the words of the debt, and leave the column out";
        Some(format!("{name:?} is {what}"))
    }

    pub(super) fn item(&self, field: String) -> Result<Item> {
        if let Some(what) = self.unknown_column() {
            return Err(Fault::Refused(format!("{field}: {what}")));
        }
        let mut members = self.cells.clone();
        members.retain(|name, _| MEMBERS.contains(&name.as_str()));
        Item::of(field, members)
    }

    /// What is wrong with the row below one with the score `above`, which becomes its own.
    fn fault(&self, above: &mut Option<f64>) -> Option<String> {
        if let Some(what) = self.unknown_column() {
            return Some(what);
        }
        let item = match self.item(String::new()) {
            Ok(item) => item,
            Err(fault) => return Some(fault.to_string()),
        };
        let Some(score) = item.score() else {
            return Some(format!("{} of this debt is missing", item.missing().join(", ")));
        };
        let stated = self.cells.get("score");
        if stated.and_then(|stated| stated.as_f64().or_else(|| stated.as_str()?.parse().ok()))
            != Some(score)
        {
            return Some(format!("the score must be {score:.2}: impact x urgency / effort"));
        }
        let is_higher = above.replace(score).is_some_and(|above| score > above);
        is_higher.then(|| "the highest score comes first".to_owned())
    }
}

/// Checks figures, scores and their order, that no debt stands twice, that nothing is left open, and in a project that it
/// has the ids.
pub(super) fn verify(text: &str, context: &Context) -> Vec<Finding> {
    page::check(text, &Form::new("# Technical debt", &[]), |document, findings| {
        let rows = rows(document);
        let mut above = None;
        let fault = |row: &Row| Some(Finding::new(row.line, row.fault(&mut above)?));
        findings.extend(rows.iter().filter_map(fault));
        let titles = rows.iter().filter_map(|row| Some((row.line, row.cells.get("title")?)));
        let what = |_: &&Value, first| format!("this debt is already on line {first}");
        findings.extend(Finding::repeated(titles, what));
        if context.state.is_there() {
            findings.extend(unknown_ids(document, context));
        }
    })
}
