//! Backlog.md: a Markdown file with front matter for each task and milestone.

use flow_model::kind::Kind;
use serde_json::{Map, Value};

use crate::checklist::heading;
use crate::format::{FileRecords, Format, Part};
use crate::front_matter::{self, Document, Entry};
use crate::plan::{Plan, canonical};

/// Folders of a project, and its configuration in the root.
const FOLDERS: &[&str] = &["backlog", ".backlog"];
const CONFIGURATIONS: &[&str] =
    &["backlog/config.yml", ".backlog/config.yml", "backlog.config.yml"];

/// Backlog.md.
#[derive(Debug)]
pub struct BacklogMd;

impl Format for BacklogMd {
    fn name(&self) -> &'static str {
        "backlog.md"
    }

    fn places(&self) -> &'static [&'static str] {
        &["backlog", ".backlog", "backlog.config.yml"]
    }

    fn enters(&self, folder: &str) -> bool {
        inside(folder).is_some_and(|inner| Place::of(inner).is_some() || inner == "archive")
    }

    fn marks(&self) -> &'static [&'static str] {
        &["backlog/config.yml", ".backlog", "backlog.config.yml"]
    }

    fn owns(&self, path: &str) -> bool {
        CONFIGURATIONS.contains(&path) || place(path).is_some()
    }

    fn is_present(&self, _: &[&str], exists: &dyn Fn(&str) -> bool) -> bool {
        CONFIGURATIONS.iter().any(|path| exists(path))
    }

    fn is_one_file_a_record(&self) -> bool {
        true
    }

    fn states_dependencies(&self, kind: Kind) -> bool {
        kind == Kind::Story
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        if CONFIGURATIONS.contains(&path) {
            return configuration(text);
        }
        let Some((place, name)) = place(path) else { return FileRecords::default() };
        if let Place::Archive(kind) = place {
            let id = name.split(" - ").next().unwrap_or(name).trim_end_matches(".md");
            return FileRecords::moved(kind, id.to_owned());
        }
        match front_matter::document(text) {
            Ok(None) => FileRecords::foreign(),
            Err(issue) => FileRecords::broken(issue),
            Ok(Some(document)) => record(place, &document),
        }
    }

    fn complete(&self, plan: &mut Plan) {
        // A task may name its milestone by the title.
        let title = |epic: &crate::plan::PlannedRecord| {
            Some((epic.members.get("title")?.as_str()?.to_owned(), epic.id.clone()))
        };
        let ids: std::collections::HashMap<_, _> = plan.epics.iter().filter_map(title).collect();
        for story in &mut plan.stories {
            let epic = story.members.get("epic_id").and_then(Value::as_str);
            if let Some(id) = epic.and_then(|title| ids.get(title)) {
                story.members.insert("epic_id".to_owned(), id.as_str().into());
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Tasks,
    Drafts,
    Milestones,
    /// Where records of a kind are moved that are no longer served.
    Archive(Kind),
}

impl Place {
    fn of(folder: &str) -> Option<Self> {
        match folder {
            "tasks" | "completed" => Some(Self::Tasks),
            "drafts" => Some(Self::Drafts),
            "milestones" => Some(Self::Milestones),
            "archive/tasks" => Some(Self::Archive(Kind::Story)),
            "archive/milestones" => Some(Self::Archive(Kind::Epic)),
            _ => None,
        }
    }
}

fn inside(path: &str) -> Option<&str> {
    FOLDERS.iter().find_map(|folder| path.strip_prefix(folder)?.strip_prefix('/'))
}

/// Where a record's file is, and its name.
fn place(path: &str) -> Option<(Place, &str)> {
    let (folder, name) = inside(path)?.rsplit_once('/')?;
    let (_, ending) = name.rsplit_once('.')?;
    Some((Place::of(folder)?, name)).filter(|_| ending == "md")
}

/// The last of the configured statuses means done.
fn configuration(text: &str) -> FileRecords {
    let mut records = FileRecords::default();
    match front_matter::map(text, 1) {
        Ok(entries) => {
            let statuses = front_matter::find(&entries, "statuses");
            let last = statuses
                .and_then(|entry| entry.value.texts().last().map(|status| canonical(status)));
            records.synonyms.extend(
                last.filter(|last| last != "done")
                    .map(|last| (Kind::Story, last, "done".to_owned())),
            );
        }
        Err(issue) => records.fault = Some(issue),
    }
    records
}

fn record(place: Place, document: &Document<'_>) -> FileRecords {
    let id = front_matter::find(&document.entries, "id")
        .and_then(|id| Some((id.value.text()?, id.line)));
    let Some((id, line)) = id else {
        return FileRecords::foreign();
    };
    let kind = if place == Place::Milestones { Kind::Epic } else { Kind::Story };
    let mut members = Map::new();
    for entry in document.entries.iter().filter(|entry| entry.name != "id") {
        add(&mut members, entry);
    }
    if place == Place::Drafts {
        members.insert("status".to_owned(), "Draft".into());
    }
    let (description, criteria) = sections(document.body);
    members
        .extend((!description.is_empty()).then(|| ("description".to_owned(), description.into())));
    members.extend(
        (!criteria.is_empty()).then(|| ("acceptance_criteria".to_owned(), criteria.into())),
    );
    FileRecords::one(Part { kind, id: id.to_owned(), line, members: members.into() })
}

/// Adds a member, and the documented name of a time or of the milestone.
fn add(members: &mut Map<String, Value>, entry: &Entry) {
    members.insert(entry.name.clone(), entry.value.json());
    let documented = match entry.name.as_str() {
        "milestone" => ("epic_id", entry.value.text().map(Value::from)),
        "created_date" => ("created_at", entry.value.text().map(time)),
        "updated_date" => ("updated_at", entry.value.text().map(time)),
        _ => return,
    };
    members.extend(documented.1.map(|value| (documented.0.to_owned(), value)));
}

/// A time of the tool, which writes UTC without seconds.
fn time(text: &str) -> Value {
    match text.split_once(' ') {
        Some((date, minutes)) if minutes.len() == "10:00".len() => {
            format!("{date}T{minutes}:00Z").into()
        }
        _ => text.into(),
    }
}

/// The description, and the texts of the acceptance criteria.
fn sections(body: &str) -> (String, Vec<String>) {
    let mut section = "";
    let mut description = Vec::new();
    let mut criteria = Vec::new();
    for line in body.lines() {
        if let Some((2, title)) = heading(line) {
            section = title;
            continue;
        }
        if line.trim_start().starts_with("<!--") {
            continue;
        }
        match section {
            "Description" => description.push(line),
            "Acceptance Criteria" => criteria.extend(criterion(line)),
            _ => {}
        }
    }
    (description.join("\n").trim().to_owned(), criteria)
}

/// The text of `- [ ] #1 text`.
fn criterion(line: &str) -> Option<String> {
    let item = line.trim().strip_prefix("- [")?;
    let text = item.get(1..)?.strip_prefix(']')?.trim();
    let numbered = text.strip_prefix('#').and_then(|numbered| numbered.split_once(' '));
    let numbered = numbered.filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    Some(numbered.map_or(text, |(_, text)| text.trim()).to_owned())
}
