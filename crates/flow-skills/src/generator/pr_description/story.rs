//! The story of a pull request: from the project, the previous skill's output, or the commits.

use indexmap::IndexSet;
use serde::Deserialize;

use super::commits::Commit;
use super::input::{Criterion, Input};
use crate::input::kind::Upstream;
use crate::input::values::Line;
use crate::output::Result;
use crate::project_state::recorded;
use crate::project_state::{Context, Story as Record, text};
use crate::story as user;
use crate::story::scenario::Criteria;
use crate::story::test_case::Cases;
use crate::text::is_id;

/// The content of a story that the description uses.
#[derive(Debug, Default)]
pub(super) struct Story {
    pub(super) id: Option<String>,
    pub(super) title: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) criteria: Vec<Criterion>,
}

/// Finds the story. If commits name several, none is used.
pub(super) fn story(
    input: &Input,
    upstream: Option<&Upstream>,
    ids: &[String],
    context: &Context,
    open: &mut Vec<String>,
) -> Result<Story> {
    if let Some(id) = &input.from_story {
        return Ok(of_record(recorded::record_of(id, context)?));
    }
    if let Some(story) = upstream.map(of_skill).transpose()?.flatten() {
        return Ok(story);
    }
    if !context.state.is_there() {
        return Ok(Story::default());
    }
    let mut known: Vec<Record> = Vec::new();
    for id in ids {
        known.extend(context.state.one("stories", id)?.map(Record::read));
    }
    if known.len() > 1 {
        let ids: Vec<&str> = known.iter().map(|story| story.id.as_str()).collect();
        open.push(format!("story: the commits name {} (add from_story=ID)", ids.join(", ")));
        return Ok(Story::default());
    }
    Ok(known.pop().map(of_record).unwrap_or_default())
}

/// The ids in commits and in the branch's name (`us-0012-passkey`), each once.
pub(super) fn ids(commits: &[Commit], branch: Option<&str>) -> Vec<String> {
    /// Largest number of ids that are looked up.
    const MOST: usize = 50;
    let texts = commits.iter().flat_map(|commit| [&*commit.subject, &*commit.body]);
    let is_part = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let words = texts.flat_map(|text| text.split(is_part)).map(str::to_owned);
    let of_branch = branch.into_iter().flat_map(|name| name.split(is_part)).filter_map(|part| {
        let mut parts = part.split('-');
        Some(format!("{}-{}", parts.next()?, parts.next()?).to_uppercase())
    });
    let ids: IndexSet<String> = words.chain(of_branch).filter(|word| is_id(word)).collect();
    ids.into_iter().take(MOST).collect()
}

/// A criterion in a record: a text, or an object that may contain its evidence.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stated {
    Text(String),
    Object {
        #[serde(alias = "title", alias = "name")]
        text: String,
        evidence: Option<String>,
    },
}

impl Stated {
    fn criterion(self) -> Option<Criterion> {
        let (text, evidence) = match self {
            Self::Text(text) => (text, None),
            Self::Object { text, evidence } => (text, evidence),
        };
        let evidence = evidence.and_then(|evidence| Line::new(&evidence).ok());
        Some(Criterion { text: Line::new(&text).ok()?, evidence })
    }
}

fn of_record(record: Record) -> Story {
    // The record's own list may contain the evidence of each.
    let written = record.record.get("acceptance_criteria").cloned().unwrap_or_default();
    let stated: Vec<Stated> = serde_json::from_value(written)
        .unwrap_or_else(|_| record.criteria.iter().cloned().map(Stated::Text).collect());
    Story {
        summary: text(&record.record, &["description", "summary", "goal"]),
        criteria: stated.into_iter().filter_map(Stated::criterion).collect(),
        id: Some(record.id),
        title: Some(record.title),
    }
}

/// The story in the output of a story skill: the story itself, or with its scenarios or cases.
fn of_skill(before: &Upstream) -> Result<Option<Story>> {
    let texts = |texts: Vec<String>| -> Vec<Criterion> {
        texts.into_iter().map(Stated::Text).filter_map(Stated::criterion).collect()
    };
    let (id, title, criteria) = if let Some(story) = before.read::<user::Story>()? {
        (story.id, story.title, story.criteria)
    } else if let Some(Criteria { story, scenarios, .. }) = before.read()? {
        (story.id, story.title, scenarios.into_iter().map(|scenario| scenario.name).collect())
    } else if let Some(Cases { story, criteria, .. }) = before.read()? {
        (story.id, story.title, criteria.into_iter().map(|traced| traced.name).collect())
    } else {
        return Ok(None);
    };
    let title = Some(title).filter(|title| !title.trim().is_empty());
    Ok(Some(Story { id, title, summary: None, criteria: texts(criteria) }))
}
