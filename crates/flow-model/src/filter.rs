//! The filters of the lists of records. A row here is a filter of the API, its documents and the MCP tool, an index of the store,
//! and a field that `facets` counts.

use crate::record::{Kind, TASK_STATES};

/// A filter of a list.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    /// The documented field that it compares, and its name in a query.
    pub field: &'static str,
    /// The records that it selects.
    pub selects: &'static str,
    /// The values that a query may have.
    pub values: Values,
}

/// The values of a filter.
#[derive(Debug, Clone, Copy)]
pub enum Values {
    /// Any text.
    Any,
    /// These words, and whatever some record has.
    Known(&'static [&'static str]),
    /// These words.
    Only(&'static [&'static str]),
}

const fn of(field: &'static str, selects: &'static str) -> Filter {
    Filter { field, selects, values: Values::Any }
}

const STORIES: [Filter; 3] = [
    of("status", "stories with this status"),
    of("epic_id", "stories of this epic"),
    of("owner", "stories of this owner"),
];
const EPICS: [Filter; 2] =
    [of("status", "epics with this status"), of("owner", "epics of this owner")];
const TASKS: [Filter; 4] = [
    Filter { field: "state", selects: "tasks in this state", values: Values::Known(&TASK_STATES) },
    of("story_id", "tasks of this story"),
    of("subagent_type", "tasks of this type of agent"),
    of("parent", "parts of this task"),
];
const SESSIONS: [Filter; 1] = [Filter {
    field: "active",
    selects: "active (the default), ended or all sessions",
    values: Values::Only(&["true", "false", "all"]),
}];

/// The largest number of filters of a list.
pub const MOST_FILTERS: usize = 4;

/// The filters of the list of a kind. Those of messages belong to the log.
pub const fn filters(kind: Kind) -> &'static [Filter] {
    match kind {
        Kind::Story => &STORIES,
        Kind::Epic => &EPICS,
        Kind::Task => &TASKS,
        Kind::Session => &SESSIONS,
        Kind::Message => &[],
    }
}

/// The position of a field among the filters of a kind.
pub fn position(kind: Kind, field: &str) -> Option<usize> {
    filters(kind).iter().position(|filter| filter.field == field)
}

const _: () = {
    let kinds = [Kind::Story, Kind::Epic, Kind::Task, Kind::Session, Kind::Message];
    let mut at = 0;
    while at < kinds.len() {
        assert!(filters(kinds[at]).len() <= MOST_FILTERS, "MOST_FILTERS is too small");
        at += 1;
    }
};
