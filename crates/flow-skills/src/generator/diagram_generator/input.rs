//! The input of `diagram-generator`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::generator::data_fields::DataFields;
use crate::generator::graph::{EdgeKind, NodeKind};
use crate::input::values::{Block, Int, Line, LineOr, TextOr, Word};

/// The content of the diagram, and its format.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Arrows, one chain per line: `web [frontend] -> api -> db: SQL`. A dashed arrow is `-->`, a name alone a node.
    pub(super) text: Option<Block>,
    /// The boxes, if they are more than names: each a name or an object.
    #[serde(default)]
    pub(super) nodes: Vec<TextOr<NodeFields>>,
    /// The arrows, each a line as in text or an object.
    #[serde(default)]
    pub(super) edges: Vec<TextOr<LineOr<EdgeFields>>>,
    /// The messages of a sequence in their order, each a line as in text or an object.
    #[serde(default)]
    pub(super) messages: Vec<TextOr<LineOr<EdgeFields>>>,
    /// The part of the project's state to draw: its open stories, or its epics.
    pub(super) state: Option<State>,
    /// With state=stories: the epic whose stories are drawn, including completed ones.
    pub(super) epic: Option<Word>,
    /// The type of diagram. Default: the one that suits the input.
    #[serde(rename = "type")]
    pub(super) kind: Option<Type>,
    /// The format of the diagram.
    #[serde(default)]
    pub(super) format: Form,
    /// The direction of a flowchart. Default: TD, or LR for an architecture.
    pub(super) direction: Option<Direction>,
    /// The width of an ascii diagram in columns. Default: 80.
    pub(super) width: Option<Int<20, 1000>>,
    #[serde(flatten)]
    pub(super) data: DataFields,
}

impl Input {
    /// The given fields among those that define nodes and arrows.
    pub(super) fn parts(&self) -> Vec<&'static str> {
        let all = [
            ("text", self.text.is_some()),
            ("nodes", !self.nodes.is_empty()),
            ("edges", !self.edges.is_empty()),
            ("messages", !self.messages.is_empty()),
        ];
        all.into_iter().filter_map(|(field, is_given)| is_given.then_some(field)).collect()
    }

    /// The width of an ascii diagram, in columns.
    pub(super) fn width(&self) -> usize {
        self.width.and_then(|width| usize::try_from(width.get()).ok()).unwrap_or(super::WIDTH)
    }
}

/// A box.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeFields {
    /// The id that edges refer to.
    pub(super) id: Line,
    /// The text in the box. Default: its id.
    pub(super) label: Option<Block>,
    /// The group that it belongs to.
    pub(super) group: Option<Line>,
    /// The type of node, which determines the shape of its box.
    #[serde(default)]
    pub(super) kind: NodeKind,
}

impl TryFrom<Line> for NodeFields {
    type Error = &'static str;

    fn try_from(id: Line) -> Result<Self, &'static str> {
        Ok(Self { id, label: None, group: None, kind: NodeKind::Plain })
    }
}

/// An arrow or a message: an object, or a line in the notation of arrows.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EdgeFields {
    /// The id of the source node.
    pub(super) from: Line,
    /// The id of the target node.
    pub(super) to: Line,
    /// The label of the arrow, or the text of the message.
    #[serde(alias = "text")]
    #[schemars(extend("x-labels" = ["text"]))]
    pub(super) label: Option<Block>,
    /// The type of arrow: reply is dashed, many means any number of the other in an er diagram.
    #[serde(default)]
    pub(super) kind: EdgeKind,
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

crate::text::display_as_serde!(Direction);
