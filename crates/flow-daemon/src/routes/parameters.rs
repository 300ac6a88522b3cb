//! The parameters of each route: their names, types and limits.

use std::time::Duration;

use crate::model::record::TASK_STATES;
use crate::project::Source;

/// The type of a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text; several mean OR.
    Terms,
    /// One of these words, or a value that some record has; several mean OR.
    Known(&'static [&'static str]),
    /// One of these words; several mean OR.
    Words(&'static [&'static str]),
    /// One of these words; several mean AND. An empty value is refused, because it must not pass for a condition that
    /// holds.
    Conditions(&'static [&'static str]),
    /// A text of this form (a regular expression; none allows any text), given once.
    Text(Option<&'static str>),
    /// Search words, separated by white space and not by commas, given once; several mean AND.
    Search,
    /// Names of fields that the records have, at most [`MOST_FIELDS`].
    Fields,
    /// Names of fields, most significant first, at most [`MOST_SORT_KEYS`]; a minus before a name means descending.
    Sort,
    /// One of these words, given once.
    Word(&'static [&'static str]),
    /// A whole number from 0 to `most`, given once.
    Number {
        /// The largest allowed value.
        most: u64,
    },
    /// An RFC 3339 time or a date, given once.
    Time,
    /// A time span ([`crate::model::span`]), given once.
    Span,
}

impl Kind {
    /// Whether `name!=value` is accepted: it selects the records that do not have the value.
    pub const fn can_be_negated(self) -> bool {
        matches!(self, Self::Terms | Self::Known(_))
    }
}

/// A query parameter.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name in the query.
    pub name: &'static str,
    /// The type of its value.
    pub kind: Kind,
    /// Its effect, in a few words.
    pub gives: &'static str,
}

/// Most records, messages or changes on one page.
pub const LARGEST_LIMIT: u64 = 10_000;
/// Page size where the request gives none.
pub const DEFAULT_LIMIT: u64 = 100;
/// Largest offset of a page.
pub const LARGEST_OFFSET: u64 = i64::MAX as u64;
/// Most words in `q`.
pub const MOST_SEARCH_WORDS: usize = 16;
/// Most names in `fields`.
pub const MOST_FIELDS: usize = 64;
/// Most names in `sort`.
pub const MOST_SORT_KEYS: usize = 8;
/// Most values that `facets` counts of one field; the most frequent ones stay.
pub const MOST_FACET_VALUES: usize = 1_000;
/// Most messages that `q` and `sort` examine: the newest ones that match all other conditions.
pub const MOST_MESSAGES_LOOKED_AT: usize = 20_000;
/// The `cursor` of the first page.
pub const FIRST_CURSOR: &str = "start";
/// The form of a cursor of the log: `start`, or a place in it.
const MESSAGE_CURSOR: &str = "^(start|[0-9a-f]{1,16}-[0-9a-f]{1,16}-[0-9a-f]{16})$";
/// The form of a cursor of the activity: a run of the server, and a change.
const ACTIVITY_CURSOR: &str = "^[0-9a-f]{16}-[0-9]{1,20}$";

const fn terms(name: &'static str, gives: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Terms, gives }
}

const OFFSET: Parameter = Parameter {
    name: "offset",
    kind: Kind::Number { most: LARGEST_OFFSET },
    gives: "how many that match to pass over, 0",
};
const LIMIT: Parameter = Parameter {
    name: "limit",
    kind: Kind::Number { most: LARGEST_LIMIT },
    gives: "how many on a page; 100 where only an offset is given, all where neither is",
};
const SORT: Parameter = Parameter {
    name: "sort",
    kind: Kind::Sort,
    gives: "fields to sort by, such as -updated_at,id",
};
const FIELDS: Parameter =
    Parameter { name: "fields", kind: Kind::Fields, gives: "the only fields to give" };
const SEARCH: Parameter = Parameter {
    name: "q",
    kind: Kind::Search,
    gives: "words that all occur in id, title, description or text, without case",
};
const READY: Parameter = Parameter {
    name: "ready",
    kind: Kind::Words(&["true", "false"]),
    gives: "whether it is open and has nothing left to wait for",
};

const fn facets(names: &'static [&'static str]) -> Parameter {
    Parameter {
        name: "facets",
        kind: Kind::Words(names),
        gives: "count how often what matches has each value of these",
    }
}

pub(super) const MESSAGE_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "limit",
        kind: Kind::Number { most: LARGEST_LIMIT },
        gives: "messages on the page, 100",
    },
    OFFSET,
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
    Parameter {
        name: "cursor",
        kind: Kind::Text(Some(MESSAGE_CURSOR)),
        gives: "start, or the next_cursor of the page before; not with offset or sort",
    },
    SEARCH,
    SORT,
    FIELDS,
    facets(&["story_id", "from", "type", "to"]),
];

pub(super) const TASK_PARAMETERS: &[Parameter] = &[
    Parameter { name: "state", kind: Kind::Known(&TASK_STATES), gives: "tasks in this state" },
    terms("story_id", "tasks of this story"),
    terms("subagent_type", "tasks of this kind of agent"),
    READY,
    SEARCH,
    SORT,
    FIELDS,
    facets(&["state", "story_id", "subagent_type"]),
    LIMIT,
    OFFSET,
];

pub(super) const STORY_PARAMETERS: &[Parameter] = &[
    terms("status", "stories with this status"),
    terms("epic_id", "stories of this epic"),
    terms("owner", "stories of this owner"),
    READY,
    SEARCH,
    SORT,
    FIELDS,
    facets(&["status", "epic_id", "owner"]),
    LIMIT,
    OFFSET,
];

pub(super) const EPIC_PARAMETERS: &[Parameter] = &[
    terms("status", "epics with this status"),
    terms("owner", "epics of this owner"),
    SEARCH,
    SORT,
    FIELDS,
    facets(&["status", "owner"]),
    LIMIT,
    OFFSET,
];

pub(super) const SESSION_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "active",
        kind: Kind::Words(&["true", "false", "all"]),
        gives: "true is the default",
    },
    SEARCH,
    SORT,
    FIELDS,
    facets(&["active"]),
    LIMIT,
    OFFSET,
];

/// The values of `require` at `/api/health`: `ok`, and the names of the checks.
const REQUIREMENTS: &[&str] = &[
    "ok",
    Source::Status.check(),
    Source::Sessions.check(),
    Source::Tasks.check(),
    Source::Bus.check(),
];

pub(super) const HEALTH_PARAMETERS: &[Parameter] = &[Parameter {
    name: "require",
    kind: Kind::Conditions(REQUIREMENTS),
    gives: "503 unless health is ok, or unless these checks are present",
}];

/// The kinds of items at `/api/attention`, in the order in which items are listed.
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
/// Time without activity after which an active session counts as silent, where the request gives none.
pub const SILENT_AFTER: Duration = Duration::from_mins(30);

pub(super) const ATTENTION_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "silent_after",
        kind: Kind::Span,
        gives: "time without a sign of life after which an active session is silent, 30m",
    },
    Parameter { name: "kind", kind: Kind::Words(&ATTENTION_KINDS), gives: "items of this kind" },
];

/// The collections whose changes are recorded.
pub const COLLECTIONS: [&str; 4] = ["stories", "epics", "tasks", "sessions"];

pub(super) const ACTIVITY_PARAMETERS: &[Parameter] = &[
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
    Parameter {
        name: "cursor",
        kind: Kind::Text(Some(ACTIVITY_CURSOR)),
        gives: "the next_cursor of the page before",
    },
];

/// Longest wait of a request to `/api/changes`, in seconds.
pub const LONGEST_WAIT: u64 = 60;

pub(super) const SINCE_ID: Parameter =
    Parameter { name: "since", kind: Kind::Text(None), gives: "the id that was seen last" };
pub(super) const CHANGES_PARAMETERS: &[Parameter] = &[
    SINCE_ID,
    Parameter {
        name: "wait",
        kind: Kind::Number { most: LONGEST_WAIT },
        gives: "seconds to wait for a change, 0",
    },
];
