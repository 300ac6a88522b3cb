//! The parameters of each route: their names, types and limits.

use std::time::Duration;

use crate::model::filter::{Filter, Values, filters};
use crate::model::record::Kind as RecordKind;
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

/// Largest number of records, messages or changes on one page.
pub const LARGEST_LIMIT: u64 = 10_000;
/// Page size if the request gives none.
pub const DEFAULT_LIMIT: u64 = 100;
/// Largest offset of a page.
const LARGEST_OFFSET: u64 = i64::MAX as u64;
/// Largest number of words in `q`.
pub const MOST_SEARCH_WORDS: usize = 16;
/// Largest number of names in `fields`.
pub const MOST_FIELDS: usize = 64;
/// Largest number of names in `sort`.
pub const MOST_SORT_KEYS: usize = 8;
/// Largest number of values that `facets` counts of one field; the most frequent ones are kept.
pub const MOST_FACET_VALUES: usize = 1_000;
/// Largest number of messages that `q` and `sort` examine: the newest ones that match all other conditions.
pub const MOST_EXAMINED_MESSAGES: usize = 20_000;
/// The `cursor` of the first page.
pub const FIRST_CURSOR: &str = "start";
/// The form of a cursor of the log: `start`, or a position in it.
const MESSAGE_CURSOR: &str = "^(start|[0-9a-f]{1,16}-[0-9a-f]{1,16}-[0-9a-f]{16})$";
/// The form of a cursor of the activity: a run of the server, and a change.
const ACTIVITY_CURSOR: &str = "^[0-9a-f]{16}-[0-9]{1,20}$";
/// The `after` that stands for the newest change.
pub const NEWEST_CURSOR: &str = "now";
/// The form of `after`: `now`, or a cursor of the activity.
const AFTER_CURSOR: &str = "^(now|[0-9a-f]{16}-[0-9]{1,20})$";

const fn terms(name: &'static str, gives: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Terms, gives }
}

const OFFSET: Parameter = Parameter {
    name: "offset",
    kind: Kind::Number { most: LARGEST_OFFSET },
    gives: "number of matches to skip, default 0",
};
const LIMIT: Parameter = Parameter {
    name: "limit",
    kind: Kind::Number { most: LARGEST_LIMIT },
    gives: "page size; default 100 if an offset is given, otherwise all",
};
const SORT: Parameter = Parameter {
    name: "sort",
    kind: Kind::Sort,
    gives: "fields to sort by, such as -updated_at,id",
};
const FIELDS: Parameter = Parameter {
    name: "fields",
    kind: Kind::Fields,
    gives: "the fields to include; others are left out",
};
const SEARCH: Parameter =
    search("words that must all occur in id, title, name, description or text, ignoring case");
const SEARCH_SESSIONS: Parameter = search(
    "words that must all occur in id, nickname, title, name, description or text, ignoring case",
);
const SEARCH_MESSAGES: Parameter =
    search("words that must all occur in id, title, message, text or description, ignoring case");
const READY: Parameter = Parameter {
    name: "ready",
    kind: Kind::Words(&["true", "false"]),
    gives: "whether the record is open and has no unfinished dependency",
};

const fn search(gives: &'static str) -> Parameter {
    Parameter { name: "q", kind: Kind::Search, gives }
}

const fn facets(names: &'static [&'static str]) -> Parameter {
    Parameter {
        name: "facets",
        kind: Kind::Words(names),
        gives: "count each value of these fields among the matches",
    }
}

pub(super) const MESSAGE_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "limit",
        kind: Kind::Number { most: LARGEST_LIMIT },
        gives: "page size, default 100",
    },
    OFFSET,
    terms("story_id", "messages about this story"),
    terms("from", "messages of this sender"),
    Parameter { name: "since", kind: Kind::Time, gives: "messages at or after this time" },
    Parameter {
        name: "until",
        kind: Kind::Time,
        gives: "messages at or before this time; a date means the end of the day",
    },
    terms("type", "messages of this type"),
    terms("to", "messages to this recipient"),
    Parameter {
        name: "order",
        kind: Kind::Word(&["asc", "desc"]),
        gives: "asc is file order (the default), desc the reverse",
    },
    Parameter {
        name: "cursor",
        kind: Kind::Text(Some(MESSAGE_CURSOR)),
        gives: "start, or the next_cursor of the previous page; cannot be combined with offset or sort",
    },
    SEARCH_MESSAGES,
    SORT,
    FIELDS,
    facets(&["story_id", "from", "type", "to"]),
    Parameter {
        name: "buckets",
        kind: Kind::Word(&["1h", "1d", "1w"]),
        gives: "count the matches of each hour, day or week, in UTC",
    },
    Parameter {
        name: "by",
        kind: Kind::Word(&["story_id", "from", "type", "to"]),
        gives: "with buckets: also the most frequent values of this field",
    },
];

/// The parameters of a list of records: its filters, these, the fields that `facets` counts, and the page.
macro_rules! list {
    ($kind:expr, $($option:expr),+) => {{
        const FILTERS: &[Filter] = filters($kind);
        const NAMES: [&str; FILTERS.len()] = names(FILTERS);
        const OTHERS: &[Parameter] = &[$($option),+, facets(&NAMES), LIMIT, OFFSET];
        const ALL: [Parameter; FILTERS.len() + OTHERS.len()] = joined(FILTERS, OTHERS);
        &ALL
    }};
}

const fn names<const N: usize>(filters: &[Filter]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = filters[at].field;
        at += 1;
    }
    names
}

const fn joined<const N: usize>(filters: &[Filter], others: &[Parameter]) -> [Parameter; N] {
    let mut all = [OFFSET; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < filters.len() { filter(filters[at]) } else { others[at - filters.len()] };
        at += 1;
    }
    all
}

const fn filter(filter: Filter) -> Parameter {
    let kind = match filter.values {
        Values::Any => Kind::Terms,
        Values::Known(words) => Kind::Known(words),
        Values::Only(words) => Kind::Words(words),
    };
    Parameter { name: filter.field, kind, gives: filter.selects }
}

pub(super) const TASK_PARAMETERS: &[Parameter] =
    list!(RecordKind::Task, READY, SEARCH, SORT, FIELDS);
pub(super) const STORY_PARAMETERS: &[Parameter] =
    list!(RecordKind::Story, READY, SEARCH, SORT, FIELDS);
pub(super) const EPIC_PARAMETERS: &[Parameter] = list!(RecordKind::Epic, SEARCH, SORT, FIELDS);
pub(super) const SESSION_PARAMETERS: &[Parameter] =
    list!(RecordKind::Session, SEARCH_SESSIONS, SORT, FIELDS);

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
    gives: "respond with 503 unless health is ok, or unless these files are present",
}];

/// The kinds of items at `/api/attention`, in the order in which items are listed.
pub const ATTENTION_KINDS: [&str; 12] = [
    "task_failed",
    "task_blocked",
    "story_blocked",
    "question_unanswered",
    "session_silent",
    "session_gone",
    "plan_weakened",
    "plan_contradiction",
    "reopened",
    "overlap",
    "source_degraded",
    "dependency_cycle",
];
/// Time without activity after which an active session counts as silent, if the request gives none.
pub const SILENT_AFTER: Duration = Duration::from_mins(30);

pub(super) const ATTENTION_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "silent_after",
        kind: Kind::Span,
        gives: "time without activity after which an active session counts as silent, default 30m",
    },
    Parameter { name: "kind", kind: Kind::Words(&ATTENTION_KINDS), gives: "items of this kind" },
];

/// The collections whose changes are recorded.
const COLLECTIONS: [&str; 4] = ["stories", "epics", "tasks", "sessions"];

/// The kinds of change.
const CHANGES: [&str; 9] = [
    "added",
    "changed",
    "removed",
    "moved",
    "archived",
    "ticked",
    "unticked",
    "reworded",
    "not_compared",
];

pub(super) const HISTORY_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "by",
        kind: Kind::Word(&["day", "week"]),
        gives: "the width of a bucket in UTC; weeks begin on Monday; default day",
    },
    Parameter {
        name: "collection",
        kind: Kind::Word(&["tasks", "stories"]),
        gives: "the records that are counted; default tasks, or stories where there are no tasks",
    },
    Parameter {
        name: "per",
        kind: Kind::Word(&["epic"]),
        gives: "add the open and done stories of each epic",
    },
];
pub(super) const ACTIVITY_PARAMETERS: &[Parameter] = &[
    Parameter { name: "since", kind: Kind::Time, gives: "changes seen at or after this time" },
    terms("id", "changes of this record"),
    Parameter {
        name: "collection",
        kind: Kind::Words(&COLLECTIONS),
        gives: "changes of records of this collection",
    },
    Parameter { name: "change", kind: Kind::Words(&CHANGES), gives: "changes of this type" },
    Parameter {
        name: "effect",
        kind: Kind::Words(&["weakened", "reopened", "contradiction"]),
        gives: "changes with this effect on what the plan promises",
    },
    Parameter {
        name: "buckets",
        kind: Kind::Word(&["1h", "1d", "1w"]),
        gives: "count the matches of each hour, day or week, in UTC",
    },
    Parameter {
        name: "limit",
        kind: Kind::Number { most: LARGEST_LIMIT },
        gives: "page size, default 100",
    },
    Parameter {
        name: "cursor",
        kind: Kind::Text(Some(ACTIVITY_CURSOR)),
        gives: "the next_cursor of the previous page",
    },
    Parameter {
        name: "after",
        kind: Kind::Text(Some(AFTER_CURSOR)),
        gives: "now, or the next_cursor of the previous page: the changes after it, oldest first; cannot be combined with cursor",
    },
];

/// Longest wait of a request to `/api/changes`, in seconds.
const LONGEST_WAIT: u64 = 60;

pub(super) const SINCE_ID: Parameter =
    Parameter { name: "since", kind: Kind::Text(None), gives: "the last event id received" };
pub(super) const CHANGES_PARAMETERS: &[Parameter] = &[
    SINCE_ID,
    Parameter {
        name: "wait",
        kind: Kind::Number { most: LONGEST_WAIT },
        gives: "seconds to wait for a change, default 0",
    },
];
