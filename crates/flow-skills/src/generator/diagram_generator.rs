//! `diagram-generator`: nodes and edges, messages or a data model become a diagram in Mermaid or in plain characters.

mod ascii;
mod graph;
mod mermaid;
mod project;
mod spoken;
mod upstream;

use serde_json::json;

use graph::Graph;

use super::source;
use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Fault, Output, Result};
use crate::project_state::Context;

/// Most nodes and edges of a diagram.
const NODES: usize = 5_000;
const EDGES: usize = 10_000;

/// Draws the diagram.
///
/// # Errors
/// When there is nothing to draw, or an edge cannot be read.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let Some(picture) = project::laid(input, context)? else {
        return draw(&*upstream::laid(input)?);
    };
    let mut output = draw(&picture.input)?;
    output.notes.splice(0..0, picture.notes);
    output.open.splice(0..0, picture.open);
    for artifact in &mut output.artifacts {
        // A comment of Mermaid's, and a heading of plain characters.
        let head = if artifact.kind == "mermaid" { "%% " } else { "" };
        artifact.text.insert_str(0, &format!("{head}{}\n", picture.state));
    }
    Ok(output)
}

/// Draws what the fields say.
fn draw(input: &Input) -> Result<Output> {
    let first = match (is_plain(input), has(input, &["messages"])) {
        (true, true) => "sequence",
        (true, false) => "flowchart",
        _ => "er",
    };
    let mut kinds = vec![first];
    kinds.extend(
        ["flowchart", "sequence", "er", "architecture"].into_iter().filter(|kind| *kind != first),
    );
    let kind = fields::choice(input, "type", &kinds)?;
    let (graph, open, mut notes) = graph(input)?;
    let direction = fields::choice(
        input,
        "direction",
        &[if kind == "architecture" { "LR" } else { "TD" }, "TD", "LR", "BT", "RL"],
    )?;
    let format = fields::choice(input, "format", &["mermaid", "ascii"])?;
    let width = width(input)?;
    let text = match (format, kind) {
        ("ascii", "sequence") => ascii::messages(&graph, width),
        ("ascii", _) => ascii::draw(&graph, width),
        (_, "sequence") => mermaid::sequence(&graph),
        (_, "er") => mermaid::entities(&graph),
        (_, _) => mermaid::flowchart(&graph, direction),
    };
    let groups = graph.groups().len();
    let has_no_groups = kind == "sequence" || (kind == "er" && format == "mermaid");
    if has_no_groups && groups > 0 {
        notes.push(
            "groups are not drawn here: a flowchart or an architecture diagram has them".into(),
        );
    }
    if kind == "architecture" && format == "mermaid" {
        notes.push("drawn as a flowchart with groups: Mermaid's own architecture diagrams take plain letters only in labels".into());
    }
    let (path, kind_of) =
        if format == "ascii" { ("diagram.txt", "text") } else { ("diagram.mmd", "mermaid") };
    Ok(Output {
        data: json!({
            "type": kind, "nodes": graph.nodes.len(), "edges": graph.edges.len(), "groups": groups,
        }),
        artifacts: vec![Artifact::new(path, kind_of, text)],
        open,
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

/// What is to be drawn, with questions, and notes on what reading left out.
fn graph(input: &Input) -> Result<(Graph, Vec<String>, Vec<String>)> {
    let is_model = has(input, &["model", "ddl", "openapi", "schema", "samples", "source"])
        || input.upstream.is_some();
    let (graph, open, notes) = if is_plain(input) {
        (Graph::read(input)?, Vec::new(), Vec::new())
    } else if is_model {
        let (model, notes) = source::model(input)?;
        (Graph::of_model(&model), model.open, notes)
    } else {
        (Graph::default(), Vec::new(), Vec::new())
    };
    if graph.nodes.is_empty() {
        return Err(Fault::Missing {
            field: "edges".into(),
            expects: "a list, or text with lines such as a -> b: label".into(),
            description:
                "what the diagram shows; in its place nodes, messages, a data model or DDL".into(),
        });
    }
    for (what, count, most) in
        [("nodes", graph.nodes.len(), NODES), ("edges", graph.edges.len(), EDGES)]
    {
        if count > most {
            return Err(Fault::Bad {
                field: what.into(),
                given: format!("a list of {count}"),
                allowed: format!("at most {most}, for a diagram that can be drawn"),
            });
        }
    }
    Ok((graph, open, notes))
}

/// The columns that a diagram of plain characters may take.
fn width(input: &Input) -> Result<usize> {
    let value = input.fields.get("width").filter(|value| !value.is_null());
    let Some(value) = value else { return Ok(80) };
    let number = value.as_u64().and_then(|width| usize::try_from(width).ok());
    number
        .filter(|width| (20..=1000).contains(width))
        .ok_or_else(|| fields::bad("width", value, "a whole number of columns, 20 to 1000"))
}
