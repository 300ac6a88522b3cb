//! Ralph: the user stories of `prd.json`.

use std::collections::HashSet;

use flow_model::json;
use flow_model::kind::Kind;
use flow_model::problem::{Effect, quote};
use serde_json::{Map, Value};

use crate::checklist::without_mark;
use crate::format::{FileRecords, Format, Part};
use crate::json_file::{self, id_text};
use crate::lines::Lines;
use crate::plan::Issue;

const FILES: &[&str] = &["prd.json", "scripts/ralph/prd.json", ".ralph/prd.json"];

/// Ralph.
#[derive(Debug)]
pub struct Ralph;

impl Format for Ralph {
    fn name(&self) -> &'static str {
        "ralph"
    }

    fn places(&self) -> &[&str] {
        FILES
    }

    fn owns(&self, path: &str) -> bool {
        FILES.contains(&path)
    }

    fn is_present(&self, files: &[&str], _: &dyn Fn(&str) -> bool) -> bool {
        !files.is_empty()
    }

    fn is_one_file_a_record(&self) -> bool {
        true
    }

    fn read(&self, _: &str, text: &str) -> FileRecords {
        let text = without_mark(text);
        let mut records = FileRecords::default();
        let members = match json_file::members(text) {
            Ok(members) => members,
            Err(issue) => return FileRecords::broken(issue),
        };
        let stories = members.iter().find(|member| member.name == "userStories");
        let Some(stories) = stories.filter(|stories| stories.value.starts_with('[')) else {
            return FileRecords::foreign();
        };
        let lines = Lines::of(text);
        let mut seen = HashSet::new();
        for (index, raw) in
            json::elements(stories.value).unwrap_or_default().into_iter().enumerate()
        {
            let line = lines.line_of(raw);
            let Some(given) = json_file::object(raw) else {
                let reason =
                    format!("a user story that is not an object of at most 1 MiB: {}", quote(raw));
                records.report(Issue { line, effect: Effect::Skipped, reason });
                continue;
            };
            let own = given.get("id").and_then(id_text).filter(|id| seen.insert(id.clone()));
            let by_position = own.is_none();
            let id = own.unwrap_or_else(|| format!("story#{}", index + 1));
            records.add(Part {
                kind: Kind::Story,
                id,
                line,
                members: story(given, by_position).into(),
            });
        }
        records
    }
}

/// The members of a story: `passes` says whether it is done, unless it has a status.
fn story(given: Map<String, Value>, by_position: bool) -> Map<String, Value> {
    let mut members = Map::new();
    if let (Some(passes), None) =
        (given.get("passes").and_then(Value::as_bool), given.get("status"))
    {
        members.insert("status".to_owned(), if passes { "done" } else { "ready" }.into());
        members.insert("status_source".to_owned(), "passes".into());
    }
    members.extend(given.into_iter().filter(|(name, _)| name != "id"));
    if by_position {
        members.insert("id_kind".to_owned(), "position".into());
    }
    members
}
