//! A graph of nodes and edges that one skill outputs and another draws.

use serde::{Deserialize, Serialize};

use crate::input::kind::{Kind, Payload};

/// Nodes, and edges between them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Graph {
    /// The nodes.
    pub(super) nodes: Vec<Node>,
    /// The edges, by the nodes' ids.
    pub(super) edges: Vec<Edge>,
}

impl Payload for Graph {
    const KIND: Kind = Kind::Graph;
}

/// A box.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    /// What edges call it.
    pub(super) id: String,
    /// What stands in the box; its id where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    /// The group that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<String>,
    /// What it is.
    #[serde(skip_serializing_if = "crate::output::is_default")]
    pub(super) kind: NodeKind,
    /// The fields of an entity.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) columns: Vec<Column>,
}

/// What a node is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum NodeKind {
    #[default]
    Plain,
    Database,
    Decision,
}

/// A field of an entity.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Column {
    /// Its name.
    pub(super) name: String,
    /// Its type, as its source calls it.
    pub(super) kind: String,
    /// `PK`, `FK` and `UK`, as far as they hold.
    #[serde(default)]
    pub(super) marks: Vec<String>,
}

/// An arrow.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Edge {
    /// The id of the node at which it begins.
    pub(super) from: String,
    /// The id of the node at which it ends.
    pub(super) to: String,
    /// What stands on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    /// What it means.
    #[serde(skip_serializing_if = "crate::output::is_default")]
    pub(super) kind: EdgeKind,
}

/// What an edge means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EdgeKind {
    /// A call, a use; of an entity, that each one has exactly one of the other.
    #[default]
    Plain,
    /// An answer, or a use that may be absent; of an entity, that each one has at most one of the other.
    Reply,
    /// Of an entity: that each one has any number of the other.
    Many,
}
