//! The names of stories and their rules: ids, titles, numbers.

use super::Story;
use crate::text::{capital, line};

/// Types of issues that trackers put in brackets before a title, in lower case.
const TAGS: [&str; 9] = [
    "feature",
    "feature request",
    "feat",
    "story",
    "user story",
    "bug",
    "task",
    "enhancement",
    "epic",
];

/// A title without the type of an issue before it: `[FEATURE] Reset my password`, `[Bug]: …`.
pub fn untagged(title: &str) -> &str {
    let tag = title.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let rest = tag.filter(|(tag, _)| TAGS.contains(&tag.trim().to_lowercase().as_str()));
    let rest = rest.map_or(title, |(_, rest)| rest.trim_start_matches([':', ' ']));
    if rest.is_empty() { title } else { rest }
}

/// Sets the title of a story, and its id if the title begins with one.
pub fn titled(story: &mut Story, given: &str) {
    let given = untagged(given);
    let named = given.split_once(": ").filter(|(id, _)| story.id.is_none() && is_id(id));
    if let Some((id, _)) = named {
        story.id = Some(id.to_owned());
    }
    let text = line(named.map_or(given, |(_, rest)| rest));
    let bare = text.trim_end_matches(['.', ',', ';', ':', '!', ' ']);
    story.title = capital(if bare.is_empty() { &text } else { bare });
}

/// Whether a word is an id such as `US-0001`.
pub fn is_id(word: &str) -> bool {
    word.rsplit_once('-').is_some_and(|(head, number)| {
        !head.is_empty()
            && head.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-')
            && !number.is_empty()
            && number.len() <= 9
            && number.bytes().all(|b| b.is_ascii_digit())
    })
}

/// A rule without its number: `a link expires` for `R1: a link expires`.
pub fn numbered(rule: &str) -> &str {
    let numbered = rule.strip_prefix('R').and_then(|rest| rest.split_once(": "));
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    numbered
        .filter(|(number, rule)| is_number(number) && !rule.is_empty())
        .map_or(rule, |(_, rule)| rule)
}
