//! task-master: one JSON file with tasks and their subtasks, in tags.

use std::collections::HashSet;

use flow_model::json;
use flow_model::kind::Kind;
use flow_model::problem::{Effect, quote};
use serde_json::{Map, Value};

use crate::checklist::without_mark;
use crate::format::{FileRecords, Format, OwnFile, Part, Selection};
use crate::json_file::{self, id_text};
use crate::lines::Lines;
use crate::plan::{COMPLETED, Issue, Plan, QUEUED, RUNNING};
use crate::size::{MOST_DEPENDENCIES, MOST_ID};

const FILE: &str = ".taskmaster/tasks/tasks.json";
/// Where older versions have it.
const OLDER: &str = "tasks/tasks.json";
/// The tag of a file without tags.
const ONLY_TAG: &str = "master";

/// task-master.
#[derive(Debug)]
pub struct TaskMaster;

impl Format for TaskMaster {
    fn name(&self) -> &'static str {
        "task-master"
    }

    fn places(&self) -> &'static [&'static str] {
        &[FILE, OLDER]
    }

    fn marks(&self) -> &'static [&'static str] {
        &[".taskmaster"]
    }

    fn owns(&self, path: &str) -> bool {
        matches!(path, FILE | OLDER)
    }

    fn is_present(&self, files: &[&str], _: &dyn Fn(&str) -> bool) -> bool {
        files.iter().any(|path| self.owns(path))
    }

    fn select<'a>(
        &self,
        files: &[OwnFile<'a>],
        _: &dyn Fn(&str) -> Option<String>,
    ) -> Selection<'a> {
        let newer = files.iter().find(|file| file.path == FILE);
        let read = newer.or(files.first()).map(|file| file.path).into_iter().collect();
        Selection { read, beside: Vec::new() }
    }

    fn states_dependencies(&self, kind: Kind) -> bool {
        matches!(kind, Kind::Story | Kind::Task)
    }

    fn read(&self, path: &str, text: &str) -> FileRecords {
        let text = without_mark(text);
        let mut reader = Reader { lines: Lines::of(text), records: FileRecords::default() };
        match tags(text) {
            // Other programs have a file of this name.
            Ok(tags) if tags.is_empty() && path == OLDER => reader.records.is_foreign = true,
            Ok(tags) => reader.tags(&tags),
            Err(issue) => reader.records.fault = Some(issue),
        }
        reader.records
    }

    fn complete(&self, plan: &mut Plan) {
        plan.count_tasks();
        for (kind, meaning) in [(Kind::Story, "ready"), (Kind::Task, QUEUED)] {
            plan.synonyms.push((kind, "pending".to_owned(), meaning.to_owned()));
        }
    }
}

/// A tag: its name, the array of its tasks, and its metadata.
struct Tag<'a> {
    name: String,
    tasks: &'a str,
    metadata: Option<&'a str>,
}

/// The tags of a file; a list of tasks at its top is one.
fn tags(text: &str) -> Result<Vec<Tag<'_>>, Issue> {
    let members = json_file::members(text)?;
    let mut tags = Vec::new();
    for member in &members {
        if member.name == "tasks" && member.value.starts_with('[') {
            // Newer files have a tag of this name beside what an older version wrote.
            if !members.iter().any(|other| other.name == ONLY_TAG && json::is_object(other.value)) {
                tags.push(Tag { name: ONLY_TAG.to_owned(), tasks: member.value, metadata: None });
            }
        } else if json::is_object(member.value) {
            let inner = json_file::members(member.value)?;
            let value = |name: &str| {
                inner.iter().find(|member| member.name == name).map(|member| member.value)
            };
            if let Some(tasks) = value("tasks").filter(|tasks| tasks.starts_with('[')) {
                tags.push(Tag {
                    name: member.name.to_string(),
                    tasks,
                    metadata: value("metadata"),
                });
            }
        }
    }
    Ok(tags)
}

struct Reader<'a> {
    lines: Lines<'a>,
    records: FileRecords,
}

/// An object of a list: its own id, and the id of its record.
struct Item {
    own: String,
    record: String,
    by_position: bool,
    members: Map<String, Value>,
    line: u64,
}

/// A list of tasks or subtasks that is being read.
struct List<'a, R> {
    /// What its objects are called.
    noun: &'a str,
    /// What it is a list of.
    scope: &'a str,
    /// The id of the record of an object with an id.
    record: R,
    /// The ids of the records so far, and the number of objects.
    seen: HashSet<String>,
    count: usize,
}

impl<'a, R> List<'a, R> {
    fn new(noun: &'a str, scope: &'a str, record: R) -> Self {
        Self { noun, scope, record, seen: HashSet::new(), count: 0 }
    }
}

impl Reader<'_> {
    fn tags(&mut self, tags: &[Tag<'_>]) {
        let are_epics = tags.len() > 1;
        for tag in tags {
            let line = self.lines.line_of(tag.tasks);
            if tag.name.len() > MOST_ID {
                let reason = format!("a tag with a name of more than {MOST_ID} bytes");
                self.issue(line, Effect::Skipped, reason);
                continue;
            }
            if are_epics {
                let metadata = tag.metadata.and_then(json_file::object);
                let epic = Part {
                    kind: Kind::Epic,
                    id: tag.name.clone(),
                    line,
                    members: metadata.unwrap_or_default().into(),
                };
                self.records.add(epic);
            }
            self.tasks(tag, are_epics);
        }
    }

    fn tasks(&mut self, tag: &Tag<'_>, has_epic: bool) {
        let record = |own: &str| format!("{}/{own}", tag.name);
        let mut list = List::new("task", &tag.name, record);
        for raw in json::elements(tag.tasks).unwrap_or_default() {
            let Some(item) = self.item(raw, &mut list) else { continue };
            let mut members = Map::new();
            if has_epic {
                members.insert("epic_id".to_owned(), tag.name.clone().into());
            }
            let depends_on = self.depends_on(&item, record);
            let Item { own, record, by_position, members: given, line } = item;
            let replaced = ["id", "dependencies", "subtasks"];
            add(&mut members, given, &replaced, depends_on, by_position);
            self.records.add(Part {
                kind: Kind::Story,
                id: record.clone(),
                line,
                members: members.into(),
            });
            if let Some(subtasks) = subtasks(raw) {
                self.subtasks(tag, &own, &record, subtasks);
            }
        }
    }

    /// The subtasks of a task with an id of its own, and with the id of its record.
    fn subtasks(&mut self, tag: &Tag<'_>, own: &str, story: &str, subtasks: &str) {
        let within = format!("{own}.");
        let local = |own: &str| format!("{story}.{}", own.strip_prefix(&within).unwrap_or(own));
        let mut list = List::new("subtask", story, local);
        for raw in json::elements(subtasks).unwrap_or_default() {
            let Some(item) = self.item(raw, &mut list) else { continue };
            let mut members = Map::new();
            members.insert("story_id".to_owned(), story.into());
            if let Some(status) = item.members.get("status") {
                members.insert("state".to_owned(), state(status));
            }
            let depends_on = self.depends_on(&item, |id| {
                if id.contains('.') {
                    format!("{}/{id}", tag.name)
                } else {
                    format!("{story}.{id}")
                }
            });
            add(
                &mut members,
                item.members,
                &["id", "dependencies", "status"],
                depends_on,
                item.by_position,
            );
            self.records.add(Part {
                kind: Kind::Task,
                id: item.record,
                line: item.line,
                members: members.into(),
            });
        }
    }

    /// The next object of a list. One without an id, or with one that stood before, has its position as its id.
    fn item<R: Fn(&str) -> String>(&mut self, raw: &str, list: &mut List<'_, R>) -> Option<Item> {
        list.count += 1;
        let List { noun, scope, count, .. } = *list;
        let line = self.lines.line_of(raw);
        let Some(members) = json_file::object(raw) else {
            let reason = format!("a {noun} that is not an object of at most 1 MiB: {}", quote(raw));
            self.issue(line, Effect::Skipped, reason);
            return None;
        };
        let own = members.get("id").and_then(id_text);
        if own.as_ref().is_some_and(|own| own.len() > MOST_ID) {
            let reason = format!("a {noun} with an id of more than {MOST_ID} bytes");
            self.issue(line, Effect::Skipped, reason);
            return None;
        }
        let own = own.filter(|own| {
            let is_new = list.seen.insert((list.record)(own));
            if !is_new {
                let reason = format!("a second {noun} with the id {own:?} in {scope}");
                self.issue(line, Effect::Suspicious, reason);
            }
            is_new
        });
        let position = || format!("{scope}#{count}");
        let record = own.as_deref().map_or_else(position, &list.record);
        let by_position = own.is_none();
        Some(Item { own: own.unwrap_or_default(), record, by_position, members, line })
    }

    /// The records that an item depends on.
    fn depends_on(&mut self, item: &Item, record: impl Fn(&str) -> String) -> Option<Value> {
        let given = item.members.get("dependencies")?;
        let given = given.as_array().map_or(std::slice::from_ref(given), Vec::as_slice);
        let mut ids = Vec::new();
        for id in given.iter().filter(|id| !id.is_null()) {
            if ids.len() == MOST_DEPENDENCIES {
                let reason = format!("more than {MOST_DEPENDENCIES} dependencies");
                self.issue(item.line, Effect::Suspicious, reason);
                break;
            }
            if let Some(id) = id_text(id) {
                ids.push(record(&id).into());
            } else {
                let reason = format!("a dependency that is not an id: {}", quote(&id.to_string()));
                self.issue(item.line, Effect::Suspicious, reason);
            }
        }
        Some(Value::Array(ids))
    }

    fn issue(&mut self, line: u64, effect: Effect, reason: String) {
        self.records.report(Issue { line, effect, reason });
    }
}

/// The array of subtasks in the text of a task.
fn subtasks(task: &str) -> Option<&str> {
    let members = json::members(task).and_then(json::Members::unique).ok()?;
    let subtasks = members.into_iter().find(|member| member.name == "subtasks")?.value;
    subtasks.starts_with('[').then_some(subtasks)
}

/// Adds the members of an item but for those that are `replaced`; its dependencies stand where the item has them.
fn add(
    members: &mut Map<String, Value>,
    given: Map<String, Value>,
    replaced: &[&str],
    depends_on: Option<Value>,
    by_position: bool,
) {
    let mut depends_on = depends_on.filter(|ids| ids.as_array().is_some_and(|ids| !ids.is_empty()));
    for (name, value) in given {
        if name == "dependencies" {
            members.extend(depends_on.take().map(|ids| ("depends_on".to_owned(), ids)));
        } else if !replaced.contains(&name.as_str()) {
            members.entry(name).or_insert(value);
        }
    }
    if by_position {
        members.insert("id_kind".to_owned(), "position".into());
    }
}

/// The state of a subtask with a status.
fn state(status: &Value) -> Value {
    match status.as_str() {
        Some("pending") => QUEUED.into(),
        Some("in-progress") => RUNNING.into(),
        Some("done" | "completed") => COMPLETED.into(),
        _ => status.clone(),
    }
}
