//! `diagram-generator`: nodes and edges, messages or a data model become a diagram in Mermaid or in plain characters.

mod ascii;
mod graph;
mod mermaid;
mod upstream;

use serde_json::{Value, json};

use graph::Graph;

use super::source::{self, given};
use crate::skill::input::{Context, Input};
use crate::skill::output::{Artifact, Fault, Output, Result};

/// Draws the diagram.
///
/// # Errors
/// When there is nothing to draw, or an edge cannot be read.
pub(super) fn generate(input: &Input, _: &Context) -> Result<Output> {
    let input = &*upstream::laid(input)?;
    let first = match (is_plain(input), has(input, &["messages"])) {
        (true, true) => "sequence",
        (true, false) => "flowchart",
        _ => "er",
    };
    let mut kinds = vec![first];
    kinds.extend(
        ["flowchart", "sequence", "er", "architecture"].into_iter().filter(|kind| *kind != first),
    );
    let kind = source::choice(input, "type", &kinds)?;
    let (graph, mut notes) = graph(input)?;
    let direction = source::choice(
        input,
        "direction",
        &[if kind == "architecture" { "LR" } else { "TD" }, "TD", "LR", "BT", "RL"],
    )?;
    let format = source::choice(input, "format", &["mermaid", "ascii"])?;
    let width = width(input)?;
    let text = match (format, kind) {
        ("ascii", "sequence") => ascii::messages(&graph, width),
        ("ascii", _) => ascii::draw(&graph, width),
        (_, "sequence") => mermaid::sequence(&graph),
        (_, "er") => mermaid::entities(&graph),
        (_, _) => mermaid::flowchart(&graph, direction),
    };
    if kind == "architecture" && format == "mermaid" {
        notes.push("drawn as a flowchart with groups: Mermaid's own architecture diagrams take plain letters only in labels".into());
    }
    let (path, kind_of) =
        if format == "ascii" { ("diagram.txt", "text") } else { ("diagram.mmd", "mermaid") };
    Ok(Output {
        data: json!({ "type": kind, "nodes": graph.nodes.len(), "edges": graph.edges.len() }),
        artifacts: vec![Artifact { path: path.into(), kind: kind_of, text }],
        open: Vec::new(),
        notes,
    })
}

/// Whether one of the fields is given.
fn has(input: &Input, fields: &[&str]) -> bool {
    fields.iter().any(|field| input.fields.get(*field).is_some_and(|value| !value.is_null()))
}

fn is_plain(input: &Input) -> bool {
    has(input, &["nodes", "edges", "messages", "text"])
}

/// What is to be drawn, with notes on what reading left out.
fn graph(input: &Input) -> Result<(Graph, Vec<String>)> {
    let is_model = has(input, &["model", "ddl", "openapi", "schema", "samples", "source"])
        || input.upstream.is_some();
    let (graph, notes) = if is_plain(input) {
        (Graph::read(input)?, Vec::new())
    } else if is_model {
        let (model, notes) = source::model(input)?;
        (Graph::of_model(&model), notes)
    } else {
        (Graph::default(), Vec::new())
    };
    if graph.nodes.is_empty() {
        return Err(Fault::Missing {
            field: "edges".into(),
            expects: "a list, or text with lines such as a -> b: label".into(),
            description:
                "what the diagram shows; in its place nodes, messages, a data model or DDL".into(),
        });
    }
    Ok((graph, notes))
}

/// The columns that a diagram of plain characters may take.
fn width(input: &Input) -> Result<usize> {
    let value = input.fields.get("width").filter(|value| !value.is_null());
    let Some(value) = value else { return Ok(80) };
    let number = value.as_u64().and_then(|width| usize::try_from(width).ok());
    number.filter(|width| (20..=1000).contains(width)).ok_or_else(|| Fault::Bad {
        field: "width".into(),
        given: given(&Value::clone(value)),
        allowed: "a whole number of columns, 20 to 1000".into(),
    })
}
