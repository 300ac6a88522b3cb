//! `sprint-planner`: which open stories fit into a capacity, together with what they need, and in which order.
//!
//! It follows one written rule and weighs nothing; a story that nobody has sized is asked about and not planned.

mod pick;
mod why;

use serde_json::{Value, json};

use pick::{Capacity, Pick};

use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::effort::Effort;
use crate::project_state::open::{Open, is_begun};
use crate::project_state::say::{self, counted, ids, name};
use crate::project_state::{Board, Story};
use crate::runtime::engine;
use crate::text::line;

pub(super) const NAME: &str = "sprint-planner";

/// Plans.
///
/// # Errors
/// When there is no project or no capacity, or the epic or the owner is not there.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let capacity = capacity(input)?;
    let board = Board::read(&context.state)?;
    let meant = Meant::read(input, &board)?;
    let open = Open::of(&board, |_| true);
    let pick = Pick::of(&open, capacity, |story| meant.takes(story));
    let mut questions: Vec<String> = board.gaps.questions().collect();
    questions.extend(why::questions(&open, &pick));
    let mut data = data(&open, &pick);
    data["time"] = json!(board.time);
    let mut view = say::escaped(&data);
    view["state"] = say::escape(&say::state_of(&board)).into();
    view["meant"] = meant.said().map(|said| say::escape(&said)).into();
    view["open_questions"] = questions.iter().map(|question| say::escape(question)).collect();
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let artifacts = vec![Artifact::new("sprint.md", "markdown", text)];
    let mut notes = board.gaps.missing.clone();
    if pick.taken.iter().any(|at| is_begun(open.stories[*at])) {
        let note = "Stories that have begun count with their whole size; what is left of them is not recorded.";
        notes.push(note.to_owned());
    }
    Ok(Output { data, artifacts, open: questions, notes })
}

/// What the field `capacity` says: points or working time, one figure above nothing.
fn capacity(input: &Input) -> Result<Capacity> {
    let given = input.fields.get("capacity").unwrap_or(&Value::Null);
    let is_blank = given.as_str().is_some_and(|text| text.trim().is_empty());
    if given.is_null() || is_blank {
        return Err(fields::missing_text("capacity", "what fits: 20, 20 points, 5d or 40h"));
    }
    let size = Effort::read(given).filter(|size| match *size {
        Effort::Points(points) => points > 0,
        Effort::Time(low, high) => low == high && high > 0,
    });
    let allowed =
        "points or working time above 0 and up to 10,000, such as 20, 20 points, 5d or 40h";
    let size = size.ok_or_else(|| fields::bad("capacity", given, allowed))?;
    Ok(Capacity { unit: size.unit(), amount: size.most().into() })
}

/// Which stories are asked for.
struct Meant {
    epic: Option<String>,
    owner: Option<String>,
}

impl Meant {
    fn read(input: &Input, board: &Board) -> Result<Self> {
        let epic = fields::one(input, "epic")?;
        let epic = epic.map(|id| board.named_epic("epic", &id).map(|epic| epic.id.clone()));
        let owner = fields::one(input, "owner")?;
        let has =
            |owner: &String| board.stories.iter().any(|story| story.owner.as_ref() == Some(owner));
        if let Some(owner) = owner.as_ref().filter(|owner| !has(owner)) {
            let allowed = "the owner of a story, as the project writes it";
            return Err(fields::bad_text("owner", owner, allowed));
        }
        Ok(Self { epic: epic.transpose()?, owner })
    }

    fn takes(&self, story: &Story) -> bool {
        (self.epic.is_none() || self.epic == story.epic)
            && (self.owner.is_none() || self.owner == story.owner)
    }

    fn said(&self) -> Option<String> {
        let parts = [("epic", &self.epic), ("owner", &self.owner)];
        let parts =
            parts.iter().filter_map(|(what, id)| id.as_ref().map(|id| format!("{what} {id}")));
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| format!("Planned for {}.", line(&parts.join(", "))))
    }
}

/// The plan; what the template shows and what the next skill reads.
fn data(open: &Open<'_>, pick: &Pick) -> Value {
    let capacity = pick.capacity;
    let needed: Vec<&str> = pick.needed.iter().map(|at| open.graph.id(*at)).collect();
    let show = |amount: u64| capacity.unit.show(amount);
    json!({
        "capacity": show(capacity.amount),
        "planned": show(pick.sum),
        "left": show(capacity.amount - pick.sum),
        "count": counted(pick.taken.len(), "story", "stories"),
        "plan": say::limit_rows(&pick.taken, |at| row(open, pick, *at)),
        "needed": ids(needed.iter().copied()),
        "owners": say::limit_rows(&owners(open, pick), |(owner, count, sum)| {
            json!({"owner": owner, "stories": count, "size": show(*sum)})
        }),
        "left_out": say::limit_rows(&pick.left_out, |at| {
            let story = open.stories[*at];
            json!({"id": story.id, "title": name(story), "why": why::reason(open, pick, *at)})
        }),
    })
}

fn row(open: &Open<'_>, pick: &Pick, at: usize) -> Value {
    let story = open.stories[at];
    let after: Vec<&str> = open.graph.needs(at).iter().map(|need| open.graph.id(*need)).collect();
    json!({
        "id": story.id,
        "title": name(story),
        "size": pick.size(open, at).map(|size| pick.capacity.unit.show(size)),
        "status": story.status,
        "priority": story.priority,
        "owner": story.owner,
        "epic": story.epic,
        "needs": after,
        "after": ids(after.iter().copied()),
    })
}

/// How much of the plan each owner has, in the order of the plan; those without one last.
fn owners<'a>(open: &Open<'a>, pick: &Pick) -> Vec<(Option<&'a str>, usize, u64)> {
    let mut owners: Vec<(Option<&str>, usize, u64)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for at in &pick.taken {
        let owner = open.stories[*at].owner.as_deref();
        let place = *places.entry(owner).or_insert_with(|| {
            owners.push((owner, 0, 0));
            owners.len() - 1
        });
        owners[place].1 += 1;
        owners[place].2 += pick.size(open, *at).unwrap_or_default();
    }
    owners.sort_by_key(|(owner, ..)| owner.is_none());
    owners
}
