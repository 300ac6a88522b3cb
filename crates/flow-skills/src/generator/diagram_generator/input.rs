//! The input of `diagram-generator`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::generator::data_fields::DataFields;
use crate::input::values::{Block, Word};

/// The content of the diagram, and its format.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Arrows, one chain per line: `web [frontend] -> api -> db: SQL`, possibly after their type, as in `sequence: a -> b`. A
    /// dashed arrow is `-->`, a name alone a node. Or ids of the project: of an epic, or of stories.
    pub(super) text: Option<Block>,
    /// The part of the project's state to draw: its open stories, or its epics.
    pub(super) state: Option<State>,
    /// The epic whose stories are drawn, including completed ones.
    pub(super) epic: Option<Word>,
    /// The type of diagram. Default: the one that suits the input.
    #[serde(rename = "type")]
    pub(super) kind: Option<Type>,
    /// The format of the diagram.
    #[serde(default)]
    pub(super) format: Form,
    /// The direction of a flowchart. Default: TD, or LR for an architecture.
    pub(super) direction: Option<Direction>,
    #[serde(flatten)]
    pub(super) data: DataFields,
}

/// The part of the project's state to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Stories,
    Epics,
}

/// The type of a diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Type {
    Flowchart,
    Sequence,
    Er,
    Architecture,
}

/// The format of a diagram.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Form {
    #[default]
    Mermaid,
    Ascii,
}

/// The direction of a flowchart.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Direction {
    Td,
    Lr,
    Bt,
    Rl,
}

crate::text::display_as_serde!(Direction, Type);
