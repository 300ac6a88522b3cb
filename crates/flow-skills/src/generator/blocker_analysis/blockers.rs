//! What holds up other stories: open stories, external things, and ids that the project does not have; and the graph of
//! them for diagram-generator.

use std::cmp::Reverse;
use std::collections::HashMap;

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::generator::graph::{Edge, EdgeKind, Graph, Node, NodeKind};
use crate::generator::report::Open;
use crate::project_state::say::{LISTED, ids, name};
use crate::reach::{counts, reached};
use crate::text::line;

/// Largest number of edges of the graph: Mermaid's default limit is 500.
const EDGES: usize = 500;

/// Everything that can hold up a story: first the open stories by index, then what is not an open story.
#[derive(Debug)]
pub(super) struct Blockers<'a> {
    /// The stories that each holds up directly.
    dependents: Vec<Vec<usize>>,
    /// Number of stories that each holds up, directly or through others.
    pub(super) counts: Vec<usize>,
    /// The blockers that are not open stories.
    others: Vec<Other<'a>>,
    /// The indexes of those that hold up any story, in descending order of their number.
    pub(super) list: Vec<usize>,
}

/// A blocker that is not an open story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Other<'a> {
    /// Something without a record, as a record describes it.
    Outside(&'a str),
    Unknown(&'a str),
}

impl<'a> Blockers<'a> {
    pub(super) fn of(open: &Open<'a>) -> Self {
        let mut stories: IndexMap<Other<'a>, Vec<usize>> = IndexMap::new();
        for (at, story) in open.stories.iter().enumerate() {
            for words in &story.reasons {
                stories.entry(Other::Outside(words)).or_default().push(at);
            }
        }
        for at in 0..open.stories.len() {
            for id in open.unknown(at) {
                stories.entry(Other::Unknown(id)).or_default().push(at);
            }
        }
        let (others, of_others): (Vec<Other<'a>>, Vec<Vec<usize>>) = stories.into_iter().unzip();
        let dependents = [open.graph.needed_by(), of_others].concat();
        let counts = counts(&dependents);
        let mut list: Vec<usize> = (0..dependents.len()).filter(|at| counts[*at] > 0).collect();
        list.sort_by_key(|at| (Reverse(counts[*at]), *at));
        Self { dependents, counts, others, list }
    }

    /// The blocker at an index beyond the stories.
    fn other(&self, open: &Open<'_>, at: usize) -> Option<Other<'a>> {
        self.others.get(at.checked_sub(open.stories.len())?).copied()
    }

    /// A blocker and everything that it holds up, in the order of the file.
    pub(super) fn row(&self, open: &Open<'_>, at: usize) -> Value {
        let holds = reached(&self.dependents, &[at]).into_iter().filter(|story| *story != at);
        let holds: Vec<&str> = holds.map(|story| open.graph.id(story)).collect();
        let (kind, id, title, status) = match self.other(open, at) {
            None => {
                let story = open.stories[at];
                ("story", Some(story.id.as_str()), name(story), story.status.as_str())
            }
            Some(Other::Outside(words)) => ("outside", None, line(words), "not a story"),
            Some(Other::Unknown(id)) => {
                ("unknown", Some(id), "(not in the project)".to_owned(), "unknown")
            }
        };
        json!({
            "kind": kind,
            "id": id,
            "title": title,
            "status": status,
            "owner": open.stories.get(at).and_then(|story| story.owner.as_deref()),
            "holds_up": self.counts[at],
            "directly": self.dependents[at].len(),
            "stories": holds.iter().take(LISTED).collect::<Vec<_>>(),
            "named": ids(holds.iter().copied()),
        })
    }

    /// The graph, and the number of nodes and edges that it leaves out. It has first what holds up most, then what that
    /// holds up, then the rest, up to [`LISTED`] nodes.
    pub(super) fn graph(&self, open: &Open<'_>) -> (Graph, usize) {
        let mut places = HashMap::new();
        let held = |at: &usize| [&[*at], self.dependents[*at].as_slice()].concat();
        for at in self.list.iter().flat_map(held).chain(0..open.stories.len()) {
            if places.len() < LISTED {
                places.entry(at).or_insert_with(|| format!("b{at}"));
            }
        }
        let mut drawn: Vec<usize> = places.keys().copied().collect();
        drawn.sort_unstable();
        let mut graph = Graph {
            nodes: drawn.iter().map(|at| self.node(open, *at, &places[at])).collect(),
            edges: Vec::new(),
        };
        for (from, to) in self.dependents.iter().enumerate() {
            let is_story = from < open.stories.len();
            let kind = if is_story { EdgeKind::Plain } else { EdgeKind::Reply };
            for to in to {
                if let (Some(from), Some(to)) = (places.get(&from), places.get(to))
                    && graph.edges.len() < EDGES
                {
                    let (from, to) = (from.clone(), to.clone());
                    graph.edges.push(Edge { from, to, kind, label: None });
                }
            }
        }
        let total = self.dependents.iter().map(|to| 1 + to.len()).sum::<usize>();
        let rest = total - graph.nodes.len() - graph.edges.len();
        (graph, rest)
    }

    fn node(&self, open: &Open<'_>, at: usize, id: &str) -> Node {
        let (label, kind) = match self.other(open, at) {
            None => {
                let story = open.stories[at];
                let can_begin = if open.is_ready(at) { "ready" } else { "waits" };
                let status = line(&story.status);
                let facts =
                    if status == can_begin { status } else { format!("{status}, {can_begin}") };
                (format!("{}: {} ({facts})", line(&story.id), name(story)), NodeKind::Plain)
            }
            Some(Other::Outside(words)) => (line(words), NodeKind::Decision),
            Some(Other::Unknown(id)) => {
                (format!("{} (not in the project)", line(id)), NodeKind::Decision)
            }
        };
        Node { id: id.to_owned(), label: Some(label), kind, ..Node::default() }
    }
}
