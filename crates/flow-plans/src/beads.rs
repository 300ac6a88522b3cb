//! beads: the issues that `.beads/issues.jsonl` exports, one a line.

use std::collections::HashSet;

use flow_model::fault::Fault;
use flow_model::json;
use flow_model::kind::Kind;
use flow_model::problem::Effect;
use serde_json::{Map, Value};

use crate::checklist::without_mark;
use crate::format::{FileRecords, Format, Part};
use crate::json_file::id_text;
use crate::plan::Issue;
use crate::size::{MOST_OBJECT, MOST_RECORDS};

const FILE: &str = ".beads/issues.jsonl";
/// Deepest nesting of an issue: its record is two levels deeper in a document, which may have 128.
const DEEPEST: usize = 100;
/// The status of a deleted issue.
const DELETED: &str = "tombstone";

/// beads.
#[derive(Debug)]
pub struct Beads;

impl Format for Beads {
    fn name(&self) -> &'static str {
        "beads"
    }

    fn places(&self) -> &[&str] {
        &[FILE]
    }

    fn marks(&self) -> &'static [&'static str] {
        &[".beads/issues.jsonl"]
    }

    fn owns(&self, path: &str) -> bool {
        path == FILE
    }

    fn is_present(&self, files: &[&str], _: &dyn Fn(&str) -> bool) -> bool {
        !files.is_empty()
    }

    fn states_dependencies(&self, kind: Kind) -> bool {
        kind == Kind::Story
    }

    fn is_export(&self) -> bool {
        true
    }

    fn read(&self, _: &str, text: &str) -> FileRecords {
        let mut records = FileRecords::default();
        let mut parts = Vec::new();
        for (index, line) in without_mark(text).split('\n').enumerate() {
            let number = index as u64 + 1;
            match read_issue(line, number) {
                // One more than is read shows that there are too many.
                Ok(part) if parts.len() <= MOST_RECORDS => parts.extend(part),
                Ok(_) => {}
                Err(reason) => {
                    records.report(Issue { line: number, effect: Effect::Skipped, reason });
                }
            }
        }
        let is_epic =
            |part: &&Part| part.members.get("issue_type").and_then(Value::as_str) == Some("epic");
        let epics: HashSet<String> =
            parts.iter().filter(is_epic).map(|part| part.id.clone()).collect();
        for mut part in parts {
            if epics.contains(&part.id) {
                part.kind = Kind::Epic;
            }
            if part.members.get("status").and_then(Value::as_str) == Some(DELETED) {
                records.retire(part.kind, part.id);
                continue;
            }
            // `shift_remove` keeps the order of the others.
            if let Some(edges) = part.members.shift_remove("dependencies") {
                part.members.extend(relations(&edges, &epics));
            }
            records.add(part);
        }
        records
    }
}

/// The issue of a line; `None` if there is none, as in a line of another type.
fn read_issue(text: &str, line: u64) -> Result<Option<Part>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    if text.len() > MOST_OBJECT {
        return Err("an issue of more than 1 MiB".to_owned());
    }
    if json::is_deeper_than(text, DEEPEST) {
        return Err("nested too deeply".to_owned());
    }
    let mut members: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| Fault::from(error).to_string())?;
    if members.get("_type").is_some_and(|kind| kind != "issue") {
        return Ok(None);
    }
    let id =
        members.shift_remove("id").as_ref().and_then(id_text).ok_or("an issue without an id")?;
    Ok(Some(Part { kind: Kind::Story, id, line, members: members.into() }))
}

/// What the edges of an issue say: `blocks` is a dependency, `parent-child` its epic or parent, any other is related.
fn relations(edges: &Value, epics: &HashSet<String>) -> Map<String, Value> {
    let mut depends_on = Vec::new();
    let mut related = Vec::new();
    let mut members = Map::new();
    for edge in edges.as_array().map(Vec::as_slice).unwrap_or_default() {
        let Some(id) = edge.get("depends_on_id").and_then(id_text) else { continue };
        match edge.get("type").and_then(Value::as_str) {
            Some("blocks") => depends_on.push(Value::from(id)),
            Some("parent-child") => {
                let name = if epics.contains(&id) { "epic_id" } else { "parent" };
                members.entry(name).or_insert_with(|| id.into());
            }
            _ => related.push(Value::from(id)),
        }
    }
    for (name, ids) in [("depends_on", depends_on), ("related", related)] {
        if !ids.is_empty() {
            members.insert(name.to_owned(), ids.into());
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_beyond_the_limit_are_not_passed_over_behind_deleted_ones() {
        let deleted = "{\"id\":\"bd-1\",\"status\":\"tombstone\"}\n".repeat(MOST_RECORDS + 1);
        assert!(Beads.read(FILE, &format!("{deleted}{{\"id\":\"bd-2\"}}\n")).is_too_large());
    }
}
