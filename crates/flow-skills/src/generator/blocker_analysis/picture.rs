//! The graph of an analysis for diagram-generator: open stories and their blockers.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::blockers::{Blockers, Other};
use crate::project_state::open::Open;
use crate::project_state::say::{LISTED, name};
use crate::text::line;

/// Largest number of edges: Mermaid's default limit is 500.
const EDGES: usize = 500;

/// Nodes and edges, and the number of both that are left out.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) nodes: Vec<Value>,
    pub(super) edges: Vec<Value>,
    pub(super) not_drawn: usize,
}

/// Adds first what holds up most, then what it holds up, then the rest, up to [`LISTED`] nodes.
pub(super) fn of(open: &Open<'_>, blockers: &Blockers<'_>) -> Picture {
    let dependents = &blockers.dependents;
    let mut places = HashMap::new();
    let linked =
        blockers.list.iter().flat_map(|at| std::iter::once(at).chain(&dependents[*at])).copied();
    for at in linked.chain(0..open.stories.len()) {
        if places.len() < LISTED && !places.contains_key(&at) {
            places.insert(at, format!("b{at}"));
        }
    }
    let mut drawn: Vec<usize> = places.keys().copied().collect();
    drawn.sort_unstable();
    let all =
        dependents.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to)));
    let edge = |(from, to): (usize, usize)| {
        let ends = (places.get(&from)?, places.get(&to)?);
        let kind = if from < open.stories.len() { "" } else { "reply" };
        Some(json!({"from": ends.0, "to": ends.1, "kind": kind}))
    };
    let edges: Vec<Value> = all.filter_map(edge).take(EDGES).collect();
    let total = dependents.len() + dependents.iter().map(Vec::len).sum::<usize>();
    Picture {
        not_drawn: total - drawn.len() - edges.len(),
        nodes: drawn.iter().map(|at| node(open, blockers, *at, &places[at])).collect(),
        edges,
    }
}

fn node(open: &Open<'_>, blockers: &Blockers<'_>, at: usize, id: &str) -> Value {
    let (label, kind) = match blockers.other(open, at) {
        None => {
            let story = open.stories[at];
            let can_begin = if open.is_ready(at) { "ready" } else { "waits" };
            let status = line(&story.status);
            let facts = if status == can_begin { status } else { format!("{status}, {can_begin}") };
            (format!("{}: {} ({facts})", line(&story.id), name(story)), "")
        }
        Some(Other::Outside(words)) => (line(words), "decision"),
        Some(Other::Unknown(id)) => (format!("{} (not in the project)", line(id)), "decision"),
    };
    json!({"id": id, "label": label, "kind": kind})
}
