//! CCPM: a folder below `.claude/epics/` for each epic, with `epic.md` and a numbered file for each task.

use flow_model::kind::Kind;
use serde_json::Map;

use crate::format::{FileRecords, Format, Part};
use crate::front_matter::{self, Entry};
use crate::plan::Plan;

const EPICS: &str = ".claude/epics";
/// Where closed epics are moved.
const ARCHIVE: &str = "archived/";

/// CCPM.
#[derive(Debug)]
pub struct Ccpm;

impl Format for Ccpm {
    fn name(&self) -> &'static str {
        "ccpm"
    }

    fn places(&self) -> &[&str] {
        &[EPICS]
    }

    fn marks(&self) -> &'static [&'static str] {
        &[".claude/epics"]
    }

    fn owns(&self, path: &str) -> bool {
        own_file(path).is_some()
    }

    fn is_present(&self, files: &[&str], _: &dyn Fn(&str) -> bool) -> bool {
        !files.is_empty()
    }

    fn is_one_file_a_record(&self) -> bool {
        true
    }

    fn states_dependencies(&self, kind: Kind) -> bool {
        kind == Kind::Story
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        let Some(file) = own_file(path) else { return FileRecords::default() };
        let (kind, id) = match file.task {
            Some(task) => (Kind::Story, format!("{}/{task}", file.epic)),
            None => (Kind::Epic, file.epic.to_owned()),
        };
        if file.is_archived {
            return FileRecords::moved(kind, id);
        }
        let (entries, issues) = match front_matter::document(text) {
            Ok(None) => return FileRecords::foreign(),
            Ok(Some(document)) => (document.entries, Vec::new()),
            // The tool's own scripts search for lines.
            Err(issue) => match front_matter::single_lines(text) {
                (entries, _) if entries.is_empty() => {
                    return FileRecords::broken(issue);
                }
                lines => lines,
            },
        };
        let mut members = Map::new();
        if kind == Kind::Story {
            members.insert("epic_id".to_owned(), file.epic.into());
        }
        for entry in entries.iter().filter(|entry| entry.name != "id") {
            match entry.name.as_str() {
                "depends_on" => members.extend(depends_on(entry, file.epic)),
                name => {
                    members.insert(name.to_owned(), entry.value.json());
                }
            }
        }
        let mut records = FileRecords::one(Part { kind, id, line: 1, members: members.into() });
        for issue in issues {
            records.report(issue);
        }
        records
    }

    fn complete(&self, plan: &mut Plan) {
        plan.synonyms.push((Kind::Story, "pending".to_owned(), "ready".to_owned()));
    }
}

struct OwnPath<'a> {
    epic: &'a str,
    /// The number of a task; none in the epic's own file.
    task: Option<&'a str>,
    is_archived: bool,
}

fn own_file(path: &str) -> Option<OwnPath<'_>> {
    let inner = path.strip_prefix(EPICS)?.strip_prefix('/')?;
    let archived = inner.strip_prefix(ARCHIVE);
    let (epic, name) = archived.unwrap_or(inner).split_once('/')?;
    let stem = name.strip_suffix(".md")?;
    let is_task = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
    (is_task || stem == "epic").then(|| OwnPath {
        epic,
        task: is_task.then_some(stem),
        is_archived: archived.is_some(),
    })
}

/// The tasks of the epic that a task depends on; their numbers as they are written.
fn depends_on(entry: &Entry, epic: &str) -> Option<(String, serde_json::Value)> {
    let texts = entry.value.texts();
    let numbers =
        texts.iter().flat_map(|text| text.split([',', ' '])).filter(|number| !number.is_empty());
    let ids: Vec<_> = numbers
        .map(|number| format!("{epic}/{}", number.trim_start_matches('#').trim_end_matches(".md")))
        .collect();
    (!ids.is_empty()).then(|| ("depends_on".to_owned(), ids.into()))
}
