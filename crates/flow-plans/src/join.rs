//! Joining the records of all files of a format to one plan.

use std::collections::HashMap;

use flow_model::kind::Kind;
use flow_model::problem::Effect;

use crate::format::{FileRecords, Format};
use crate::plan::{COMPLETED, Issue, Plan, PlannedRecord};

/// Words for stories and epics that all formats use, and what they mean.
const WORDS: &[(&str, &str)] = &[
    ("complete", "done"),
    ("completed", "done"),
    ("closed", "done"),
    ("skipped", "cancelled"),
    ("won't-do", "cancelled"),
];
/// The same for tasks.
const WORDS_OF_TASKS: &[(&str, &str)] = &[
    ("complete", COMPLETED),
    ("done", COMPLETED),
    ("closed", COMPLETED),
    ("archived", COMPLETED),
    ("deferred", "cancelled"),
    ("dropped", "cancelled"),
    ("skipped", "cancelled"),
    ("won't-do", "cancelled"),
    ("wont-do", "cancelled"),
];

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
        plan.synonyms.extend_from_slice(&content.synonyms);
        plan.retired.extend_from_slice(&content.retired);
        for part in &content.parts {
            let Some(index) = index(part.kind) else { continue };
            let Some(records) = plan.records(part.kind) else { continue };
            if let Some(record) = places[index].get(part.id.as_str()).map(|at| &mut records[*at]) {
                if record.file == file || format.is_one_file_a_record() {
                    let reason = format!("a second {} with the id {:?}", part.kind.noun(), part.id);
                    let issue = Issue { line: part.line, effect: Effect::Skipped, reason };
                    plan.issues.push((file, issue));
                    continue;
                }
                if record.line == 0 {
                    (record.file, record.line) = (file, part.line);
                }
                for (name, value) in part.members.iter() {
                    record.members.entry(name.clone()).or_insert_with(|| value.clone());
                }
                continue;
            }
            places[index].insert(&part.id, records.len());
            let members = part.members.clone();
            records.push(PlannedRecord { id: part.id.clone(), file, line: part.line, members });
        }
    }
    for record in plan.epics.iter_mut().chain(&mut plan.stories).chain(&mut plan.tasks) {
        record.line = record.line.max(1);
    }
    for (kind, words) in [(Kind::Epic, WORDS), (Kind::Story, WORDS), (Kind::Task, WORDS_OF_TASKS)] {
        let synonym =
            |(word, meaning): &(&str, &str)| (kind, (*word).to_owned(), (*meaning).to_owned());
        plan.synonyms.extend(words.iter().map(synonym));
    }
    format.complete(&mut plan);
    plan
}

fn index(kind: Kind) -> Option<usize> {
    [Kind::Epic, Kind::Story, Kind::Task].iter().position(|one| *one == kind)
}
