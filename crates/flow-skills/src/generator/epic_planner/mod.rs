//! `epic-planner`: plans the stories of an epic in waves that can be worked on in parallel. The epic is the project's,
//! or a text for a new one.

mod fresh;
mod plan;
mod recorded;
mod text;
mod verify;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::skill::{Needs, Skill};
use crate::input::kind::Kind;
use crate::input::notation::Notation;
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::Block;
use crate::output::{Artifact, Output, Result, bad_text};
use crate::project_state::state::Gaps;
use crate::project_state::{Context, Snapshot, say};
use crate::runtime::engine;
use crate::text::{is_id, line, md, plain, slug};
use plan::{Origin, Plan};

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
    /// The id of an epic of the project, or a title line and a list of stories such as "- Pay by card (5) after 1".
    #[schemars(extend("x-whole" = true))]
    epic: Block,
}

/// Plans an epic.
fn generate(input: &Input, context: &Context) -> Result<Output> {
    let given = &*input.epic;
    let id = named(given);
    let is_id = id.as_deref() == Some(line(given).as_str());
    let snapshot = if context.state.is_there() || is_id {
        Some(Snapshot::read(&context.state)?)
    } else {
        None
    };
    // An epic may have an id of any form.
    let whole = snapshot.as_ref().and_then(|snapshot| snapshot.epic(given.trim()));
    let id = whole.map(|epic| epic.id.clone()).or(id);
    let is_bare = is_id || whole.is_some();
    let known = id.as_deref().zip(snapshot.as_ref()).and_then(|(id, snapshot)| snapshot.epic(id));
    let plan = match (known, &snapshot) {
        (Some(epic), Some(snapshot)) if is_bare => recorded::plan(snapshot, epic),
        (Some(epic), _) => {
            let allowed =
                "its id alone, since the project has this epic, or a title without the id";
            return Err(bad_text("epic", &epic.id, allowed));
        }
        (None, Some(snapshot)) if is_bare => {
            let epic = snapshot.named_epic("epic", id.as_deref().unwrap_or_default())?;
            recorded::plan(snapshot, epic)
        }
        _ => fresh::plan(&text::read(given)?, snapshot.as_ref())?,
    };
    output(&plan, snapshot.as_ref())
}

/// The id at the beginning of the first line.
fn named(given: &str) -> Option<String> {
    let first = given.lines().map(plain).find(|line| !line.is_empty())?;
    let first = first.trim_start_matches('#').trim();
    let id = first.split_once(':').map_or(first, |(id, _)| id);
    is_id(id).then(|| id.to_owned())
}

fn output(plan: &Plan, snapshot: Option<&Snapshot>) -> Result<Output> {
    let gaps = snapshot.map(|snapshot| &snapshot.gaps);
    let mut open: Vec<String> = gaps.into_iter().flat_map(Gaps::questions).collect();
    open.extend(plan.questions(snapshot));
    let mut data = plan.data();
    data["time"] = json!(snapshot.and_then(|snapshot| snapshot.time.as_deref()));
    let mut view = data.clone();
    let is_named = !plan.title.eq_ignore_ascii_case(&plan.id);
    view["heading"] =
        if is_named { format!("{}: {}", plan.id, plan.title) } else { plan.id.clone() }.into();
    view["summary"] = json!(plan.summary(snapshot));
    // A new epic shows no dates of messages or records.
    let stated = snapshot.and_then(|snapshot| match (plan.origin, &snapshot.time) {
        (Origin::Text, Some(time)) => Some(format!("State of {time}.")),
        (Origin::Records, Some(_)) => Some(say::state_of(snapshot)),
        (_, None) => None,
    });
    view["state"] = stated.into();
    view["open_questions"] = json!(open);
    let view = match plan.origin {
        Origin::Text => md::escape_own(&view),
        Origin::Records => say::escaped(&view),
    };
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let path = format!("{}-{}.md", slug(&plan.id, "epic"), slug(&plan.title, "epic"));
    let mut notes = gaps.map(|gaps| gaps.missing.clone()).unwrap_or_default();
    if snapshot.is_none_or(|snapshot| snapshot.time.is_none()) {
        notes = vec!["no project found; the ids begin at 1".to_owned()];
    }
    let artifacts = vec![Artifact::new(path, "markdown", text)];
    Ok(Output { data, artifacts, open, notes })
}
