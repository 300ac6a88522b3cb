//! The epic that is planned: one of the project's, or a new one from a text or from fields.

use std::collections::HashMap;

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::values::{Block, Either, Line, TextOr, TextOrNumber};
use crate::notation::Misfit;
use crate::output::{Fault, Result, bad_text};
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
    #[schemars(extend("x-whole" = true, "x-labels" = ["Title", "Name"]))]
    epic: Either<Block, EpicFields>,
    /// The id of a new epic, beside its stories. Default: the next free one.
    id: Option<Line>,
    /// The stories of a new epic: objects, or lines such as "Pay by card (5) after 1".
    #[serde(default)]
    stories: Vec<TextOr<StoryFields>>,
    /// What a new epic is for, beside its stories.
    goal: Option<Block>,
}

/// An epic as an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EpicFields {
    id: Option<Line>,
    #[schemars(extend("x-labels" = ["name"]))]
    title: Option<Line>,
    #[schemars(extend("x-labels" = ["description"]))]
    goal: Option<Block>,
}

/// What is planned.
pub(super) enum Asked {
    /// An epic of the project, by its id.
    Recorded(String),
    New(Epic, Vec<Story>),
}

impl Input {
    /// Its text or its title, its id, and its goal.
    pub(super) fn parts(&self) -> (&str, Option<&str>, Option<&str>) {
        let (id, goal) = (self.id.as_deref(), self.goal.as_deref());
        match &self.epic {
            Either::Text(text) => (text.trim(), id, goal),
            Either::Value(fields) => {
                let id = fields.id.as_deref().or(id);
                let title = fields.title.as_deref().or(id);
                (title.unwrap_or_default(), id, fields.goal.as_deref().or(goal))
            }
        }
    }
}

pub(super) fn asked(input: &Input, project: &Snapshot) -> Result<Asked> {
    let (text, given, _) = input.parts();
    let stated = given.map(str::to_owned).or_else(|| stated_id(text));
    let id = stated.as_deref().unwrap_or(text);
    // An epic may have an id of any form.
    let known = project.find(&[Named::Epic], id).map(|name| name.id);
    let is_bare = match given {
        Some(_) => !text.lines().any(|line| item(line).is_some()),
        None => id == text && (stated.is_some() || known.is_some()),
    };
    if input.stories.is_empty() && is_bare {
        return Ok(Asked::Recorded(project.named_epic("epic", id)?.id.clone()));
    }
    if let Some(id) = known {
        let allowed =
            "the id of an epic of the project alone, or a new epic with another id or none";
        return Err(bad_text("epic", &id, allowed));
    }
    let (epic, stories) = new_epic(input)?;
    Ok(Asked::New(Epic { id: stated.unwrap_or_default(), ..epic }, stories))
}

/// The id at the beginning of the first line.
pub(super) fn stated_id(text: &str) -> Option<String> {
    let first = text.lines().map(plain).find(|line| !line.is_empty())?;
    let (id, _) = id_and_title(first.trim_start_matches('#').trim());
    (!id.is_empty()).then(|| id.to_owned())
}

/// The id and the title of a line such as `EP-0001: Payments` or `Epic: Payments`.
fn id_and_title(line: &str) -> (&str, &str) {
    let bare = after(line, &["Epic: ", "Epic "]).unwrap_or(line);
    match bare.split_once(':').unwrap_or((bare, "")) {
        (id, title) if is_id(id) => (id, title.trim_start()),
        _ => ("", after(line, &["Epic: "]).unwrap_or(line)),
    }
}

/// Lines that only announce the list.
const CAPTIONS: [&str; 3] = ["Stories:", "User stories:", "Tasks:"];
const EXAMPLE: &str = "- Pay by card (5) after 1";

/// Reads an epic and its stories: those of the fields, or of a list. Ids that are not stated are empty; what a story
/// needs is a number of the list, an id or a title.
fn new_epic(input: &Input) -> Result<(Epic, Vec<Story>)> {
    let (text, _, goal) = input.parts();
    let (mut epic, stories) =
        if input.stories.is_empty() { from_list(text)? } else { from_fields(input)? };
    "draft".clone_into(&mut epic.status);
    let goals = epic.goal.into_iter().chain(goal.map(line)).collect::<Vec<_>>();
    epic.goal = Some(goals.join(" ")).filter(|goal| !goal.is_empty());
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
    let is_below = |raw: &str| raw.starts_with([' ', '\t']);
    let items = filled.clone().filter(|(_, raw)| !is_below(raw)).filter_map(|(_, raw)| item(raw));
    let have_ids = have_ids(&items.map(plain).collect::<Vec<_>>());
    for (at, raw) in filled {
        let text = item(raw).map(plain);
        match (text, stories.last_mut()) {
            (Some(text), Some(story)) if is_below(raw) => story.criteria.push(text),
            (Some(text), _) => {
                let mut story = story(&text, at + 1, have_ids)?;
                if is_ticked(raw) {
                    "done".clone_into(&mut story.status);
                }
                stories.push(story);
            }
            (None, _) if epic.title.is_empty() => {
                let title = plain(heading(raw.trim()).map_or(raw, |(_, text)| text));
                epic.title = whole_title(id_and_title(&title).1);
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
    read_titles(&mut stories);
    Ok((epic, stories))
}

/// Reads what a story comes after by the titles of others: `Refund, after Ask, Approve`.
fn read_titles(stories: &mut [Story]) {
    let numbers: HashMap<String, usize> = (1..)
        .zip(stories.iter())
        .map(|(number, story)| (story.title.to_lowercase(), number))
        .collect();
    for story in stories {
        let Some((title, others)) = story.title.rsplit_once(" after ") else { continue };
        let others = others.split(", ").flat_map(|part| part.split(" and "));
        let needs: Option<Vec<String>> = others
            .map(|other| numbers.get(&other.trim().to_lowercase()).map(ToString::to_string))
            .collect();
        if let Some(needs) = needs {
            story.needs.extend(needs);
            story.title = whole_title(title);
        }
    }
}

/// The id at the beginning of a line, and the text behind it; whether a mark sets it apart.
fn split_id(text: &str) -> Option<(&str, &str, bool)> {
    let (word, rest) = text.split_once(' ')?;
    let id = word.trim_end_matches(':').trim_start_matches('[').trim_end_matches(']');
    let title = rest.trim_start_matches(['-', '–', '—', ':', ' ']);
    is_id(id).then(|| (id, title, id != word || title != rest))
}

/// Whether the first words of all lines are ids: in one of several lines, `UTF-8` is a word of its title.
fn have_ids(lines: &[String]) -> bool {
    lines.len() > 1 && lines.iter().all(|line| split_id(line).is_some())
}

/// Reads `Pay by card (5) after 1, US-0006`, which may begin with an id.
fn story(text: &str, number: usize, have_ids: bool) -> Result<Story> {
    let stated = split_id(text).filter(|(_, _, is_marked)| have_ids || *is_marked);
    let (id, whole) = stated.map_or(("", text), |(id, rest, _)| (id, rest));
    let (title, Facts { size, after }) = facts::read(whole);
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
    } else if words.iter().enumerate().any(is_link) || bracketed.into_iter().any(is_size) {
        "is understood in part only: the size, and what it comes after, stand at its end"
    } else {
        let id = id.to_owned();
        return Ok(Story { id, effort: size, needs: after, ..draft(&title) });
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
    /// Its id. Default: the next free one.
    id: Option<TextOrNumber>,
    /// What is to be done.
    title: Line,
    /// Its size: 3, 3 points, 4h or 2d.
    #[schemars(extend("x-labels" = ["points", "estimate"]))]
    size: Option<TextOrNumber>,
    /// The stories that it comes after: their numbers in the list, from 1, their ids, or their titles.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["depends_on", "dependencies", "dependsOn", "blocked_by", "needs"]))]
    after: Vec<TextOrNumber>,
    /// Who works on it.
    #[schemars(extend("x-labels" = ["assignee"]))]
    owner: Option<Line>,
    /// Its acceptance criteria.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["acceptance_criteria", "acceptanceCriteria"]))]
    criteria: Vec<Line>,
}

/// Reads an epic from fields: its title, and its stories as objects.
fn from_fields(input: &Input) -> Result<(Epic, Vec<Story>)> {
    let (title, ..) = input.parts();
    if title.lines().count() > 1 {
        return Err(bad_text("epic", title, "a title, since the stories are a field"));
    }
    let title = whole_title(id_and_title(title).1);
    let epic = Epic { title, ..Epic::default() };
    let lines = input.stories.iter().filter_map(|given| match given {
        TextOr::Text(text) => Some(text.to_string()),
        TextOr::Value(_) => None,
    });
    let have_ids = have_ids(&lines.collect::<Vec<_>>());
    let stories = input.stories.iter().enumerate().map(|(at, given)| match given {
        TextOr::Text(text) => story(text, at + 1, have_ids),
        TextOr::Value(fields) => fields.story(at),
    });
    Ok((epic, stories.collect::<Result<Vec<_>>>()?))
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
            id: self.id.as_ref().map(|id| id.0.clone()).unwrap_or_default(),
            effort: size.transpose()?,
            needs: self.after.iter().map(|after| after.0.clone()).collect(),
            owner: self.owner.as_ref().map(ToString::to_string),
            criteria: self.criteria.iter().map(ToString::to_string).collect(),
            ..draft(&self.title)
        })
    }
}

/// Adds a new epic and its stories to the project's: with the ids that they state, where the project does not have them,
/// else with the next free ones; and with ids in place of the numbers and titles that they depend on. Returns the id of the
/// epic; `notes` gets the ids that are replaced.
pub(super) fn add(
    mut epic: Epic,
    mut stories: Vec<Story>,
    snapshot: &mut Snapshot,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<String> {
    epic.id = ids(&[&epic.id], Named::Epic, snapshot, context, notes)?.concat();
    let stated: Vec<&str> = stories.iter().map(|story| story.id.as_str()).collect();
    let ids = ids(&stated, Named::Story, snapshot, context, notes)?;
    let needs = stories.iter().map(|story| needs(story, &stories, &ids, snapshot));
    let needs = needs.collect::<Result<Vec<_>>>()?;
    for ((story, id), needs) in stories.iter_mut().zip(&ids).zip(needs) {
        story.id.clone_from(id);
        story.needs = needs.into_iter().collect();
        story.epic = Some(epic.id.clone());
    }
    let all = stories.iter().chain(&snapshot.stories);
    let graph = Graph::new(all.map(|story| (story.id.as_str(), story.needs.as_slice())));
    let is_new = |id: &&str| ids.iter().any(|new| new == id);
    if let Some(cycle) = graph.cycles().iter().find(|cycle| cycle.iter().any(is_new)) {
        return Err(Fault::Refused(format!(
            "the dependencies are a cycle, so that no order is possible: {} (each depends on the next); remove one of them",
            say::arrows(cycle)
        )));
    }
    snapshot.stories.append(&mut stories);
    let id = epic.id.clone();
    snapshot.epics.push(epic);
    Ok(id)
}

/// The ids of new stories, or of a new epic: those that are stated, where no record has them, else the next free ones.
fn ids(
    stated: &[&str],
    kind: Named,
    snapshot: &Snapshot,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<Vec<String>> {
    let is_repeated = |(at, id): &(usize, &&str)| {
        !id.is_empty() && stated[..*at].iter().any(|other| other.eq_ignore_ascii_case(id))
    };
    if let Some((_, id)) = stated.iter().enumerate().find(is_repeated) {
        return Err(bad_text("id", id, "an id that no other story of the list has"));
    }
    let (prefix, collection) =
        if kind == Named::Epic { ("EP-", "epics") } else { ("US-", "stories") };
    let elsewhere = context.state.ids_elsewhere(collection);
    let is_taken = |id: &str| {
        let is_it = |other: &String| other.eq_ignore_ascii_case(id);
        id.is_empty() || snapshot.find(&[kind], id).is_some() || elsewhere.iter().any(is_it)
    };
    let others = elsewhere.iter().map(String::as_str).chain(stated.iter().copied());
    let mut next = next_number(prefix, snapshot.known(kind).into_iter().chain(others))?;
    let mut ids: Vec<String> = Vec::new();
    let mut replaced: Vec<String> = Vec::new();
    for id in stated {
        if is_taken(id) {
            let free = format!("{prefix}{next:04}");
            replaced.extend((!id.is_empty()).then(|| format!("{free} for {id}")));
            ids.push(free);
            next += 1;
        } else {
            ids.push((*id).to_owned());
        }
    }
    if !replaced.is_empty() {
        let replaced = say::ids(replaced.iter().map(String::as_str));
        notes.push(format!(
            "the project has these ids already, so that others replace them: {replaced}"
        ));
    }
    Ok(ids)
}

/// The ids of what a new story needs: stories of the list, by their ids, numbers or titles, or of the project.
fn needs(
    story: &Story,
    stories: &[Story],
    ids: &[String],
    snapshot: &Snapshot,
) -> Result<IndexSet<String>> {
    let need = |word: &String| {
        let of_list = stories.iter().position(|other| other.id.eq_ignore_ascii_case(word));
        let number = || word.parse::<usize>().ok()?.checked_sub(1);
        let titled = || stories.iter().position(|other| other.title == *word);
        let of_project = || snapshot.find(&[Named::Story], word).map(|name| name.id);
        let at = of_list.or_else(number).or_else(titled);
        let id = at.map_or_else(of_project, |at| ids.get(at).cloned());
        let count = ids.len();
        let allowed = format!(
            "a number of the list from 1 to {count}, an id or a title of it, or a story of the project"
        );
        id.ok_or_else(|| bad_text("after", word, &allowed))
    };
    story.needs.iter().map(need).collect()
}
