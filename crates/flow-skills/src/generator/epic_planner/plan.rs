//! An epic's plan, whatever it was made from: waves, sums, and what is asked.

use serde_json::{Value, json};

use crate::project_state::effort::{Effort, Unit};
use crate::project_state::graph::Graph;
use crate::project_state::say::{self, LISTED, counted};

/// A story of the plan.
#[derive(Debug, Clone, Default)]
pub(super) struct Item {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) size: Option<Effort>,
    pub(super) status: String,
    pub(super) owner: Option<String>,
    /// The ids of all stories that come first, of this epic or not.
    pub(super) needs: Vec<String>,
    pub(super) criteria: Vec<String>,
}

/// What a story needs that is not of the epic.
#[derive(Debug, Clone)]
pub(super) struct Outside {
    pub(super) id: String,
    pub(super) needs: String,
    /// What it is, in words; none where the project does not have it.
    pub(super) what: Option<String>,
}

/// What a plan is made from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// A text; what it says of a story stands nowhere else.
    #[default]
    Text,
    /// The project's records.
    Records,
}

/// The plan of an epic.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) origin: Origin,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) status: String,
    pub(super) owner: Option<String>,
    pub(super) goal: Option<String>,
    /// What is to be done, in the order given.
    pub(super) open: Vec<Item>,
    /// What is done.
    pub(super) done: Vec<Item>,
    pub(super) outside: Vec<Outside>,
    pub(super) notes: Vec<String>,
}

impl Plan {
    /// The plan as data: what the template shows and what the next skill reads.
    pub(super) fn data(&self) -> Value {
        let graph = self.graph();
        let waves = waves(&graph);
        let stuck = graph.order().stuck;
        let cycles: Vec<Vec<&str>> = graph
            .cycles()
            .into_iter()
            .map(|cycle| cycle.into_iter().map(|at| graph.id(at)).collect())
            .collect();
        let is_new = |item: &&Item| self.origin == Origin::Text && !item.criteria.is_empty();
        let criteria: Vec<&Item> = self.open.iter().filter(is_new).collect();
        json!({
            "id": self.id,
            "title": self.title,
            "status": self.status,
            "owner": self.owner,
            "goal": self.goal,
            "stories": self.open.len() + self.done.len(),
            "sum_open": sum(&self.open),
            "sum_done": sum(&self.done),
            "wave_count": counted(waves.len(), "wave", "waves"),
            "waves": self.shown(&waves),
            "not_shown": waves.iter().map(Vec::len).sum::<usize>().saturating_sub(LISTED),
            "stuck": say::limit_rows(&stuck, |at| row(&self.open[*at])),
            "cycles": say::limit_rows(&cycles, |cycle| json!(cycle)),
            "outside": say::limit_rows(&self.outside, |need| json!({"id": need.id, "needs": need.needs, "what": need.what})),
            "done": say::limit_rows(&self.done, row),
            "criteria": say::limit_rows(&criteria, |item| json!({"id": item.id, "criteria": item.criteria})),
        })
    }

    /// What the stories do not say.
    pub(super) fn questions(&self) -> Vec<String> {
        let ids = |is_meant: fn(&&Item) -> bool| {
            self.open.iter().filter(is_meant).map(|item| item.id.as_str())
        };
        let mut asked: Vec<String> = Vec::new();
        asked.extend(say::unsized_question(ids(|item| item.size.is_none())));
        asked.extend(say::question(
            ids(|item| item.criteria.is_empty()),
            (
                "When is {} accepted? It has no criteria.",
                "When are {} accepted? They have no criteria.",
            ),
        ));
        for cycle in self.graph().cycles().iter().take(LISTED) {
            let members = say::ids(cycle.iter().map(|at| self.open[*at].id.as_str()));
            asked.push(match cycle.len() {
                1 => format!("What does {members} really need? It waits for itself."),
                _ => format!("Which of {members} goes first? Each waits for the next in a circle."),
            });
        }
        let unknown = self.outside.iter().filter(|need| need.what.is_none()).take(LISTED);
        asked.extend(unknown.map(|need| {
            format!(
                "What is {}, which {} needs? The project does not have it.",
                need.needs, need.id
            )
        }));
        if self.goal.is_none() {
            asked.push("What is the epic for? No goal is stated.".to_owned());
        }
        asked
    }

    /// Which open story needs which.
    pub(super) fn graph(&self) -> Graph<'_> {
        Graph::new(self.open.iter().map(|item| (item.id.as_str(), item.needs.as_slice())))
    }

    /// The waves as far as the limit of rows goes.
    fn shown(&self, waves: &[Vec<usize>]) -> Vec<Value> {
        let mut left = LISTED;
        let mut shown = Vec::new();
        for (at, wave) in waves.iter().enumerate().take_while(|(at, _)| *at < LISTED) {
            let rows: Vec<Value> = wave.iter().take(left).map(|at| row(&self.open[*at])).collect();
            if rows.is_empty() {
                break;
            }
            left -= rows.len();
            shown.push(json!({"wave": at + 1, "rows": rows}));
        }
        shown
    }
}

/// The items that can be worked on side by side: each wave needs only those before it.
pub(super) fn waves(graph: &Graph<'_>) -> Vec<Vec<usize>> {
    let mut waves: Vec<Vec<usize>> = Vec::new();
    let order = graph.order().sorted;
    let mut wave_of = vec![0; graph.all_needs().len()];
    for at in &order {
        let after = graph.needs(*at).iter().map(|need| wave_of[*need] + 1).max().unwrap_or(0);
        wave_of[*at] = after;
        if waves.len() <= after {
            waves.push(Vec::new());
        }
    }
    let mut sorted = order;
    sorted.sort_unstable();
    for at in sorted {
        waves[wave_of[at]].push(at);
    }
    waves
}

fn row(item: &Item) -> Value {
    let needs: Vec<&str> = item.needs.iter().map(String::as_str).collect();
    // What this skill writes for a new epic reads back, so that is never cut short.
    let is_short = needs.len() <= LISTED;
    json!({
        "id": item.id,
        "title": item.title,
        "size": item.size.map(|size| size.to_string()),
        "status": item.status,
        "owner": item.owner,
        "after": if is_short { needs.join(", ") } else { say::ids(needs.iter().copied()) },
        "needs": needs.iter().take(LISTED).collect::<Vec<_>>(),
    })
}

/// Sums of sizes, a unit each; of a range the longer figure.
fn sum(items: &[Item]) -> Value {
    let of = |unit: Unit| -> u64 {
        let sizes = items.iter().filter_map(|item| item.size);
        sizes.filter(|size| size.unit() == unit).map(|size| u64::from(size.most())).sum()
    };
    let (points, minutes) = (of(Unit::Points), of(Unit::Time));
    let none = items.iter().filter(|item| item.size.is_none()).count();
    let mut words = vec![counted(items.len(), "story", "stories")];
    if points > 0 {
        words.push(Unit::Points.show(points));
    }
    if minutes > 0 {
        words.push(Unit::Time.show(minutes));
    }
    if none > 0 {
        words.push(format!("{none} without a size"));
    }
    json!({
        "stories": items.len(),
        "hundredths_of_points": points,
        "minutes": minutes,
        "without_size": none,
        "text": words.join(", "),
    })
}
