//! `sprint-planner`: selects and orders the open stories that fit into a capacity, together with their dependencies.
//!
//! It applies one fixed rule; a story without a size is not planned.

mod capacity;
mod pick;
mod why;

use indexmap::{IndexMap, IndexSet};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::live::{self, Expected, Page, Questions};
use super::skill::{Needs, Skill};
use crate::input::kind::Kind as Gives;
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::{Line, TextOrNumber};
use crate::output::{Output, Result, bad_text};
use crate::project_state::exchange::Blocks;
use crate::project_state::open::Open;
use crate::project_state::say::{self, counted, first_ids, ids, name};
use crate::project_state::{Context, Kind, Message, Snapshot, Story, message, summary};
use capacity::Capacity;
use pick::Pick;

const NAME: &str = "sprint-planner";
/// Largest number of ids in a line of the summary.
const NAMED: usize = 5;

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
    verify: Some(|text, context| live::verify(text, context, &EXPECTED)),
};

const EXPECTED: Expected = Expected {
    sections: &[&["Plan, in order", "Not planned"]],
    unless: Some(NOTHING),
    questions: Questions::OfRecords,
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
    /// The id of an epic: only its stories are selected.
    epic: Option<Line>,
    /// The owner of stories: only theirs are selected.
    owner: Option<Line>,
}

/// Plans a sprint.
fn generate(input: &Input, context: &Context) -> Result<Output> {
    let state = &context.state;
    let snapshot = Snapshot::read(state)?;
    live::refuse_without_stories(&snapshot)?;
    let selection = Selection::read(input, &snapshot)?;
    let open = Open::of(&snapshot, |_| true);
    let candidates: Vec<&Story> =
        open.stories.iter().filter(|story| selection.takes(story)).copied().collect();
    let capacity = Capacity::read(&input.capacity.0, &candidates)?;
    let pick = Pick::of(&open, capacity, |story| selection.takes(story));
    let talk = [Kind::Blocked, Kind::Unblocked];
    let talk = Message::newest_of(state, &talk, message::SEARCHED)?;
    let mut data = data(&open, &pick);
    data["time"] = json!(snapshot.time);
    let mut lines = vec![
        format!(
            "Planned: {} in {}, {} left.",
            pick.share(),
            counted(pick.taken.len(), "story", "stories"),
            pick.show(capacity.amount - pick.sum),
        ),
        summary::blocked(&open, &Blocks::standing(&talk), |story| selection.takes(story)),
        summary::waiting(&open, &[], |story| selection.takes(story)),
    ];
    let on_hold = open.on_hold.iter().filter(|story| selection.takes(story));
    let on_hold: Vec<&str> = on_hold.map(|story| story.id.as_str()).collect();
    if !on_hold.is_empty() {
        lines.push(format!("On hold, not planned: {}.", first_ids(on_hold, NAMED)));
    }
    let (later, open_questions) = why::not_planned(&open, &pick);
    lines.splice(1..1, later);
    let page = Page {
        skill: NAME,
        file: "sprint.md".to_owned(),
        title: "Sprint plan".to_owned(),
        summary: lines,
        snapshot: &snapshot,
        open: open_questions,
    };
    let view = json!({
        "meant": selection.phrase(), "nothing": candidates.is_empty().then_some(NOTHING),
    });
    let mut output = page.output(data, &view)?;
    if pick.taken.iter().any(|at| open.stories[*at].is_begun()) {
        let note = "Stories that have begun count with their whole size; what is left of them is not recorded.";
        output.notes.push(note.to_owned());
    }
    Ok(output)
}

/// The stories to select from.
struct Selection<'a> {
    epic: Option<&'a str>,
    owner: Option<&'a str>,
}

impl<'a> Selection<'a> {
    fn read(input: &'a Input, snapshot: &Snapshot) -> Result<Self> {
        let epic = input.epic.as_deref();
        epic.map(|id| snapshot.named_epic("epic", id)).transpose()?;
        let owner = input.owner.as_deref();
        let has = |owner: &str| {
            snapshot.stories.iter().any(|story| story.owner.as_deref() == Some(owner))
        };
        if let Some(owner) = owner.filter(|owner| !has(owner)) {
            let owners = snapshot.stories.iter().filter_map(|story| story.owner.as_deref());
            let owners: IndexSet<&str> = owners.collect();
            let known: Vec<&str> = owners.into_iter().take(NAMED).collect();
            let allowed = match known.as_slice() {
                [] => "left out: no story has an owner".to_owned(),
                known => format!("the owner of a story, such as {}", known.join(", ")),
            };
            return Err(bad_text("owner", owner, &allowed));
        }
        Ok(Self { epic, owner })
    }

    fn takes(&self, story: &Story) -> bool {
        (self.epic.is_none() || self.epic == story.epic.as_deref())
            && (self.owner.is_none() || self.owner == story.owner.as_deref())
    }

    fn phrase(&self) -> Option<String> {
        let parts = [("epic", self.epic), ("owner", self.owner)];
        let parts: Vec<String> =
            parts.iter().filter_map(|(what, id)| Some(format!("{what} {}", (*id)?))).collect();
        (!parts.is_empty()).then(|| format!("Planned for {}.", parts.join(", ")))
    }
}

/// The plan for the template and the next skill.
fn data(open: &Open<'_>, pick: &Pick) -> Value {
    let needed: Vec<&str> = pick.needed.iter().map(|at| open.graph.id(*at)).collect();
    json!({
        "capacity": pick.show(pick.capacity.amount),
        "planned": pick.show(pick.sum),
        "left": pick.show(pick.capacity.amount - pick.sum),
        "count": counted(pick.taken.len(), "story", "stories"),
        "plan": say::limit_rows(&pick.taken, |at| row(open, pick, *at)),
        "needed": ids(needed),
        "owners": say::limit_rows(&owners(open, pick), |load| {
            json!({"owner": load.owner, "stories": load.stories, "size": pick.show(load.size)})
        }),
        "left_out": say::limit_rows(&pick.left_out, |at| {
            let story = open.stories[*at];
            json!({"id": story.id, "title": name(story), "why": why::reason(open, pick, *at)})
        }),
    })
}

fn row(open: &Open<'_>, pick: &Pick, at: usize) -> Value {
    let story = open.stories[at];
    let after: Vec<&str> = open.needs(at).collect();
    json!({
        "id": story.id,
        "title": name(story),
        "size": pick.capacity.size(story).map(|size| pick.show(size)),
        "status": story.status,
        "priority": story.priority,
        "owner": story.owner,
        "epic": story.epic,
        "needs": after,
        "after": ids(after.iter().copied()),
    })
}

/// The part of the plan that an owner has.
struct Load<'a> {
    owner: Option<&'a str>,
    stories: usize,
    size: u64,
}

/// The part of the plan of each owner, in the order of the plan; stories without an owner last.
fn owners<'a>(open: &Open<'a>, pick: &Pick) -> Vec<Load<'a>> {
    let mut owners: IndexMap<Option<&str>, Load<'_>> = IndexMap::new();
    for story in pick.taken.iter().map(|at| open.stories[*at]) {
        let owner = story.owner.as_deref();
        let load = owners.entry(owner).or_insert(Load { owner, stories: 0, size: 0 });
        load.stories += 1;
        load.size += pick.capacity.size(story).unwrap_or_default();
    }
    let mut owners: Vec<Load<'_>> = owners.into_values().collect();
    owners.sort_by_key(|load| load.owner.is_none());
    owners
}
