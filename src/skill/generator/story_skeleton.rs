//! `story-skeleton`: a topic becomes a story; what the topic does not say becomes an open question.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::skill::input::{Context, Input};
use crate::skill::output::{Output, Result};
use crate::skill::story::text::{slug, title};
use crate::skill::story::{Story, fields, limits, read, scenario};
use crate::store::Snapshot;

const NAME: &str = "story-skeleton";
const STATUSES: &[&str] =
    &["draft", "backlog", "ready", "in-progress", "review", "blocked", "done"];

/// Makes a story.
///
/// # Errors
/// When there is no topic, or a dependency does not exist or leads round in a circle.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let topic = input.text("topic").filter(|topic| !topic.trim().is_empty());
    let topic = topic.ok_or_else(|| fields::missing("topic", "what the story is about"))?;
    let mut story = read::story(topic);
    limits::check("topic", &story)?;
    take(input, &mut story)?;
    let mut notes = Vec::new();
    let snapshot = context.snapshot.as_deref();
    settle(&mut story, snapshot, &mut notes)?;
    depend(&story, snapshot, &mut notes)?;
    let open = questions(&story);
    let mut view = scenario::view(&story);
    view["open"] = open.iter().map(|text| crate::skill::story::text::markdown(text)).collect();
    let text = fields::render(NAME, "assets/template.md.tera", &view)?;
    let path =
        format!("{}-{}.md", story.id.as_deref().unwrap_or("story"), slug(&story.title, "story"));
    let artifacts = vec![fields::artifact(path, "markdown", text)];
    Ok(Output { data: fields::value(&story)?, artifacts, open, notes })
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
        return Err(fields::missing("topic", "what the story is about, in words"));
    }
    if let Some(id) = story.id.as_deref().filter(|id| !read::is_id(id)) {
        return Err(fields::bad("id", &json!(id), "an id such as US-0001"));
    }
    let status = story.status.get_or_insert_with(|| "draft".into());
    let spelled = crate::model::record::status(status).into_owned();
    if !STATUSES.contains(&spelled.as_str()) {
        return Err(fields::bad(
            "status",
            &json!(status),
            &format!("one of {}", STATUSES.join(", ")),
        ));
    }
    *status = spelled;
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
    points(input, story)
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

/// Settles the id: the stated one, or the one after the highest.
fn settle(story: &mut Story, snapshot: Option<&Snapshot>, notes: &mut Vec<String>) -> Result<()> {
    let ids = || snapshot.into_iter().flat_map(|snapshot| snapshot.status.stories.ids());
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
    let mut id = String::new();
    let _ = write!(id, "US-{next:04}");
    if snapshot.is_none() {
        notes.push(format!("There is no project here, so the id is {id}."));
    }
    story.id = Some(id);
    Ok(())
}

/// Checks the dependencies: each exists, and none leads back.
fn depend(story: &Story, snapshot: Option<&Snapshot>, notes: &mut Vec<String>) -> Result<()> {
    let id = story.id.as_deref().unwrap_or_default();
    for (at, on) in story.dependencies.iter().enumerate() {
        let path = format!("dependencies[{at}]");
        if !read::is_id(on) {
            return Err(fields::bad(&path, &json!(on), "the id of a story, such as US-0001"));
        }
        if on == id {
            return Err(fields::bad(&path, &json!(on), "another story than this one"));
        }
        let Some(snapshot) = snapshot else { continue };
        if snapshot.status.stories.position(on).is_none() {
            return Err(fields::bad(&path, &json!(on), "a story that the project has"));
        }
        let mut trail = vec![id.to_owned()];
        if let Some(cycle) = round(snapshot, on, &mut trail, &mut Vec::new()) {
            let allowed =
                format!("a story that does not lead round in a circle ({})", cycle.join(" -> "));
            return Err(fields::bad(&path, &json!(on), &allowed));
        }
    }
    if snapshot.is_none() && !story.dependencies.is_empty() {
        notes.push("There is no project here, so the dependencies were not looked up.".into());
    }
    Ok(())
}

/// The circle that a story's dependencies lead round in.
fn round(
    snapshot: &Snapshot,
    from: &str,
    trail: &mut Vec<String>,
    done: &mut Vec<String>,
) -> Option<Vec<String>> {
    if let Some(at) = trail.iter().position(|id| id == from) {
        let mut cycle = trail[at..].to_vec();
        cycle.push(from.to_owned());
        return Some(cycle);
    }
    if done.iter().any(|id| id == from) || trail.len() > 500 {
        return None;
    }
    trail.push(from.to_owned());
    let found = needs(snapshot, from).iter().find_map(|on| round(snapshot, on, trail, done));
    trail.pop();
    done.push(from.to_owned());
    found
}

/// The stories that a story of the project depends on.
fn needs(snapshot: &Snapshot, id: &str) -> Vec<String> {
    let stories = &snapshot.status.stories;
    let Some(position) = stories.position(id) else { return Vec::new() };
    let record: Value = serde_json::from_slice(&stories.one(position)).unwrap_or_default();
    let names = ["depends_on", "dependencies", "dependsOn", "blocked_by"];
    let lists = names.iter().filter_map(|name| record.get(name)?.as_array());
    lists.flatten().filter_map(|on| on.as_str().map(str::to_owned)).collect()
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
