//! `story-skeleton`: a topic becomes a story; what the topic does not say becomes an open question.

use serde_json::{Value, json};

use crate::fields;
use crate::input::Input;
use crate::output::{self, Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::Story as Record;
use crate::project_state::graph::Graph;
use crate::project_state::recorded;
use crate::runtime::engine;
use crate::story::{Story, data, limits, read, scenario};
use crate::text::{slug, title};

const NAME: &str = "story-skeleton";
const STATUSES: &[&str] =
    &["draft", "backlog", "ready", "in-progress", "review", "blocked", "done"];

/// Makes a story.
///
/// # Errors
/// When there is no topic, or a dependency does not exist or leads round in a circle.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let recorded = recorded::recorded(input, context)?;
    let is_recorded = recorded.is_some();
    let mut story = match recorded {
        Some(story) => story,
        None => read::story(topic(input)?),
    };
    limits::check("topic", &story)?;
    take(input, &mut story)?;
    let mut notes = Vec::new();
    if !is_recorded {
        let others = others(context, &mut notes)?;
        settle(&mut story, others.as_deref(), &mut notes)?;
        depend(&story, others.as_deref().unwrap_or_default())?;
    }
    let open = questions(&story);
    let mut view = scenario::view(&story);
    view["open"] = open.iter().map(|text| crate::text::markdown(text)).collect();
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let path =
        format!("{}-{}.md", story.id.as_deref().unwrap_or("story"), slug(&story.title, "story"));
    let artifacts = vec![Artifact::new(path, "markdown", text)];
    Ok(Output { data: output::value(&story)?, artifacts, open, notes })
}

/// Takes the fields that say more than the topic; they win.
fn take(input: &Input, story: &mut Story) -> Result<()> {
    let over = |field: &str, old: &mut Option<String>| -> Result<()> {
        *old = fields::one(input, field)?.or(old.take());
        Ok(())
    };
    over("id", &mut story.id)?;
    over("role", &mut story.role)?;
    over("want", &mut story.want)?;
    over("benefit", &mut story.benefit)?;
    over("status", &mut story.status)?;
    if let Some(given) = limits::heading(input, "title")? {
        story.title = title(&given);
    }
    if story.title.is_empty() {
        return Err(fields::missing_text("topic", "what the story is about, in words"));
    }
    if let Some(id) = story.id.as_deref().filter(|id| !read::is_id(id)) {
        return Err(fields::bad_text("id", id, "an id such as US-0001"));
    }
    status(input, story)?;
    for (field, list) in [
        ("rules", &mut story.rules),
        ("criteria", &mut story.criteria),
        ("dependencies", &mut story.dependencies),
        ("technical_notes", &mut story.technical_notes),
    ] {
        let more = fields::many(field, input.fields.get(field))?;
        for text in more {
            if !list.contains(&text) {
                list.push(text);
            }
        }
    }
    for text in fields::many("data", input.fields.get("data"))? {
        data::add(&mut story.data, &text);
    }
    // What cannot be read is named here, not three skills later.
    data::model(&story.data, &story.title)?;
    points(input, story)
}

/// Settles the status. One that the project gave stays, whatever it is.
fn status(input: &Input, story: &mut Story) -> Result<()> {
    let is_recorded = input.fields.contains_key(recorded::FIELD);
    if is_recorded && input.fields.get("status").is_none_or(Value::is_null) {
        return Ok(());
    }
    let status = story.status.get_or_insert_with(|| "draft".into());
    let spelled = flow_model::record::status(status).into_owned();
    if !STATUSES.contains(&spelled.as_str()) {
        let allowed = format!("one of {}", STATUSES.join(", "));
        return Err(fields::bad_text("status", status, &allowed));
    }
    *status = spelled;
    Ok(())
}

/// Takes the story points.
fn points(input: &Input, story: &mut Story) -> Result<()> {
    let Some(given) = input.fields.get("points").filter(|given| !given.is_null()) else {
        return Ok(());
    };
    let number = given.as_u64().and_then(|number| u32::try_from(number).ok());
    let fits = number.filter(|number| *number <= 100);
    let fault = || fields::bad("points", given, "a whole number from 0 to 100");
    story.points = Some(fits.ok_or_else(fault)?);
    Ok(())
}

fn topic(input: &Input) -> Result<&str> {
    let topic = input.text("topic").filter(|topic| !topic.trim().is_empty());
    topic.ok_or_else(|| fields::missing_text("topic", "what the story is about"))
}

/// The stories of the project; none where there is no project.
fn others(context: &Context, notes: &mut Vec<String>) -> Result<Option<Vec<Record>>> {
    if !context.state.is_there() {
        notes.push("There is no project here, so no other stories were looked at.".into());
        return Ok(None);
    }
    let records = context.state.list("stories", "")?.records;
    Ok(Some(records.into_iter().map(Record::read).collect()))
}

/// Settles the id: the stated one, or the one after the highest.
fn settle(story: &mut Story, others: Option<&[Record]>, notes: &mut Vec<String>) -> Result<()> {
    let ids = || others.into_iter().flatten().map(|other| other.id.as_str());
    if let Some(id) = &story.id {
        if ids().any(|known| known == id) {
            notes.push(format!("The project has a story {id} already."));
        }
        return Ok(());
    }
    let highest =
        ids().filter_map(|id| id.strip_prefix("US-")?.parse::<u32>().ok()).max().unwrap_or(0);
    let next = highest
        .checked_add(1)
        .ok_or_else(|| fields::bad("id", &Value::Null, "given: no number is left"))?;
    story.id = Some(format!("US-{next:04}"));
    Ok(())
}

/// Checks the dependencies: each exists, where there is a project, and none leads round in a circle.
fn depend(story: &Story, others: &[Record]) -> Result<()> {
    let id = story.id.as_deref().unwrap_or_default();
    let is_known = |on: &str| others.iter().any(|other| other.id == on);
    for (at, on) in story.dependencies.iter().enumerate() {
        let bad = |allowed: &str| fields::bad_text(&format!("dependencies[{at}]"), on, allowed);
        if !read::is_id(on) {
            return Err(bad("the id of a story, such as US-0001"));
        }
        if on == id {
            return Err(bad("another story than this one"));
        }
        if !others.is_empty() && !is_known(on) {
            return Err(bad("a story that the project has"));
        }
    }
    circle(id, &story.dependencies, others)
}

/// Refuses dependencies from which a circle can be reached.
fn circle(id: &str, dependencies: &[String], others: &[Record]) -> Result<()> {
    let rest = others.iter().filter(|other| other.id != id);
    let rest = rest.map(|other| (other.id.as_str(), other.needs.as_slice()));
    let whole = Graph::new(std::iter::once((id, dependencies)).chain(rest));
    let below = whole.below(0).into_iter().map(|at| (whole.id(at), whole.wanted(at)));
    let graph = Graph::new(below);
    let Some(cycle) = graph.cycles().into_iter().next() else { return Ok(()) };
    let names: Vec<&str> = cycle.iter().chain(cycle.first()).map(|at| graph.id(*at)).collect();
    let allowed = format!("stories that do not lead round in a circle ({})", names.join(" -> "));
    Err(fields::bad("dependencies", &json!(dependencies), &allowed))
}

/// What a story should say and this one does not.
fn questions(story: &Story) -> Vec<String> {
    let all = [
        (story.role.is_none(), "Who wants this? The topic names no role."),
        (story.want.is_none(), "What do they want to do? The topic names no action."),
        (story.benefit.is_none(), "What for? The topic names no benefit."),
        (
            story.criteria.is_empty(),
            "What must be true for this to be accepted? No criterion is stated.",
        ),
        (story.points.is_none(), "How large is it? No story points are stated."),
    ];
    all.into_iter()
        .filter(|(is_open, _)| *is_open)
        .map(|(_, question)| question.to_owned())
        .collect()
}
