//! BMAD: the statuses of epics and stories in `sprint-status.yaml`, and the titles of the story files beside it.

use std::collections::{HashMap, HashSet};

use flow_model::kind::Kind;
use flow_model::problem::{Effect, quote};
use serde_json::{Map, Value};

use crate::checklist::{heading, without_mark};
use crate::format::{FileRecords, Format, OwnFile, Part, Selection};
use crate::front_matter::{self, Entry, Node};
use crate::plan::{COMPLETED, Issue, Plan, QUEUED, RUNNING};
use crate::size::MOST_ID;

const STATUS: &str = "sprint-status.yaml";
/// Where the tool writes; other folders are its older places.
const OUTPUT: &str = "_bmad-output";
/// The tool's configuration, by version, and its members that name the folder of the status file.
const CONFIGURATIONS: &[&str] =
    &["_bmad/bmm/config.yaml", ".bmad/bmm/config.yaml", "bmad/bmm/config.yaml"];
const FOLDERS: &[&str] =
    &["implementation_artifacts", "sprint_artifacts", "dev_ephemeral_location"];
/// Words of its stories and epics with the meaning of others.
const WORDS: &[(&str, &str)] =
    &[("ready-for-dev", "ready"), ("drafted", "ready"), ("contexted", "in-progress")];

/// BMAD.
#[derive(Debug)]
pub struct Bmad;

impl Format for Bmad {
    fn name(&self) -> &'static str {
        "bmad"
    }

    fn places(&self) -> &[&str] {
        &[OUTPUT, "docs"]
    }

    fn marks(&self) -> &'static [&'static str] {
        &["_bmad-output"]
    }

    fn owns(&self, path: &str) -> bool {
        let name = name(path);
        name == STATUS || name.strip_suffix(".md").is_some_and(|stem| story_epics(stem).is_some())
    }

    fn is_present(&self, files: &[&str], _: &dyn Fn(&str) -> bool) -> bool {
        files.iter().any(|path| name(path) == STATUS)
    }

    /// The status file that the configuration names, else one below `_bmad-output`, else the newest; and the story files in
    /// its folder and below.
    fn select<'a>(
        &self,
        files: &[OwnFile<'a>],
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Selection<'a> {
        let statuses = || files.iter().filter(|file| name(file.path) == STATUS);
        let output = |file: &&OwnFile<'_>| file.path.split('/').next() == Some(OUTPUT);
        let named = (statuses().count() > 1).then(|| configured(read)).flatten();
        let named = named.and_then(|path| statuses().find(|file| file.path == path));
        let newest = || statuses().filter(output).max_by_key(|file| file.modified);
        let chosen = named.or_else(newest).or_else(|| statuses().max_by_key(|file| file.modified));
        let Some(status) = chosen else { return Selection::default() };
        let folder = &status.path[..status.path.len() - STATUS.len()];
        let is_read =
            |path: &str| path == status.path || (name(path) != STATUS && path.starts_with(folder));
        let others = statuses().map(|file| file.path).filter(|path| *path != status.path);
        Selection {
            read: files.iter().map(|file| file.path).filter(|path| is_read(path)).collect(),
            beside: others.collect(),
        }
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        if name(path) == STATUS {
            return match front_matter::map(text, 1) {
                Ok(entries) => statuses(&entries),
                Err(issue) => FileRecords::broken(issue),
            };
        }
        let mut members = Map::new();
        members.extend(title(text).map(|title| ("title".to_owned(), title.into())));
        let id = name(path).trim_end_matches(".md").to_owned();
        // Line 0: the story is where its status is.
        FileRecords::one(Part { kind: Kind::Story, id, line: 0, members: members.into() })
    }

    fn complete(&self, plan: &mut Plan) {
        // A story file without a status is not a story of the plan.
        plan.stories.retain(|story| story.members.contains_key("status"));
        plan.stories.sort_by_key(|story| (story.file, story.line));
        for kind in [Kind::Epic, Kind::Story] {
            plan.synonyms.extend(
                WORDS
                    .iter()
                    .map(|(word, meaning)| (kind, (*word).to_owned(), (*meaning).to_owned())),
            );
        }
    }
}

/// The status file that BMAD's configuration names.
fn configured(read: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let text = CONFIGURATIONS.iter().find_map(|path| read(path))?;
    let entries = front_matter::map(&text, 1).ok()?;
    let folder =
        FOLDERS.iter().find_map(|name| front_matter::find(&entries, name)?.value.text())?;
    let folder = folder.trim_start_matches("{project-root}").trim_matches('/');
    Some(format!("{folder}/{STATUS}"))
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The numbers that a story's key begins with, but for the last: those of its epic, longest first. `1-2-name` has `1`.
fn story_epics(key: &str) -> Option<Vec<&str>> {
    let mut ends = Vec::new();
    let mut at = 0;
    for part in key.split('-') {
        let digits = part.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let is_number = !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && part.len() <= digits.len() + 1;
        if !is_number {
            break;
        }
        at += part.len();
        ends.push(at);
        at += 1;
    }
    ends.pop();
    (!ends.is_empty() && at < key.len())
        .then(|| ends.iter().rev().map(|end| &key[..*end]).collect())
}

/// The title of a story file: `# Story 1.2: Title`.
fn title(text: &str) -> Option<&str> {
    let (_, title) = without_mark(text).lines().find_map(heading)?;
    let named = title
        .strip_prefix("Story ")
        .and_then(|rest| rest.split_once(':'))
        .map(|(_, title)| title.trim());
    Some(named.unwrap_or(title)).filter(|title| !title.is_empty())
}

fn statuses(entries: &[Entry]) -> FileRecords {
    let mut records = FileRecords::default();
    let Some(development) = front_matter::find(entries, "development_status") else {
        records.is_foreign = true;
        return records;
    };
    let keys = development.value.entries();
    let known: HashSet<_> = keys.iter().map(|entry| entry.name.as_str()).collect();
    let mut epics: HashMap<&str, usize> = HashMap::new();
    for entry in keys {
        // Its beginnings are looked up as epics, which takes the square of its length.
        if entry.name.len() > MOST_ID {
            let reason = format!("an id of more than {MOST_ID} bytes");
            records.report(Issue { line: entry.line, effect: Effect::Skipped, reason });
            continue;
        }
        let Some(mut members) = status(entry) else {
            let reason = format!("{} has no status", quote(&entry.name));
            records.report(Issue { line: entry.line, effect: Effect::Skipped, reason });
            continue;
        };
        if let Some(epic) =
            entry.name.strip_suffix("-retrospective").filter(|epic| epic.starts_with("epic-"))
        {
            let part = epics.get(epic).and_then(|at| records.parts.get_mut(*at));
            if let (Some(part), Some(word)) = (part, members.shift_remove("status")) {
                part.members.insert("retrospective".to_owned(), word);
            }
            continue;
        }
        let kind = if entry.name.starts_with("epic-") { Kind::Epic } else { Kind::Story };
        if kind == Kind::Epic {
            epics.insert(&entry.name, records.parts.len());
        } else {
            let epics = story_epics(&entry.name).unwrap_or_default();
            let epic = epics
                .iter()
                .map(|epic| format!("epic-{epic}"))
                .find(|epic| known.contains(epic.as_str()));
            members.extend(epic.map(|epic| ("epic_id".to_owned(), epic.into())));
        }
        records.add(Part {
            kind,
            id: entry.name.clone(),
            line: entry.line,
            members: members.into(),
        });
    }
    if let Some(items) = front_matter::find(entries, "action_items") {
        action_items(items, &mut records);
    }
    records
}

/// The members of a key: its word, or what a map below it says.
fn status(entry: &Entry) -> Option<Map<String, Value>> {
    match &entry.value {
        Node::Map(entries) => {
            Some(front_matter::members(entries)).filter(|members| members.contains_key("status"))
        }
        value => Some(Map::from_iter([("status".to_owned(), value.text()?.into())])),
    }
}

fn action_items(items: &Entry, records: &mut FileRecords) {
    let Node::List(list) = &items.value else { return };
    for (index, item) in list.iter().enumerate() {
        let entries = item.entries();
        let text =
            |name: &str| front_matter::find(entries, name).and_then(|entry| entry.value.text());
        let line = entries.first().map_or(items.line, |entry| entry.line);
        let Some(action) = text("action") else {
            let reason = "an action item without an action".to_owned();
            records.report(Issue { line, effect: Effect::Skipped, reason });
            continue;
        };
        let state = text("status").map(|word| match word {
            "open" => QUEUED,
            "in-progress" => RUNNING,
            "done" => COMPLETED,
            other => other,
        });
        let mut members = Map::new();
        members.extend(state.map(|state| ("state".to_owned(), state.into())));
        members.insert("title".to_owned(), action.into());
        members.extend(front_matter::members(entries));
        members.shift_remove("id");
        members.shift_remove("status");
        let id = text("id").map_or_else(|| format!("action#{}", index + 1), str::to_owned);
        if text("id").is_none() {
            members.insert("id_kind".to_owned(), "position".into());
        }
        records.add(Part { kind: Kind::Task, id, line, members: members.into() });
    }
}
