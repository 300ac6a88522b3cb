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
use crate::text::{heading, is_id, is_number, item, line, plain, title};

/// An example of a line of the list.
const EXAMPLE: &str = "- Pay by card (5) after 1";

/// An epic as written in its text.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) id: Option<String>,
    pub(super) title: String,
    pub(super) goal: Option<String>,
    pub(super) stories: Vec<Line>,
}

/// A story as written in a line of the list.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) id: Option<String>,
    pub(super) title: String,
    pub(super) size: Option<Effort>,
    /// Numbers of lines of the list, or ids.
    pub(super) after: Vec<String>,
    pub(super) criteria: Vec<String>,
}

/// Reads an epic.
///
/// # Errors
/// When it contains no story, or more than [`LISTED`], or is the page of a plan.
pub(super) fn read(text: &str) -> Result<Draft> {
    if let Some(page) = text.lines().find(|line| line.starts_with("| story |")) {
        let allowed =
            format!("a list with a line for each story, such as {EXAMPLE}, and no page of a plan");
        return Err(bad_text("epic", page, &allowed));
    }
    check(list(text)?, text)
}

/// Refuses an epic without a title or a story, or with too many stories.
fn check(draft: Draft, text: &str) -> Result<Draft> {
    let bad = |allowed: &str| Err(bad_text("epic", text, allowed));
    if draft.title.is_empty() {
        return bad("an id of the project's, or a title line and a list of stories");
    }
    match draft.stories.len() {
        0 => bad(&format!(
            "an id of the project's, or a title line and its stories, each a line such as {EXAMPLE}"
        )),
        count if count > LISTED => {
            bad(&format!("an epic of at most {LISTED} stories, and this has {count}"))
        }
        _ => Ok(draft),
    }
}

/// Reads a title line, lines with the goal, and a list; items nested below a story are its criteria.
///
/// # Errors
/// When a line after the list is none of these.
fn list(text: &str) -> Result<Draft> {
    let mut draft = Draft::default();
    let mut goal: Vec<String> = Vec::new();
    let filled = text.lines().enumerate().filter(|(_, raw)| !raw.trim().is_empty());
    for (at, raw) in filled {
        let text = item(raw).map(plain);
        let is_below = raw.starts_with([' ', '\t']);
        match (text, draft.stories.last_mut()) {
            (Some(text), Some(story)) if is_below => story.criteria.push(text),
            (Some(text), _) => draft.stories.push(story(&text, at + 1)?),
            (None, _) if draft.title.is_empty() => named(&mut draft, raw),
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
    let goal = crate::text::after(&goal, &["Goal: "]).map_or(goal.clone(), str::to_owned);
    draft.goal = Some(goal).filter(|goal| !goal.is_empty());
    Ok(draft)
}

/// Whether a line only announces the list.
fn is_caption(raw: &str) -> bool {
    let name = raw.trim().trim_end_matches(':').to_lowercase();
    ["stories", "user stories", "tasks"].contains(&name.as_str())
}

/// Reads the title, and the id if it has one: `# EP-0004: Checkout`.
fn named(draft: &mut Draft, raw: &str) {
    let text = plain(heading(raw.trim()).map_or(raw, |(_, text)| text));
    let (id, rest) = identified(&text);
    draft.id = id;
    draft.title = title(rest);
}

/// An id before a colon, and the text after it.
fn identified(text: &str) -> (Option<String>, &str) {
    match text.split_once(": ").filter(|(id, _)| is_id(id)) {
        Some((id, rest)) => (Some(id.to_owned()), rest),
        None => (None, text),
    }
}

/// Reads `US-0022: Pay by card (5) after 1, US-0006`.
///
/// # Errors
/// When a part of the line looks like a size or a dependency and is none.
fn story(text: &str, number: usize) -> Result<Line> {
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
    Ok(Line { id, title: title(&rest), size, after, criteria: Vec::new() })
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
///
/// # Errors
/// When the title has several lines, a size cannot be read, or there are too many stories.
pub(super) fn from_fields(input: &Input) -> Result<Draft> {
    let (id, name) = identified(&input.epic);
    if name.lines().count() > 1 {
        return Err(bad_text("epic", name, "a title, since the stories are a field"));
    }
    let mut draft = Draft { id, title: title(name), ..Draft::default() };
    draft.goal = input.goal.as_deref().map(line);
    for (at, fields) in input.stories.iter().enumerate() {
        let size = fields.size.as_ref().map(|size| {
            let read = Effort::parse(&size.0);
            read.ok_or_else(|| {
                bad_text(&format!("stories[{at}].size"), &size.0, "3, 3 points, 4h or 2d")
            })
        });
        draft.stories.push(Line {
            id: fields.id.as_ref().map(ToString::to_string),
            title: title(&fields.title),
            size: size.transpose()?,
            after: fields.after.iter().map(|after| after.0.clone()).collect(),
            criteria: fields.criteria.iter().map(ToString::to_string).collect(),
        });
    }
    check(draft, &input.epic)
}
