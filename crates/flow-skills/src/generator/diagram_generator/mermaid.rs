//! Mermaid's languages. Ids are our own; what the input calls things stands in labels only, escaped.

use std::fmt::Write as _;

use super::graph::{Graph, Node};
use crate::runtime::filters::mermaid;

/// A flowchart; groups become subgraphs, and kinds become forms.
pub(super) fn flowchart(graph: &Graph, direction: &str) -> String {
    let mut out = format!("flowchart {direction}\n");
    let line = |at: usize, node: &Node| {
        let label = mermaid(&node.label);
        let (open, close) = match node.kind.as_str() {
            "database" => ("[(", ")]"),
            "queue" => ("[[", "]]"),
            "person" => ("([", "])"),
            "decision" => ("{", "}"),
            _ => ("[", "]"),
        };
        format!("n{at}{open}\"{label}\"{close}\n")
    };
    for (number, group) in graph.groups().into_iter().enumerate() {
        let _ = writeln!(out, "  subgraph g{number}[\"{}\"]", mermaid(group));
        for (at, node) in graph
            .nodes
            .values()
            .enumerate()
            .filter(|(_, node)| node.group.as_deref() == Some(group))
        {
            let _ = write!(out, "    {}", line(at, node));
        }
        out.push_str("  end\n");
    }
    for (at, node) in graph.nodes.values().enumerate().filter(|(_, node)| node.group.is_none()) {
        let _ = write!(out, "  {}", line(at, node));
    }
    for edge in &graph.edges {
        let arrow = if edge.is_dashed { "-.->" } else { "-->" };
        let label = if edge.label.is_empty() {
            String::new()
        } else {
            format!("|\"{}\"|", mermaid(&edge.label))
        };
        let _ = writeln!(out, "  n{} {arrow}{label} n{}", edge.from, edge.to);
    }
    out
}

/// A sequence diagram; every node takes part.
pub(super) fn sequence(graph: &Graph) -> String {
    let mut out = String::from("sequenceDiagram\n");
    for (at, node) in graph.nodes.values().enumerate() {
        let word = if node.kind == "person" { "actor" } else { "participant" };
        let _ = writeln!(out, "  {word} n{at} as {}", mermaid(&node.label));
    }
    for edge in &graph.edges {
        let arrow = if edge.is_dashed { "-->>" } else { "->>" };
        let _ = writeln!(out, "  n{}{arrow}n{}: {}", edge.from, edge.to, mermaid(&edge.label));
    }
    out
}

/// An entity relationship diagram. Mermaid's attributes have plain names only: another one stands in a comment, whole.
pub(super) fn entities(graph: &Graph) -> String {
    let mut out = String::from("erDiagram\n");
    for (at, node) in graph.nodes.values().enumerate() {
        let _ = writeln!(out, "  n{at}[\"{}\"] {{", mermaid(&node.label));
        for (kind, name, marks) in &node.rows {
            let (kind, plain) = (word(kind), word(name));
            let marks =
                if marks.is_empty() { String::new() } else { format!(" {}", marks.join(", ")) };
            let comment =
                if plain == *name { String::new() } else { format!(" \"{}\"", mermaid(name)) };
            let _ = writeln!(out, "    {kind} {plain}{marks}{comment}");
        }
        out.push_str("  }\n");
    }
    for edge in &graph.edges {
        let end = if edge.is_dashed { "|o" } else { "||" };
        let mirrored: String = if edge.is_dashed { "o|".into() } else { end.into() };
        let _ = writeln!(
            out,
            "  n{} }}o--{mirrored} n{} : \"{}\"",
            edge.from,
            edge.to,
            mermaid(&edge.label)
        );
    }
    out
}

/// A name that Mermaid takes for an attribute.
fn word(name: &str) -> String {
    let mut plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if !plain.starts_with(|c: char| c.is_ascii_alphabetic()) {
        plain.insert_str(0, "a_");
    }
    if matches!(plain.as_str(), "PK" | "FK" | "UK") { format!("{plain}_") } else { plain }
}
