//! Renders Mermaid. Ids are the names as far as Mermaid allows; a label is added if it differs.

use std::collections::HashSet;
use std::fmt::Write as _;

use indexmap::IndexMap;

use super::drawing::{Cardinality, Drawing, Edge, Node, NodeKind, Relation};
use super::input::Direction;
use crate::text::mermaid::{Ids, LabelContext, label};

/// The ids of the nodes, by their names.
type NodeIds<'a> = IndexMap<&'a str, String>;

fn ids<'a>(drawing: &'a Drawing, taken: &mut Ids) -> NodeIds<'a> {
    drawing.nodes.keys().map(|name| (name.as_str(), taken.make(name))).collect()
}

/// The ids of both ends of an arrow.
fn ends<'a>(ids: &'a NodeIds<'_>, edge: &Edge) -> (&'a str, &'a str) {
    let id = |name: &String| ids.get(name.as_str()).map_or("", String::as_str);
    (id(&edge.from), id(&edge.to))
}

/// A flowchart; groups become subgraphs, and types of nodes become shapes.
pub(super) fn flowchart(drawing: &Drawing, direction: Direction) -> String {
    let mut taken = Ids::default();
    let ids = ids(drawing, &mut taken);
    let mut out = format!("flowchart {direction}\n");
    for group in drawing.groups() {
        let id = taken.make(group);
        let name = if id == group { id } else { format!("{id}[{}]", quoted(group)) };
        let _ = writeln!(out, "  subgraph {name}");
        for (id, node) in ids.values().zip(drawing.nodes.values()) {
            if node.group.as_deref() == Some(group) {
                let _ = writeln!(out, "    {}", shaped(id, node));
            }
        }
        out.push_str("  end\n");
    }
    let linked: HashSet<&String> =
        drawing.edges.iter().flat_map(|edge| [&edge.from, &edge.to]).collect();
    for (id, node) in ids.values().zip(drawing.nodes.values()) {
        let shaped = shaped(id, node);
        // A node that is only its name is declared by its arrow.
        if node.group.is_none() && (shaped != *id || !linked.contains(&node.id)) {
            let _ = writeln!(out, "  {shaped}");
        }
    }
    for edge in &drawing.edges {
        let arrow = if edge.is_dashed() { "-.->" } else { "-->" };
        let text = Some(edge.text()).filter(|text| !text.is_empty());
        let text = text.map(|text| format!("|{}|", quoted(text))).unwrap_or_default();
        let (from, to) = ends(&ids, edge);
        let _ = writeln!(out, "  {from} {arrow}{text} {to}");
    }
    out
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", label(text, LabelContext::Quoted))
}

/// A node of a flowchart: its id, with its label in the shape of its type.
fn shaped(id: &str, node: &Node) -> String {
    let (open, close) = match node.kind {
        NodeKind::Database => ("[(", ")]"),
        NodeKind::Decision => ("{", "}"),
        NodeKind::Plain if node.text() == id => return id.to_owned(),
        NodeKind::Plain => ("[", "]"),
    };
    format!("{id}{open}{}{close}", quoted(node.text()))
}

/// A sequence diagram; every node is a participant.
pub(super) fn sequence(drawing: &Drawing) -> String {
    let ids = ids(drawing, &mut Ids::default());
    let mut out = String::from("sequenceDiagram\n");
    for (id, node) in ids.values().zip(drawing.nodes.values()) {
        let name = Some(node.text()).filter(|text| text != id);
        let name = name.map(|text| format!(" as {}", label(text, LabelContext::Line)));
        let _ = writeln!(out, "  participant {id}{}", name.unwrap_or_default());
    }
    for edge in &drawing.edges {
        let arrow = if edge.is_dashed() { "-->>" } else { "->>" };
        let text = label(edge.text(), LabelContext::Line);
        let (from, to) = ends(&ids, edge);
        let _ = writeln!(out, "  {from}{arrow}{to}: {text}");
    }
    out
}

/// An entity relationship diagram. Mermaid's attributes allow only plain names; another name is written as a comment.
pub(super) fn entities(drawing: &Drawing) -> String {
    let ids = ids(drawing, &mut Ids::default());
    let mut out = String::from("erDiagram\n");
    for (id, node) in ids.values().zip(drawing.nodes.values()) {
        let name = Some(node.text()).filter(|text| text != id);
        let name = name.map(|text| format!("[\"{}\"]", label(text, LabelContext::Quoted)));
        let name = format!("{id}{}", name.unwrap_or_default());
        if node.columns.is_empty() {
            let _ = writeln!(out, "  {name}");
            continue;
        }
        let _ = writeln!(out, "  {name} {{");
        for column in &node.columns {
            let plain = word(&column.name);
            let comment = (plain != column.name).then(|| quoted(&column.name));
            let marks = Some(column.marks.join(", ")).filter(|marks| !marks.is_empty());
            let parts = [Some(word(&column.kind)), Some(plain), marks, comment];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            let _ = writeln!(out, "    {}", parts.join(" "));
        }
        out.push_str("  }\n");
    }
    for edge in &drawing.edges {
        let arrow = crow_foot(edge);
        let text = quoted(edge.text());
        let (from, to) = ends(&ids, edge);
        let _ = writeln!(out, "  {from} {arrow} {to} : {text}");
    }
    out
}

/// The line of a relation. An arrow that says no numbers is a reference: of any number to one, or to at most one.
fn crow_foot(edge: &Edge) -> String {
    let to = if edge.is_dashed() { Cardinality::AtMostOne } else { Cardinality::One };
    let Relation { from, to } = edge.relation.unwrap_or(Relation { from: Cardinality::Any, to });
    let from = match from {
        Cardinality::One => "||",
        Cardinality::AtMostOne => "|o",
        Cardinality::AtLeastOne => "}|",
        Cardinality::Any => "}o",
    };
    let to = match to {
        Cardinality::One => "||",
        Cardinality::AtMostOne => "o|",
        Cardinality::AtLeastOne => "|{",
        Cardinality::Any => "o{",
    };
    format!("{from}--{to}")
}

/// A name that is valid as an attribute in Mermaid.
fn word(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '[' | ']');
    let mut plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        plain.insert_str(0, "a_");
    }
    if matches!(plain.to_ascii_uppercase().as_str(), "PK" | "FK" | "UK") {
        format!("{plain}_")
    } else {
        plain
    }
}
