//! The kinds of data that skills pass to each other. An envelope carries the kind, so a reader never inspects shapes.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::output::{Fault, Result};

/// What a skill gives, and may accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A data model: entities with their fields.
    Model,
    /// A data model as tables of a dialect, with the older one where it is migrated.
    Tables,
    /// An OpenAPI document.
    OpenApi,
    /// A story.
    Story,
    /// A story with its scenarios.
    Criteria,
    /// Test cases, with the story that they are of.
    Cases,
    /// A commit message.
    Commit,
    /// The changes of a release.
    Changes,
    /// A pull request's description.
    PullRequest,
    /// A decision record.
    Decision,
    /// Error cases.
    Errors,
    /// Steps that somebody carries out, each with its check and its rollback.
    Steps,
    /// Nodes and edges.
    Graph,
    /// A plan or a report on the project's state, which no skill reads.
    Report,
}

impl Kind {
    /// Its name in envelopes and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tables => "tables",
            Self::OpenApi => "open-api",
            Self::Story => "story",
            Self::Criteria => "criteria",
            Self::Cases => "cases",
            Self::Commit => "commit",
            Self::Changes => "changes",
            Self::PullRequest => "pull-request",
            Self::Decision => "decision",
            Self::Errors => "errors",
            Self::Steps => "steps",
            Self::Graph => "graph",
            Self::Report => "report",
        }
    }
}

/// Data of one kind: what a skill puts into its output and another reads.
pub trait Payload: Serialize + DeserializeOwned {
    /// The kind.
    const KIND: Kind;
}

/// What the skill before gave.
#[derive(Debug, Clone)]
pub struct Upstream {
    /// Its name, for messages.
    pub skill: String,
    /// What it gave.
    pub kind: Kind,
    /// The data, which fit the kind.
    pub data: Value,
}

impl Upstream {
    /// The data as the type of its kind; `None` when it is of another kind.
    ///
    /// # Errors
    /// When the data do not fit their kind.
    pub fn read<T: Payload>(&self) -> Result<Option<T>> {
        if self.kind != T::KIND {
            return Ok(None);
        }
        serde_json::from_value(self.data.clone()).map(Some).map_err(|error| {
            Fault::Refused(format!(
                "the {} of {} cannot be read: {error}",
                self.kind.name(),
                self.skill
            ))
        })
    }
}
