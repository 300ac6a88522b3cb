//! The drawing of the project's stories or epics, for the field `state`.

use std::collections::BTreeMap;

use super::Picture;
use super::drawing::{Drawing, Edge, Node};
use super::input::{State, Type};
use crate::output::{Fault, Result};
use crate::project_state::Context;
use crate::project_state::say::{LISTED, name, state_of};
use crate::project_state::{Snapshot, Story};
use crate::text::{line, title};

/// Largest number of edges: Mermaid's default limit is 500.
const EDGES: usize = 500;

pub(super) fn picture(part: State, epic: Option<&str>, context: &Context) -> Result<Picture> {
    let snapshot = Snapshot::read(&context.state)?;
    let epic = epic.map(|epic| snapshot.named_epic("epic", epic)).transpose()?;
    let epic = epic.map(|epic| epic.id.as_str());
    let (drawing, missing) = match (part, epic) {
        (State::Stories, None) => (stories(&snapshot, None), "the project has no open stories"),
        (State::Stories, Some(_)) => (stories(&snapshot, epic), "the epic has no stories"),
        (State::Epics, _) => {
            (epics(&snapshot), "the project has no epics; state=stories draws its open stories")
        }
    };
    if drawing.nodes.is_empty() {
        return Err(Fault::Refused(missing.to_owned()));
    }
    let (drawing, left_out) = limited(drawing);
    let mut notes = snapshot.gaps.missing.clone();
    if left_out > 0 {
        notes.push(format!(
            "{left_out} nodes and edges are left out: the diagram would be too large"
        ));
    }
    Ok(Picture {
        drawing,
        suits: Type::Flowchart,
        state: Some(state_of(&snapshot)),
        notes,
        open: snapshot.gaps.questions().collect(),
    })
}

/// The first nodes and the edges between them, and the number of both that are left out.
fn limited(mut drawing: Drawing) -> (Drawing, usize) {
    let all = drawing.nodes.len() + drawing.edges.len();
    drawing.nodes.truncate(LISTED);
    let Drawing { nodes, edges } = &mut drawing;
    edges.retain(|edge| nodes.contains_key(&edge.from) && nodes.contains_key(&edge.to));
    drawing.edges.truncate(EDGES);
    let left_out = all - drawing.nodes.len() - drawing.edges.len();
    (drawing, left_out)
}

fn node(id: &str, label: String, group: Option<String>) -> Node {
    Node { id: id.to_owned(), label: Some(label), group, ..Node::default() }
}

fn edge(from: &str, to: &str, label: String) -> Edge {
    let label = Some(label).filter(|label| !label.is_empty());
    Edge { from: from.to_owned(), to: to.to_owned(), label, ..Edge::default() }
}

/// Open stories under their epics, with their dependencies; all stories of an epic if one is named.
fn stories(snapshot: &Snapshot, epic: Option<&str>) -> Drawing {
    let is_selected = |story: &Story| match epic {
        Some(epic) => story.epic.as_deref() == Some(epic),
        None => !story.is_completed(),
    };
    let mut drawing = Drawing::default();
    for story in snapshot.stories.iter().filter(|story| is_selected(story)) {
        let epic = story.epic.as_ref().map(|id| match snapshot.epic(id) {
            Some(epic) if epic.title != *id => format!("{}: {}", line(id), title(&epic.title)),
            _ => line(id),
        });
        let label = format!("{}: {} ({})", line(&story.id), name(story), line(&story.status));
        drawing.nodes.insert(story.id.clone(), node(&story.id, label, epic));
        let needs = story.needs.iter().filter_map(|id| snapshot.story(id));
        let needs = needs.filter(|need| is_selected(need));
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
