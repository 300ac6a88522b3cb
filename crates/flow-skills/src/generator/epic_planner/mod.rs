//! `epic-planner`: plans the stories of an epic in waves that can be worked on in parallel. The epic is the project's,
//! or a new one from a text or from fields.

mod fresh;
mod plan;
mod text;
mod verify;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::report::{Board, Kind as Name, Log, Page, Project, Scope};
use super::skill::{Needs, Skill};
use crate::input::kind::Kind;
use crate::input::notation::Notation;
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::Block;
use crate::output::{Output, Result, bad_text};
use crate::project_state::span::Span;
use crate::project_state::{Context, Snapshot};
use crate::text::{is_id, line, plain, slug};
use plan::Plan;

const NAME: &str = "epic-planner";

/// The row of the table.
pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Text, "epic"),
            takes(ContentKind::Markdown, "epic"),
            takes(ContentKind::Notation(Notation::List), "epic"),
        ],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(verify::verify),
};

/// An epic.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The id of an epic of the project; or a title line and a list of stories such as "- Pay by card (5) after 1"; or,
    /// beside `stories`, a title.
    #[schemars(extend("x-whole" = true))]
    epic: Block,
    /// The stories of a new epic.
    #[serde(default)]
    stories: Vec<text::Fields>,
    /// What a new epic is for, beside `stories`.
    goal: Option<Block>,
}

/// Plans an epic.
fn generate(input: &Input, context: &Context) -> Result<Output> {
    let text = &*input.epic;
    let id = named(text);
    let is_id = id.as_deref() == Some(line(text).as_str());
    let has_records = context.state.is_there() || is_id;
    let snapshot = has_records.then(|| Snapshot::read(&context.state)).transpose()?;
    let Some(snapshot) = snapshot else {
        return output(&fresh::plan(&draft(input)?, None)?, None);
    };
    // An epic may have an id of any form.
    let epic = snapshot.epic(text.trim()).or_else(|| snapshot.epic(id.as_deref()?));
    let is_bare = is_id || epic.is_some_and(|epic| epic.id == text.trim());
    if let (Some(epic), false) = (epic, is_bare && input.stories.is_empty()) {
        let allowed = "its id alone, since the project has this epic, or a title without the id";
        return Err(bad_text("epic", &epic.id, allowed));
    }
    if !is_bare || !input.stories.is_empty() {
        return output(&fresh::plan(&draft(input)?, Some(&snapshot))?, Some(&snapshot));
    }
    let epic = snapshot.named_epic("epic", text.trim())?;
    let project = Project::with_stories(context)?;
    let span = Span::read(None, None, &context.now)?;
    let scope = Scope::of(vec![(Name::Epic, &epic.id)], &project.snapshot, span);
    let log = Log::talk(context)?;
    let board = Board::new(&project, &scope, &log);
    let plan = plan::recorded(&board, epic);
    let page = Page { snapshot: Some(&project.snapshot), ..page(&plan, Some(&board)) };
    page.output(plan.data())
}

/// The new epic of the input.
fn draft(input: &Input) -> Result<text::Draft> {
    if input.stories.is_empty() { text::read(&input.epic) } else { text::from_fields(input) }
}

/// The id at the beginning of the first line.
fn named(text: &str) -> Option<String> {
    let first = text.lines().map(plain).find(|line| !line.is_empty())?;
    let first = first.trim_start_matches('#').trim();
    let id = first.split_once(':').map_or(first, |(id, _)| id);
    is_id(id).then(|| id.to_owned())
}

/// Writes the plan of a new epic. It shows no dates of messages or records.
fn output(plan: &Plan, snapshot: Option<&Snapshot>) -> Result<Output> {
    let mut page = page(plan, None);
    let time = snapshot.and_then(|snapshot| snapshot.time.as_deref());
    page.remarks = time.map(|time| format!("State of {time}.")).into_iter().collect();
    let questions = snapshot.into_iter().flat_map(|snapshot| snapshot.gaps.questions());
    page.open.splice(0..0, questions);
    let mut output = page.output(plan.data())?;
    output.data["time"] = json!(time);
    output.notes = snapshot.map(|snapshot| snapshot.gaps.missing.clone()).unwrap_or_default();
    if time.is_none() {
        output.notes = vec!["no project found; the ids begin at 1".to_owned()];
    }
    Ok(output)
}

fn page<'a>(plan: &Plan, board: Option<&Board<'_>>) -> Page<'a> {
    let is_named = !plan.title.eq_ignore_ascii_case(&plan.id);
    let title = if is_named { format!("{}: {}", plan.id, plan.title) } else { plan.id.clone() };
    Page {
        skill: NAME,
        file: format!("{}-{}.md", slug(&plan.id, "epic"), slug(&plan.title, "epic")),
        title,
        summary: plan.summary(board),
        remarks: Vec::new(),
        sections: plan.sections(),
        snapshot: None,
        open: plan.questions(board),
    }
}
