//! `epic-planner`: an epic's stories in waves that can be worked on side by side. The epic is the project's, or a text
//! that is to become one.

mod fresh;
mod plan;
mod recorded;
mod text;

use serde_json::json;

use plan::Plan;

use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Fault, Output, Result};
use crate::project_state::Context;
use crate::project_state::state::Gaps;
use crate::project_state::{Board, say};
use crate::runtime::engine;
use crate::story::read;
use crate::text::{line, plain, slug};

pub(super) const NAME: &str = "epic-planner";

/// Plans an epic.
///
/// # Errors
/// When there is no epic, its text has no stories or too many, or what a story comes after is not there or leads round in
/// a circle.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let given = input.text("epic").filter(|text| !line(text).is_empty());
    let given =
        given.ok_or_else(|| fields::missing_text("epic", "an id, or a title and its stories"))?;
    let id = named(given);
    let is_bare = id.as_deref() == Some(line(given).as_str());
    let board =
        if context.state.is_there() || is_bare { Some(Board::read(&context.state)?) } else { None };
    let known = id.as_deref().zip(board.as_ref()).and_then(|(id, board)| board.epic(id));
    let plan = match (known, &board) {
        (Some(epic), Some(board)) => recorded::plan(board, epic),
        (None, Some(board)) if is_bare => {
            let unknown = board.named_epic("epic", id.as_deref().unwrap_or_default());
            return Err(unknown.err().unwrap_or_else(|| Fault::Refused("no epic".to_owned())));
        }
        _ => fresh::plan(&text::read(given)?, board.as_ref())?,
    };
    output(&plan, board.as_ref())
}

/// The id that the first line is or begins with.
fn named(given: &str) -> Option<String> {
    let first = given.lines().map(plain).find(|line| !line.is_empty())?;
    let first = first.trim_start_matches('#').trim();
    let id = first.split_once(':').map_or(first, |(id, _)| id);
    read::is_id(id).then(|| id.to_owned())
}

fn output(plan: &Plan, board: Option<&Board>) -> Result<Output> {
    let gaps = board.map(|board| &board.gaps);
    let mut questions: Vec<String> = gaps.into_iter().flat_map(Gaps::questions).collect();
    questions.extend(plan.questions());
    let mut data = plan.data();
    data["time"] = json!(board.and_then(|board| board.time.as_deref()));
    let mut view = say::escaped(&data);
    view["state"] = board.map(|board| say::escape(&say::state_of(board))).into();
    view["open_questions"] = questions.iter().map(|question| say::escape(question)).collect();
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let path = format!("{}-{}.md", slug(&plan.id, "epic"), slug(&plan.title, "epic"));
    let mut notes = gaps.map(|gaps| gaps.missing.clone()).unwrap_or_default();
    if board.is_none() {
        notes.push("There is no project here, so the ids begin at 1.".to_owned());
    }
    notes.extend(plan.notes.iter().cloned());
    let artifacts = vec![Artifact::new(path, "markdown", text)];
    Ok(Output { data, artifacts, open: questions, notes })
}
