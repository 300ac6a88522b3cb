//! What holds up other stories: open stories, external things, and ids that the project does not have; and the graph of
//! them for diagram-generator.

use std::cmp::Reverse;
use std::collections::BTreeSet;

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
    open: &'a Open<'a>,
    /// The stories that each holds up directly.
    dependents: Vec<Vec<usize>>,
    /// Number of stories that each holds up, directly or through others.
    pub(super) counts: Vec<usize>,
    /// The blockers that are not open stories: ids that the project does not have, or texts of records.
    others: Vec<(Other, &'a str)>,
    /// The indexes of those that hold up any story, in descending order of their number.
    pub(super) list: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Other {
    Outside,
    Unknown,
}

impl<'a> Blockers<'a> {
    pub(super) fn of(open: &'a Open<'a>) -> Self {
        let mut stories: IndexMap<(Other, &str), Vec<usize>> = IndexMap::new();
        for (at, story) in open.stories.iter().enumerate() {
            for words in &story.reasons {
                stories.entry((Other::Outside, words)).or_default().push(at);
            }
        }
        for at in 0..open.stories.len() {
            for id in open.unknown(at) {
                stories.entry((Other::Unknown, id)).or_default().push(at);
            }
        }
        let (others, of_others): (Vec<_>, Vec<Vec<usize>>) = stories.into_iter().unzip();
        let dependents = [open.graph.needed_by(), of_others].concat();
        let counts = counts(&dependents);
        let mut list: Vec<usize> = (0..dependents.len()).filter(|at| counts[*at] > 0).collect();
        list.sort_by_key(|at| (Reverse(counts[*at]), *at));
        Self { open, dependents, counts, others, list }
    }

    /// A blocker and everything that it holds up, in the order of the file.
    pub(super) fn row(&self, at: usize) -> Value {
        let holds = reached(&self.dependents, &[at]).into_iter().filter(|story| *story != at);
        let holds: Vec<&str> = holds.map(|story| self.open.graph.id(story)).collect();
        let mut row = match self.open.stories.get(at) {
            Some(story) => json!({
                "kind": "story", "id": story.id, "title": name(story), "status": story.status,
                "owner": story.owner,
            }),
            None => match self.others[at - self.open.stories.len()] {
                (Other::Outside, words) => json!({
                    "kind": "outside", "id": null, "title": line(words), "status": "not a story",
                    "owner": null,
                }),
                (Other::Unknown, id) => json!({
                    "kind": "unknown", "id": id, "title": "(not in the project)", "status": "unknown",
                    "owner": null,
                }),
            },
        };
        row["holds_up"] = self.counts[at].into();
        row["stories"] = holds.iter().take(LISTED).copied().collect();
        row["named"] = ids(holds.iter().copied()).into();
        row
    }

    /// The graph, and the number of nodes and edges that it leaves out. It has first what holds up most, then what that
    /// holds up, then the rest, up to [`LISTED`] nodes.
    pub(super) fn graph(&self) -> (Graph, usize) {
        let mut drawn = BTreeSet::new();
        let held = |at: &usize| [&[*at], self.dependents[*at].as_slice()].concat();
        for at in self.list.iter().flat_map(held).chain(0..self.open.stories.len()) {
            if drawn.len() < LISTED {
                drawn.insert(at);
            }
        }
        let mut edges = Vec::new();
        for from in &drawn {
            let is_story = *from < self.open.stories.len();
            let kind = if is_story { EdgeKind::Plain } else { EdgeKind::Reply };
            for to in self.dependents[*from].iter().filter(|to| drawn.contains(to)) {
                edges.push(Edge { from: node_id(*from), to: node_id(*to), kind, label: None });
            }
        }
        edges.truncate(EDGES);
        let total = self.dependents.iter().map(|to| 1 + to.len()).sum::<usize>();
        let rest = total - drawn.len() - edges.len();
        let nodes = drawn.into_iter().map(|at| self.node(at)).collect();
        (Graph { nodes, edges }, rest)
    }

    fn node(&self, at: usize) -> Node {
        let (label, kind) = match self.open.stories.get(at) {
            Some(story) => {
                let mut facts = line(&story.status);
                let can_begin = if self.open.is_ready(at) { "ready" } else { "waits" };
                if facts != can_begin {
                    facts = format!("{facts}, {can_begin}");
                }
                (format!("{}: {} ({facts})", line(&story.id), name(story)), NodeKind::Plain)
            }
            None => match self.others[at - self.open.stories.len()] {
                (Other::Outside, words) => (line(words), NodeKind::Decision),
                (Other::Unknown, id) => {
                    (format!("{} (not in the project)", line(id)), NodeKind::Decision)
                }
            },
        };
        Node { id: node_id(at), label: Some(label), kind, ..Node::default() }
    }
}

fn node_id(at: usize) -> String {
    format!("b{at}")
}
