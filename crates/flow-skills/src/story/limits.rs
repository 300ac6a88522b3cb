//! How much a story may hold. What is longer is no story but several, and is refused by name before it costs time.

use super::Story;
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
        given: format!("a story with {count} {what}"),
        allowed: format!("one with at most {MOST} {what}: split the story"),
    })
}

/// Holds a story against the limits.
///
/// # Errors
/// When it has too many parts, or a text of it is too long.
pub fn check(story: &Story) -> Result<()> {
    count("rules", story.rules.len(), "rules")?;
    count("criteria", story.criteria.len(), "acceptance criteria")?;
    count("dependencies", story.dependencies.len(), "dependencies")?;
    count("technical_notes", story.technical_notes.len(), "notes")?;
    length("title", Some(&story.title), LONGEST)?;
    for (field, text) in [("role", &story.role), ("want", &story.want), ("benefit", &story.benefit)]
    {
        length(field, text.as_ref(), SENTENCE)?;
    }
    Ok(())
}

/// A text of at most `most` characters.
///
/// # Errors
/// When it is longer.
pub fn length(field: &str, text: Option<&String>, most: usize) -> Result<()> {
    let characters = text.map_or(0, |text| text.chars().count());
    if characters <= most {
        return Ok(());
    }
    Err(Fault::Bad {
        field: field.to_owned(),
        given: format!("a text of {characters} characters"),
        allowed: format!("one of at most {most}"),
    })
}
