//! The plan of an epic from any source: waves, sums, and questions.

use serde_json::{Value, json};

use crate::input::effort::{Effort, Unit};
use crate::project_state::exchange::Blocks;
use crate::project_state::graph::Graph;
use crate::project_state::open::Open;
use crate::project_state::say::{self, LISTED, counted};
use crate::project_state::{Snapshot, Story, summary};
use crate::text::line;

/// Largest number of ids in a line of the summary.
const NAMED: usize = 5;

/// A story of the plan.
#[derive(Debug, Clone, Default)]
pub(super) struct Item {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) size: Option<Effort>,
    pub(super) status: String,
    pub(super) owner: Option<String>,
    /// The ids of all stories that it depends on, within this epic or not.
    pub(super) needs: Vec<String>,
    pub(super) criteria: Vec<String>,
}

/// A dependency of a story outside of the epic.
#[derive(Debug, Clone)]
pub(super) struct Outside {
    pub(super) id: String,
    pub(super) needs: String,
    /// Its description; `None` if the project does not have it.
    pub(super) what: Option<String>,
}

/// The source of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// A text, the only source of its stories.
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
    /// Open stories, in the order given.
    pub(super) open: Vec<Item>,
    /// Completed stories.
    pub(super) done: Vec<Item>,
    /// Stories on hold or abandoned.
    pub(super) put_off: Vec<Item>,
    pub(super) outside: Vec<Outside>,
}

impl Plan {
    /// The plan for the template and the next skill.
    pub(super) fn data(&self) -> Value {
        let graph = self.graph();
        let waves = waves(&graph);
        let stuck = graph.order().stuck;
        let ids = |cycle: &Vec<usize>| cycle.iter().map(|at| graph.id(*at)).collect();
        let is_new = |item: &&Item| self.origin == Origin::Text && !item.criteria.is_empty();
        let criteria: Vec<&Item> = self.open.iter().filter(is_new).collect();
        json!({
            "id": self.id,
            "title": self.title,
            "status": self.status,
            "owner": self.owner,
            "goal": self.goal,
            "stories": self.open.len() + self.done.len() + self.put_off.len(),
            "sum_open": sum(&self.open),
            "sum_done": sum(&self.done),
            "waves": self.shown(&waves),
            "not_shown": waves.iter().map(Vec::len).sum::<usize>().saturating_sub(LISTED),
            "stuck": say::limit_rows(&stuck, |at| row(&self.open[*at])),
            "cycles": say::limit_rows(&graph.cycles(), ids),
            "outside": say::limit_rows(&self.outside, |need| json!({"id": need.id, "needs": need.needs, "what": need.what})),
            "put_off": say::limit_rows(&self.put_off, row),
            "done": say::limit_rows(&self.done, row),
            "criteria": say::limit_rows(&criteria, |item| json!({"id": item.id, "criteria": item.criteria})),
        })
    }

    /// The summary: what is open, what blocks it, what can begin, and what is on hold.
    pub(super) fn summary(&self, snapshot: Option<&Snapshot>) -> Vec<String> {
        let graph = self.graph();
        let waves = waves(&graph);
        let (status, owner) = (line(&self.status), self.owner.as_deref().map(line));
        let owner = owner.map(|owner| format!(", owner {owner}")).unwrap_or_default();
        let text = |sum: &Value| sum["text"].as_str().unwrap_or_default().to_owned();
        let waves_said = match waves.len() {
            0 => "none of them in a wave".to_owned(),
            count => format!("in {}", counted(count, "wave", "waves")),
        };
        let is_known = status != "none" || !owner.is_empty();
        let mut lines: Vec<String> =
            is_known.then(|| format!("Status: {status}{owner}.")).into_iter().collect();
        lines.push(match self.open.len() {
            0 => "To do: nothing.".to_owned(),
            _ => format!("To do: {}, {waves_said}.", text(&sum(&self.open))),
        });
        if !self.done.is_empty() {
            lines.push(format!("Done: {}.", text(&sum(&self.done))));
        }
        let open = snapshot.filter(|_| self.origin == Origin::Records);
        let open = open.map(|snapshot| Open::of(snapshot, |_| true));
        if let Some(open) = &open {
            let is_own = |story: &Story| story.epic.as_ref() == Some(&self.id);
            lines.push(summary::blocked(open, &Blocks::default(), is_own));
            lines.push(summary::waiting(open, &[], is_own));
        }
        let is_ready = |id: &str| {
            open.as_ref().is_none_or(|open| {
                open.graph.place(id).is_some_and(|at| open.is_ready(at) && !open.is_blocked(at))
            })
        };
        let free = |at: &&usize| {
            let id = &self.open[**at].id;
            is_ready(id) && !self.outside.iter().any(|need| need.id == *id)
        };
        let first: Vec<&str> =
            waves.iter().take(1).flatten().filter(free).map(|at| graph.id(*at)).collect();
        if !first.is_empty() {
            lines.push(format!("Can be worked on now: {}.", say::first_ids(first, NAMED)));
        }
        lines
    }

    /// What the records or the text lack, worded as what to add.
    pub(super) fn questions(&self, snapshot: Option<&Snapshot>) -> Vec<String> {
        let ids = |is_selected: fn(&&Item) -> bool| -> Vec<&str> {
            self.open.iter().filter(is_selected).map(|item| item.id.as_str()).collect()
        };
        let asked = |field: &str, of: Vec<&str>, add: &str| {
            let named = say::ids(of);
            (!named.is_empty()).then(|| format!("{field}: not given for {named} (add {add})"))
        };
        let is_text = self.origin == Origin::Text;
        let (criteria, goal) = if is_text {
            ("them as a list below their stories", "it below the title")
        } else {
            ("acceptance_criteria to the records", "goal to the record")
        };
        let mut open: Vec<String> = Vec::new();
        let unsized_ids = ids(|item| item.size.is_none());
        if is_text {
            open.extend(asked("size", unsized_ids, "the size in brackets: (3)"));
        } else {
            let story = |id| snapshot.and_then(|snapshot| snapshot.story(id));
            let stories: Vec<&Story> = unsized_ids.into_iter().filter_map(story).collect();
            open.extend(say::missing_sizes(&stories));
        }
        open.extend(asked("criteria", ids(|item| item.criteria.is_empty()), criteria));
        for cycle in self.graph().cycles().iter().take(LISTED) {
            let members = say::ids(cycle.iter().map(|at| self.open[*at].id.as_str()));
            let cure = "depend on each other (remove one of the dependencies)";
            open.push(format!("dependencies: {members} {cure}"));
        }
        let unknown = self.outside.iter().filter(|need| need.what.is_none()).take(LISTED);
        open.extend(unknown.map(|need| {
            let (needs, id) = (&need.needs, &need.id);
            format!("{needs}: not in the project (correct the dependency of {id})")
        }));
        if self.goal.is_none() {
            open.push(format!("goal: not given (add {goal})"));
        }
        open
    }

    /// The dependency graph of the open stories.
    pub(super) fn graph(&self) -> Graph<'_> {
        Graph::new(self.open.iter().map(|item| (item.id.as_str(), item.needs.as_slice())))
    }

    /// The waves, up to the limit of rows.
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

/// The waves of items that can be worked on in parallel: each depends only on those before it.
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
    json!({
        "id": item.id,
        "title": item.title,
        "size": item.size.map(|size| size.to_string()),
        "status": item.status,
        "owner": item.owner,
        "after": say::ids(needs.iter().copied()),
        "needs": needs.iter().take(LISTED).collect::<Vec<_>>(),
    })
}

/// Sums of sizes, one per unit; of a range the larger figure.
fn sum(items: &[Item]) -> Value {
    let of = |unit: Unit| -> u64 {
        let sizes = items.iter().filter_map(|item| item.size);
        sizes.filter(|size| size.unit == unit).map(|size| u64::from(size.most)).sum()
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
