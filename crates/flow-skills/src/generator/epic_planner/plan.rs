//! The plan of an epic from any source: waves, sums, and questions.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::generator::report::{Board, Section};
use crate::input::effort::{Effort, Unit};
use crate::project_state::graph::Graph;
use crate::project_state::say::{self, LISTED, counted, name};
use crate::project_state::{Epic, Story};
use crate::text::{line, title};

/// Largest number of ids in a line of the summary.
const NAMED: usize = 5;
/// The columns of a wave.
const WAVE: &str = "story=id, title, size, after, status, owner";

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

/// The plan of an epic.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) status: String,
    pub(super) owner: Option<String>,
    pub(super) goal: Option<String>,
    /// Open stories, in the order given.
    pub(super) open: Vec<Item>,
    /// Completed stories.
    pub(super) done: Vec<Item>,
    /// Stories on hold, abandoned, or archived without a time of completion.
    pub(super) put_off: Vec<Item>,
    pub(super) outside: Vec<Outside>,
    /// Whether it is a new one, whose stories are not records.
    pub(super) is_new: bool,
}

/// The plan of the recorded stories of an epic.
pub(super) fn recorded(board: &Board<'_>, epic: &Epic) -> Plan {
    let stories = &board.snapshot.stories;
    let known: HashMap<&str, &Story> =
        stories.iter().map(|story| (story.id.as_str(), story)).collect();
    let of = |is_listed: fn(&Story) -> bool| -> Vec<Item> {
        board.stories(is_listed).into_iter().map(|story| item(story, &known)).collect()
    };
    let open = board.stories(Story::is_work);
    Plan {
        id: epic.id.clone(),
        title: title(&epic.title),
        status: epic.status.clone(),
        owner: epic.owner.clone(),
        goal: epic.goal.as_deref().map(line).filter(|goal| !goal.is_empty()),
        outside: open.iter().flat_map(|story| outside(story, epic, &known)).collect(),
        open: of(Story::is_work),
        done: of(Story::is_done),
        put_off: of(|story| !story.is_work() && !story.is_done()),
        is_new: false,
    }
}

/// A story, without dependencies that are completed, on hold or abandoned.
fn item(story: &Story, known: &HashMap<&str, &Story>) -> Item {
    let is_met = |id: &&String| known.get(id.as_str()).is_some_and(|need| !need.is_work());
    Item {
        id: line(&story.id),
        title: name(story),
        size: story.effort,
        status: story.status.clone(),
        owner: story.owner.clone(),
        needs: story.needs.iter().filter(|id| !is_met(id)).map(|id| line(id)).collect(),
        criteria: story.criteria.clone(),
    }
}

/// The dependencies of a story that are not completed and not open work of its epic.
fn outside(story: &Story, epic: &Epic, known: &HashMap<&str, &Story>) -> Vec<Outside> {
    let mut outside = Vec::new();
    for id in &story.needs {
        let need = known.get(id.as_str());
        let is_inside = need.is_some_and(|need| {
            need.is_completed() || (need.epic.as_ref() == Some(&epic.id) && need.is_work())
        });
        if !is_inside {
            let (id, needs) = (line(&story.id), line(id));
            outside.push(Outside { id, needs, what: need.map(|need| what(need)) });
        }
    }
    outside.extend(story.reasons.iter().map(|words| Outside {
        id: line(&story.id),
        needs: line(words),
        what: Some("not a story".to_owned()),
    }));
    outside
}

/// A story as text: its title, status and epic.
pub(super) fn what(story: &Story) -> String {
    let epic = story.epic.as_deref().map_or_else(|| "no epic".to_owned(), line);
    format!("{} ({}, {epic})", name(story), line(&story.status))
}

impl Plan {
    /// What the next skill reads, besides the rows of sections.
    pub(super) fn data(&self) -> Value {
        let graph = self.graph();
        let waves: Vec<Value> = shown(&waves(&graph))
            .into_iter()
            .enumerate()
            .map(|(at, wave)| {
                let rows: Vec<Value> = wave.iter().map(|at| row(&self.open[*at])).collect();
                json!({"wave": at + 1, "rows": rows})
            })
            .collect();
        json!({
            "id": self.id,
            "title": self.title,
            "status": self.status,
            "owner": self.owner,
            "goal": self.goal,
            "stories": self.open.len() + self.done.len() + self.put_off.len(),
            "sum_open": sum(&self.open).data(),
            "sum_done": sum(&self.done).data(),
            "waves": waves,
        })
    }

    pub(super) fn sections(&self) -> Vec<Section> {
        let graph = self.graph();
        let waves = waves(&graph);
        let mut sections = Vec::new();
        if let Some(goal) = &self.goal {
            sections
                .push(Section::list("", "Goal", &[], Value::clone).with_intro(Some(goal.clone())));
        }
        let shown = shown(&waves);
        let rest =
            waves.iter().map(Vec::len).sum::<usize>() - shown.iter().map(Vec::len).sum::<usize>();
        for (at, wave) in shown.iter().enumerate() {
            let heading = format!("Wave {}", at + 1);
            let section = Section::table("", heading, WAVE, wave, |at| row(&self.open[*at]));
            let is_last = at + 1 == shown.len();
            sections.push(if is_last { section.with_rest(rest) } else { section });
        }
        let stuck = graph.order().stuck;
        let cycles = graph.cycles();
        let ids =
            |cycle: &Vec<usize>| -> Vec<&str> { cycle.iter().map(|at| graph.id(*at)).collect() };
        let arrows = |cycle: &Vec<usize>| {
            let first = cycle.first().map(|at| graph.id(*at));
            say::ids(ids(cycle).into_iter().chain(first)).replace(", ", " -> ")
        };
        let intro = cycles.iter().take(NAMED).map(|cycle| format!("Cycle: {}.", arrows(cycle)));
        let intro: Vec<String> = intro.collect();
        let new = if self.is_new { self.open.as_slice() } else { &[] };
        let criteria: Vec<(&str, &String)> = new
            .iter()
            .flat_map(|item| item.criteria.iter().map(|criterion| (item.id.as_str(), criterion)))
            .collect();
        let closed = "story=id, title, size, status";
        sections.extend([
            Section::table("stuck", "In no wave", WAVE, &stuck, |at| row(&self.open[*at]))
                .with_intro((!intro.is_empty()).then(|| intro.join(" "))),
            Section::list("outside", "Needed from elsewhere", &self.outside, |need| {
                let what = need.what.as_deref().unwrap_or("not in the project");
                let said = format!("{} needs {}: {what}", need.id, need.needs);
                json!({"id": need.id, "needs": need.needs, "what": need.what, "said": said})
            }),
            Section::list("criteria", "Acceptance criteria", &criteria, |(id, criterion)| {
                json!({"id": id, "criterion": criterion, "said": format!("{id}: {criterion}")})
            }),
            Section::table("put_off", "On hold, abandoned or archived", closed, &self.put_off, row),
            Section::table("done", "Done", closed, &self.done, row),
        ]);
        sections
    }

    /// The summary: what is open, what is done, what blocks it, and what can begin.
    pub(super) fn summary(&self, board: Option<&Board<'_>>) -> Vec<String> {
        let graph = self.graph();
        let waves = waves(&graph);
        let (status, owner) = (line(&self.status), self.owner.as_deref().map(line));
        let owner = owner.map(|owner| format!(", owner {owner}")).unwrap_or_default();
        let in_waves = match waves.len() {
            0 => "none of them in a wave".to_owned(),
            count => format!("in {}", counted(count, "wave", "waves")),
        };
        let mut lines = Vec::new();
        if status != "none" || !owner.is_empty() {
            lines.push(format!("Status: {status}{owner}."));
        }
        lines.push(match self.open.len() {
            0 => "To do: nothing.".to_owned(),
            _ => format!("To do: {}, {in_waves}.", sum(&self.open).text()),
        });
        if !self.done.is_empty() {
            lines.push(format!("Done: {}.", sum(&self.done).text()));
        }
        lines.extend(board.map(Board::blocked_line));
        lines.extend(board.map(Board::waiting_line));
        let is_free = |id: &str| match board {
            Some(board) => board.open.graph.place(id).is_some_and(|at| board.open.is_ready(at)),
            None => !self.outside.iter().any(|need| need.id == id),
        };
        let first: Vec<&str> = waves.iter().take(1).flatten().map(|at| graph.id(*at)).collect();
        let first: Vec<&str> = first.into_iter().filter(|id| is_free(id)).collect();
        if !first.is_empty() {
            lines.push(format!("Can be worked on now: {}.", say::first_ids(first, NAMED)));
        }
        lines
    }

    /// What the records or the text lack, worded as what to add.
    pub(super) fn questions(&self, board: Option<&Board<'_>>) -> Vec<String> {
        let ids = |is_listed: fn(&&Item) -> bool| -> Vec<&str> {
            self.open.iter().filter(is_listed).map(|item| item.id.as_str()).collect()
        };
        let mut open: Vec<String> = Vec::new();
        let mut ask = |field: &str, of: Vec<&str>, add: &str| {
            if !of.is_empty() {
                open.push(format!("{field}: not given for {} (add {add})", say::ids(of)));
            }
        };
        let bare = ids(|item| item.criteria.is_empty());
        if self.is_new {
            ask("size", ids(|item| item.size.is_none()), "the size in brackets: (3)");
            ask("criteria", bare, "them as a list below their stories");
        } else {
            ask("criteria", bare, "acceptance_criteria to the records");
        }
        if let Some(board) = board {
            let stories = board.stories(|story| story.is_work() && story.effort.is_none());
            open.splice(0..0, say::missing_sizes(&stories));
        }
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
            let place = if self.is_new { "it below the title" } else { "goal to the record" };
            open.push(format!("goal: not given (add {place})"));
        }
        open
    }

    /// The dependency graph of the open stories.
    fn graph(&self) -> Graph<'_> {
        Graph::new(self.open.iter().map(|item| (item.id.as_str(), item.needs.as_slice())))
    }
}

/// The waves up to the limit of rows.
fn shown(waves: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut left = LISTED;
    let mut shown = Vec::new();
    for wave in waves.iter().take(LISTED) {
        if left == 0 {
            break;
        }
        shown.push(wave.iter().take(left).copied().collect());
        left -= wave.len().min(left);
    }
    shown
}

/// The waves of items that can be worked on in parallel: each depends only on those before it.
fn waves(graph: &Graph<'_>) -> Vec<Vec<usize>> {
    let mut waves: Vec<Vec<usize>> = Vec::new();
    let mut order = graph.order().sorted;
    let mut wave_of = vec![0; graph.all_needs().len()];
    for at in &order {
        let after = graph.needs(*at).iter().map(|need| wave_of[*need] + 1).max().unwrap_or(0);
        wave_of[*at] = after;
        if waves.len() <= after {
            waves.push(Vec::new());
        }
    }
    order.sort_unstable();
    for at in order {
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

/// Sums of sizes, one for each unit; of a range the larger figure.
struct Sum {
    stories: usize,
    hundredths: u64,
    minutes: u64,
    without: usize,
}

fn sum(items: &[Item]) -> Sum {
    let of = |unit: Unit| -> u64 {
        let sizes = items.iter().filter_map(|item| item.size);
        sizes.filter(|size| size.unit == unit).map(|size| u64::from(size.most)).sum()
    };
    Sum {
        stories: items.len(),
        hundredths: of(Unit::Points),
        minutes: of(Unit::Time),
        without: items.iter().filter(|item| item.size.is_none()).count(),
    }
}

impl Sum {
    fn text(&self) -> String {
        let mut words = vec![counted(self.stories, "story", "stories")];
        if self.hundredths > 0 {
            words.push(Unit::Points.show(self.hundredths));
        }
        if self.minutes > 0 {
            words.push(Unit::Time.show(self.minutes));
        }
        if self.without > 0 {
            words.push(format!("{} without a size", self.without));
        }
        words.join(", ")
    }

    fn data(&self) -> Value {
        json!({
            "stories": self.stories,
            "hundredths_of_points": self.hundredths,
            "minutes": self.minutes,
            "without_size": self.without,
            "text": self.text(),
        })
    }
}
