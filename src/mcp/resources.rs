//! The resources: `flow://…`, each an answer of the API.

use std::hash::{DefaultHasher, Hash, Hasher};

use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use super::answer::{self, Answer, Refusal};
use super::limits::{LISTS_LAST_MS, RESOURCE_RECORDS};
use crate::control;
use crate::files::Files;
use crate::skill::project_state::state::{Answers, State as Encoding};

const SCHEME: &str = "flow://";
const JSON: &str = "application/json";

/// A resource.
#[derive(Debug)]
struct Entry {
    /// The URI without `flow://`.
    name: &'static str,
    title: &'static str,
    gives: &'static str,
    /// The path of the API.
    path: &'static str,
    shape: Shape,
}

/// The part of an API answer that a resource contains.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Whole,
    /// The first [`RESOURCE_RECORDS`] results of this query.
    Page(&'static str),
    /// The first [`RESOURCE_RECORDS`] items of this list.
    Cut(&'static str),
}

const fn entry(
    name: &'static str,
    title: &'static str,
    gives: &'static str,
    path: &'static str,
    shape: Shape,
) -> Entry {
    Entry { name, title, gives, path, shape }
}

const ENTRIES: [Entry; 12] = [
    entry(
        "attention",
        "What needs attention",
        "Failed and blocked work, open questions, silent sessions, what was taken back from the plan: the first 100 items",
        "/api/attention",
        Shape::Cut("items"),
    ),
    entry(
        "agents",
        "Agents",
        "The current work of each agent: the first 100 agents",
        "/api/agents",
        Shape::Cut("agents"),
    ),
    entry(
        "stories",
        "Stories",
        "The first 100 stories, in file order",
        "/api/stories",
        Shape::Page(""),
    ),
    entry(
        "epics",
        "Epics",
        "The first 100 epics and their progress, in file order",
        "/api/epics",
        Shape::Page(""),
    ),
    entry(
        "tasks",
        "Tasks",
        "The first 100 tasks, with counts of all by state and agent",
        "/api/tasks",
        Shape::Page(""),
    ),
    entry(
        "sessions",
        "Active sessions",
        "The first 100 active sessions, with counts of all",
        "/api/sessions",
        Shape::Page(""),
    ),
    entry(
        "messages",
        "Messages",
        "The newest 100 messages, newest first",
        "/api/bus/messages",
        Shape::Page("order=desc&"),
    ),
    entry(
        "metrics",
        "Counts",
        "Counts of stories, tasks, epics, sessions and messages",
        "/api/metrics",
        Shape::Whole,
    ),
    entry(
        "activity",
        "Recent changes",
        "The newest 100 known changes of records",
        "/api/activity",
        Shape::Page(""),
    ),
    entry(
        "problems",
        "Problems",
        "Files that cannot be read, and records that were skipped, repaired, or may not be read as meant",
        "/api/problems",
        Shape::Whole,
    ),
    entry(
        "health",
        "Health",
        "Health of the files that the answers are read from",
        "/api/health",
        Shape::Whole,
    ),
    entry("status", "status.json", "status.json as it is on disk", "/api/status", Shape::Whole),
];

/// The collections each of whose records is a resource, the noun of a record, and the description.
const TEMPLATES: [(&str, &str, &str); 4] = [
    ("stories", "story", "A story by its id, percent-encoded, such as flow://stories/US-0014"),
    ("epics", "epic", "An epic by its id, percent-encoded, and the ids of its stories"),
    ("tasks", "task", "A task by its id, percent-encoded"),
    ("sessions", "session", "A session by its id, percent-encoded"),
];

/// The target of a URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// The path of the API, with its query.
    target: String,
    /// The path whose changes are this resource's, as the change stream names it.
    pub(super) stream: &'static str,
    /// Whether it is one record, so that only the change stream reports when it changes.
    pub(super) is_record: bool,
    /// The list of which it contains the first [`RESOURCE_RECORDS`] items.
    cut: Option<&'static str>,
}

/// All resources.
pub(super) fn list() -> ListResourcesResult {
    let resource = |entry: &Entry| {
        Resource::new(format!("{SCHEME}{}", entry.name), entry.name)
            .with_title(entry.title)
            .with_description(entry.gives)
            .with_mime_type(JSON)
    };
    ListResourcesResult::with_all_items(ENTRIES.iter().map(resource).collect())
        .with_ttl_ms(LISTS_LAST_MS)
        .with_cache_scope(CacheScope::Private)
}

/// All templates.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = |(collection, name, gives): &(&str, &str, &str)| {
        ResourceTemplate::new(format!("{SCHEME}{collection}/{{id}}"), *name)
            .with_title(format!("One {name}"))
            .with_description(*gives)
            .with_mime_type(JSON)
    };
    ListResourceTemplatesResult::with_all_items(TEMPLATES.iter().map(template).collect())
        .with_ttl_ms(LISTS_LAST_MS)
        .with_cache_scope(CacheScope::Private)
}

/// The target of a URI; an error if the URI is invalid.
pub(super) fn find(uri: &str) -> answer::Result<Named> {
    let unknown = || {
        let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        Refusal::NotFound(format!(
            "there is no resource {uri:?}; known resources: {SCHEME} with {}, stories/ID, epics/ID, tasks/ID, sessions/ID",
            names.join(", ")
        ))
    };
    let name = uri.strip_prefix(SCHEME).ok_or_else(unknown)?;
    let entry = |name| ENTRIES.iter().find(|entry| entry.name == name).ok_or_else(unknown);
    let Some((collection, id)) = name.split_once('/') else { return entry(name).map(Named::of) };
    let stream = entry(collection)?.path;
    let target = format!("{stream}/{id}");
    let is_segment = !id.is_empty() && !id.contains(['/', '?', '#']);
    let has_records = TEMPLATES.iter().any(|(known, ..)| *known == collection);
    if has_records && !is_segment && !id.is_empty() {
        let encoded = Encoding::encoded(id);
        return Err(Refusal::NotFound(format!(
            "there is no resource {uri:?}: an id is percent-encoded, as in {SCHEME}{collection}/{encoded}"
        )));
    }
    if !is_segment || !has_records || !control::is_path(&target) {
        return Err(unknown());
    }
    Ok(Named { target, stream, is_record: true, cut: None })
}

impl Named {
    fn of(entry: &'static Entry) -> Self {
        let (query, cut) = match entry.shape {
            Shape::Whole => (String::new(), None),
            Shape::Page(query) => (format!("?{query}limit={RESOURCE_RECORDS}"), None),
            Shape::Cut(list) => (String::new(), Some(list)),
        };
        let target = format!("{}{query}", entry.path);
        Self { target, stream: entry.path, is_record: false, cut }
    }

    /// Its content in a snapshot.
    ///
    /// # Errors
    /// When it does not exist then, or is too large.
    pub(super) fn read(&self, files: &Files) -> answer::Result {
        match self.cut {
            Some(list) => Answer::whole(files, &self.target)?.cut(list, RESOURCE_RECORDS),
            None => Answer::of_api(files, &self.target),
        }
    }

    /// Identifies the content of a record; constant for a resource of more than one record, whose changes the
    /// change stream names.
    pub(super) fn fingerprint(&self, files: &Files) -> u64 {
        if !self.is_record {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        files.get(&self.target).hash(&mut hasher);
        hasher.finish()
    }
}

/// The content that clients receive. It may change at any time.
pub(super) fn contents(uri: String, answer: Answer) -> ReadResourceResult {
    let contents = ResourceContents::text(answer.text, uri).with_mime_type(JSON);
    ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private)
}
