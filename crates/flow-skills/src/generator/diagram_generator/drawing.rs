//! The content of a diagram, independent of its format: nodes by id, and arrows between them.

use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use crate::notation::arrows::{self, Chain};
use crate::output::{Fault, Result, bad_text};
use crate::text::lists;

/// Beginnings of texts that are Mermaid diagrams already, with `|` between them.
const MERMAID: &str =
    "flowchart |graph |sequenceDiagram|erDiagram|classDiagram|stateDiagram|C4Context";

/// Last words of the names of databases.
const DATABASES: &str = "database db postgres postgresql mysql mariadb sqlite";

/// Nodes and arrows; each arrow is between two of the nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Drawing {
    pub(super) nodes: IndexMap<String, Node>,
    pub(super) edges: Vec<Edge>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Node {
    /// What edges call it.
    pub(super) id: String,
    /// What stands in the box; its id where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<String>,
    #[serde(skip_serializing_if = "crate::output::is_default")]
    pub(super) kind: NodeKind,
    /// The fields of an entity.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) columns: Vec<Column>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum NodeKind {
    #[default]
    Plain,
    Database,
    Decision,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Column {
    pub(super) name: String,
    /// Its type, as its source calls it.
    pub(super) kind: String,
    /// `PK`, `FK` and `UK`, as far as they hold.
    pub(super) marks: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Edge {
    pub(super) from: String,
    pub(super) to: String,
    /// What stands on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    #[serde(skip_serializing_if = "crate::output::is_default")]
    pub(super) kind: EdgeKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) relation: Option<Relation>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EdgeKind {
    /// A call, a use.
    #[default]
    Plain,
    /// An answer, or a use that may be absent.
    Reply,
}

/// How many records of one entity belong to one of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Relation {
    pub(super) from: Cardinality,
    pub(super) to: Cardinality,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cardinality {
    One,
    AtMostOne,
    AtLeastOne,
    Any,
}

impl Edge {
    /// Whether it is drawn as a dashed line.
    pub(super) fn is_dashed(&self) -> bool {
        self.kind == EdgeKind::Reply
    }

    pub(super) fn text(&self) -> &str {
        self.label.as_deref().unwrap_or_default()
    }
}

impl Node {
    pub(super) fn text(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.id)
    }
}

impl Drawing {
    fn node_mut(&mut self, id: &str) -> &mut Node {
        let new = || Node { id: id.to_owned(), kind: kind(id), ..Node::default() };
        self.nodes.entry(id.to_owned()).or_insert_with(new)
    }

    /// Adds an arrow, and the nodes of it that are not there.
    pub(super) fn edge(&mut self, edge: Edge) {
        self.node_mut(&edge.from);
        self.node_mut(&edge.to);
        self.edges.push(edge);
    }

    pub(super) fn groups(&self) -> IndexSet<&str> {
        self.nodes.values().filter_map(|node| node.group.as_deref()).collect()
    }

    /// Reads a text in the notation of arrows.
    pub(super) fn read(text: &str) -> Result<Self> {
        if MERMAID.split('|').any(|start| text.trim_start().starts_with(start)) {
            return Err(Fault::Refused(
                "the text is a diagram of Mermaid already, which is not read; diagrams are made of arrows such as `web -> api -> db: SQL`"
                    .to_owned(),
            ));
        }
        let mut drawing = Self::default();
        for chain in arrows::read(text).map_err(|misfit| misfit.fault("text"))? {
            drawing.chain(&chain)?;
        }
        Ok(drawing)
    }

    fn chain(&mut self, chain: &Chain) -> Result<()> {
        self.grouped(&chain.first)?;
        let mut from = &chain.first.name;
        for (number, (is_dashed, node)) in chain.rest.iter().enumerate() {
            self.grouped(node)?;
            let is_last = number + 1 == chain.rest.len();
            let label = chain.label.clone().filter(|_| is_last);
            let kind = if *is_dashed { EdgeKind::Reply } else { EdgeKind::Plain };
            let (from_name, to) = (from.clone(), node.name.clone());
            self.edges.push(Edge { from: from_name, to, label, kind, relation: None });
            from = &node.name;
        }
        Ok(())
    }

    /// Adds a node of a chain, which may name its group.
    fn grouped(&mut self, node: &arrows::Node) -> Result<()> {
        let known = self.node_mut(&node.name);
        let Some(group) = &node.group else { return Ok(()) };
        let before = known.group.get_or_insert_with(|| group.clone());
        if before == group {
            return Ok(());
        }
        let allowed = format!("in one group, and {} is in {before} already", node.name);
        Err(bad_text("text", &format!("{} [{group}]", node.name), &allowed))
    }
}

/// The kind of a node of which only the name is given.
fn kind(name: &str) -> NodeKind {
    let is_database = |word: &str| lists(DATABASES, &word.to_ascii_lowercase());
    let last = name.rsplit([' ', '-', '_']).next().unwrap_or_default();
    match last {
        _ if name.ends_with('?') => NodeKind::Decision,
        last if is_database(last) => NodeKind::Database,
        _ => NodeKind::Plain,
    }
}
