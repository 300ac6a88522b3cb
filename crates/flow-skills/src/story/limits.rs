//! How much a story may hold. What is longer is no story but several, and is refused by name before it costs time.

use super::Story;
use crate::fields::{self, bad_text};
use crate::input::Input;
use crate::output::{Fault, Result};

/// Most rules, criteria, dependencies or notes of a story.
pub const MOST: usize = 1_000;
/// Longest role, want or benefit, in characters.
pub const SENTENCE: usize = 2_000;
/// Longest title that is given, in characters.
pub const LONGEST: usize = 500;

/// Too many of something in a field.
///
/// # Errors
/// When `count` is over [`MOST`].
pub fn count(field: &str, count: usize, what: &str) -> Result<()> {
    if count <= MOST {
        return Ok(());
    }
    Err(Fault::Bad {
        field: field.to_owned(),
        given: format!("a text with {count} {what}"),
        allowed: format!("one with at most {MOST} {what}: split the story"),
    })
}

/// Holds a story that was read from a field against the limits.
///
/// # Errors
/// When it has too many parts, or its title is too long.
pub fn check(field: &str, story: &Story) -> Result<()> {
    count(field, story.rules.len(), "rules")?;
    count(field, story.criteria.len(), "acceptance criteria")?;
    count(field, story.dependencies.len(), "dependencies")?;
    count(field, story.technical_notes.len(), "notes")?;
    for (what, text) in [("role", &story.role), ("want", &story.want), ("benefit", &story.benefit)]
    {
        let characters = text.as_deref().map_or(0, |text| text.chars().count());
        if characters > SENTENCE {
            return Err(Fault::Bad {
                field: field.to_owned(),
                given: format!("a story whose {what} has {characters} characters"),
                allowed: format!("one with at most {SENTENCE} there"),
            });
        }
    }
    title(field, &story.title)
}

/// A title that is given.
///
/// # Errors
/// When it is too long.
pub fn title(field: &str, title: &str) -> Result<()> {
    let characters = title.chars().count();
    if characters <= LONGEST {
        return Ok(());
    }
    let allowed = format!("a title of at most {LONGEST} characters, and it has {characters}");
    Err(bad_text(field, title, &allowed))
}

/// A title in a field, on one line.
///
/// # Errors
/// When it is no text, or too long.
pub fn heading(input: &Input, field: &str) -> Result<Option<String>> {
    let given = fields::one(input, field)?;
    title(field, given.as_deref().unwrap_or_default())?;
    Ok(given)
}
