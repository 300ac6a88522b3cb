//! The route table, as data: path, parameters, what it gives, and which files are behind it.
//!
//! `/api`, `flow api status`, the help and the tests are generated from it. It answers nothing itself: that is
//! [`crate::web`].

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::model::record::TASK_STATES;
use crate::project::Source;

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
    Messages,
    Metrics,
    Epics,
    Epic,
    Stories,
    Story,
    Problems,
    Attention,
    Agents,
    Activity,
    Events,
    Changes,
}

/// What a parameter's value may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text; several mean OR.
    Terms,
    /// One of these words, or a value that a record has; several mean OR.
    Known(&'static [&'static str]),
    /// One of these words; several mean OR.
    Words(&'static [&'static str]),
    /// One of these words; several mean AND. An empty value is refused: nothing asked for must not pass for a
    /// condition that holds.
    Conditions(&'static [&'static str]),
    /// Any text, given once.
    Text,
    /// One of these words, given once.
    Word(&'static [&'static str]),
    /// A whole number from 0 to `most`, given once.
    Number {
        /// The largest that is allowed.
        most: u64,
    },
    /// An RFC 3339 time or a date, given once.
    Time,
}

/// A query parameter.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// As it stands in the query.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it does, in a few words.
    pub gives: &'static str,
}

/// One path of the API.
#[derive(Debug)]
pub struct Route {
    /// The path, where `:id` stands for one segment.
    pub path: &'static str,
    /// What it serves.
    pub resource: Resource,
    /// What a reader gets, in one phrase.
    pub gives: &'static str,
    /// The files behind it: they alone decide its time and its `ETag`.
    pub sources: &'static [Source],
    /// The parameters that it knows.
    pub parameters: &'static [Parameter],
}

/// Most messages on one page.
pub const LARGEST_LIMIT: u64 = 10_000;
/// Messages on a page where the request does not say.
pub const DEFAULT_LIMIT: u64 = 100;
/// The furthest a page may begin.
pub const LARGEST_OFFSET: u64 = i64::MAX as u64;

const fn terms(name: &'static str, gives: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Terms, gives }
}

const STATUS: &[Source] = &[Source::Status];
const SESSIONS: &[Source] = &[Source::Sessions];
const TASKS: &[Source] = &[Source::Tasks];
const BUS: &[Source] = &[Source::Bus];

const MESSAGE_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "limit",
        kind: Kind::Number { most: LARGEST_LIMIT },
        gives: "messages on the page, 100",
    },
    Parameter {
        name: "offset",
        kind: Kind::Number { most: LARGEST_OFFSET },
        gives: "matching messages to pass over",
    },
    terms("story_id", "messages about this story"),
    terms("from", "messages of this sender"),
    Parameter { name: "since", kind: Kind::Time, gives: "messages from this time on" },
    Parameter {
        name: "until",
        kind: Kind::Time,
        gives: "messages up to this time; a date means its end",
    },
    terms("type", "messages of this type"),
    terms("to", "messages to this receiver"),
    Parameter {
        name: "order",
        kind: Kind::Word(&["asc", "desc"]),
        gives: "asc is the order of the file",
    },
];

const TASK_PARAMETERS: &[Parameter] = &[
    Parameter { name: "state", kind: Kind::Known(&TASK_STATES), gives: "tasks in this state" },
    terms("story_id", "tasks of this story"),
    terms("subagent_type", "tasks of this kind of agent"),
];

const STORY_PARAMETERS: &[Parameter] = &[
    terms("status", "stories with this status"),
    terms("epic_id", "stories of this epic"),
    terms("owner", "stories of this owner"),
];

const SESSION_PARAMETERS: &[Parameter] = &[Parameter {
    name: "active",
    kind: Kind::Words(&["true", "false", "all"]),
    gives: "true is the default",
}];

/// What `require` at `/api/health` takes: `ok`, and the names of the checks.
const REQUIREMENTS: &[&str] = &[
    "ok",
    Source::Status.check(),
    Source::Sessions.check(),
    Source::Tasks.check(),
    Source::Bus.check(),
];

const HEALTH_PARAMETERS: &[Parameter] = &[Parameter {
    name: "require",
    kind: Kind::Conditions(REQUIREMENTS),
    gives: "503 unless health is ok, or unless these checks are present",
}];

/// What an item of `/api/attention` is, in the order in which items are listed.
pub const ATTENTION_KINDS: [&str; 9] = [
    "task_failed",
    "task_blocked",
    "story_blocked",
    "question_unanswered",
    "session_silent",
    "session_gone",
    "record_vanished",
    "source_degraded",
    "dependency_cycle",
];
/// Seconds without a sign of life after which an active session counts as silent, where the request does not say.
pub const SILENT_AFTER: u64 = 30 * 60;
/// The longest that may be asked for: a year.
const LONGEST_SILENCE: u64 = 366 * 24 * 60 * 60;

const ATTENTION_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "silent_after",
        kind: Kind::Number { most: LONGEST_SILENCE },
        gives: "seconds after which an active session is silent, 1800",
    },
    Parameter { name: "kind", kind: Kind::Words(&ATTENTION_KINDS), gives: "items of this kind" },
];

/// The collections whose changes are noted.
pub const COLLECTIONS: [&str; 4] = ["stories", "epics", "tasks", "sessions"];

const ACTIVITY_PARAMETERS: &[Parameter] = &[
    Parameter { name: "since", kind: Kind::Time, gives: "changes seen from this time on" },
    terms("id", "changes of this record"),
    Parameter {
        name: "collection",
        kind: Kind::Words(&COLLECTIONS),
        gives: "changes of records of this collection",
    },
    Parameter {
        name: "change",
        kind: Kind::Words(&["added", "changed", "removed"]),
        gives: "records that came, changed or went",
    },
    Parameter {
        name: "limit",
        kind: Kind::Number { most: LARGEST_LIMIT },
        gives: "changes on the page, 100",
    },
    Parameter { name: "cursor", kind: Kind::Text, gives: "the next_cursor of the page before" },
];

/// The longest that a request to `/api/changes` waits, in seconds.
pub const LONGEST_WAIT: u64 = 60;

const SINCE_ID: Parameter =
    Parameter { name: "since", kind: Kind::Text, gives: "the id that was seen last" };
const CHANGES_PARAMETERS: &[Parameter] = &[
    SINCE_ID,
    Parameter {
        name: "wait",
        kind: Kind::Number { most: LONGEST_WAIT },
        gives: "seconds to wait for a change, 0",
    },
];

const fn route(
    path: &'static str,
    resource: Resource,
    gives: &'static str,
    sources: &'static [Source],
    parameters: &'static [Parameter],
) -> Route {
    Route { path, resource, gives, sources, parameters }
}

/// Every route, in the order in which they are listed to people.
pub const ROUTES: &[Route] = &[
    route("/api", Resource::Index, "what this server is, and this list", &[], &[]),
    route(
        "/api/health",
        Resource::Health,
        "whether the files behind the answers are readable and current",
        &[],
        HEALTH_PARAMETERS,
    ),
    route(
        "/api/sessions",
        Resource::Sessions,
        "the active sessions, and counts",
        SESSIONS,
        SESSION_PARAMETERS,
    ),
    route("/api/sessions/:id", Resource::Session, "one session", SESSIONS, &[]),
    route("/api/status", Resource::Status, "status.json as it is on disk", STATUS, &[]),
    route(
        "/api/tasks",
        Resource::Tasks,
        "tasks, and counts by state and agent",
        TASKS,
        TASK_PARAMETERS,
    ),
    route("/api/tasks/:id", Resource::Task, "one task", TASKS, &[]),
    route(
        "/api/bus/messages",
        Resource::Messages,
        "a page of the message log",
        BUS,
        MESSAGE_PARAMETERS,
    ),
    route("/api/metrics", Resource::Metrics, "counts over everything", &Source::ALL, &[]),
    route("/api/epics", Resource::Epics, "epics and their progress", STATUS, &[]),
    route("/api/epics/:id", Resource::Epic, "one epic and the ids of its stories", STATUS, &[]),
    route("/api/stories", Resource::Stories, "stories", STATUS, STORY_PARAMETERS),
    route("/api/stories/:id", Resource::Story, "one story", STATUS, &[]),
    route(
        "/api/problems",
        Resource::Problems,
        "records and lines that were skipped or repaired",
        &Source::ALL,
        &[],
    ),
    route(
        "/api/attention",
        Resource::Attention,
        "what needs somebody: failed and blocked work, open questions, silent sessions, lost records",
        &Source::ALL,
        ATTENTION_PARAMETERS,
    ),
    route(
        "/api/agents",
        Resource::Agents,
        "what each agent does: sessions, tasks, stories, last message, open questions",
        &Source::ALL,
        &[],
    ),
    route(
        "/api/activity",
        Resource::Activity,
        "what the server saw change since it started, newest first",
        &[],
        ACTIVITY_PARAMETERS,
    ),
    route(
        "/api/events",
        Resource::Events,
        "a stream of server-sent events: which resources changed",
        &[],
        &[SINCE_ID],
    ),
    route(
        "/api/changes",
        Resource::Changes,
        "the same as a long poll: which resources changed since an id",
        &[],
        CHANGES_PARAMETERS,
    ),
];

/// What a path leads to.
#[derive(Debug)]
pub enum Match<'a> {
    /// A route without an id.
    Whole(&'static Route),
    /// A route and the decoded id.
    One(&'static Route, Cow<'a, str>),
    /// A route whose id cannot be one: the raw segment.
    BadId(&'a str),
    /// No route.
    Unknown,
}

/// Finds the route of a path as it came in the request. One trailing slash is passed over.
pub fn find(path: &str) -> Match<'_> {
    let trimmed = path.strip_suffix('/').unwrap_or(path);
    if let Some(route) = ROUTES.iter().find(|route| route.path == trimmed) {
        return Match::Whole(route);
    }
    let Some((parent, segment)) = trimmed.rsplit_once('/') else { return Match::Unknown };
    let of_parent = |route: &&Route| route.path.strip_suffix("/:id") == Some(parent);
    let Some(route) = ROUTES.iter().find(of_parent).filter(|_| !segment.is_empty()) else {
        return Match::Unknown;
    };
    match decode(segment).filter(|id| !id.chars().any(char::is_control)) {
        Some(id) => Match::One(route, id),
        None => Match::BadId(segment),
    }
}

/// Undoes percent-encoding; `None` for a bad escape or bytes that are not UTF-8. A `+` stays a plus.
pub fn decode(text: &str) -> Option<Cow<'_, str>> {
    let hex = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut escapes = memchr::memchr_iter(b'%', text.as_bytes());
    if !escapes.all(|at| hex(at + 1) && hex(at + 2)) {
        return None;
    }
    percent_decode_str(text).decode_utf8().ok()
}
