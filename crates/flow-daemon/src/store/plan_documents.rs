//! The documents of the formats: the records of all their files, and what a snapshot knows of them.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use flow_plans::{Effect, PlannedRecord, join};
use serde::Serializer as _;
use serde::ser::SerializeMap as _;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::model::problem::KEPT;
use crate::model::synonyms::Synonyms;

use super::plan_files::{FileError, FormatFiles, PlanFiles};
use super::plan_tree::Unsearched;
use super::plans::{FormatHealth, INVALID, KINDS, NOTE, Origin, PlanProblem, Plans};
use super::source_state::{Health, Stamp, State};

/// The records of all formats as JSON documents, in the form of the files that they stand beside.
#[derive(Debug, Default)]
pub struct PlanDocuments {
    /// `{"epics": […], "stories": […]}`.
    pub status: Bytes,
    /// `{"tasks": […]}`.
    pub tasks: Bytes,
    /// What statuses mean in the records of each format.
    pub synonyms: Arc<Synonyms>,
}

/// What is collected of all formats.
#[derive(Default)]
struct Texts {
    /// The elements of the lists of each kind.
    lists: [Vec<u8>; 3],
    synonyms: Synonyms,
}

impl PlanDocuments {
    /// Joins what the files contain. Where the records of several sources are served together, each id is preceded by the
    /// name of its format.
    pub fn read(files: &PlanFiles, has_other_sources: bool, now: SystemTime) -> (Plans, Self) {
        let mut plans = Plans { is_incomplete: !files.is_complete(), ..Plans::default() };
        let mut texts = Texts::default();
        let is_qualified = has_other_sources || files.formats().len() > 1;
        for format in files.formats() {
            add(&mut plans, format, is_qualified, now, &mut texts);
        }
        plans.problems.sort_by_key(|problem| !problem.is_invalid());
        plans.problems.truncate(KEPT);
        let Texts { lists: [epics, stories, tasks], synonyms } = texts;
        let mut before = br#"{"epics":["#.to_vec();
        before.extend_from_slice(&epics);
        before.extend_from_slice(br#"],"stories":["#);
        let status = document(&before, stories);
        let tasks = document(br#"{"tasks":["#, tasks);
        plans.synonyms = Arc::new(synonyms);
        let synonyms = Arc::clone(&plans.synonyms);
        (plans, Self { status, tasks, synonyms })
    }
}

/// A document that ends with a list, which is the largest part of it and is not copied.
fn document(before: &[u8], mut list: Vec<u8>) -> Bytes {
    list.reserve_exact(before.len() + 2);
    list.splice(0..0, before.iter().copied());
    list.extend_from_slice(b"]}");
    list.shrink_to_fit();
    list.into()
}

/// Adds the files of a format.
fn add(
    plans: &mut Plans,
    files: &FormatFiles,
    is_qualified: bool,
    now: SystemTime,
    texts: &mut Texts,
) {
    let name = files.format.name();
    let is_qualified = is_qualified && !files.format.shares_ids_with_files();
    let first_path = plans.paths.len();
    plans.paths.extend(files.files().map(|(path, _)| Arc::from(path)));
    let mut plan = join(files.format, files.files().map(|(_, file)| &file.records));
    let mut health = Health {
        state: if plans.paths.len() > first_path { State::Present } else { State::Missing },
        path: common_folder(&plans.paths[first_path..]),
        loaded_at: files.modified().map(|_| now),
        bytes: files.bytes(),
        ..Health::default()
    };
    if files.is_loading() {
        health.state = State::Changing;
    }
    note_broken(plans, files, first_path, &mut health);
    let mut suspicious = 0;
    for (file, issue) in std::mem::take(&mut plan.issues) {
        match issue.effect {
            Effect::Skipped => health.skipped += 1,
            Effect::Repaired => health.repaired += 1,
            Effect::Suspicious => suspicious += 1,
        }
        let file = Arc::clone(&plans.paths[first_path + file]);
        let (line, level, reason) = (Some(issue.line), issue.effect.name(), issue.reason);
        note(plans, PlanProblem { format: name, file, line, level, reason });
    }
    for (kind, id) in std::mem::take(&mut plan.retired) {
        let Some(at) = KINDS.iter().position(|one| *one == kind) else { continue };
        let id = if is_qualified { format!("{name}:{id}") } else { id };
        plans.retired[at].insert(id.to_lowercase().into());
    }
    for (kind, word, meaning) in std::mem::take(&mut plan.synonyms) {
        texts.synonyms.add(kind, name, word, meaning);
    }
    for (at, kind) in KINDS.into_iter().enumerate() {
        let Some(records) = plan.records(kind) else { continue };
        health.records += records.len() as u64;
        for record in std::mem::take(records) {
            let origin = Origin {
                format: u32::try_from(plans.formats.len()).unwrap_or(u32::MAX),
                path: u32::try_from(first_path + record.file).unwrap_or(u32::MAX),
                line: u32::try_from(record.line).unwrap_or(u32::MAX),
            };
            let record = if is_qualified { qualified(name, record) } else { record };
            write(name, &record, &mut texts.lists[at]);
            plans.origins[at].insert(record.id.into_boxed_str(), origin);
        }
    }
    plans.stamp = Stamp {
        hash: xxh3_64_with_seed(&files.hash().to_le_bytes(), plans.stamp.hash),
        modified: plans.stamp.modified.max(files.modified()),
    };
    plans.formats.push(FormatHealth {
        name,
        health: Arc::new(health),
        files: plans.paths.len() - first_path,
        foreign: plan.foreign,
        left_out: files.left_out(),
        suspicious,
        exported_at: files.modified().filter(|_| files.format.is_export()),
        states_dependencies: KINDS.map(|kind| files.format.states_dependencies(kind)),
    });
}

/// Adds the files and folders that cannot be read, and those that are left out.
fn note_broken(plans: &mut Plans, files: &FormatFiles, first_path: usize, health: &mut Health) {
    let name = files.format.name();
    let mut broken = 0;
    let mut refuse = |file: Arc<str>, error: &FileError, plans: &mut Plans| {
        broken += 1;
        let FileError { state, line, reason } = error.clone();
        if !health.state.is_degraded() {
            health.state = state;
            health.last_error = Some(format!("{file}: {reason}"));
        }
        note(plans, PlanProblem { format: name, file, line, level: INVALID, reason });
    };
    for (at, (_, file)) in files.files().enumerate() {
        let Some(error) = &file.error else { continue };
        refuse(Arc::clone(&plans.paths[first_path + at]), error, plans);
    }
    for Unsearched { path, reason } in files.unsearched() {
        let error = FileError { state: State::Refused, reason: reason.clone(), line: None };
        refuse(Arc::from(path.as_str()), &error, plans);
    }
    if broken > 1 {
        let others = broken - 1;
        let noun = if others == 1 { "file" } else { "files" };
        health.last_error =
            health.last_error.take().map(|reason| format!("{reason}; and {others} more {noun}"));
    }
    for path in files.beside() {
        let reason =
            format!("{path} is not read: {name} has one file of this name, and another is read");
        let file = Arc::from(path.as_str());
        note(plans, PlanProblem { format: name, file, line: None, level: NOTE, reason });
    }
    if files.left_out() > 0 {
        let reason =
            format!("{} files or folders are left out: there are too many", files.left_out());
        let (file, level) = (Arc::from(health.path.as_str()), Effect::Skipped.name());
        note(plans, PlanProblem { format: name, file, line: None, level, reason });
    }
}

fn note(plans: &mut Plans, problem: PlanProblem) {
    // Those of files that cannot be read come first for each format; the count of all is in the health.
    if plans.problems.len() < 2 * KEPT {
        plans.problems.push(problem);
    }
}

/// The members whose values are ids of records, or lists of them.
const REFERENCES: [&str; 5] = ["epic_id", "story_id", "parent", "dependencies", "depends_on"];

/// The record with the name of its format before each id.
fn qualified(format: &str, mut record: PlannedRecord) -> PlannedRecord {
    record.id = format!("{format}:{}", record.id);
    for name in REFERENCES {
        // Members that do not change stay shared with the file's.
        if !record.members.contains_key(name) {
            continue;
        }
        let Some(value) = record.members.get_mut(name) else { continue };
        match value {
            Value::String(id) => *id = format!("{format}:{id}"),
            Value::Array(ids) => {
                for id in ids {
                    if let Value::String(id) = id {
                        *id = format!("{format}:{id}");
                    }
                }
            }
            _ => {}
        }
    }
    record
}

/// Appends a record to a list.
fn write(format: &str, record: &PlannedRecord, list: &mut Vec<u8>) {
    let end = list.len();
    if end > 0 {
        list.push(b',');
    }
    // Values of JSON are written into memory without an error.
    if write_members(format, record, list).is_err() {
        list.truncate(end);
    }
}

fn write_members(
    format: &str,
    record: &PlannedRecord,
    list: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let mut text = serde_json::Serializer::new(list);
    let mut object = text.serialize_map(None)?;
    object.serialize_entry("id", &record.id)?;
    object.serialize_entry("format", format)?;
    // A file may have members of these names.
    let others =
        record.members.iter().filter(|(name, _)| !["id", "format"].contains(&name.as_str()));
    for (name, value) in others {
        object.serialize_entry(name, value)?;
    }
    object.end()
}

/// The longest folder that contains all paths; of a single file, its path.
fn common_folder(paths: &[Arc<str>]) -> String {
    let (Some(first), Some(last)) = (paths.first(), paths.last()) else { return String::new() };
    if paths.len() == 1 {
        return first.to_string();
    }
    // The paths are sorted, so what the first and the last have in common is common to all.
    let parts = first.split('/').zip(last.split('/'));
    let common: Vec<&str> = parts.take_while(|(a, b)| a == b).map(|(part, _)| part).collect();
    if common.is_empty() { ".".to_owned() } else { common.join("/") }
}
