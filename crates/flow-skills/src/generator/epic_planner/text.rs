//! Reads a new epic: a title line and a list, or fields. A line of the list is read completely or refused.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Input;
use crate::input::effort::Effort;
use crate::input::notation::Misfit;
use crate::input::notation::facts::{self, Facts};
use crate::input::values::{self, TextOrNumber, Word};
use crate::output::{Result, bad_text};
use crate::project_state::say::LISTED;
use crate::project_state::{Epic, Story};
use crate::text::{heading, is_id, is_number, item, line, plain, title};

/// An example of a line of the list.
const EXAMPLE: &str = "- Pay by card (5) after 1";

/// Reads an epic and its stories: those of the fields, or of a list. Ids that are not written are empty; what a story
/// needs is a number of the list or an id.
pub(super) fn read(input: &Input) -> Result<(Epic, Vec<Story>)> {
    let text = &*input.epic;
    if let Some(page) = text.lines().find(|line| line.starts_with("| story |")) {
        let allowed =
            format!("a list with a line for each story, such as {EXAMPLE}, and no page of a plan");
        return Err(bad_text("epic", page, &allowed));
    }
    let (mut epic, stories) =
        if input.stories.is_empty() { list(text)? } else { from_fields(input)? };
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
fn list(text: &str) -> Result<(Epic, Vec<Story>)> {
    let mut epic = Epic::default();
    let mut stories: Vec<Story> = Vec::new();
    let mut goal: Vec<String> = Vec::new();
    let filled = text.lines().enumerate().filter(|(_, raw)| !raw.trim().is_empty());
    for (at, raw) in filled {
        let text = item(raw).map(plain);
        let is_below = raw.starts_with([' ', '\t']);
        match (text, stories.last_mut()) {
            (Some(text), Some(story)) if is_below => story.criteria.push(text),
            (Some(text), _) => stories.push(story(&text, at + 1)?),
            (None, _) if epic.title.is_empty() => {
                epic = titled(&plain(heading(raw.trim()).map_or(raw, |(_, text)| text)));
            }
            // The heading of the goal, or of the list.
            (None, None) if heading(raw.trim()).is_some() || is_caption(raw) => {}
            (None, None) => goal.push(plain(raw)),
            (None, Some(_)) => {
                let why = "follows the list; the purpose of the epic comes before it";
                return Err(Misfit::new(at + 1, raw.trim(), why, EXAMPLE).fault("epic"));
            }
        }
    }
    let goal = line(&goal.join(" "));
    let goal = crate::text::after(&goal, &["Goal: "]).unwrap_or(&goal);
    epic.goal = Some(goal.to_owned()).filter(|goal| !goal.is_empty());
    Ok((epic, stories))
}

/// Whether a line only announces the list.
fn is_caption(raw: &str) -> bool {
    let name = raw.trim().trim_end_matches(':').to_lowercase();
    ["stories", "user stories", "tasks"].contains(&name.as_str())
}

/// The epic with a title, and an id if it begins with one: `EP-0004: Checkout`.
fn titled(text: &str) -> Epic {
    let (id, rest) = identified(text);
    Epic { id, title: title(rest), ..Epic::default() }
}

/// An id before a colon, and the text after it.
fn identified(text: &str) -> (String, &str) {
    match text.split_once(": ") {
        Some((id, rest)) if is_id(id) => (id.to_owned(), rest),
        _ => (String::new(), text),
    }
}

/// Reads `US-0022: Pay by card (5) after 1, US-0006`.
fn story(text: &str, number: usize) -> Result<Story> {
    let (id, whole) = identified(text);
    let (rest, Facts { size, after }) = facts::read(whole);
    let misfit = |why: &str| Err(Misfit::new(number, text, why, EXAMPLE).fault("epic"));
    if rest.is_empty() {
        return misfit("has no title");
    }
    if let Some((_, inside)) = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        let why = format!("ends with ({inside}), which is neither a size nor what it comes after");
        return misfit(&why);
    }
    let words: Vec<String> = rest.split(' ').map(str::to_lowercase).collect();
    let is_link = |pair: &[String]| {
        let is_reference = is_id(&pair[1].to_uppercase()) || is_number(&pair[1]);
        matches!(pair[0].as_str(), "after" | "needs" | "on" | "by") && is_reference
    };
    if words.windows(2).any(is_link) {
        return misfit("has a dependency that is not at its end");
    }
    Ok(Story { effort: size, needs: after, ..draft(id, &rest) })
}

fn draft(id: String, name: &str) -> Story {
    Story { id, title: title(name), status: "draft".to_owned(), ..Story::default() }
}

/// A story of a new epic.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Fields {
    /// Its id. Default: the next one that is free.
    id: Option<Word>,
    /// What is to be done.
    title: values::Line,
    /// Its size: 3, 3 points, 4h or 2d.
    size: Option<TextOrNumber>,
    /// The stories that it comes after: their numbers in the list, from 1, or ids.
    #[serde(default)]
    after: Vec<TextOrNumber>,
    /// Its acceptance criteria.
    #[serde(default)]
    criteria: Vec<values::Line>,
}

/// Reads an epic from fields: its title, and its stories as objects.
fn from_fields(input: &Input) -> Result<(Epic, Vec<Story>)> {
    let mut epic = titled(&input.epic);
    if input.epic.lines().count() > 1 {
        return Err(bad_text("epic", &input.epic, "a title, since the stories are a field"));
    }
    epic.goal = input.goal.as_deref().map(line);
    let mut stories = Vec::new();
    for (at, fields) in input.stories.iter().enumerate() {
        let size = fields.size.as_ref().map(|size| {
            let field = format!("stories[{at}].size");
            let allowed = "3, 3 points, 4h or 2d";
            Effort::parse(&size.0).ok_or_else(|| bad_text(&field, &size.0, allowed))
        });
        stories.push(Story {
            effort: size.transpose()?,
            needs: fields.after.iter().map(|after| after.0.clone()).collect(),
            criteria: fields.criteria.iter().map(ToString::to_string).collect(),
            ..draft(fields.id.as_deref().unwrap_or_default().to_owned(), &fields.title)
        });
    }
    Ok((epic, stories))
}
