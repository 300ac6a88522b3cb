//! `sprint-planner`: selects and orders the open stories that fit into a capacity, together with their dependencies.
//!
//! It applies one fixed rule; a story without a size is not planned.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report;
use super::report::{Board, Fields, Kind, Log, NO_REASON, Open, Page, Scope, Section, rows};
use super::skill::{ContentKind, Definition, Kind as Gives, Needs, Skill, takes};
use crate::input::effort::{Effort, Unit};
use crate::input::values::{Line, TextOrNumber};
use crate::output::{Output, Result, bad_text};
use crate::page::{Finding, Form, Questions, Section as Part};
use crate::project_state::graph::Graph;
use crate::project_state::say::{counted, first_ids, ids, joined, name};
use crate::project_state::{Context, Snapshot, Story, say};
use crate::text::{after, line};

const NAME: &str = "sprint-planner";
/// Largest number of ids in a line of the summary.
const NAMED: usize = 5;
/// The rule, as the page states it.
const RULE: &str = "Order: begun work first, then by priority, then as in the file; each with what it needs, as far as it fits.";

/// The row of the table.
pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Text, "capacity")],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Gives::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(verify),
};

const SECTIONS: &[Part] = &[Part::named("Plan, in order", &["Not planned"])];
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
    capacity: TextOrNumber,
    /// Ids of epics: only their stories are selected.
    epic: Option<Line>,
    /// Owners of stories: only theirs are selected.
    owner: Option<Line>,
}

/// Compares with the plan for the capacity that a plan names.
fn verify(text: &str, context: &Context) -> Vec<Finding> {
    let planned = text.split_once("Planned: ").and_then(|(_, planned)| planned.split_once(" of "));
    let capacity = planned.and_then(|(_, rest)| Some(rest.split_once(" in ")?.0));
    let fields = capacity.map(|capacity| ("capacity".to_owned(), capacity.into()));
    report::verify_again(text, context, &FORM, &fields.into_iter().collect(), generate)
}

/// Plans a sprint.
fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Snapshot::read(&context.state)?.with_stories()?;
    let (amount, rest) = split(&input.capacity.0);
    let fields = Fields {
        about: rest.map(|rest| ("capacity", rest)),
        ..Fields::of(input.epic.as_ref(), input.owner.as_ref())
    };
    let scope = Scope::read(&fields, &project, context)?;
    let is_place = |(kind, _): &(Kind, String)| matches!(kind, Kind::Epic | Kind::Agent);
    if rest.is_some() && !(scope.span.is_all() && scope.names.iter().all(is_place)) {
        let allowed = "a capacity, then epics or owners, such as 20 points for api";
        return Err(bad_text("capacity", &input.capacity.0, allowed));
    }
    let log = Log::talk(context)?;
    let board = Board::new(&project, &scope, &log);
    let open = &board.open;
    let is_selected = |story: &Story| scope.has_story(story);
    let candidates: Vec<&Story> =
        open.stories.iter().filter(|story| is_selected(story)).copied().collect();
    let capacity = Effort::parse(amount).filter(|size| size.least == size.most && size.most > 0);
    let capacity = capacity.ok_or_else(|| bad_text("capacity", amount, ALLOWED))?;
    let pick = Pick::of(open, capacity, true, is_selected);
    let by_priority = Pick::of(open, capacity, false, is_selected);
    let displaced: Vec<&str> = by_priority
        .taken
        .iter()
        .filter(|at| !pick.taken.contains(at))
        .map(|at| open.graph.id(*at))
        .collect();
    let left = pick.show(u64::from(capacity.most) - pick.sum);
    let count = counted(pick.taken.len(), "story", "stories");
    let mut summary = vec![format!("Planned: {} in {count}, {left} left.", pick.share())];
    if !pick.left_out.is_empty() {
        let ids = first_ids(pick.left_out.iter().map(|at| open.graph.id(*at)), NAMED);
        summary.push(format!("Not planned: {ids}."));
    }
    if !displaced.is_empty() {
        let ids = first_ids(displaced.iter().copied(), NAMED);
        summary.push(format!("Begun work takes the place of {ids}, planned by priority alone."));
    }
    summary.extend([board.blocked_line(), board.waiting_line()]);
    let mut remarks = vec![RULE.to_owned()];
    if !scope.is_all() {
        remarks.push(format!("Planned for {}.", scope.phrase()));
    }
    if candidates.is_empty() {
        remarks.push(NOTHING.to_owned());
    }
    let page = Page {
        skill: NAME,
        file: "sprint.md".to_owned(),
        title: "Sprint plan".to_owned(),
        summary,
        remarks,
        sections: sections(&board, &pick),
        snapshot: &project,
        open: [say::missing_sizes(&pick.sizeless(open)), unread_priorities(&candidates)]
            .into_iter()
            .flatten()
            .collect(),
    };
    let mut output = page.output(json!({
        "capacity": capacity.to_string(),
        "planned": pick.show(pick.sum),
        "left": left,
        "count": count,
        "displaced": displaced,
    }))?;
    if pick.taken.iter().any(|at| open.stories[*at].is_begun()) {
        let note = "Stories that have begun count with their whole size; what is left of them is not recorded.";
        output.notes.push(note.to_owned());
    }
    Ok(output)
}

fn sections(board: &Board<'_>, pick: &Pick) -> Vec<Section> {
    let open = &board.open;
    let plan = "story=id, title, size, status, priority, owner, after";
    vec![
        Section::table("plan", "Plan, in order", plan, &pick.taken, |at| {
            let needs: Vec<&str> = open.needs(*at).map(|need| need.id.as_str()).collect();
            let mut row = rows::story(open.stories[*at]);
            row["epic"] = json!(open.stories[*at].epic);
            row["after"] = ids(needs.iter().copied()).into();
            row["needs"] = json!(needs);
            row
        }),
        Section::table(
            "owners",
            "By owner",
            "owner, stories, size",
            &loads(board, pick),
            Value::clone,
        ),
        Section::table("left_out", "Not planned", "story=id, title, why", &pick.left_out, |at| {
            let story = open.stories[*at];
            json!({"id": story.id, "title": name(story), "why": reason(board, pick, *at)})
        }),
    ]
}

/// The part of the plan of each owner, in the order of the plan; stories without an owner last.
fn loads(board: &Board<'_>, pick: &Pick) -> Vec<Value> {
    let mut loads: IndexMap<Option<&str>, (usize, u64)> = IndexMap::new();
    for story in pick.taken.iter().map(|at| board.open.stories[*at]) {
        let (stories, sum) = loads.entry(story.owner.as_deref()).or_default();
        *stories += 1;
        *sum += size(story, pick.capacity.unit).unwrap_or_default();
    }
    loads.sort_by(|one, _, other, _| one.is_none().cmp(&other.is_none()));
    let row = |(owner, (stories, size)): (Option<&str>, (usize, u64))| json!({"owner": owner, "stories": stories, "size": pick.show(size)});
    loads.into_iter().map(row).collect()
}

/// Why a candidate is not in the plan, as a sentence without a full stop.
fn reason(board: &Board<'_>, pick: &Pick, at: usize) -> String {
    match pick.obstacles[at] {
        Some(other) if other == at => obstacle(board, at),
        Some(other) => {
            format!("needs {}, which {}", line(board.open.graph.id(other)), obstacle(board, other))
        }
        // What it would add to the plan.
        None => {
            let taken = pick.taken.iter().copied().collect();
            let more = missing(&board.open, pick.capacity, at, &taken, u64::MAX);
            let (stories, size) = more.unwrap_or_default();
            let others: BTreeSet<usize> =
                stories.into_iter().filter(|other| *other != at).collect();
            let others = ids(others.into_iter().map(|at| board.open.graph.id(at)));
            let with = if others.is_empty() { others } else { format!(" with {others}") };
            format!("takes {}{with}", pick.show(size))
        }
    }
}

/// What prevents the selection of a story itself, as the rest of a sentence.
fn obstacle(board: &Board<'_>, at: usize) -> String {
    let (open, story) = (&board.open, board.open.stories[at]);
    let begins_later = !["blocked", "waiting"].contains(&story.status.as_str());
    if !open.is_hindered(at) && begins_later && is_waiting(open, at) {
        return format!("has the status {}, which is not planned", line(&story.status));
    }
    if open.is_hindered(at) || is_waiting(open, at) {
        let first = board.reasons(at).into_iter().next();
        return first.map_or_else(|| format!("is blocked {NO_REASON}"), |reason| reason.text());
    }
    match story.effort {
        Some(size) => format!("is sized in another unit ({size})"),
        None => "has no size in points or working time".to_owned(),
    }
}

/// The accepted forms of a capacity.
const ALLOWED: &str =
    "points or working time above 0 and up to 10,000, such as 20, 20 points, 5d or 40h";

/// The capacity, and what stands behind it: `20 points for api`. The whole text if it does not begin with a capacity.
fn split(text: &str) -> (&str, Option<&str>) {
    let ends = text.match_indices(' ').map(|(at, _)| at).take(2).collect::<Vec<_>>();
    let begins = |at: &&usize| Effort::parse(text.get(..**at).unwrap_or_default()).is_some();
    if Effort::parse(text).is_some() {
        return (text, None);
    }
    match ends.iter().rev().find(begins).and_then(|at| text.split_at_checked(*at)) {
        Some((amount, rest)) => {
            let rest = rest.trim();
            (amount, Some(after(rest, &["for ", "of ", "in ", "from "]).unwrap_or(rest)))
        }
        None => (text, None),
    }
}

/// A story's size, if it has this unit.
fn size(story: &Story, unit: Unit) -> Option<u64> {
    story.effort.filter(|size| size.unit == unit).map(|size| size.most.into())
}

/// The selected and unselected stories, as indexes of open stories.
#[derive(Debug)]
struct Pick {
    capacity: Effort,
    /// The plan, each story after all its dependencies.
    taken: Vec<usize>,
    /// Candidates that are not in the plan, in their order.
    left_out: Vec<usize>,
    /// For each story, the one that prevents its selection: itself or a dependency.
    obstacles: Vec<Option<usize>>,
    /// The total size of the plan.
    sum: u64,
}

impl Pick {
    /// Selects from the candidates: begun work first, as the rule says, or by priority alone, which shows what that displaces.
    fn of(
        open: &Open<'_>,
        capacity: Effort,
        is_begun_first: bool,
        is_selected: impl Fn(&Story) -> bool,
    ) -> Self {
        let obstacles = obstacles(open, capacity);
        let mut candidates: Vec<usize> =
            (0..open.stories.len()).filter(|at| is_selected(open.stories[*at])).collect();
        candidates.sort_by_key(|at| {
            let story = open.stories[*at];
            (is_begun_first && !story.is_begun(), rank(story), *at)
        });
        let mut taken = IndexSet::new();
        let mut sum = 0;
        for at in candidates.iter().filter(|at| obstacles[**at].is_none()) {
            let left = u64::from(capacity.most) - sum;
            if let Some((stories, size)) = missing(open, capacity, *at, &taken, left) {
                sum += size;
                taken.extend(stories);
            }
        }
        candidates.retain(|at| !taken.contains(at));
        let taken = sorted(open, &taken);
        Self { capacity, taken, left_out: candidates, obstacles, sum }
    }

    /// The stories that keep themselves or others out of the plan for want of a size.
    fn sizeless<'a>(&self, open: &Open<'a>) -> Vec<&'a Story> {
        let obstacles: BTreeSet<usize> =
            self.left_out.iter().filter_map(|at| self.obstacles[*at]).collect();
        let is_free = |at: &usize| !open.is_hindered(*at) && !is_waiting(open, *at);
        let stories = obstacles.into_iter().filter(is_free).map(|at| open.stories[at]);
        stories.filter(|story| story.effort.is_none()).collect()
    }

    /// A size in the capacity's unit, as text.
    fn show(&self, amount: u64) -> String {
        self.capacity.unit.show(amount)
    }

    /// The planned part of the capacity: `15 of 20 points`, `6 h of 40 h`.
    fn share(&self) -> String {
        let (planned, all) = (self.show(self.sum), self.capacity.to_string());
        let number = planned.split_once(" point").map_or(planned.as_str(), |(number, _)| number);
        format!("{number} of {all}")
    }
}

/// A story with its unselected dependencies, in no order, and their total size; `None` if that exceeds `most`.
fn missing(
    open: &Open<'_>,
    capacity: Effort,
    at: usize,
    taken: &IndexSet<usize>,
    most: u64,
) -> Option<(IndexSet<usize>, u64)> {
    let (mut stories, mut sum) = (IndexSet::new(), 0);
    let mut waiting = vec![at];
    while let Some(at) = waiting.pop() {
        if !taken.contains(&at) && stories.insert(at) {
            sum += size(open.stories[at], capacity.unit).unwrap_or_default();
            if sum > most {
                return None;
            }
            waiting.extend(open.graph.needs(at));
        }
    }
    Some((stories, sum))
}

/// For each story the first one that prevents its selection: itself, else a dependency.
fn obstacles(open: &Open<'_>, capacity: Effort) -> Vec<Option<usize>> {
    let mut obstacles: Vec<Option<usize>> = (0..open.stories.len()).map(Some).collect();
    for at in open.graph.order() {
        let is_sized = size(open.stories[at], capacity.unit).is_some();
        if !open.is_hindered(at) && !is_waiting(open, at) && is_sized {
            obstacles[at] = open.graph.needs(at).iter().find_map(|need| obstacles[*need]);
        }
    }
    obstacles
}

/// Whether a story's status says that something comes first, which its open dependencies do not explain: one that is
/// blocked or waiting may wait for them, a draft may not be planned at all.
fn is_waiting(open: &Open<'_>, at: usize) -> bool {
    let story = open.stories[at];
    match story.status.as_str() {
        "blocked" | "waiting" => open.graph.needs(at).is_empty(),
        _ => !story.is_workable(),
    }
}

/// The priorities that have no rank.
fn unread_priorities(stories: &[&Story]) -> Option<String> {
    let unread = stories.iter().filter_map(|story| {
        let priority = story.priority.as_deref().filter(|_| rank(story) == LAST)?;
        Some(format!("{} ({})", line(&story.id), line(priority)))
    });
    let unread = joined(unread, NAMED, ", ");
    (!unread.is_empty()).then(|| {
        format!("priority: not read of {unread}, so planned last (write P0 to P3, critical, high, medium or low)")
    })
}

/// The rank of a story without a priority, or with one that has no rank.
const LAST: u8 = 4;

/// The rank of a story's priority; an unknown priority ranks last.
fn rank(story: &Story) -> u8 {
    let priority = story.priority.as_deref().unwrap_or_default().to_lowercase();
    match priority.as_str() {
        "p0" | "critical" => 0,
        "p1" | "high" => 1,
        "p2" | "medium" => 2,
        "p3" | "low" => 3,
        _ => LAST,
    }
}

/// The plan's stories, each after its dependencies; else in the order of their selection.
fn sorted(open: &Open<'_>, taken: &IndexSet<usize>) -> Vec<usize> {
    let items = taken.iter().map(|at| (open.graph.id(*at), open.stories[*at].needs.as_slice()));
    Graph::new(items).order().into_iter().map(|place| taken[place]).collect()
}
