//! A story of the project (`from_story`) as the story skills read one.

use serde_json::Value;

use crate::fields;
use crate::input::Input;
use crate::output::Result;
use crate::project_state::Context;
use crate::project_state::{Story as Record, effort::Effort, not_there, text};
use crate::story::{Story, read};
use crate::text::{line, title};

/// The field that names it.
pub const FIELD: &str = "from_story";
/// Where a record says what is wanted, in a sentence or in several.
const TEXTS: &[&str] = &["user_story", "story", "description", "summary"];

/// The story of the project that the input names.
///
/// # Errors
/// When there is no project, or no such story in it.
pub fn recorded(input: &Input, context: &Context) -> Result<Option<Story>> {
    let Some(record) = record(input, context)? else { return Ok(None) };
    Ok(Some(story(&record)))
}

/// The record of the story that the input names.
///
/// # Errors
/// When there is no project, or no such story in it.
pub fn record(input: &Input, context: &Context) -> Result<Option<Record>> {
    let Some(id) = fields::one(input, FIELD)? else { return Ok(None) };
    if let Some(record) = context.state.one("stories", &id)? {
        return Ok(Some(Record::read(record)));
    }
    let all = context.state.list("stories", "")?.records;
    let known = all.iter().filter_map(|story| story["id"].as_str());
    Err(not_there(FIELD, &id, "a story", known))
}

/// What a record says beside its title, in its own words.
pub fn told(record: &Value) -> Option<String> {
    text(record, TEXTS).map(|text| line(&text)).filter(|text| !text.is_empty())
}

fn story(record: &Record) -> Story {
    let written = |name: &str| text(&record.record, &[name]).map(|text| line(&text));
    let mut story = text(&record.record, TEXTS).map(|text| read::story(&text)).unwrap_or_default();
    story.id = Some(record.id.clone());
    story.title = title(&record.title);
    story.role = written("role").or(story.role);
    story.want = written("want").or(story.want);
    story.benefit = written("benefit").or(story.benefit);
    for criterion in record.criteria.iter().map(|text| line(text)) {
        if !criterion.is_empty() && !story.criteria.contains(&criterion) {
            story.criteria.push(criterion);
        }
    }
    story.points = record.effort.and_then(whole_points);
    story.status = Some(record.status.clone());
    story.dependencies.clone_from(&record.needs);
    story
}

fn whole_points(effort: Effort) -> Option<u32> {
    match effort {
        Effort::Points(hundredths) if hundredths.is_multiple_of(100) => Some(hundredths / 100),
        Effort::Points(_) | Effort::Time(..) => None,
    }
}
