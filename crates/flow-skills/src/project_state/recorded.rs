//! Converts a story of the project (`from_story`) to the story model of the skills.

use std::collections::HashSet;

use serde_json::Value;

use crate::output::{Result, bad_text};
use crate::project_state::Context;
use crate::project_state::names::{Name, Named};
use crate::project_state::{Snapshot, Story as Record, id_prefix, say, text};
use crate::story::effort::Effort;
use crate::story::{Story, add, read};
use crate::text::line;

pub(crate) const FIELD: &str = "from_story";
/// Members of a record that may describe what is wanted, in one or several sentences.
const TEXTS: &[&str] = &["user_story", "story", "description", "summary"];

const LISTED: usize = 10;

pub(crate) fn story_of(id: &str, context: &Context) -> Result<Story> {
    Ok(story(Snapshot::read(&context.state)?.named_story(FIELD, id)?))
}

/// The story that a text names by its id alone, as [`record_named_alone`] finds it.
pub(crate) fn named_alone(text: &str, context: &Context) -> Result<Option<Story>> {
    Ok(record_named_alone(text, context)?.as_ref().map(story))
}

/// The record that a text names by its id alone, if it is in the form of the project's ids: `US-0011`, `us-11`.
///
/// # Errors
/// When there are several ids, or the project does not have it.
pub(crate) fn record_named_alone(text: &str, context: &Context) -> Result<Option<Record>> {
    let ids: Vec<&str> = text.split([',', ' ', '\n']).filter(|word| !word.is_empty()).collect();
    let are_ids = !ids.is_empty() && ids.iter().all(|id| id_prefix(id).is_some());
    if !are_ids || !context.state.is_there() {
        return Ok(None);
    }
    let snapshot = Snapshot::read(&context.state)?;
    if let [id] = ids.as_slice()
        && let Some(Name { id: epic, .. }) = snapshot.find(&[Named::Epic], id)
    {
        let stories = snapshot.stories.iter().filter(|story| story.epic.as_ref() == Some(&epic));
        let stories = say::joined(stories.map(|story| &story.id), LISTED, ", ");
        let allowed = format!("the id of one story, and this is an epic; its stories: {stories}");
        return Err(bad_text(FIELD, text, &allowed));
    }
    let prefix = |id| id_prefix(id).map(str::to_lowercase);
    let known: HashSet<_> = snapshot.stories.iter().map(|story| prefix(&story.id)).collect();
    if !ids.iter().all(|id| known.contains(&prefix(id))) {
        return Ok(None);
    }
    match ids.as_slice() {
        [id] => Ok(Some(snapshot.named_story(FIELD, id)?.clone())),
        _ => Err(bad_text(FIELD, text, "the id of one story")),
    }
}

/// The description in a record, besides its title.
pub(crate) fn description(record: &Value) -> Option<String> {
    text(record, TEXTS).map(|text| line(&text)).filter(|text| !text.is_empty())
}

fn story(record: &Record) -> Story {
    let written = |name: &str| text(&record.record, &[name]).map(|text| line(&text));
    let mut story = Story::default();
    story.set_title(&record.title);
    story.id = Some(record.id.clone());
    story.role = written("role");
    story.want = written("want");
    story.benefit = written("benefit");
    story.points = record.effort.and_then(Effort::whole_points);
    story.estimate =
        record.effort.filter(|_| story.points.is_none()).map(|effort| effort.to_string());
    story.status = Some(record.status.clone());
    (story.epic, story.owner) = (record.epic.clone(), record.owner.clone());
    story.priority.clone_from(&record.priority);
    story.dependencies.clone_from(&record.needs);
    let criteria = record.criteria.iter().map(|text| line(text)).filter(|text| !text.is_empty());
    add(&mut story.criteria, criteria);
    if let Some(text) = text(&record.record, TEXTS) {
        let mut read = story.clone();
        // A text whose labels cannot be read becomes a note.
        match read::text(&mut read, &text, "description") {
            Ok(()) => story = read,
            Err(_) => story.technical_notes.push(line(&text)),
        }
    }
    story
}
