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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::join::join;

    #[test]
    fn epics_and_their_tasks() {
        let files = [
            (".claude/epics/archived/old/001.md", "---\nname: Old\n---\n"),
            (
                ".claude/epics/find/001.md",
                "---\nname: Index\nstatus: closed\ncreated: 2026-01-02T10:00:00Z\ndepends_on: []\n---\n",
            ),
            (
                ".claude/epics/find/002.md",
                "---\nname: Use\nstatus: open\ndepends_on: [001, 12]\nparallel: true\n---\n",
            ),
            (".claude/epics/find/003.md", "# Notes\n"),
            (".claude/epics/find/004.md", "---\na: [\n---\n"),
            (
                ".claude/epics/find/epic.md",
                "---\nname: find\nstatus: in-progress\nprogress: 50%\n---\n",
            ),
        ];
        let read: Vec<_> = files.iter().map(|(path, text)| Ccpm.read(path, text)).collect();
        let plan = join(&Ccpm, read.iter());
        let epic = json!({"name": "find", "status": "in-progress", "progress": "50%"});
        assert_eq!(
            (plan.epics[0].id.as_str(), Value::from(plan.epics[0].members.clone())),
            ("find", epic)
        );
        let first = json!({"epic_id": "find", "name": "Index", "status": "closed", "created": "2026-01-02T10:00:00Z"});
        assert_eq!(
            (plan.stories[0].id.as_str(), Value::from(plan.stories[0].members.clone())),
            ("find/001", first)
        );
        assert_eq!(plan.stories[1].members["depends_on"], json!(["find/001", "find/12"]));
        assert_eq!((plan.foreign, plan.issues.len(), plan.stories.len()), (1, 1, 2));
        assert_eq!(plan.retired, [(Kind::Story, "old/001".to_owned())]);
    }

    #[test]
    fn of_broken_front_matter_the_valid_lines_are_read() {
        let text = "---\nname: Use\nstatus: open\nlast_sync: 2026-01-02T10:00:00Zgithub: https://x.y/1\n---\n";
        let read = Ccpm.read(".claude/epics/find/002.md", text);
        let members = json!({"epic_id": "find", "name": "Use", "status": "open"});
        assert_eq!(Value::from(read.parts[0].members.clone()), members);
        assert_eq!((read.issues.len(), read.issues[0].line), (1, 4));
    }

    #[test]
    fn its_files() {
        assert!(Ccpm.owns(".claude/epics/a/epic.md") && Ccpm.owns(".claude/epics/a/12.md"));
        for path in ["a/notes.md", "a/1-analysis.md", "a/b/1.md", "1.md", "a/.md"] {
            assert!(!Ccpm.owns(&format!(".claude/epics/{path}")), "{path}");
        }
        assert!(!Ccpm.is_present(&[], &|_| true));
    }
}
