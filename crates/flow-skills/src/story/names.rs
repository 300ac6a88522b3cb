//! The names of stories and their rules: ids, titles, numbers.

use super::Story;
use crate::output::{Fault, Result};
use crate::text::{capital, is_id, is_number, line};

/// Sets the title of a story, and its id if the title begins with one.
pub fn titled(story: &mut Story, given: &str) {
    let given = given.trim();
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
