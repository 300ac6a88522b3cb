//! Reads an epic from text: a title line and a list.

use crate::input::effort::Effort;
use crate::input::notation::Misfit;
use crate::input::notation::facts::{self, Facts};
use crate::output::Result;
use crate::output::bad_text;
use crate::project_state::say::LISTED;
use crate::text::{heading, is_id, item, line, plain, title};

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
    let draft = list(text)?;
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
        let said = item(raw).map(plain);
        let is_below = raw.starts_with([' ', '\t']);
        match (said, draft.stories.last_mut()) {
            (Some(text), Some(story)) if is_below => story.criteria.push(text),
            (Some(text), _) => draft.stories.push(story(&text)),
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
fn story(text: &str) -> Line {
    let (id, whole) = identified(text);
    let (rest, facts) = match facts::read(whole) {
        (rest, _) if rest.is_empty() => (whole.to_owned(), Facts::default()),
        found => found,
    };
    let Facts { size, after } = facts;
    Line { id, title: title(&rest), size, after, criteria: Vec::new() }
}
