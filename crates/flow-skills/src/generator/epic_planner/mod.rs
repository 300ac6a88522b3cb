//! `epic-planner`: plans the stories of an epic in waves that can be worked on in parallel. The epic is the project's,
//! or a new one from a text or from fields.

mod fresh;
mod plan;
mod text;
mod verify;

use schemars::JsonSchema;
use serde::Deserialize;

use super::report::{Board, Kind as Name, Log, Page, Project, Scope};
use super::skill::{Needs, Skill};
use crate::input::kind::Kind;
use crate::input::notation::Notation;
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::Block;
use crate::output::{Output, Result, bad_text};
use crate::project_state::Context;
use crate::project_state::say;
use crate::project_state::span::Span;
use crate::text::{is_id, md, plain, slug, title};
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
    let text = input.epic.trim();
    let id = named(text);
    let is_id = id.as_deref() == Some(text);
    let has_records = context.state.is_there() || is_id;
    let mut project = if has_records { Project::read(context)? } else { Project::none(context) };
    // An epic may have an id of any form.
    let mut epic = project.find(Some(Name::Epic), text)?;
    let is_bare = is_id || epic.is_some();
    if let (None, Some(id)) = (&epic, &id) {
        epic = project.find(Some(Name::Epic), id)?;
    }
    let is_new = !is_bare || !input.stories.is_empty();
    if let (Some((_, id)), true) = (&epic, is_new) {
        let allowed = "its id alone, since the project has this epic, or a title without the id";
        return Err(bad_text("epic", id, allowed));
    }
    let mut log = Log::default();
    let names = if is_new {
        let (epic, stories) = text::read(input)?;
        let id = fresh::add(epic, stories, &mut project.snapshot)?;
        // A new epic has no dates.
        project.snapshot.gaps.no_messages = None;
        vec![(Name::Epic, id)]
    } else {
        log = Log::talk(context)?;
        project.names("epic", Some(Name::Epic), text, "")?
    };
    let scope = Scope::of(names, &project.snapshot, Span::read(None, None, &context.now)?);
    let board = Board::new(&project, &scope, &log);
    let id = scope.names.first().map(|(_, id)| id.as_str()).unwrap_or_default();
    let Some(epic) = project.snapshot.epic(id) else { return Ok(Output::default()) };
    let plan = Plan::of(&board, epic, is_new);
    let is_named = !epic.title.eq_ignore_ascii_case(&epic.id);
    let name = title(&epic.title);
    let page = Page {
        skill: NAME,
        file: format!("{}-{}.md", slug(&epic.id, "epic"), slug(&name, "epic")),
        title: if is_named { format!("{}: {name}", epic.id) } else { epic.id.clone() },
        summary: plan.summary(),
        remarks: Vec::new(),
        sections: plan.sections(),
        snapshot: &project.snapshot,
        open: plan.questions(),
    };
    // Links in the text of a new epic are kept, those in records are not.
    let escape = if is_new { md::escape_own } else { say::escaped };
    let mut output = page.output_escaped(plan.data(), escape)?;
    if is_new && project.snapshot.time.is_none() {
        output.notes = vec!["no project found; the ids begin at 1".to_owned()];
    }
    Ok(output)
}

/// The id at the beginning of the first line.
fn named(text: &str) -> Option<String> {
    let first = text.lines().map(plain).find(|line| !line.is_empty())?;
    let first = first.trim_start_matches('#').trim();
    let id = first.split_once(':').map_or(first, |(id, _)| id);
    is_id(id).then(|| id.to_owned())
}
