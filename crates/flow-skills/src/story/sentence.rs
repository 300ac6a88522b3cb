//! Reads "As a … I want … so that …" and its usual variants out of a text.

use crate::text::{after, line};

/// What a story sentence says, and what stands beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentence {
    /// Who, without an article.
    pub role: Option<String>,
    /// What, as it follows "I want".
    pub want: Option<String>,
    /// What for, as it follows "so that".
    pub benefit: Option<String>,
    /// The text before and after it.
    pub rest: String,
}

const ROLES: &[&str] = &["as an ", "as a ", "as the ", "as "];
const WANTS: &[(&str, &str)] = &[
    ("i want to be able to ", "to "),
    ("i would like to be able to ", "to "),
    ("i'd like to be able to ", "to "),
    ("i need to be able to ", "to "),
    ("i should be able to ", "to "),
    ("i want ", ""),
    ("we want ", ""),
    ("i would like ", ""),
    ("i'd like ", ""),
    ("i’d like ", ""),
    ("i wish ", ""),
    ("i need ", ""),
    ("we need ", ""),
    ("i must ", "to "),
    ("i can ", "to "),
];
const BENEFITS: &[(&str, &str)] = &[
    ("so that ", ""),
    ("in order to ", "I can "),
    ("so i ", "I "),
    ("so we ", "we "),
    ("so my ", "my "),
    ("so the ", "the "),
    ("because ", ""),
];
/// Said of somebody: "Shoppers should be able to …".
const OTHERS: &[&str] = &[
    " should be able to ",
    " must be able to ",
    " want to ",
    " wants to ",
    " need to ",
    " needs to ",
];
const ALLOWS: &[&str] = &["allow ", "enable ", "let "];

/// Reads a text on one line.
pub fn read(text: &str) -> Option<Sentence> {
    in_order(text).or_else(|| first_person(text)).or_else(|| third_person(text))
}

/// Where a word or phrase begins, whatever its case, at the beginning of a word.
fn find(text: &str, phrase: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let begins = |at: &usize| *at == 0 || !lower[..*at].ends_with(|c: char| c.is_alphanumeric());
    lower.match_indices(phrase).map(|(at, _)| at).find(begins)
}

/// The earliest of several phrases, the longer where two begin together: where, its length, what it becomes.
fn earliest(text: &str, phrases: &[(&str, &'static str)]) -> Option<(usize, usize, &'static str)> {
    let found = phrases
        .iter()
        .filter_map(|(phrase, becomes)| find(text, phrase).map(|at| (at, phrase.len(), *becomes)));
    found.min_by_key(|(at, length, _)| (*at, usize::MAX - length))
}

fn first_person(text: &str) -> Option<Sentence> {
    let (at, head) = ROLES
        .iter()
        .filter_map(|role| find(text, role).map(|at| (at, role.len())))
        .min_by_key(|(at, _)| *at)?;
    let before = &text[..at];
    if !(before.trim().is_empty() || before.trim_end().ends_with(['.', ',', ':', '!', '?', '"'])) {
        return None;
    }
    let body = &text[at + head..];
    let (want_at, length, becomes) = earliest(body, WANTS)?;
    let role = bare(&body[..want_at])?;
    let (want, benefit, after) = split(&body[want_at + length..]);
    let want = Some(format!("{becomes}{}", bare(&want)?));
    Some(Sentence { role: Some(role), want, benefit, rest: line(&format!("{before} {after}")) })
}

/// "In order to …, as a …, I want …": the benefit stands before.
fn in_order(text: &str) -> Option<Sentence> {
    let body = after(text.trim(), &["in order to "])?;
    let at = ["as an ", "as a ", "as the "].iter().filter_map(|role| find(body, role)).min()?;
    let benefit = bare(&body[..at])?;
    let mut found = first_person(&body[at..])?;
    found.benefit = Some(format!("I can {benefit}"));
    Some(found)
}

fn third_person(text: &str) -> Option<Sentence> {
    if let Some(body) = after(text, ALLOWS) {
        let at = find(body, "to ").filter(|at| *at > 0)?;
        return third(&body[..at], &body[at + 3..]);
    }
    let lower = text.to_ascii_lowercase();
    let (at, phrase) = OTHERS
        .iter()
        .filter_map(|phrase| lower.find(phrase).map(|at| (at, phrase)))
        .min_by_key(|(at, _)| *at)?;
    third(&text[..at], &text[at + phrase.len()..])
}

fn third(role: &str, want: &str) -> Option<Sentence> {
    let role = bare(role)?;
    let role = after(&role, &["the ", "a ", "an ", "all "]).unwrap_or(&role);
    let words = role.split(' ').count();
    let is_thing = ["it", "we", "i", "this", "system", "link", "page", "there", "you"]
        .contains(&role.to_ascii_lowercase().as_str());
    if words > 4 || is_thing || role.contains(['.', ':', ',']) {
        return None;
    }
    let (want, benefit, rest) = split(want);
    let role = if role.chars().skip(1).any(char::is_uppercase) {
        role.to_owned()
    } else {
        role.to_lowercase()
    };
    Some(Sentence { role: Some(role), want: Some(format!("to {}", bare(&want)?)), benefit, rest })
}

/// A want with what follows it: the want, the benefit, and the sentences after.
fn split(text: &str) -> (String, Option<String>, String) {
    let mut sentences = crate::text::sentences(text).into_iter();
    let first = sentences.next().unwrap_or_default();
    let rest = sentences.collect::<Vec<_>>().join(" ");
    match earliest(&first, BENEFITS) {
        Some((at, length, becomes)) if at > 0 => {
            let benefit = bare(&first[at + length..]).map(|benefit| format!("{becomes}{benefit}"));
            (first[..at].to_owned(), benefit, rest)
        }
        _ => (first, None, rest),
    }
}

/// Without commas and stops at either end; `None` when nothing is left.
fn bare(text: &str) -> Option<String> {
    let text = line(text);
    let bare = text.trim_matches([',', '.', ';', ':', ' ', '!']);
    Some(bare).filter(|bare| bare.chars().any(char::is_alphanumeric)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> [String; 4] {
        let Some(found) = read(text) else {
            return ["none".into(), String::new(), String::new(), String::new()];
        };
        let or = |part: Option<String>| part.unwrap_or_else(|| "-".into());
        [or(found.role), or(found.want), or(found.benefit), found.rest]
    }

    #[test]
    fn each_way_of_saying_it_is_read() {
        let expected = ["shopper", "to reset my password", "I can get back in", ""];
        for text in [
            "As a shopper I want to reset my password so that I can get back in",
            "as the shopper, I'd like to reset my password in order to get back in.",
            "As a shopper, I want to be able to reset my password, so I can get back in",
            "In order to get back in, as a shopper, I want to reset my password",
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
        assert_eq!(
            parts("Users should be able to sort the list. It is long."),
            ["users", "to sort the list", "-", "It is long."]
        );
        assert_eq!(parts("Allow Guests to pay"), ["guests", "to pay", "-", ""]);
        assert_eq!(
            parts("As an admin I want a dashboard. At most 5 rows."),
            ["admin", "a dashboard", "-", "At most 5 rows."]
        );
        assert_eq!(parts("Use it as a cache")[0], "none");
        assert_eq!(parts("As a I want so that")[0], "none");
    }
}
