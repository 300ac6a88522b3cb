//! The drawing of the project's stories or epics: all, those whose ids are given, or those of another skill's report.

use std::collections::{BTreeMap, HashSet};

use indexmap::IndexMap;
use serde_json::Value;

use super::Picture;
use super::drawing::{Drawing, Edge, Node};
use super::input::{State, Type};
use crate::input::kind::Upstream;
use crate::output::{Fault, Result};
use crate::project_state::Context;
use crate::project_state::names::Named;
use crate::project_state::say::{LISTED, name, state_of};
use crate::project_state::{Snapshot, Story, id_prefix};
use crate::text::{line, title};

/// Largest number of edges: Mermaid's default limit is 500.
const EDGES: usize = 500;

/// The open stories or the epics of the project.
pub(super) fn of_state(part: State, context: &Context) -> Result<Picture> {
    let snapshot = Snapshot::read(&context.state)?;
    match part {
        State::Stories => {
            let open = snapshot.stories.iter().filter(|story| !story.is_completed());
            let ids = open.map(|story| story.id.clone()).collect();
            picture(&snapshot, stories(&snapshot, &ids), "the project has no open stories")
        }
        State::Epics => {
            let none = "the project has no epics; state=stories draws its open stories";
            picture(&snapshot, epics(&snapshot), none)
        }
    }
}

/// The stories of an epic, with what they need.
pub(super) fn of_epic(id: &str, context: &Context) -> Result<Picture> {
    let snapshot = Snapshot::read(&context.state)?;
    let epic = snapshot.named_epic("epic", id)?;
    of_names(&snapshot, std::slice::from_ref(&epic.id))
}

/// The stories whose ids a text is, or those of epics, with what they need; `None` for another text.
pub(super) fn of_ids(text: &str, context: &Context) -> Result<Option<Picture>> {
    let words: Vec<&str> = text.split([',', ' ', '\n']).filter(|word| !word.is_empty()).collect();
    if words.iter().any(|word| id_prefix(word).is_none()) || !context.state.is_there() {
        return Ok(None);
    }
    let snapshot = Snapshot::read(&context.state)?;
    let mut ids = Vec::new();
    for word in words {
        let Some(name) = snapshot.find(&[Named::Story, Named::Epic], word) else {
            return Err(snapshot.unknown("text", &[Named::Story, Named::Epic], word, ""));
        };
        ids.push(name.id);
    }
    of_names(&snapshot, &ids).map(Some)
}

/// The stories with some ids, and those of the epics with some, with what they need.
fn of_names(snapshot: &Snapshot, ids: &[String]) -> Result<Picture> {
    let is_named = |story: &&Story| {
        ids.contains(&story.id) || story.epic.as_ref().is_some_and(|epic| ids.contains(epic))
    };
    let named = snapshot.stories.iter().filter(is_named);
    let with_needs = named.flat_map(|story| story.needs.iter().chain([&story.id]));
    let drawing = stories(snapshot, &with_needs.cloned().collect());
    picture(snapshot, drawing, "the epic has no stories")
}

/// The stories of another skill's report: as the project has them, else in the order that the report says.
pub(super) fn of_report(report: &Upstream, context: &Context) -> Result<Picture> {
    let mut rows: IndexMap<&str, &Value> = IndexMap::new();
    let mut open = vec![&report.data];
    while let Some(value) = open.pop() {
        if let (Some(id), true) = (value["id"].as_str(), value["title"].is_string()) {
            rows.insert(id, value);
        }
        let members = value.as_object().into_iter().flatten().map(|(_, member)| member);
        open.extend(members.chain(value.as_array().into_iter().flatten()).rev());
    }
    let ids: Vec<&str> = rows.keys().copied().filter(|id| id_prefix(id).is_some()).collect();
    if ids.is_empty() {
        return Err(Fault::Refused(format!(
            "the output of {} names no stories; `flow skill diagram-generator EP-0001` draws those of an epic of the project",
            report.skill
        )));
    }
    if context.state.is_there() {
        let snapshot = Snapshot::read(&context.state)?;
        if ids.iter().all(|id| snapshot.story(id).is_some()) {
            let ids = ids.into_iter().map(str::to_owned).collect();
            return picture(&snapshot, stories(&snapshot, &ids), "");
        }
    }
    let mut drawing = Drawing::default();
    for (id, row) in &rows {
        let label = format!("{}: {}", line(id), title(row["title"].as_str().unwrap_or_default()));
        drawing.nodes.insert((*id).to_owned(), node(id, label, None));
        let needs = row["depends_on"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let needs = needs.filter(|need| rows.contains_key(need));
        drawing.edges.extend(needs.map(|need| edge(need, id, String::new())));
    }
    Ok(limited(drawing))
}

fn picture(snapshot: &Snapshot, drawing: Drawing, none: &str) -> Result<Picture> {
    if drawing.nodes.is_empty() {
        return Err(Fault::Refused(none.to_owned()));
    }
    let mut picture = limited(drawing);
    picture.state = Some(state_of(snapshot));
    picture.notes.extend(snapshot.gaps.missing.clone());
    picture.open.extend(snapshot.gaps.questions());
    Ok(picture)
}

/// The first nodes and the edges between them; a note has the number of both that are left out.
fn limited(mut drawing: Drawing) -> Picture {
    let all = drawing.nodes.len() + drawing.edges.len();
    drawing.nodes.truncate(LISTED);
    let Drawing { nodes, edges } = &mut drawing;
    edges.retain(|edge| nodes.contains_key(&edge.from) && nodes.contains_key(&edge.to));
    drawing.edges.truncate(EDGES);
    let left_out = all - drawing.nodes.len() - drawing.edges.len();
    let note = format!("{left_out} nodes and edges are left out: the diagram would be too large");
    let notes = Vec::from_iter((left_out > 0).then_some(note));
    Picture { notes, ..Picture::of(drawing, Type::Flowchart) }
}

fn node(id: &str, label: String, group: Option<String>) -> Node {
    Node { id: id.to_owned(), label: Some(label), group, ..Node::default() }
}

fn edge(from: &str, to: &str, label: String) -> Edge {
    let label = Some(label).filter(|label| !label.is_empty());
    Edge { from: from.to_owned(), to: to.to_owned(), label, ..Edge::default() }
}

/// Stories under their epics, with the dependencies between them.
fn stories(snapshot: &Snapshot, ids: &HashSet<String>) -> Drawing {
    let mut drawing = Drawing::default();
    for story in snapshot.stories.iter().filter(|story| ids.contains(&story.id)) {
        let epic = story.epic.as_ref().map(|id| match snapshot.epic(id) {
            Some(epic) if epic.title != *id => format!("{}: {}", line(id), title(&epic.title)),
            _ => line(id),
        });
        let label = format!("{}: {} ({})", line(&story.id), name(story), line(&story.status));
        drawing.nodes.insert(story.id.clone(), node(&story.id, label, epic));
        let needs = story.needs.iter().filter_map(|id| snapshot.story(id));
        let needs = needs.filter(|need| ids.contains(&need.id));
        drawing.edges.extend(needs.map(|need| edge(&need.id, &story.id, String::new())));
    }
    drawing
}

/// Epics with their progress, each after those that its stories depend on.
fn epics(snapshot: &Snapshot) -> Drawing {
    let mut drawing = Drawing::default();
    for epic in &snapshot.epics {
        let stories =
            || snapshot.stories.iter().filter(|story| story.epic.as_ref() == Some(&epic.id));
        let done = stories().filter(|story| story.is_completed()).count();
        let label =
            format!("{}: {} ({done} of {})", line(&epic.id), title(&epic.title), stories().count());
        drawing.nodes.insert(epic.id.clone(), node(&epic.id, label, None));
    }
    let mut between: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for story in &snapshot.stories {
        for need in story.needs.iter().filter_map(|id| snapshot.story(id)) {
            if let (Some(from), Some(to)) = (&need.epic, &story.epic)
                && from != to
            {
                *between.entry((from, to)).or_default() += 1;
            }
        }
    }
    let needed =
        between.iter().map(|((from, to), count)| edge(from, to, format!("{count} needed")));
    drawing.edges = needed.collect();
    drawing
}
