//! `sprint-planner`: selects and orders the open stories that fit into a capacity, together with their dependencies.
//!
//! It applies one fixed rule; a story without a size is not planned.

mod capacity;
mod pick;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report::{self, Board, Fields, Log, NO_REASON, Page, Project};
use super::report::{Scope, Section, rows};
use super::skill::{Needs, Skill};
use crate::input::kind::Kind as Gives;
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::{Line, TextOrNumber};
use crate::output::{Output, Result};
use crate::page::{Form, Questions, Section as Part};
use crate::project_state::say::{self, counted, first_ids, ids, name};
use crate::project_state::{Context, Story};
use crate::text::line;
use capacity::Capacity;
use pick::{First, Pick, is_waiting};

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
    verify: Some(|text, context| report::verify(text, context, &FORM)),
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
    /// The capacity: points (20, 20 points) or working time (40h, 5d of eight hours), in the unit of the stories'
    /// sizes.
    capacity: TextOrNumber,
    /// Ids of epics: only their stories are selected.
    epic: Option<Line>,
    /// Owners of stories: only theirs are selected.
    owner: Option<Line>,
}

/// Plans a sprint.
fn generate(input: &Input, context: &Context) -> Result<Output> {
    let project = Project::read(context)?.with_stories()?;
    let scope =
        Scope::read(&Fields::of(input.epic.as_ref(), input.owner.as_ref()), &project, context)?;
    let log = Log::talk(context)?;
    let board = Board::new(&project, &scope, &log);
    let open = &board.open;
    let is_selected = |story: &Story| scope.has_story(story);
    let candidates: Vec<&Story> =
        open.stories.iter().filter(|story| is_selected(story)).copied().collect();
    let capacity = Capacity::read(&input.capacity.0, &candidates)?;
    let pick = Pick::of(open, capacity, First::Begun, is_selected);
    let by_priority = Pick::of(open, capacity, First::Priority, is_selected);
    let displaced: Vec<&str> = by_priority
        .taken
        .iter()
        .filter(|at| !pick.taken.contains(at))
        .map(|at| open.graph.id(*at))
        .collect();
    let left = pick.show(capacity.amount - pick.sum);
    let count = counted(pick.taken.len(), "story", "stories");
    let mut summary = vec![format!("Planned: {} in {count}, {left} left.", pick.share())];
    let (later, asked) = not_planned(&board, &pick);
    summary.extend(later);
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
    let needed = ids(pick.needed.iter().map(|at| open.graph.id(*at)));
    let page = Page {
        skill: NAME,
        file: "sprint.md".to_owned(),
        title: "Sprint plan".to_owned(),
        summary,
        remarks,
        sections: sections(&board, &pick, &needed),
        snapshot: &project.snapshot,
        open: asked,
    };
    let mut output = page.output(json!({
        "capacity": pick.show(capacity.amount),
        "planned": pick.show(pick.sum),
        "left": left,
        "count": count,
        "needed": needed,
        "displaced": displaced,
    }))?;
    if pick.taken.iter().any(|at| open.stories[*at].is_begun()) {
        let note = "Stories that have begun count with their whole size; what is left of them is not recorded.";
        output.notes.push(note.to_owned());
    }
    Ok(output)
}

fn sections(board: &Board<'_>, pick: &Pick, needed: &str) -> Vec<Section> {
    let open = &board.open;
    let intro = format!("Not among those selected, but needed: {needed}.");
    let plan = "story=id, title, size, status, priority, owner, after";
    vec![
        Section::table("plan", "Plan, in order", plan, &pick.taken, |at| {
            let needs: Vec<&str> = open.needs(*at).map(|need| need.id.as_str()).collect();
            let mut row = rows::story(open.stories[*at]);
            row["epic"] = json!(open.stories[*at].epic);
            row["after"] = ids(needs.iter().copied()).into();
            row["needs"] = json!(needs);
            row
        })
        .with_intro((!needed.is_empty()).then_some(intro)),
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
        let (stories, size) = loads.entry(story.owner.as_deref()).or_default();
        *stories += 1;
        *size += pick.capacity.size(story).unwrap_or_default();
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
        None => too_large(board, pick, at),
    }
}

/// What prevents the selection of a story itself, as the rest of a sentence.
fn obstacle(board: &Board<'_>, at: usize) -> String {
    let (open, story) = (&board.open, board.open.stories[at]);
    if open.is_hindered(at) || is_waiting(open, at) {
        let first = board.reasons(at).into_iter().next();
        return first.map_or_else(|| format!("is blocked {NO_REASON}"), |reason| reason.text());
    }
    match (story.effort, story.unread_size()) {
        (Some(size), _) => format!("is sized in another unit ({size})"),
        (None, Some(size)) => format!("has the unreadable size {}", line(&size)),
        (None, None) => "has no size".to_owned(),
    }
}

/// What a story that did not fit would add to the plan.
fn too_large(board: &Board<'_>, pick: &Pick, at: usize) -> String {
    let more = pick.more(&board.open, at);
    let mut others: Vec<usize> = more.stories.into_iter().filter(|other| *other != at).collect();
    others.sort_unstable();
    let size = pick.show(more.size);
    if others.is_empty() {
        return format!("takes {size}");
    }
    format!("takes {size} with {}", ids(others.iter().map(|at| board.open.graph.id(*at))))
}

/// The sentence on what is left for later, and questions about missing sizes.
fn not_planned(board: &Board<'_>, pick: &Pick) -> (Option<String>, Vec<String>) {
    let open = &board.open;
    let fitting: Vec<usize> =
        pick.left_out.iter().filter(|at| pick.obstacles[**at].is_none()).copied().collect();
    let mut parts = Vec::new();
    if let Some(next) = fitting.first() {
        let sum = fitting.iter().filter_map(|at| pick.capacity.size(open.stories[*at])).sum();
        parts.push(format!(
            "{} of {} for a later sprint, {} first",
            counted(fitting.len(), "story", "stories"),
            pick.show(sum),
            line(open.graph.id(*next)),
        ));
    }
    let mut kept_out: Vec<usize> =
        pick.left_out.iter().filter_map(|at| pick.obstacles[*at]).collect();
    kept_out.sort_unstable();
    kept_out.dedup();
    kept_out.retain(|at| !open.is_hindered(*at) && !is_waiting(open, *at));
    let kept_out = kept_out.into_iter().map(|at| open.stories[at]);
    let (other, none): (Vec<&Story>, Vec<&Story>) =
        kept_out.partition(|story| story.effort.is_some());
    if let Some(size) = other.first().and_then(|story| story.effort) {
        let (count, unit) = (counted(other.len(), "story", "stories"), size.unit.name());
        parts.push(format!("{count} sized in {unit} (plan them with a capacity in {unit})"));
    }
    let later = (!parts.is_empty()).then(|| format!("Not planned: {}.", parts.join("; ")));
    (later, say::missing_sizes(&none))
}
