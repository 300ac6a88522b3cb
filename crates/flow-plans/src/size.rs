//! What records take in memory, and how much of it one file may take: a small file must not fill the memory.

use serde_json::{Map, Value};

/// Most records and reports of one file; with more, the file is refused. The same number holds for all files together.
pub const MOST_RECORDS: usize = 100_000;
/// Most memory that the records of one file may take, in bytes as [`of_members`] counts them. The same holds for all files together.
pub const MOST_MEMORY: usize = 128 << 20;
/// Longest id in bytes: it is repeated in each record that refers to it.
pub const MOST_ID: usize = 500;
/// Largest object of a file in JSON, and largest front matter, in bytes: a value takes up to 40 times its text.
pub const MOST_OBJECT: usize = 1 << 20;
/// Most ids that one record may depend on.
pub const MOST_DEPENDENCIES: usize = 1_000;
/// Characters of a heading that are kept where it is repeated in each record below it.
pub const MOST_HEADING: usize = 200;

/// What a map takes for each member besides the text of its name: a hash, a slot, and the header of the name.
const MEMBER: usize = 48;

/// The memory of members, in bytes.
pub fn of_members(members: &Map<String, Value>) -> usize {
    members.iter().map(|(name, value)| MEMBER + name.len() + of_value(value)).sum()
}

/// Values are nested at most 128 deep, as the reader of JSON takes them, so the recursion ends.
fn of_value(value: &Value) -> usize {
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(of_value).sum(),
        Value::Object(members) => of_members(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + inner
}

/// The beginning of a heading that is repeated.
pub fn cut_heading(text: &str) -> String {
    match text.char_indices().nth(MOST_HEADING) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use flow_model::kind::Kind;
    use serde_json::json;

    use super::*;
    use crate::FORMATS;
    use crate::format::{FileRecords, Part};

    /// Each file of each format, with a text that repeats an outer text or has as many values as fit.
    #[test]
    fn no_text_takes_much_more_memory_than_its_length() {
        let long = "x".repeat(10_000);
        let objects = |member: &str| format!("{{{member}}},").repeat(2_000);
        let texts = [
            "- [ ] a\n".repeat(5_000),
            format!("## {long}\n{}", "- [ ] a\n".repeat(2_000)),
            format!("- [ ] {long} `a/b`\n").repeat(3),
            "- [ ] T1 a depends on T1-T99\n".repeat(500),
            format!("{{\"{long}\":{{\"tasks\":[{}{{}}]}}}}", objects("\"id\":1")),
            format!("{{\"tasks\":[{{\"id\":\"{long}\",\"subtasks\":[{}{{}}]}}]}}", objects("\"title\":\"a\"")),
            format!("{{\"tasks\":[{{\"id\":1,\"dependencies\":[{}1]}}]}}", "1,".repeat(5_000)),
            format!("{{\"userStories\":[{{\"a\":[{}0]}}]}}", "0,".repeat(10_000)),
            format!("{{\"userStories\":[{}{{}}]}}", objects("\"a\":1")),
            format!("{{\"id\":\"{long}\",\"issue_type\":\"epic\"}}\n{}",
                format!("{{\"id\":\"1\",\"dependencies\":[{{\"depends_on_id\":\"{long}\",\"type\":\"parent-child\"}}]}}\n").repeat(2)),
            format!("development_status:\n  {}a: done\n", "1-".repeat(2_000)),
            format!("development_status:\n{}", "  1-1-a: done\n".repeat(500)),
            format!("---\nmilestone: {long}\n---\n"),
            format!("---\nid: {long}\na: [{}0]\n---\n", "0,".repeat(5_000)),
            format!("### Phase 1: a\n**Depends on**: Phases {}\n", "1, ".repeat(5_000)),
            "### Phase 1: a\n".repeat(2_000),
            "- [ ]\n".repeat(5_000),
        ];
        let paths = [
            "specs/a/tasks.md",
            "specs/a/spec.md",
            "openspec/changes/a/tasks.md",
            "openspec/changes/a/proposal.md",
            ".kiro/specs/a/tasks.md",
            ".taskmaster/tasks/tasks.json",
            "backlog/tasks/a.md",
            "backlog/config.yml",
            "_bmad-output/sprint-status.yaml",
            "_bmad-output/1-1-a.md",
            ".planning/ROADMAP.md",
            ".planning/STATE.md",
            ".planning/phases/01-a/01-01-PLAN.md",
            ".claude/epics/a/epic.md",
            ".claude/epics/a/1.md",
            "prd.json",
            ".beads/issues.jsonl",
            "docs/06-stories/US-1.md",
        ];
        for format in FORMATS {
            let own: Vec<_> = paths.iter().filter(|path| format.owns(path)).collect();
            assert!(!own.is_empty(), "{}", format.name());
            for (path, text) in
                own.iter().flat_map(|path| texts.iter().map(move |text| (path, text)))
            {
                let read = format.read(path, text);
                let memory: usize =
                    read.parts.iter().map(Part::memory).sum::<usize>() + read.issues.len() * 100;
                assert!(
                    memory <= 400 * text.len(),
                    "{path}: {memory} of {} {:.60}",
                    text.len(),
                    text
                );
            }
        }
    }

    #[test]
    fn records_beyond_the_limits_make_a_file_too_large() {
        let part = |text: &str, id: &str| {
            let members = json!({"title": text}).as_object().unwrap().clone();
            Part { kind: Kind::Task, id: id.to_owned(), line: 7, members: members.into() }
        };
        let mut records = FileRecords::default();
        for _ in 0..=MOST_RECORDS {
            records.add(part("a", "1"));
        }
        assert_eq!(records.parts.len(), MOST_RECORDS);
        assert!(records.is_too_large());
        let mut records = FileRecords::default();
        for _ in 0..200 {
            records.add(part(&"a".repeat(1 << 20), "1"));
        }
        assert_eq!(records.parts.len(), 127);
        assert!(records.is_too_large());
        let mut records = FileRecords::default();
        records.add(part("a", &"a".repeat(MOST_ID + 1)));
        assert_eq!((records.parts.len(), records.issues[0].line), (0, 7));
    }
}
