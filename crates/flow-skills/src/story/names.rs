//! The names of stories and their rules: ids, titles, numbers.

use super::Story;
use crate::output::{Fault, Result};
use crate::text::{capital, is_id, is_number, line};

/// Types of issues that trackers put in brackets before a title, in lower case, with `|` between them.
const TAGS: &str = "feature|feature request|feat|story|user story|bug|task|enhancement|epic";

/// A text without the type of an issue before it: `[FEATURE] Reset my password`, `[Bug]: …`.
pub fn untagged(text: &str) -> &str {
    let tag = text.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let rest =
        tag.filter(|(tag, _)| is_tag(tag)).map(|(_, rest)| rest.trim_start_matches([':', ' ']));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(text)
}

fn is_tag(text: &str) -> bool {
    TAGS.split('|').any(|tag| tag == text.trim().to_lowercase())
}

/// Whether a section, or the note of one, is the team's definition of done.
pub fn is_definition_of_done(section: &str) -> bool {
    let name = section.split(':').next().unwrap_or_default();
    let name = name.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    name.starts_with("definition of done") || name == "dod"
}

/// Sets the title of a story, and its id if the title begins with one.
pub fn titled(story: &mut Story, given: &str) {
    let given = untagged(given).trim_end();
    // An issue's template has the type as a title of its own.
    let tag = given.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let given = tag.filter(|(_, tag)| is_tag(tag)).map_or(given, |(rest, _)| rest);
    let named = given.split_once(": ").filter(|(id, _)| story.id.is_none() && is_id(id));
    if let Some((id, _)) = named {
        story.id = Some(id.to_owned());
    }
    let text = line(named.map_or(given, |(_, rest)| rest));
    let bare = text.trim_end_matches(['.', ',', ';', ':', '!', ' ']);
    story.title = capital(if bare.is_empty() { &text } else { bare });
}

/// The number after the highest of ids with a prefix: 3 for `US-` and `US-0002`.
///
/// # Errors
/// When there is none.
pub fn next_number<'a>(prefix: &str, ids: impl Iterator<Item = &'a str>) -> Result<u32> {
    let highest = ids.filter_map(|id| id.strip_prefix(prefix)?.parse::<u32>().ok()).max();
    let next = highest.unwrap_or(0).checked_add(1).filter(|next| *next < 1_000_000_000);
    next.ok_or_else(|| Fault::Refused(format!("no number is left for an id {prefix}…: add one")))
}

/// A rule without its number: `a link expires` for `R1: a link expires`.
pub fn numbered(rule: &str) -> &str {
    let numbered = rule.strip_prefix('R').and_then(|rest| rest.split_once(": "));
    numbered
        .filter(|(number, rule)| is_number(number) && !rule.is_empty())
        .map_or(rule, |(_, rule)| rule)
}

/// The article of a role that is written without one; a plural has none.
pub fn article(role: &str) -> &'static str {
    let noun = role.split(" with ").next().unwrap_or_default();
    let is_plural = noun.ends_with('s') && !noun.ends_with("ss");
    // Before a long u, "a" stands: a user.
    let is_open = role.to_lowercase().starts_with(['a', 'e', 'i', 'o']);
    match (is_plural, is_open) {
        (true, _) => "",
        (_, true) => "an ",
        _ => "a ",
    }
}
