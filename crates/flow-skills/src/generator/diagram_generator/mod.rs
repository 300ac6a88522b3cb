//! `diagram-generator`: draws arrows, a data model or the project's state as a diagram in
//! Mermaid or in plain characters.

mod ascii;
mod drawing;
mod entities;
mod input;
mod mermaid;
mod project;

use drawing::{Drawing, Node};
use input::{Direction, Form, Input, State, Type};
use serde_json::json;

use super::data_fields;
use super::skill::{ContentKind, Definition, Given, Kind, Needs, Skill, takes};
use crate::output::{Artifact, Fault, Output, Result, bad_given, bad_text, missing};
use crate::project_state::Context;
use crate::stack;

/// Largest number of nodes of a diagram.
const NODES: usize = 5_000;
/// Largest number of edges of a diagram.
const EDGES: usize = 10_000;

pub(super) const SKILL: Skill = Skill {
    name: "diagram-generator",
    input: Definition {
        takes: &data_fields::takes_and::<2, 8>([
            takes(ContentKind::Arrows, "text"),
            takes(ContentKind::Text, "text"),
        ]),
        instead: &["state"],
        contents: &["source"],
        accepts: &[
            Kind::Model,
            Kind::Tables,
            Kind::Story,
            Kind::Criteria,
            Kind::Cases,
            Kind::Report,
        ],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, given, context),
    verify: None,
};

/// The content of the diagram, and information about it.
struct Picture {
    drawing: Drawing,
    suits: Type,
    /// A sentence with the time of the project's state, if that is drawn.
    state: Option<String>,
    notes: Vec<String>,
    /// What could not be read, worded as what to add.
    open: Vec<String>,
}

impl Picture {
    fn of(drawing: Drawing, suits: Type) -> Self {
        Self { drawing, suits, state: None, notes: Vec::new(), open: Vec::new() }
    }
}

fn generate(input: &Input, given: &Given, context: &Context) -> Result<Output> {
    let picture = picture(input, given, context)?;
    let drawing = &picture.drawing;
    check_size("nodes", drawing.nodes.len(), NODES)?;
    check_size("edges", drawing.edges.len(), EDGES)?;
    let kind = input.kind.unwrap_or(picture.suits);
    let mut text = match (input.format, kind) {
        (Form::Ascii, Type::Sequence) => {
            let allowed = "mermaid for a sequence; ascii draws boxes and their arrows";
            return Err(bad_text("format", "ascii", allowed));
        }
        (Form::Ascii, _) => ascii::draw(drawing),
        (Form::Mermaid, Type::Sequence) => mermaid::sequence(drawing),
        (Form::Mermaid, Type::Er) => mermaid::entities(drawing),
        (Form::Mermaid, Type::Flowchart | Type::Architecture) => {
            mermaid::flowchart(drawing, direction(input, kind))
        }
    };
    if let Some(state) = &picture.state {
        // A comment in Mermaid, and a heading in plain characters.
        let head = if input.format == Form::Mermaid { "%% " } else { "" };
        text.insert_str(0, &format!("{head}{state}\n"));
    }
    let mut notes = picture.notes;
    notes.extend(remarks(input, kind, drawing));
    let boxes: Vec<&Node> = drawing.nodes.values().collect();
    let groups = drawing.groups().len();
    let data = json!({"nodes": boxes, "edges": drawing.edges, "type": kind, "groups": groups});
    let (path, language) = match input.format {
        Form::Ascii => ("diagram.txt", "text"),
        Form::Mermaid => ("diagram.mmd", "mermaid"),
    };
    let artifacts = vec![Artifact::new(path, language, text)];
    Ok(Output { data, artifacts, open: picture.open, notes })
}

/// The content to draw: from the fields, the project's state, or another skill.
fn picture(input: &Input, given: &Given, context: &Context) -> Result<Picture> {
    let data = data_fields::is_given(given).then_some("source");
    let state = input.epic.as_ref().map(|_| "epic").or(input.state.map(|_| "state"));
    let text = input.text.as_ref().map(|_| "text");
    let inputs = [text, data, state];
    if let [first, second, ..] = inputs.into_iter().flatten().collect::<Vec<_>>().as_slice() {
        let both = format!("the fields {first:?} and {second:?} both say what is drawn; give one");
        return Err(Fault::Refused(both));
    }
    if let Some(epic) = &input.epic {
        if input.state == Some(State::Epics) {
            return Err(bad_text("epic", epic, "given without state=epics"));
        }
        return project::of_epic(epic, context);
    }
    if let Some(ids) = &input.text
        && let Some(picture) = project::of_ids(ids, context)?
    {
        return Ok(picture);
    }
    // `flowchart: a -> b` is an entity too.
    let typed = given.contents.get("source").map(|content| content.text.as_str());
    let typed = typed.filter(|text| type_in_front(text).0.is_some());
    if let Some(text) = input.text.as_deref().or(typed) {
        let (front, arrows) = type_in_front(text);
        if let (Some(front), Some(given)) = (front, input.kind)
            && front != given
        {
            let allowed = format!("{front}, with which the text begins, or left out");
            return Err(bad_text("type", &given.to_string(), &allowed));
        }
        return Ok(Picture::of(Drawing::read(arrows)?, front.unwrap_or(Type::Flowchart)));
    }
    if let Some(part) = input.state {
        return project::of_state(part, context);
    }
    if let Some(report) = given.upstream.as_ref().filter(|before| before.kind == Kind::Report) {
        return project::of_report(report, context);
    }
    if data.is_none() && given.upstream.is_none() {
        let expects = "arrows such as `web -> api -> db: SQL`, or --input FILE with data";
        return Err(missing("text", expects, "what the diagram shows"));
    }
    if input.kind == Some(Type::Sequence) {
        let allowed = "er, flowchart or architecture for data; a sequence has messages, such as `web -> api: GET /users`";
        return Err(bad_text("type", "sequence", allowed));
    }
    if let Some(sample) = data_fields::sample(given) {
        refuse_other(sample)?;
    }
    let (model, drawing) = stack::run(|| {
        let model = input.data.read(given)?;
        let drawing = entities::draw(&model);
        Ok((model, drawing))
    })?;
    let notes = model.notes.iter().cloned().chain(entities::left_out(&model)).collect();
    Ok(Picture { notes, open: model.open, ..Picture::of(drawing, Type::Er) })
}

/// The type that stands in front of arrows, as in `sequence: web -> api: GET /users`, and the arrows.
fn type_in_front(text: &str) -> (Option<Type>, &str) {
    let Some((word, arrows)) = text.split_once(':') else { return (None, text) };
    let word = word.trim().to_lowercase();
    let bare = word.strip_suffix("diagram").unwrap_or(&word).trim_end();
    match serde_json::from_value(json!(bare)) {
        Ok(kind) if arrows.contains("->") => (Some(kind), arrows),
        _ => (None, text),
    }
}

/// The members of an object that describes a diagram, or services, in the form of other tools.
const OTHER: [&str; 3] = ["nodes", "edges", "messages"];

/// Refuses data that is no data to draw, but the description of a diagram or of services.
fn refuse_other(sample: &serde_json::Value) -> Result<()> {
    let is_it = |name: &&str| sample.get(name).is_some_and(serde_json::Value::is_array);
    let compose = is_compose(sample).then_some("services");
    match compose.or_else(|| OTHER.into_iter().find(is_it)) {
        Some(name) => Err(Fault::Refused(format!(
            "the input has {name:?}, which is not read; give arrows, each `web -> api: GET /users`, with ; or a new line between them"
        ))),
        None => Ok(()),
    }
}

/// Whether data is a file of docker compose: services that have an image or are built.
fn is_compose(value: &serde_json::Value) -> bool {
    let services = value["services"].as_object().filter(|services| !services.is_empty());
    services.is_some_and(|services| {
        services.values().all(|one| one.get("image").is_some() || one.get("build").is_some())
    })
}

fn check_size(what: &str, count: usize, most: usize) -> Result<()> {
    let allowed = format!("at most {most}, for a diagram that can be drawn");
    let fault = || bad_given(what, format!("a list of {count}"), &allowed);
    if count <= most { Ok(()) } else { Err(fault()) }
}

/// The direction of a flowchart: left to right for an architecture, else top to bottom.
fn direction(input: &Input, kind: Type) -> Direction {
    let usual = if kind == Type::Architecture { Direction::Lr } else { Direction::Td };
    input.direction.unwrap_or(usual)
}

/// Notes on what a type of diagram cannot show.
fn remarks(input: &Input, kind: Type, drawing: &Drawing) -> Vec<String> {
    let is_mermaid = input.format == Form::Mermaid;
    let is_flowchart = matches!(kind, Type::Flowchart | Type::Architecture);
    let has_no_groups = kind == Type::Sequence || (kind == Type::Er && is_mermaid);
    let groups = "groups are left out: only flowcharts and architecture diagrams have them";
    let direction = "direction is left out: only flowcharts of Mermaid have one";
    let notes = [
        (has_no_groups && !drawing.groups().is_empty()).then_some(groups),
        (input.direction.is_some() && !(is_flowchart && is_mermaid)).then_some(direction),
    ];
    notes.into_iter().flatten().map(str::to_owned).collect()
}
