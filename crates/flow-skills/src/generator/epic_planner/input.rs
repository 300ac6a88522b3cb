//! The epic that is planned: one of the project's, or a new one from a text or from fields.

use indexmap::{IndexMap, IndexSet};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::values;
use crate::input::values::{Block, TextOr, TextOrNumber};
use crate::notation::Misfit;
use crate::output::{Result, bad_text};
use crate::project_state::graph::Graph;
use crate::project_state::names::Named;
use crate::project_state::say::{self, LISTED};
use crate::project_state::{Context, Epic, Snapshot, Story, next_number};
use crate::story::effort::Effort;
use crate::story::facts::{self, Facts};
use crate::text::{
    after, front_matter, heading, is_id, is_number, is_ticked, item, line, plain, whole_title,
};

/// An epic.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The id of an epic of the project; or a title line and a list of stories such as "- Pay by card (5) after 1"; or,
    /// beside `stories`, a title.
    #[schemars(extend("x-whole" = true, "x-labels" = ["Title"]))]
    pub(super) epic: Block,
    /// The stories of a new epic: objects, or lines such as "Pay by card (5) after 1".
    #[serde(default)]
    stories: Vec<TextOr<StoryFields>>,
    /// What a new epic is for, beside `stories`.
    goal: Option<Block>,
}

/// What is planned.
pub(super) enum Asked {
    /// An epic of the project, by its id.
    Recorded(String),
    New(Epic, Vec<Story>),
}

pub(super) fn asked(input: &Input, project: &Snapshot) -> Result<Asked> {
    let text = input.epic.trim();
    let stated = stated_id(text);
    // An epic may have an id of any form.
    let known = project.find(&[Named::Epic], text).map(|name| name.id);
    let is_id = known.is_some() || stated.as_deref() == Some(text);
    if is_id && input.stories.is_empty() {
        return Ok(Asked::Recorded(project.named_epic("epic", text)?.id.clone()));
    }
    if let Some(id) = stated.or(known) {
        let allowed = "the id of an epic of the project alone, or a title without an id: a new epic gets the next free one";
        return Err(bad_text("epic", &id, allowed));
    }
    let (epic, stories) = new_epic(input)?;
    Ok(Asked::New(epic, stories))
}

/// The id at the beginning of the first line.
pub(super) fn stated_id(text: &str) -> Option<String> {
    let first = text.lines().map(plain).find(|line| !line.is_empty())?;
    let first = first.trim_start_matches('#').trim();
    let id = first.split_once(':').map_or(first, |(id, _)| id);
    is_id(id).then(|| id.to_owned())
}

/// Lines that only announce the list.
const CAPTIONS: [&str; 3] = ["Stories:", "User stories:", "Tasks:"];
const EXAMPLE: &str = "- Pay by card (5) after 1";

/// Reads an epic and its stories: those of the fields, or of a list. Ids that are not written are empty; what a story
/// needs is a number of the list or an id.
fn new_epic(input: &Input) -> Result<(Epic, Vec<Story>)> {
    let text = &*input.epic;
    let (mut epic, stories) =
        if input.stories.is_empty() { from_list(text)? } else { from_fields(input)? };
    "draft".clone_into(&mut epic.status);
    let bad = |allowed: &str| Err(bad_text("epic", text, allowed));
    if epic.title.is_empty() {
        return bad("an id of the project's, or a title line and a list of stories");
    }
    match stories.len() {
        0 => bad(&format!(
            "an id of the project's, or a title line and its stories, each a line such as {EXAMPLE}"
        )),
        count if count > LISTED => {
            bad(&format!("an epic of at most {LISTED} stories, and this has {count}"))
        }
        _ => Ok((epic, stories)),
    }
}

/// Reads a title line, lines with the goal, and a list; items nested below a story are its criteria.
fn from_list(text: &str) -> Result<(Epic, Vec<Story>)> {
    if front_matter(text).is_some() {
        let why = "is front matter, of which no member is read: leave it out";
        return Err(Misfit::new(1, "---", why, EXAMPLE).fault("epic"));
    }
    let mut epic = Epic::default();
    let mut stories: Vec<Story> = Vec::new();
    let mut goal: Vec<String> = Vec::new();
    let filled = text.lines().enumerate().filter(|(_, raw)| !raw.trim().is_empty());
    for (at, raw) in filled {
        let text = item(raw).map(plain);
        let is_below = raw.starts_with([' ', '\t']);
        match (text, stories.last_mut()) {
            (Some(text), Some(story)) if is_below => story.criteria.push(text),
            (Some(text), _) => {
                let mut story = story(&text, at + 1)?;
                if is_ticked(raw) {
                    "done".clone_into(&mut story.status);
                }
                stories.push(story);
            }
            (None, _) if epic.title.is_empty() => {
                epic.title = whole_title(&plain(heading(raw.trim()).map_or(raw, |(_, text)| text)));
            }
            // The heading of the goal, or of the list.
            (None, None) if heading(raw.trim()).is_some() || CAPTIONS.contains(&raw.trim()) => {}
            (None, None) => goal.push(plain(raw)),
            (None, Some(_)) => {
                let why = "follows the list; the purpose of the epic comes before it";
                return Err(Misfit::new(at + 1, raw.trim(), why, EXAMPLE).fault("epic"));
            }
        }
    }
    let goal = line(&goal.join(" "));
    let goal = after(&goal, &["Goal: "]).unwrap_or(&goal);
    epic.goal = Some(goal.to_owned()).filter(|goal| !goal.is_empty());
    Ok((epic, stories))
}

/// Reads `Pay by card (5) after 1, US-0006`.
fn story(text: &str, number: usize) -> Result<Story> {
    let (title, Facts { size, after }) = facts::read(text);
    let words: Vec<String> = title.split([' ', ',']).map(str::to_lowercase).collect();
    let is_link = |(at, word): (usize, &String)| {
        let behind = |by: usize| words.get(at + by).map(String::as_str).unwrap_or_default();
        // `after 24 months` is a time.
        let is_number =
            is_number(behind(1)) && (matches!(behind(2), "" | "and") || !is_word(behind(2)));
        let is_reference = is_id(&behind(1).to_uppercase()) || is_number;
        matches!(word.as_str(), "after" | "needs" | "on" | "by") && is_reference
    };
    let bracketed = title.split('(').skip(1).filter_map(|part| part.split_once(')'));
    // Beside a size, brackets at the end are words of the title.
    let is_size = |(inside, behind): (&str, &str)| {
        behind.is_empty() && size.is_none() || Effort::parse(inside).is_some()
    };
    let why = if title.is_empty() {
        "has no title"
    } else if title.split_once(": ").is_some_and(|(id, _)| is_id(id)) {
        "begins with an id: the plan gives each story the next free one"
    } else if words.iter().enumerate().any(is_link) || bracketed.into_iter().any(is_size) {
        "is understood in part only: the size, and what it comes after, stand at its end"
    } else {
        return Ok(Story { effort: size, needs: after, ..draft(&title) });
    };
    Err(Misfit::new(number, text, why, EXAMPLE).fault("epic"))
}

fn is_word(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
}

fn draft(name: &str) -> Story {
    Story { title: whole_title(name), status: "draft".to_owned(), ..Story::default() }
}

/// A story of a new epic.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StoryFields {
    /// A name by which `after` refers to it; the plan gives it the next free id.
    id: Option<values::Line>,
    /// What is to be done.
    title: values::Line,
    /// Its size: 3, 3 points, 4h or 2d.
    #[schemars(extend("x-labels" = ["points", "estimate"]))]
    size: Option<TextOrNumber>,
    /// The stories that it comes after: their numbers in the list, from 1, their ids, or their titles.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["depends_on", "dependencies", "dependsOn"]))]
    after: Vec<TextOrNumber>,
    /// Who works on it.
    #[schemars(extend("x-labels" = ["assignee"]))]
    owner: Option<values::Line>,
    /// Its acceptance criteria.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["acceptance_criteria", "acceptanceCriteria"]))]
    criteria: Vec<values::Line>,
}

impl Input {
    /// The ids that the stories of the fields have.
    pub(super) fn stated_ids(&self) -> impl Iterator<Item = &str> {
        self.stories.iter().filter_map(|given| match given {
            TextOr::Value(fields) => fields.id.as_deref(),
            TextOr::Text(_) => None,
        })
    }
}

/// Reads an epic from fields: its title, and its stories as objects.
fn from_fields(input: &Input) -> Result<(Epic, Vec<Story>)> {
    if input.epic.lines().count() > 1 {
        return Err(bad_text("epic", &input.epic, "a title, since the stories are a field"));
    }
    let goal = input.goal.as_deref().map(line);
    let epic = Epic { title: whole_title(&input.epic), goal, ..Epic::default() };
    let mut stories = Vec::new();
    // What a story is referred to by, besides its number: its id, and its title.
    let mut numbers: IndexMap<String, usize> = IndexMap::new();
    for (at, given) in input.stories.iter().enumerate() {
        let story = match given {
            TextOr::Text(text) => story(text, at + 1)?,
            TextOr::Value(fields) => fields.story(at)?,
        };
        if let TextOr::Value(StoryFields { id: Some(id), .. }) = given
            && numbers.insert(id.to_string(), at + 1).is_some()
        {
            let allowed = "an id that no other story of the list has";
            return Err(bad_text(&format!("stories[{at}].id"), id, allowed));
        }
        // A title of digits would take the place of a number.
        if !is_number(&story.title) {
            numbers.entry(story.title.clone()).or_insert(at + 1);
        }
        stories.push(story);
    }
    for need in stories.iter_mut().flat_map(|story: &mut Story| &mut story.needs) {
        if let Some(number) = numbers.get(need) {
            *need = number.to_string();
        }
    }
    Ok((epic, stories))
}

impl StoryFields {
    /// It as a story; `at` is its place in the list.
    fn story(&self, at: usize) -> Result<Story> {
        let size = self.size.as_ref().map(|size| {
            let field = format!("stories[{at}].size");
            let allowed = "3, 3 points, 4h or 2d";
            Effort::parse(&size.0).ok_or_else(|| bad_text(&field, &size.0, allowed))
        });
        Ok(Story {
            effort: size.transpose()?,
            needs: self.after.iter().map(|after| after.0.clone()).collect(),
            owner: self.owner.as_ref().map(ToString::to_string),
            criteria: self.criteria.iter().map(ToString::to_string).collect(),
            ..draft(&self.title)
        })
    }
}

/// Adds a new epic and its stories to the project's with the next free ids, and with ids in place of the numbers that
/// they depend on. Returns the id of the epic.
pub(super) fn add(
    mut epic: Epic,
    mut stories: Vec<Story>,
    snapshot: &mut Snapshot,
    context: &Context,
) -> Result<String> {
    let elsewhere = ["epics", "stories"].map(|kind| context.state.ids_elsewhere(kind));
    let [other_epics, others] = elsewhere.each_ref().map(|ids| ids.iter().map(String::as_str));
    let epics = snapshot.epics.iter().map(|epic| epic.id.as_str());
    epic.id = format!("EP-{:04}", next_number("EP-", epics.chain(other_epics))?);
    let known = snapshot.stories.iter().map(|story| story.id.as_str());
    let first = next_number("US-", known.chain(others))?;
    let ids = (first..).take(stories.len()).map(|number| format!("US-{number:04}"));
    let ids: Vec<String> = ids.collect();
    for (story, id) in stories.iter_mut().zip(&ids) {
        let mut needs: IndexSet<String> = IndexSet::new();
        for word in &story.needs {
            let need = match word.parse::<usize>() {
                Ok(number) => number.checked_sub(1).and_then(|at| ids.get(at)).cloned(),
                Err(_) => snapshot.find(&[Named::Story], word).map(|name| name.id),
            };
            let count = ids.len();
            let allowed =
                format!("a number of the list from 1 to {count}, or a story of the project");
            needs.insert(need.ok_or_else(|| bad_text("after", word, &allowed))?);
        }
        story.id.clone_from(id);
        story.needs = needs.into_iter().collect();
        story.epic = Some(epic.id.clone());
    }
    let all = stories.iter().chain(&snapshot.stories);
    let graph = Graph::new(all.map(|story| (story.id.as_str(), story.needs.as_slice())));
    let is_new = |id: &&str| ids.iter().any(|new| new == id);
    if let Some(cycle) = graph.cycles().iter().find(|cycle| cycle.iter().any(is_new)) {
        let wanted = "stories that do not need each other in a cycle";
        return Err(bad_text("epic", &say::arrows(cycle), wanted));
    }
    snapshot.stories.append(&mut stories);
    let id = epic.id.clone();
    snapshot.epics.push(epic);
    Ok(id)
}
