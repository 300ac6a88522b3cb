//! `sprint-planner`: selects and orders the open stories that fit into a capacity, together with their dependencies.
//!
//! It applies one fixed rule; a story without a size is not planned.

use std::collections::BTreeSet;

use flow_model::priority;
use indexmap::{IndexMap, IndexSet};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Fields, Listing, Log, NO_REASON, Open, Report, Scope, rows};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::{Block, Names, TextOrNumber};
use crate::output::{Output, Result, bad_text};
use crate::page::{Finding, Form, Questions, Section};
use crate::project_state::graph::Graph;
use crate::project_state::names::Named;
use crate::project_state::say::{counted, ids, joined};
use crate::project_state::{Context, Snapshot, Story, say};
use crate::story::effort::{Effort, Unit};
use crate::text::line;

const NAME: &str = "sprint-planner";
const NAMED: usize = 5;
/// The rule, as the page states it.
const RULE: &str = "Order: begun work first, with its whole size, then by priority, unknown ones last, then as in the file; each with what it needs, as far as it fits.";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Text, "capacity")],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(verify),
};

const SECTIONS: &[Section] = &[Section::named("Plan, in order", &["Not planned"])];
const FORM: Form = Form {
    unless: Some(NOTHING),
    questions: Questions::OfRecords,
    ..Form::new("# Title", SECTIONS)
};
/// Replaces the tables if there is nothing to plan.
const NOTHING: &str = "No story is left to plan.";

/// The capacity of the sprint, and the stories to select from.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The capacity: points (20, 20 points) or working time (40h, 5d of eight hours, 2w of five days), in the unit of the stories'
    /// sizes; then the epics or owners whose stories are selected, such as `20 points for api`.
    #[schemars(extend("x-labels" = ["points", "velocity", "budget"]))]
    capacity: TextOrNumber,
    /// What the sprint is for, which the plan begins with.
    goal: Option<Block>,
    /// Ids of epics: only their stories are selected.
    epic: Option<Names>,
    /// Owners of stories: only theirs are selected.
    owner: Option<Names>,
}

/// Compares with the plan for the capacity that a plan names.
fn verify(text: &str, context: &Context) -> Vec<Finding> {
    let planned =
        text.split_once("\n- Planned: ").and_then(|(_, planned)| planned.split_once(" of "));
    let capacity = planned.and_then(|(_, rest)| rest.split_once(" in ")).map_or("", |rest| rest.0);
    report::verify_again(text, context, &FORM, &[("capacity", capacity)], generate)
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_stories()?;
    let (amount, rest) = split(&input.capacity.0);
    let capacity = Effort::parse(amount).filter(|size| size.least == size.most && size.most > 0);
    let capacity = capacity.ok_or_else(|| bad_text("capacity", amount, ALLOWED))?;
    let mut fields = Fields::of(input.epic.as_ref(), input.owner.as_ref());
    if let Some(rest) = rest {
        fields.names = project.names("capacity", &[Named::Epic, Named::Agent], rest, "")?;
    }
    let scope = Scope::read(&fields, &project, context)?;
    let log = Log::talk(context)?;
    let board = Board::new(&project, &scope, &log);
    let obstacles = obstacles(&board, capacity.unit);
    let plan = Plan::of(&board, &obstacles, capacity, true);
    let by_priority = Plan::of(&board, &obstacles, capacity, false).taken;
    let displaced = by_priority.iter().filter(|at| !plan.taken.contains(*at));
    let displaced: Vec<&str> = displaced.map(|at| board.open.graph.id(*at)).collect();
    let left_of = plan.left_out.iter().filter_map(|at| obstacles[*at].as_ref());
    let sizeless = left_of.filter(|(_, why)| why == NO_SIZE).map(|(of, _)| *of);
    let sizeless: BTreeSet<usize> = sizeless.collect();
    let sizeless: Vec<&Story> = sizeless.into_iter().map(|at| board.open.stories[at]).collect();
    let mut remarks = vec![RULE.to_owned()];
    if !scope.is_all() {
        remarks.push(format!("Planned for {}.", scope.phrase()));
    }
    if plan.taken.is_empty() && plan.left_out.is_empty() {
        remarks.push(NOTHING.to_owned());
    }
    let goal = input.goal.as_ref().map(|goal| format!("Goal: {}", line(goal)));
    let mut summary: Vec<String> = goal.into_iter().collect();
    summary.extend(sentences(&board, &plan, &displaced));
    let sizes = plan.left_out.iter().filter_map(|at| board.open.stories[*at].effort);
    let sizes: Vec<Effort> = sizes.collect();
    let is_other = plan.taken.is_empty() && sizes.iter().all(|size| size.unit != capacity.unit);
    let other_unit = sizes.first().filter(|_| is_other).map(|size| {
        format!("The stories are sized in another unit, such as {size}: give the capacity in that.")
    });
    summary.extend(other_unit.clone());
    let report = Report {
        summary,
        remarks,
        sections: sections(&board, &plan, &obstacles),
        open: say::missing_sizes(&sizeless).into_iter().collect(),
        ..Report::of(NAME, "sprint.md", "Sprint plan", &project)
    };
    let mut output = report
        .output(json!({"planned": plan.capacity.unit.show(plan.sum), "displaced": displaced}))?;
    output.notes.extend(other_unit);
    Ok(output)
}

fn sentences(board: &Board<'_>, plan: &Plan, displaced: &[&str]) -> Vec<String> {
    let (planned, all) = (plan.capacity.unit.show(plan.sum), plan.capacity.to_string());
    let number = planned.split_once(" point").map_or(planned.as_str(), |(number, _)| number);
    let count = counted(plan.taken.len(), "story", "stories");
    let left = plan.capacity.unit.show(u64::from(plan.capacity.most) - plan.sum);
    let mut lines = vec![format!("Planned: {number} of {all} in {count}, {left} left.")];
    if !displaced.is_empty() {
        let ids = joined(displaced.iter().copied(), NAMED, ", ");
        lines.push(format!("Begun work takes the place of {ids}, planned by priority alone."));
    }
    lines.extend([board.blocked_line(), board.waiting_line()]);
    lines
}

fn sections(board: &Board<'_>, plan: &Plan, obstacles: &[Option<Obstacle>]) -> Vec<Listing> {
    let open = &board.open;
    let columns = "story=id, title, size, status, priority, owner, after";
    let of_left_out = "story=id, title, size, why";
    let loads = loads(board, plan);
    vec![
        Listing::table("plan", "Plan, in order", columns, &sorted(open, &plan.taken), |at| {
            let needs = ids(open.needs(*at).map(|need| need.id.as_str()));
            rows::with(rows::story(open.stories[*at]), "after", needs)
        }),
        Listing::table("owners", "By owner", "owner, stories, size", &loads, Value::clone),
        Listing::table("left_out", "Not planned", of_left_out, &plan.left_out, |at| {
            let why = match &obstacles[*at] {
                Some((story, why)) if story == at => why.clone(),
                Some((story, why)) => {
                    format!("needs {}, which {why}", line(open.graph.id(*story)))
                }
                None if open.needs(*at).next().is_some() => {
                    "does not fit, with what it needs".to_owned()
                }
                None => "does not fit".to_owned(),
            };
            rows::with(rows::story(open.stories[*at]), "why", why)
        }),
    ]
}

/// The part of the plan of each owner, in the order of the plan; stories without an owner last.
fn loads(board: &Board<'_>, plan: &Plan) -> Vec<Value> {
    let mut loads: IndexMap<Option<&str>, (usize, u64)> = IndexMap::new();
    for at in sorted(&board.open, &plan.taken) {
        let story = board.open.stories[at];
        let (stories, sum) = loads.entry(story.owner.as_deref()).or_default();
        *stories += 1;
        *sum += size(story, plan.capacity.unit).unwrap_or_default();
    }
    loads.sort_by(|one, _, other, _| one.is_none().cmp(&other.is_none()));
    let row = |(owner, (stories, size)): (Option<&str>, (usize, u64))| json!({"owner": owner, "stories": stories, "size": plan.capacity.unit.show(size)});
    loads.into_iter().map(row).collect()
}

const ALLOWED: &str =
    "points or working time above 0 and up to 10,000, such as 20, 20 points for api, 5d or 40h";

/// The capacity, and the names behind it: `20 points for api`.
fn split(text: &str) -> (&str, Option<&str>) {
    let words = [" for ", " of ", " in ", " from "];
    let parts = words.iter().find_map(|word| text.split_once(word));
    parts.map_or((text, None), |(amount, rest)| (amount, Some(rest)))
}

/// A story's size, if it has this unit.
fn size(story: &Story, unit: Unit) -> Option<u64> {
    story.effort.filter(|size| size.unit == unit).map(|size| size.most.into())
}

const NO_SIZE: &str = "has no size in points or working time";

/// A story that is not planned, and why, as the rest of a sentence.
type Obstacle = (usize, String);

/// What prevents the selection of each open story: itself, or the first such one among what it needs.
fn obstacles(board: &Board<'_>, unit: Unit) -> Vec<Option<Obstacle>> {
    let open = &board.open;
    let own = (0..open.stories.len()).map(|at| Some((at, obstacle(board, at, unit)?)));
    let mut all: Vec<Option<Obstacle>> = own.collect();
    for at in open.graph.order() {
        if all[at].is_none() {
            all[at] = open.graph.needs(at).iter().find_map(|need| all[*need].clone());
        }
    }
    all
}

/// What prevents the selection of a story itself: it is blocked, its status says that something comes first, which its
/// open dependencies do not explain, or it has no size in the unit.
fn obstacle(board: &Board<'_>, at: usize, unit: Unit) -> Option<String> {
    let (open, story) = (&board.open, board.open.stories[at]);
    let may_wait = matches!(story.status.as_str(), "blocked" | "waiting");
    let is_waiting = if may_wait { open.graph.needs(at).is_empty() } else { !story.is_workable() };
    if open.is_hindered(at) || is_waiting && may_wait {
        let first = board.reasons(at).into_iter().next();
        return Some(first.map_or_else(|| format!("is blocked {NO_REASON}"), |one| one.text()));
    }
    match story.effort {
        _ if is_waiting => {
            Some(format!("has the status {}, which is not planned", line(&story.status)))
        }
        Some(size) if size.unit == unit => None,
        Some(size) => Some(format!("is sized in another unit ({size})")),
        None => Some(NO_SIZE.to_owned()),
    }
}

/// The selected and unselected stories, as indexes of open stories.
struct Plan {
    capacity: Effort,
    /// In the order of their selection.
    taken: IndexSet<usize>,
    /// Candidates that are not in the plan, in their order.
    left_out: Vec<usize>,
    sum: u64,
}

impl Plan {
    /// Selects from the stories of the scope: begun work first, as the rule says, or by priority alone, which shows what
    /// that displaces.
    fn of(
        board: &Board<'_>,
        obstacles: &[Option<Obstacle>],
        capacity: Effort,
        is_begun_first: bool,
    ) -> Self {
        let open = &board.open;
        let mut left_out: Vec<usize> = (0..open.stories.len()).collect();
        left_out.retain(|at| board.scope.has_story(open.stories[*at]));
        left_out.sort_by_key(|at| {
            let story = open.stories[*at];
            (is_begun_first && !story.is_begun(), rank(story), *at)
        });
        let (mut taken, mut sum) = (IndexSet::new(), 0);
        for at in left_out.iter().filter(|at| obstacles[**at].is_none()) {
            let left = u64::from(capacity.most) - sum;
            if let Some((stories, size)) = missing(open, capacity.unit, *at, &taken, left) {
                sum += size;
                taken.extend(stories);
            }
        }
        left_out.retain(|at| !taken.contains(at));
        Self { capacity, taken, left_out, sum }
    }
}

/// A story with its unselected dependencies, in no order, and their total size; `None` if that exceeds `most`.
fn missing(
    open: &Open<'_>,
    unit: Unit,
    at: usize,
    taken: &IndexSet<usize>,
    most: u64,
) -> Option<(IndexSet<usize>, u64)> {
    let (mut stories, mut sum) = (IndexSet::new(), 0);
    let mut waiting = vec![at];
    while let Some(at) = waiting.pop() {
        if !taken.contains(&at) && stories.insert(at) {
            sum += size(open.stories[at], unit).unwrap_or_default();
            if sum > most {
                return None;
            }
            waiting.extend(open.graph.needs(at));
        }
    }
    Some((stories, sum))
}

/// The rank of a story's priority; an unknown priority ranks last.
fn rank(story: &Story) -> usize {
    story.priority.as_deref().and_then(priority::rank).unwrap_or(usize::MAX)
}

/// The plan's stories, each after its dependencies; else in the order of their selection.
fn sorted(open: &Open<'_>, taken: &IndexSet<usize>) -> Vec<usize> {
    let items = taken.iter().map(|at| (open.graph.id(*at), open.stories[*at].needs.as_slice()));
    Graph::new(items).order().into_iter().map(|place| taken[place]).collect()
}
