//! The route table: path, parameters, purpose and sources of each route, as data.
//!
//! `/api`, `flow api status`, the help and the tests are generated from it. [`crate::web`] answers the requests.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::project::Source;

mod parameters;

use parameters::{
    ACTIVITY_PARAMETERS, ATTENTION_PARAMETERS, CHANGES_PARAMETERS, EPIC_PARAMETERS,
    HEALTH_PARAMETERS, HISTORY_PARAMETERS, MESSAGE_PARAMETERS, SESSION_PARAMETERS, SINCE_ID,
    STORY_PARAMETERS, TASK_PARAMETERS,
};
pub use parameters::{
    ATTENTION_KINDS, DEFAULT_LIMIT, FIRST_CURSOR, Kind, LARGEST_LIMIT, MOST_EXAMINED_MESSAGES,
    MOST_FACET_VALUES, MOST_FIELDS, MOST_SEARCH_WORDS, MOST_SORT_KEYS, NEWEST_CURSOR, Parameter,
    SILENT_AFTER,
};

/// What a route serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the route of its name in ROUTES, which says what it gives")]
pub enum Resource {
    Index,
    Health,
    Sessions,
    Session,
    Status,
    Tasks,
    Task,
    TaskHistory,
    Messages,
    Metrics,
    Epics,
    Epic,
    EpicHistory,
    Stories,
    Story,
    StoryHistory,
    Problems,
    Attention,
    Agents,
    Activity,
    History,
    Events,
    Changes,
    OpenApi,
    Origins,
    Projects,
    Worktrees,
    Scrape,
}

/// One route of the API.
#[derive(Debug)]
pub struct Route {
    /// The path, where `:id` is one segment.
    pub path: &'static str,
    /// The resource that it serves.
    pub resource: Resource,
    /// What the resource is, in one phrase.
    pub gives: &'static str,
    /// The files that it depends on: they alone determine its time and its `ETag`.
    pub sources: &'static [Source],
    /// The parameters that it accepts.
    pub parameters: &'static [Parameter],
}

const STATUS: &[Source] = &[Source::Status];
const SESSIONS: &[Source] = &[Source::Sessions];
const TASKS: &[Source] = &[Source::Tasks];
const BUS: &[Source] = &[Source::Bus];
const DOCUMENTS: &[Source] = &[Source::Status, Source::Sessions, Source::Tasks];

const fn route(
    path: &'static str,
    resource: Resource,
    gives: &'static str,
    sources: &'static [Source],
    parameters: &'static [Parameter],
) -> Route {
    Route { path, resource, gives, sources, parameters }
}

/// Every route, in the order in which they are listed in help.
pub const ROUTES: &[Route] = &[
    route("/api", Resource::Index, "the server's name, version and endpoints", &[], &[]),
    route(
        "/api/health",
        Resource::Health,
        "health of the server and of the files that it serves",
        &[],
        HEALTH_PARAMETERS,
    ),
    route(
        "/api/sessions",
        Resource::Sessions,
        "active sessions, with counts",
        SESSIONS,
        SESSION_PARAMETERS,
    ),
    route("/api/sessions/:id", Resource::Session, "one session", SESSIONS, &[]),
    route("/api/status", Resource::Status, "status.json as it is on disk", STATUS, &[]),
    route(
        "/api/tasks",
        Resource::Tasks,
        "tasks, with counts by state and agent",
        TASKS,
        TASK_PARAMETERS,
    ),
    route("/api/tasks/:id", Resource::Task, "one task", TASKS, &[]),
    route(
        "/api/tasks/:id/history",
        Resource::TaskHistory,
        "the known changes of one task, oldest first",
        &[],
        &[],
    ),
    route(
        "/api/bus/messages",
        Resource::Messages,
        "one page of the message log",
        BUS,
        MESSAGE_PARAMETERS,
    ),
    route(
        "/api/metrics",
        Resource::Metrics,
        "counts of stories, tasks, epics, sessions and messages",
        &Source::ALL,
        &[],
    ),
    route("/api/epics", Resource::Epics, "epics and their progress", STATUS, EPIC_PARAMETERS),
    route("/api/epics/:id", Resource::Epic, "one epic and the ids of its stories", STATUS, &[]),
    route(
        "/api/epics/:id/history",
        Resource::EpicHistory,
        "the known changes of one epic, oldest first",
        &[],
        &[],
    ),
    route("/api/stories", Resource::Stories, "stories", STATUS, STORY_PARAMETERS),
    route("/api/stories/:id", Resource::Story, "one story", STATUS, &[]),
    route(
        "/api/stories/:id/history",
        Resource::StoryHistory,
        "the known changes of one story, oldest first",
        &[],
        &[],
    ),
    route(
        "/api/problems",
        Resource::Problems,
        "files that cannot be read, and records that were skipped, repaired, or may not be read as meant",
        &Source::ALL,
        &[],
    ),
    route(
        "/api/attention",
        Resource::Attention,
        "what needs attention: failed and blocked work, open questions, silent sessions, what was taken back",
        &Source::ALL,
        ATTENTION_PARAMETERS,
    ),
    route(
        "/api/agents",
        Resource::Agents,
        "the current work of each agent: sessions, tasks, stories, last message, open questions",
        &Source::ALL,
        &[],
    ),
    route(
        "/api/activity",
        Resource::Activity,
        "the known changes of the plan, newest first",
        &[],
        ACTIVITY_PARAMETERS,
    ),
    route(
        "/api/history",
        Resource::History,
        "how the plan moved: open and done records by day or week, and how long they stay in a status",
        &[],
        HISTORY_PARAMETERS,
    ),
    route(
        "/api/events",
        Resource::Events,
        "a stream of server-sent events that name the changed resources",
        &[],
        &[SINCE_ID],
    ),
    route(
        "/api/changes",
        Resource::Changes,
        "long polling: the resources that changed since an event id",
        &[],
        CHANGES_PARAMETERS,
    ),
    route(
        "/api/origins/:id",
        Resource::Origins,
        "the source of the records with an id: collection, file and line",
        DOCUMENTS,
        &[],
    ),
    route(
        "/api/projects",
        Resource::Projects,
        "the other running servers of this user: project names and addresses",
        &[],
        &[],
    ),
    route(
        "/api/worktrees",
        Resource::Worktrees,
        "the repository's worktrees: what differs in each one's copy of the plan",
        &[],
        &[],
    ),
    route("/api/openapi.json", Resource::OpenApi, "this API as an OpenAPI 3.1 document", &[], &[]),
    route("/metrics", Resource::Scrape, "the state in the text format of Prometheus", &[], &[]),
];

/// The result of a path lookup.
#[derive(Debug)]
pub enum Match<'a> {
    /// A route without an id.
    Whole(&'static Route),
    /// A route and the decoded id.
    One(&'static Route, Cow<'a, str>),
    /// A route whose id cannot be one: the raw segment.
    BadId(&'a str),
    /// No route has this path.
    Unknown,
}

/// How the path of a record's history ends, and that of its route.
const HISTORY: &str = "/history";
const HISTORY_OF_RECORD: &str = "/:id/history";

/// Finds the route of a request's path. One trailing slash is ignored.
pub fn find(path: &str) -> Match<'_> {
    let trimmed = path.strip_suffix('/').unwrap_or(path);
    if let Some(route) = ROUTES.iter().find(|route| route.path == trimmed) {
        return Match::Whole(route);
    }
    let Some((parent, segment, ending)) = parts(trimmed) else { return Match::Unknown };
    let of_parent = |route: &&Route| route.path.strip_suffix(ending) == Some(parent);
    let Some(route) = ROUTES.iter().find(of_parent).filter(|_| !segment.is_empty()) else {
        return Match::Unknown;
    };
    match decode(segment).filter(|id| !id.chars().any(char::is_control)) {
        Some(id) => Match::One(route, id),
        None => Match::BadId(segment),
    }
}

/// Whether the answer to a target follows from the known changes, which the files do not contain.
pub fn follows_from_changes(target: &str) -> bool {
    match find(target.split('?').next().unwrap_or_default()) {
        Match::Whole(route) => matches!(route.resource, Resource::Activity | Resource::History),
        Match::One(route, _) => route.path.ends_with(HISTORY),
        _ => false,
    }
}

/// The parts of a path with an id: what is before the id, the id, and how the path of its route ends.
fn parts(path: &str) -> Option<(&str, &str, &'static str)> {
    let of_record = path.strip_suffix(HISTORY).and_then(|record| record.rsplit_once('/'));
    let has_history = |parent: &str| {
        let route = |route: &Route| route.path.strip_suffix(HISTORY_OF_RECORD) == Some(parent);
        ROUTES.iter().any(route)
    };
    if let Some((parent, id)) = of_record.filter(|(parent, _)| has_history(parent)) {
        return Some((parent, id, HISTORY_OF_RECORD));
    }
    path.rsplit_once('/').map(|(parent, id)| (parent, id, "/:id"))
}

/// The routes of one record that a path without a route may mean, each with the id that it names then: in
/// `/api/tasks/001-find/T012` the slash of an id is not encoded, in `/api/001-find/T012` the collection is missing.
pub fn meant(path: &str) -> impl Iterator<Item = (&'static Route, Cow<'_, str>)> {
    let below = |parent: &str| path.strip_prefix(parent)?.strip_prefix('/').and_then(decode);
    let named =
        move |route: &'static Route| Some((route, below(route.path.strip_suffix("/:id")?)?));
    let is_record =
        |route: &&Route| route.path.ends_with("/:id") && route.resource != Resource::Origins;
    let bare = move |route: &'static Route| Some((route, below("/api")?));
    ROUTES.iter().filter_map(named).chain(ROUTES.iter().filter(is_record).filter_map(bare))
}

/// Characters of an id that a path contains as they are.
const PLAIN: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b':');

impl Route {
    /// The path of the record with an id.
    pub fn path_of(&self, id: &str) -> String {
        let parent = self.path.strip_suffix(":id").unwrap_or(self.path);
        format!("{parent}{}", utf8_percent_encode(id, PLAIN))
    }
}

/// Decodes percent-encoding; `None` for an invalid escape or bytes that are not UTF-8. A `+` stays a plus.
pub fn decode(text: &str) -> Option<Cow<'_, str>> {
    // Decoding a text without escapes takes several times as long.
    if memchr::memchr(b'%', text.as_bytes()).is_none() {
        return Some(Cow::Borrowed(text));
    }
    let hex = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut escapes = memchr::memchr_iter(b'%', text.as_bytes());
    if !escapes.all(|at| hex(at + 1) && hex(at + 2)) {
        return None;
    }
    percent_decode_str(text).decode_utf8().ok()
}
