//! What a diagram shows, whatever it is drawn with: nodes and edges, read from fields, lines or a data model.

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use super::spoken;

use crate::data::{Entity, Model};
use crate::fields::bad;
use crate::input::Input;
use crate::output::Result;

/// A box.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    pub(super) label: String,
    pub(super) group: Option<String>,
    /// `service`, `database`, `queue`, `person` or `decision`; empty for a plain box.
    pub(super) kind: String,
    /// Rows of an entity: type, name, marks such as `PK`.
    pub(super) rows: Vec<(String, String, Vec<&'static str>)>,
}

/// An arrow between two nodes, by their places.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: String,
    /// A reply, or a reference that may be absent.
    pub(super) is_dashed: bool,
}

/// Nodes by id, and edges.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    pub(super) nodes: IndexMap<String, Node>,
    pub(super) edges: Vec<Edge>,
}

/// The arrows of a line, and whether they are dashed.
const ARROWS: [(&str, bool); 4] = [("-->", true), ("->>", false), ("->", false), ("=>", false)];

/// A name and the group in brackets at its end.
fn grouped(text: &str) -> (&str, Option<&str>) {
    let inner = text.strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
    let found = inner.map(|(name, group)| (name.trim(), group.trim()));
    let found = found.filter(|(name, group)| !name.is_empty() && !group.is_empty());
    found.map_or((text, None), |(name, group)| (name, Some(group)))
}

/// What an arrow leads to, and its label, which begins at the first colon outside of brackets.
fn labelled(rest: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => {
                return (rest.split_at(at).0, rest.get(at + 1..).unwrap_or_default());
            }
            _ => {}
        }
    }
    rest.split_once(':').unwrap_or((rest, ""))
}

fn has_arrow(line: &str) -> bool {
    ARROWS.iter().any(|(word, _)| line.contains(word))
}

impl Graph {
    fn node(&mut self, id: &str) -> usize {
        let entry = self.nodes.entry(id.to_owned());
        let at = entry.index();
        entry.or_insert_with(|| Node { label: id.to_owned(), ..Node::default() });
        at
    }

    /// A node of a line: a name, and its group in brackets behind it.
    fn placed(&mut self, text: &str, field: &str) -> Result<usize> {
        let (name, group) = grouped(text);
        let at = self.node(name);
        if let (Some(group), Some((_, node))) = (group, self.nodes.get_index_mut(at)) {
            if node.group.as_deref().is_some_and(|own| own != group) {
                let own = node.group.clone().unwrap_or_default();
                return Err(bad(field, &text.into(), &format!("in one group, and that is {own}")));
            }
            node.group = Some(group.to_owned());
        }
        Ok(at)
    }

    /// The groups, in the order in which they are named.
    pub(super) fn groups(&self) -> IndexSet<&str> {
        self.nodes.values().filter_map(|node| node.group.as_deref()).collect()
    }

    fn edge(&mut self, (from, to): (&str, &str), label: &str, is_dashed: bool) {
        let (from, to) = (self.node(from), self.node(to));
        self.edges.push(Edge { from, to, label: label.to_owned(), is_dashed });
    }

    /// From the fields `nodes`, `edges`, `messages` and `text`.
    pub(super) fn read(input: &Input) -> Result<Self> {
        let mut graph = Self::default();
        for (at, own) in input.list("nodes").iter().enumerate() {
            let text = |field: &str| own.get(field).and_then(Value::as_str);
            let Some(id) = own.as_str().or_else(|| text("id")) else {
                return Err(bad(&format!("nodes[{at}]"), own, "a text, or an object with an id"));
            };
            let place = graph.node(id);
            if let Some((_, node)) = graph.nodes.get_index_mut(place) {
                text("label").unwrap_or(id).clone_into(&mut node.label);
                node.group = text("group").or_else(|| text("in")).map(str::to_owned);
                text("kind").unwrap_or_default().clone_into(&mut node.kind);
            }
        }
        for field in ["edges", "messages"] {
            for (at, own) in input.list(field).iter().enumerate() {
                let text = |field: &str| own.get(field).and_then(Value::as_str);
                if let Some(line) = own.as_str() {
                    graph.line(line, &format!("{field}[{at}]"))?;
                    continue;
                }
                let (Some(from), Some(to)) = (text("from"), text("to")) else {
                    return Err(bad(
                        &format!("{field}[{at}]"),
                        own,
                        "an object with the texts from and to, or a line a -> b: label",
                    ));
                };
                let label = text("label").or_else(|| text("text")).unwrap_or_default();
                graph.edge((from, to), label, text("kind") == Some("reply"));
            }
        }
        graph.text(input.text("text").unwrap_or_default())?;
        Ok(graph)
    }

    /// Lines, which semicolons may part; sentences where no line has an arrow.
    fn text(&mut self, text: &str) -> Result<()> {
        if !text.lines().any(has_arrow) {
            let said = spoken::arrows(text);
            if !said.is_empty() {
                for own in &said {
                    self.edge((&own.from, &own.to), &own.label, false);
                }
                return Ok(());
            }
        }
        for (at, line) in text.lines().enumerate() {
            let parts: Vec<&str> = line.split(';').filter(|part| !part.trim().is_empty()).collect();
            // A label may hold a semicolon.
            let is_list = parts.iter().all(|part| has_arrow(part));
            for part in if is_list { parts } else { vec![line] } {
                if !part.trim().is_empty() {
                    self.line(part, &format!("text, line {}", at + 1))?;
                }
            }
        }
        Ok(())
    }

    /// `a -> b: label`; `a --> b` is dashed; a name alone is a node; `a [group] -> b` says where it belongs.
    fn line(&mut self, line: &str, field: &str) -> Result<()> {
        let found =
            ARROWS.iter().filter_map(|(word, dashed)| Some((line.find(word)?, *word, *dashed)));
        let Some((at, word, is_dashed)) =
            found.min_by_key(|(at, word, _)| (*at, usize::MAX - word.len()))
        else {
            self.placed(line.trim(), field)?;
            return Ok(());
        };
        let from = line.get(..at).unwrap_or_default().trim();
        let rest = line.get(at + word.len()..).unwrap_or_default();
        let (to, label) = labelled(rest);
        if from.is_empty() || to.trim().is_empty() {
            return Err(bad(field, &line.into(), "a line such as a -> b: label"));
        }
        let (from, to) = (self.placed(from, field)?, self.placed(to.trim(), field)?);
        self.edges.push(Edge { from, to, label: label.trim().to_owned(), is_dashed });
        Ok(())
    }

    /// Entities and their relations.
    pub(super) fn of_model(model: &Model) -> Self {
        let mut graph = Self::default();
        for (name, entity) in &model.entities {
            let at = graph.node(name);
            if let Some((_, node)) = graph.nodes.get_index_mut(at) {
                node.rows = rows(entity);
            }
        }
        for (name, entity) in &model.entities {
            graph.relate(name, entity);
        }
        graph
    }

    /// The arrows of an entity: its foreign keys, and the entities that its fields refer to.
    fn relate(&mut self, name: &str, entity: &Entity) {
        let is_optional = |field: &String| !entity.shape.object.required.contains(field);
        for relation in entity.table.iter().flat_map(|table| &table.relations) {
            let columns = &relation.columns;
            self.edge((name, &relation.to), &columns.join(", "), columns.iter().any(is_optional));
        }
        for (property, shape) in &entity.shape.object.properties {
            let item = shape.array.items.as_deref().and_then(|item| item.reference.as_ref());
            let parts = shape.any_of.iter().chain(&shape.one_of);
            let parts = parts.filter_map(|part| part.reference.as_ref());
            for other in shape.reference.iter().chain(item).chain(parts) {
                self.edge((name, other), property, is_optional(property));
            }
        }
    }
}

/// The rows of an entity: type, name and marks of each field.
fn rows(entity: &Entity) -> Vec<(String, String, Vec<&'static str>)> {
    let keys = entity.table.clone().unwrap_or_default();
    let marks = |column: &String| {
        let is_alone = |columns: &Vec<String>| columns == std::slice::from_ref(column);
        let all = [
            ("PK", keys.primary_key.contains(column)),
            ("FK", keys.relations.iter().any(|relation| relation.columns.contains(column))),
            ("UK", keys.unique.iter().any(is_alone)),
        ];
        all.into_iter().filter(|(_, holds)| *holds).map(|(mark, _)| mark).collect()
    };
    let fields = entity.shape.object.properties.iter();
    fields.map(|(name, shape)| (kind(shape), name.clone(), marks(name))).collect()
}

fn kind(shape: &crate::data::Shape) -> String {
    let null = crate::data::Type::Null;
    let format = shape.string.format.clone();
    let own = shape
        .types
        .iter()
        .filter(|kind| **kind != null)
        .map(|kind| format!("{kind:?}").to_lowercase());
    let types: Vec<_> = own.collect();
    match (&shape.reference, types.as_slice()) {
        (Some(name), _) => name.clone(),
        (None, [one]) => format.unwrap_or_else(|| one.clone()),
        _ => "any".into(),
    }
}
