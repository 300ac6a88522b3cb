//! OpenSpec: a folder below `openspec/changes/` for each change, with its boxes in `tasks.md`; finished ones in `archive/`.

use flow_model::kind::Kind;
use serde_json::Value;

use crate::checklist::{self, Dialect};
use crate::format::{FileRecords, Format, Part};
use crate::members::Members;
use crate::plan::Plan;

const CHANGES: &str = "openspec/changes";
/// Length of the date at the beginning of an archived folder's name: `2026-01-02`.
const DATE: usize = 10;

/// OpenSpec.
#[derive(Debug)]
pub struct OpenSpec;

impl Format for OpenSpec {
    fn name(&self) -> &'static str {
        "openspec"
    }

    fn places(&self) -> &'static [&'static str] {
        &[CHANGES]
    }

    fn marks(&self) -> &'static [&'static str] {
        &["openspec/changes"]
    }

    fn owns(&self, path: &str) -> bool {
        // Any of its files shows that a change exists.
        change(path)
            .is_some_and(|change| change.file == ".openspec.yaml" || is_markdown(change.file))
    }

    fn is_present(&self, _: &[&str], exists: &dyn Fn(&str) -> bool) -> bool {
        exists(CHANGES)
    }

    fn former_id<'a>(&self, kind: Kind, id: &'a str) -> Option<&'a str> {
        let story = if kind == Kind::Task { id.split(['/', '#']).next()? } else { id };
        date(story).map(|_| &id[DATE + 1..])
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        let Some(change) = change(path) else { return FileRecords::default() };
        let mut records = if change.file == "tasks.md" {
            checklist::file(change.name, text, Dialect::OpenSpec)
        } else {
            let line = u64::from(change.file == "proposal.md");
            let story = Part {
                kind: Kind::Story,
                id: change.name.to_owned(),
                line,
                members: Members::default(),
            };
            FileRecords::one(story)
        };
        if let Some(story) = records.parts.first_mut() {
            if change.file == "proposal.md" {
                story
                    .members
                    .extend(title(text).map(|title| ("title".to_owned(), Value::from(title))));
            }
            if change.is_archived {
                story.members.insert("status".to_owned(), "archived".into());
                let date =
                    date(change.name).map(|date| ("archived_at".to_owned(), Value::from(date)));
                story.members.extend(date);
            }
        }
        records
    }

    fn complete(&self, plan: &mut Plan) {
        plan.complete_from_boxes();
    }
}

/// A file of a change.
struct ChangeFile<'a> {
    name: &'a str,
    is_archived: bool,
    /// Its path in the folder of the change.
    file: &'a str,
}

fn change(path: &str) -> Option<ChangeFile<'_>> {
    let inner = path.strip_prefix(CHANGES)?.strip_prefix('/')?;
    let archived = inner.strip_prefix("archive/");
    let (name, file) = archived.unwrap_or(inner).split_once('/')?;
    Some(ChangeFile { name, is_archived: archived.is_some(), file })
}

fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "md")
}

/// The date that the name of an archived folder begins with.
fn date(name: &str) -> Option<&str> {
    let (date, rest) = name.split_at_checked(DATE)?;
    let is_digit = |at: usize, byte: u8| {
        if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() }
    };
    let is_date = date.bytes().enumerate().all(|(at, byte)| is_digit(at, byte));
    (is_date && rest.len() > 1 && rest.starts_with('-')).then_some(date)
}

/// The title of a proposal: its first heading, if it is of level 1.
fn title(text: &str) -> Option<&str> {
    let (level, title) = checklist::without_mark(text).lines().find_map(checklist::heading)?;
    let title = title.strip_prefix("Change:").unwrap_or(title).trim();
    (level == 1 && !title.is_empty()).then_some(title)
}
