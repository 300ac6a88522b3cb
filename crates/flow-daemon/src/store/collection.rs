//! The collections of records whose changes are recorded.

use crate::project::Source;

/// A collection of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Collection {
    Stories,
    Epics,
    Tasks,
    Sessions,
}

impl Collection {
    /// All of them, in the order in which `/api/activity` documents them.
    pub const ALL: [Self; 4] = [Self::Stories, Self::Epics, Self::Tasks, Self::Sessions];

    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stories => "stories",
            Self::Epics => "epics",
            Self::Tasks => "tasks",
            Self::Sessions => "sessions",
        }
    }

    /// The collection with this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|collection| collection.name() == name)
    }

    /// The file of its records.
    pub const fn source(self) -> Source {
        match self {
            Self::Stories | Self::Epics => Source::Status,
            Self::Tasks => Source::Tasks,
            Self::Sessions => Source::Sessions,
        }
    }

    /// The field that names who works on a record.
    pub const fn assignee(self) -> &'static str {
        if matches!(self, Self::Tasks) { "subagent_type" } else { "owner" }
    }

    /// The field that says how far a record is.
    pub const fn status_field(self) -> &'static str {
        match self {
            Self::Stories | Self::Epics => "status",
            Self::Tasks => "state",
            Self::Sessions => "active",
        }
    }
}
