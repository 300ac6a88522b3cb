//! The content of a diagram, independent of its format: nodes by id, and arrows between them.

use indexmap::{IndexMap, IndexSet};

use super::input::{EdgeInput, Input};
use crate::generator::graph::{Edge, EdgeKind, Graph, Node};
use crate::input::notation::arrows::{self, Chain};
use crate::output::{Fault, Result};

/// Beginnings of texts that are Mermaid diagrams already.
const MERMAID: [&str; 7] = [
    "flowchart ",
    "graph ",
    "sequenceDiagram",
    "erDiagram",
    "classDiagram",
    "stateDiagram",
    "C4Context",
];

/// Nodes and arrows.
#[derive(Debug, Clone, Default)]
pub(super) struct Drawing {
    pub(super) nodes: IndexMap<String, Node>,
    pub(super) edges: Vec<Arrow>,
}

/// An arrow between two nodes, given by their indexes.
#[derive(Debug, Clone)]
pub(super) struct Arrow {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: String,
    pub(super) kind: EdgeKind,
}

impl Arrow {
    /// Whether it is drawn as a dashed line.
    pub(super) fn is_dashed(&self) -> bool {
        self.kind == EdgeKind::Reply
    }
}

impl Node {
    /// The text in the box.
    pub(super) fn text(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.id)
    }
}

impl Drawing {
    /// The index of a node, which is added if it is new.
    fn place(&mut self, id: &str) -> usize {
        let entry = self.nodes.entry(id.to_owned());
        let at = entry.index();
        entry.or_insert_with(|| Node { id: id.to_owned(), ..Node::default() });
        at
    }

    fn edge(&mut self, edge: &Edge) {
        let (from, to) = (self.place(&edge.from), self.place(&edge.to));
        let label = edge.label.clone().unwrap_or_default();
        self.edges.push(Arrow { from, to, label, kind: edge.kind });
    }

    /// The groups, in the order of their first mention.
    pub(super) fn groups(&self) -> IndexSet<&str> {
        self.nodes.values().filter_map(|node| node.group.as_deref()).collect()
    }

    /// Reads the fields `nodes`, `edges`, `messages` and `text`.
    pub(super) fn read(input: &Input) -> Result<Self> {
        let mut drawing = Self::default();
        for node in input.nodes.iter().map(|node| &node.0) {
            let at = drawing.place(&node.id);
            if let Some((_, own)) = drawing.nodes.get_index_mut(at) {
                own.label = node.label.as_deref().map(str::to_owned);
                own.group = node.group.as_deref().map(str::to_owned);
                own.kind = node.kind;
            }
        }
        for (at, edge) in input.edges.iter().enumerate() {
            drawing.add(&edge.0, &format!("edges[{at}]"))?;
        }
        for (at, message) in input.messages.iter().enumerate() {
            drawing.add(&message.0.0, &format!("messages[{at}]"))?;
        }
        if let Some(text) = &input.text {
            drawing.chains(text, "text")?;
        }
        Ok(drawing)
    }

    fn add(&mut self, edge: &EdgeInput, field: &str) -> Result<()> {
        match edge {
            EdgeInput::Line(line) => self.chains(line, field),
            EdgeInput::Fields(own) => {
                let label = own.label.as_deref().map(str::to_owned);
                let (from, to) = (own.from.to_string(), own.to.to_string());
                self.edge(&Edge { from, to, label, kind: own.kind });
                Ok(())
            }
        }
    }

    /// Reads a text in the notation of arrows.
    fn chains(&mut self, text: &str, field: &str) -> Result<()> {
        if MERMAID.iter().any(|start| text.trim_start().starts_with(start)) {
            return Err(Fault::Refused(
                "the text is a diagram of Mermaid already; diagrams are made of arrows such as `web -> api -> db: SQL`"
                    .to_owned(),
            ));
        }
        for chain in arrows::read(text).map_err(|misfit| misfit.fault(field))? {
            self.chain(&chain, field)?;
        }
        Ok(())
    }

    fn chain(&mut self, chain: &Chain, field: &str) -> Result<()> {
        let mut from = self.grouped(&chain.first, field)?;
        for (number, (arrow, node)) in chain.rest.iter().enumerate() {
            let to = self.grouped(node, field)?;
            let is_last = number + 1 == chain.rest.len();
            let label = chain.label.clone().filter(|_| is_last).unwrap_or_default();
            let kind = match arrow {
                arrows::Arrow::Solid => EdgeKind::Plain,
                arrows::Arrow::Dashed => EdgeKind::Reply,
            };
            self.edges.push(Arrow { from, to, label, kind });
            from = to;
        }
        Ok(())
    }

    /// Adds a node of a chain, which may name its group.
    fn grouped(&mut self, node: &arrows::Node, field: &str) -> Result<usize> {
        let at = self.place(&node.name);
        if let (Some(group), Some((_, own))) = (&node.group, self.nodes.get_index_mut(at)) {
            if let Some(before) = own.group.as_ref().filter(|before| *before != group) {
                return Err(Fault::Bad {
                    field: field.to_owned(),
                    given: format!("{:?}", node.to_string()),
                    allowed: format!("in one group, and {} is in {before} already", node.name),
                });
            }
            own.group = Some(group.clone());
        }
        Ok(at)
    }

    /// The drawing of another skill's graph.
    pub(super) fn of_graph(graph: Graph) -> Self {
        let mut drawing = Self::default();
        for node in graph.nodes {
            drawing.nodes.insert(node.id.clone(), node);
        }
        for edge in &graph.edges {
            drawing.edge(edge);
        }
        drawing
    }

    /// The graph for other skills.
    pub(super) fn graph(&self) -> Graph {
        let id =
            |at: usize| self.nodes.get_index(at).map_or_else(String::new, |(id, _)| id.clone());
        let edge = |arrow: &Arrow| Edge {
            from: id(arrow.from),
            to: id(arrow.to),
            label: Some(arrow.label.clone()).filter(|label| !label.is_empty()),
            kind: arrow.kind,
        };
        Graph {
            nodes: self.nodes.values().cloned().collect(),
            edges: self.edges.iter().map(edge).collect(),
        }
    }
}
