//! Reads an epic from text: a title line and a list, or the Markdown that this skill generates.

use std::borrow::Cow;

use serde_json::Value;

use crate::input::notation::Misfit;
use crate::output::Result;
use crate::output::bad_text;
use crate::project_state::effort::Effort;
use crate::project_state::say::LISTED;
use crate::story::read::is_id;
use crate::text::{
    front_matter, heading, is_number, item, line, plain, table, tagged, title, yaml,
};

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

/// Reads either form.
///
/// # Errors
/// When it contains no story, or more than [`LISTED`].
pub(super) fn read(text: &str) -> Result<Draft> {
    let draft = if is_document(text) { document(text) } else { list(&headed(text))? };
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

/// A text whose front matter is replaced by its title, so that lines keep their numbers.
fn headed(text: &str) -> Cow<'_, str> {
    let Some((front, body)) = front_matter(text) else { return text.into() };
    let title = yaml::read::<Value>(front).unwrap_or_default()["title"].take();
    let lines = "\n".repeat(front.lines().count() + 2);
    format!("{}{lines}{body}", title.as_str().unwrap_or_default()).into()
}

/// Whether a text is the Markdown that this skill generates.
pub(super) fn is_document(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("| story |"))
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
    let (bare, tags) = tagged(whole);
    let (rest, facts) = facts(bare);
    let (rest, facts) = if rest.is_empty() { (bare, Facts::default()) } else { (rest, facts) };
    let title = title(&format!("{rest}{tags}"));
    Line { id, title, size: facts.size, after: facts.after, criteria: Vec::new() }
}

/// What a line says about a story after its title.
#[derive(Debug, Default)]
struct Facts {
    size: Option<Effort>,
    after: Vec<String>,
}

impl Facts {
    /// Adds facts, unless one of them is given already.
    fn add(&mut self, other: Self) -> bool {
        let has_both = self.size.is_some() && other.size.is_some()
            || !self.after.is_empty() && !other.after.is_empty();
        if !has_both {
            self.size = self.size.or(other.size);
            self.after.extend(other.after);
        }
        !has_both
    }
}

/// The text before the facts at its end, and the facts, in any order and each once.
fn facts(text: &str) -> (&str, Facts) {
    let mut facts = Facts::default();
    let mut rest = text;
    while let Some((before, found)) =
        bracketed(rest).or_else(|| follows(rest)).or_else(|| sized(rest))
    {
        if !facts.add(found) {
            break;
        }
        rest = before.trim_end_matches([',', ';', ' ']);
    }
    (rest, facts)
}

/// Facts in parentheses at the end: `(5)`, `(5 points, needs 1)`. Only here, a size may have no unit.
fn bracketed(text: &str) -> Option<(&str, Facts)> {
    let (before, inside) = text.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let (rest, mut found) = facts(inside);
    let is_read = match Effort::parse(rest) {
        Some(size) => found.add(Facts { size: Some(size), ..Facts::default() }),
        None => rest.is_empty() && !inside.is_empty(),
    };
    is_read.then_some((before, found))
}

/// A size with its unit after a separator: `, 3h`, `- 8 points`.
fn sized(text: &str) -> Option<(&str, Facts)> {
    let separator =
        [",", ";", " - ", " – "].iter().filter_map(|mark| Some((text.rfind(mark)?, mark.len())));
    let (at, length) = separator.max().unwrap_or_default();
    let (before, last) = (text.get(..at)?, text.get(at + length..)?);
    let size = Effort::parse(last).filter(|_| last.contains(char::is_alphabetic))?;
    Some((before, Facts { size: Some(size), ..Facts::default() }))
}

/// Reads `after 1, 2 and US-0006` at the end, if it consists of numbers and ids.
fn follows(text: &str) -> Option<(&str, Facts)> {
    let lower = text.to_ascii_lowercase();
    let words = ["after ", "needs ", "depends on ", "blocked by "];
    words.iter().find_map(|word| {
        let at = lower.rfind(word)?;
        let (before, list) = (text.get(..at)?, text.get(at + word.len()..)?);
        let is_word = before.is_empty() || before.ends_with([' ', ',', ';']);
        let after = references(list).filter(|_| is_word)?;
        Some((before, Facts { after, ..Facts::default() }))
    })
}

/// Numbers of lines and ids, separated by commas or "and"; `None` if there is anything else.
fn references(list: &str) -> Option<Vec<String>> {
    let words = list.split([',', ' ']).filter(|word| !word.is_empty() && *word != "and");
    let words: Vec<String> = words.map(str::to_owned).collect();
    let is_reference = |word: &String| is_id(word) || (word.len() <= 9 && is_number(word));
    (!words.is_empty() && words.iter().all(is_reference)).then_some(words)
}

/// Reads generated Markdown: a heading, a goal, tables of stories and their criteria. The rest is computed again.
fn document(text: &str) -> Draft {
    let mut draft = Draft::default();
    let mut section = String::new();
    for raw in text.lines() {
        match heading(raw) {
            Some((1, _)) => named(&mut draft, raw),
            Some((_, name)) => name.clone_into(&mut section),
            None if section == "Goal" && !raw.is_empty() => draft.goal = Some(plain(raw)),
            None if section.starts_with("Wave ") => draft.stories.extend(row(raw).map(Line::from)),
            None if section == "Acceptance criteria" => {
                let said = item(raw).map(plain).unwrap_or_default();
                let (id, text) = identified(&said);
                let of = draft.stories.iter_mut().find(|story| id.is_some() && story.id == id);
                if let Some(story) = of {
                    story.criteria.push(text.to_owned());
                }
            }
            None => {}
        }
    }
    draft
}

/// A row of a table of stories.
pub(super) struct Row {
    pub(super) id: String,
    title: String,
    /// Its size, as written.
    pub(super) size: String,
    pub(super) after: Vec<String>,
}

impl From<Row> for Line {
    fn from(Row { id, title, size, after }: Row) -> Self {
        Self { id: Some(id), title, size: Effort::parse(&size), after, criteria: Vec::new() }
    }
}

/// Reads a row: story, title, size, after.
pub(super) fn row(raw: &str) -> Option<Row> {
    let mut cells = table::cells(raw).into_iter().map(|cell| table::text(&cell));
    let (id, title) = (cells.next().filter(|id| is_id(id))?, cells.next()?);
    let (size, after) = (cells.next()?, cells.next()?);
    let after = after.split(", ").filter(|id| is_id(id)).map(str::to_owned).collect();
    Some(Row { id, title, size, after })
}
