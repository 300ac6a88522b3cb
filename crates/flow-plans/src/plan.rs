//! One plan of the records of all files of a format.

use std::collections::HashMap;

use flow_model::kind::Kind;
use flow_model::problem::Effect;
use serde_json::{Map, Value};

use crate::format::{FileRecords, Format, Issue};

/// The records of one format, in the order of its files and of their lines.
#[derive(Debug, Default)]
pub struct Plan {
    /// The epics.
    pub epics: Vec<PlannedRecord>,
    /// The stories.
    pub stories: Vec<PlannedRecord>,
    /// The tasks.
    pub tasks: Vec<PlannedRecord>,
    /// What is not served, or may not be read as it is meant: the number of the file, and the issue.
    pub issues: Vec<(usize, Issue)>,
    /// Statuses and states with the meaning of another: the kind of record, the word, and that other, both in their
    /// canonical spelling. They hold for this plan only.
    pub synonyms: Vec<(Kind, String, String)>,
    /// Number of files that are none of the format's in spite of their paths.
    pub foreign: usize,
}

/// A record, and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRecord {
    /// Its id among the records of its kind in this format.
    pub id: String,
    /// The number of its file among those that were joined.
    pub file: usize,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Its members, without `id`.
    pub members: Map<String, Value>,
}

impl Plan {
    /// The records of a kind. Sessions and messages have none.
    pub fn records(&mut self, kind: Kind) -> Option<&mut Vec<PlannedRecord>> {
        match kind {
            Kind::Epic => Some(&mut self.epics),
            Kind::Story => Some(&mut self.stories),
            Kind::Task => Some(&mut self.tasks),
            Kind::Session | Kind::Message => None,
        }
    }
}

/// Joins what the files of a format contain, given in the order of their paths.
///
/// A second record of an id in the same file is left out and reported; parts in several files are one record.
pub fn join<'a>(format: &dyn Format, files: impl Iterator<Item = &'a FileRecords>) -> Plan {
    let mut plan = Plan::default();
    let mut places: [HashMap<&str, usize>; 3] = Default::default();
    for (file, content) in files.enumerate() {
        plan.foreign += usize::from(content.is_foreign);
        plan.issues.extend(content.fault.iter().map(|issue| (file, issue.clone())));
        plan.issues.extend(content.issues.iter().map(|issue| (file, issue.clone())));
        for part in &content.parts {
            let Some(index) = index(part.kind) else { continue };
            let Some(records) = plan.records(part.kind) else { continue };
            if let Some(record) = places[index].get(part.id.as_str()).map(|at| &mut records[*at]) {
                if record.file == file {
                    let reason = format!("a second {} with the id {:?}", part.kind.noun(), part.id);
                    let issue = Issue { line: part.line, effect: Effect::Skipped, reason };
                    plan.issues.push((file, issue));
                    continue;
                }
                if record.line == 0 {
                    (record.file, record.line) = (file, part.line);
                }
                for (name, value) in &part.members {
                    record.members.entry(name.clone()).or_insert_with(|| value.clone());
                }
                continue;
            }
            places[index].insert(&part.id, records.len());
            let mut members = Map::new();
            members.insert("format".to_owned(), Value::from(format.name()));
            members.extend(part.members.clone());
            records.push(PlannedRecord { id: part.id.clone(), file, line: part.line, members });
        }
    }
    for record in plan.epics.iter_mut().chain(&mut plan.stories).chain(&mut plan.tasks) {
        record.line = record.line.max(1);
    }
    format.complete(&mut plan);
    plan
}

fn index(kind: Kind) -> Option<usize> {
    [Kind::Epic, Kind::Story, Kind::Task].iter().position(|one| *one == kind)
}
