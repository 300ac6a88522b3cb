//! The size limits of a story. Larger input is refused before it costs time.

use super::Story;
use crate::output::{Result, bad_given};

/// Largest number of rules, criteria, dependencies, notes or lines of data of a story.
pub const MOST: usize = 1_000;
/// Longest role, want or benefit, in characters.
pub const SENTENCE: usize = 2_000;
/// Longest given title, in characters.
pub const LONGEST: usize = 500;

/// Checks the number of something in a field.
pub(crate) fn count(field: &str, count: usize, what: &str) -> Result<()> {
    if count <= MOST {
        return Ok(());
    }
    let allowed = format!("one with at most {MOST} {what}: split the story");
    Err(bad_given(field, format!("a story with {count} {what}"), &allowed))
}

/// Checks a story against the limits.
pub(crate) fn check(story: &Story) -> Result<()> {
    count("rules", story.rules.len(), "rules")?;
    count("criteria", story.criteria.len(), "acceptance criteria")?;
    count("dependencies", story.dependencies.len(), "dependencies")?;
    count("data", story.data.len(), "lines of data")?;
    count("technical_notes", story.technical_notes.len(), "notes")?;
    length("title", Some(&story.title), LONGEST)?;
    for (field, text) in [("role", &story.role), ("want", &story.want), ("benefit", &story.benefit)]
    {
        length(field, text.as_ref(), SENTENCE)?;
    }
    Ok(())
}

/// Checks that a text has at most `most` characters.
pub(crate) fn length(field: &str, text: Option<&String>, most: usize) -> Result<()> {
    let characters = text.map_or(0, |text| text.chars().count());
    if characters <= most {
        return Ok(());
    }
    let given = format!("a text of {characters} characters");
    Err(bad_given(field, given, &format!("one of at most {most}")))
}
