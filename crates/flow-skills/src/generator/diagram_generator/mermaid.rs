//! Renders Mermaid. Ids are the names as far as Mermaid allows; a label is added if it differs.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::drawing::Drawing;
use crate::generator::graph::{EdgeKind, Node, NodeKind};
use crate::text::mermaid::{Ids, LabelContext, label};

/// The ids of the nodes, by index.
fn ids(drawing: &Drawing, taken: &mut Ids) -> Vec<String> {
    drawing.nodes.keys().map(|name| taken.make(name)).collect()
}

/// A flowchart; groups become subgraphs, and types of nodes become shapes.
pub(super) fn flowchart(drawing: &Drawing, direction: &str) -> String {
    let mut taken = Ids::default();
    let ids = ids(drawing, &mut taken);
    let mut out = format!("flowchart {direction}\n");
    for group in drawing.groups() {
        let id = taken.make(group);
        let name = if id == group { id } else { format!("{id}[{}]", quoted(group)) };
        let _ = writeln!(out, "  subgraph {name}");
        for (id, node) in ids.iter().zip(drawing.nodes.values()) {
            if node.group.as_deref() == Some(group) {
                let _ = writeln!(out, "    {}", shaped(id, node));
            }
        }
        out.push_str("  end\n");
    }
    let linked: HashSet<usize> =
        drawing.edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    for (at, (id, node)) in ids.iter().zip(drawing.nodes.values()).enumerate() {
        let shaped = shaped(id, node);
        // A node that is only its name is declared by its arrow.
        if node.group.is_none() && (shaped != *id || !linked.contains(&at)) {
            let _ = writeln!(out, "  {shaped}");
        }
    }
    for edge in &drawing.edges {
        let arrow = if edge.is_dashed() { "-.->" } else { "-->" };
        let text = if edge.label.is_empty() {
            String::new()
        } else {
            format!("|{}|", quoted(&edge.label))
        };
        let _ = writeln!(out, "  {} {arrow}{text} {}", ids[edge.from], ids[edge.to]);
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
        NodeKind::Queue => ("[[", "]]"),
        NodeKind::Person => ("([", "])"),
        NodeKind::Decision => ("{", "}"),
        NodeKind::Plain | NodeKind::Service if node.text() == id => return id.to_owned(),
        NodeKind::Plain | NodeKind::Service => ("[", "]"),
    };
    format!("{id}{open}{}{close}", quoted(node.text()))
}

/// A sequence diagram; every node is a participant.
pub(super) fn sequence(drawing: &Drawing) -> String {
    let ids = ids(drawing, &mut Ids::default());
    let mut out = String::from("sequenceDiagram\n");
    for (id, node) in ids.iter().zip(drawing.nodes.values()) {
        let word = if node.kind == NodeKind::Person { "actor" } else { "participant" };
        let name = if node.text() == id {
            String::new()
        } else {
            format!(" as {}", label(node.text(), LabelContext::Line))
        };
        let _ = writeln!(out, "  {word} {id}{name}");
    }
    for edge in &drawing.edges {
        let arrow = if edge.is_dashed() { "-->>" } else { "->>" };
        let text = label(&edge.label, LabelContext::Line);
        let _ = writeln!(out, "  {}{arrow}{}: {text}", ids[edge.from], ids[edge.to]);
    }
    out
}

/// An entity relationship diagram. Mermaid's attributes allow only plain names; another name is written as a comment.
pub(super) fn entities(drawing: &Drawing) -> String {
    let ids = ids(drawing, &mut Ids::default());
    let mut out = String::from("erDiagram\n");
    for (id, node) in ids.iter().zip(drawing.nodes.values()) {
        let name = if node.text() == id {
            id.clone()
        } else {
            format!("{id}[\"{}\"]", label(node.text(), LabelContext::Entity))
        };
        if node.columns.is_empty() {
            let _ = writeln!(out, "  {name}");
            continue;
        }
        let _ = writeln!(out, "  {name} {{");
        for column in &node.columns {
            let (kind, plain) = (word(&column.kind), word(&column.name));
            let marks = column.marks.join(", ");
            let marks = if marks.is_empty() { marks } else { format!(" {marks}") };
            let is_plain = plain == column.name;
            let comment =
                if is_plain { String::new() } else { format!(" {}", quoted(&column.name)) };
            let _ = writeln!(out, "    {kind} {plain}{marks}{comment}");
        }
        out.push_str("  }\n");
    }
    for edge in &drawing.edges {
        let ends = match edge.kind {
            EdgeKind::Plain => "}o--||",
            EdgeKind::Reply => "}o--o|",
            EdgeKind::Many => "||--o{",
        };
        let text = quoted(&edge.label);
        let _ = writeln!(out, "  {} {ends} {} : {text}", ids[edge.from], ids[edge.to]);
    }
    out
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
