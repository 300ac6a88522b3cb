//! The refusals in rules about rights and states: `only admins may …`, `guests may not …`, `a link cannot be used
//! twice`.

use super::grammar;
use crate::text::{after, lists, title};

/// A refusal that a rule states.
pub(super) struct Refusal {
    /// Its name.
    pub(super) name: String,
    /// The precondition.
    pub(super) given: Vec<String>,
    /// What is attempted.
    pub(super) when: Vec<String>,
    /// The role that is allowed the same.
    pub(super) allowed: Option<String>,
}

/// Nouns for people in rules about rights.
const PEOPLE: &str = "admin administrator agent anybody anyone approver author buyer client creator \
    customer developer doctor driver editor employee guest holder host maintainer manager member \
    moderator nobody operator organiser organizer owner participant patient people person player \
    reader reviewer seller shopper staff student subscriber supervisor teacher user viewer visitor";
const FORBIDS: [&str; 9] = [
    " may not ",
    " must not ",
    " cannot ",
    " can not ",
    " can't ",
    " mustn't ",
    " are not allowed to ",
    " is not allowed to ",
    " never ",
];
const RIGHTS: [&str; 3] = [" may ", " can ", " are allowed to "];

/// Words that allow something one time.
const ONCE: [&str; 5] =
    [" only once", " at most once", " no more than once", " not more than once", " just once"];
/// Words between "once" and its period.
const PERIODS: [&str; 5] = [" per ", " a ", " an ", " each ", " every "];

/// The refusal that a text states: "only X may …", "X may not …", "… cannot be …", "must be signed in to …",
/// "… only once".
pub(super) fn refusal(text: &str, role: Option<&str>) -> Option<Refusal> {
    let text = text.trim_end_matches('.');
    only(text, role)
        .or_else(|| signed_in(text))
        .or_else(|| once(text))
        .or_else(|| forbidden(text, role))
}

/// Reads `Only admins can see the list`.
fn only(text: &str, role: Option<&str>) -> Option<Refusal> {
    let rest = after(text, &["only "])?;
    let lower = rest.to_ascii_lowercase();
    let (at, verb) = RIGHTS.iter().filter_map(|verb| Some((lower.find(verb)?, verb))).min()?;
    let (who, action) = (rest.get(..at)?, rest.get(at + verb.len()..)?);
    (is_person(who, role) && !action.is_empty()).then(|| Refusal {
        name: format!("Others than {who}"),
        given: vec![format!("anybody other than {who}")],
        when: vec![format!("they try to {}", grammar::person(action))],
        allowed: Some(who.to_owned()),
    })
}

/// Reads `Users must be signed in to vote`.
fn signed_in(text: &str) -> Option<Refusal> {
    let lower = text.to_ascii_lowercase();
    let (at, verb) = [" must be signed in", " must be logged in"]
        .into_iter()
        .find_map(|verb| Some((lower.find(verb)?, verb)))?;
    let action = text.get(at + verb.len()..)?.strip_prefix(" to ");
    Some(Refusal {
        name: "Not signed in".to_owned(),
        given: vec!["nobody is signed in".to_owned()],
        when: action
            .map(|action| format!("somebody tries to {}", grammar::person(action)))
            .into_iter()
            .collect(),
        allowed: None,
    })
}

/// Reads `The link works only once`, `A mail is sent at most once per minute`.
fn once(text: &str) -> Option<Refusal> {
    let lower = text.to_ascii_lowercase();
    let (at, words) = ONCE.iter().filter_map(|words| Some((lower.find(words)?, words))).min()?;
    let (event, rest) = (text.get(..at)?, text.get(at + words.len()..)?);
    let period = PERIODS.iter().find_map(|word| rest.strip_prefix(word));
    if event.contains(',') || !(rest.is_empty() || period.is_some()) {
        return None;
    }
    let right = RIGHTS.iter().find_map(|verb| event.split_once(verb));
    let event = right.map_or_else(|| event.to_owned(), |(who, action)| attempt(who, action));
    let within = period.map(|period| format!(" within the same {period}")).unwrap_or_default();
    Some(Refusal {
        name: title(&format!("{event} again{within}")),
        given: vec![format!("this has happened once already{within}")],
        when: vec![event],
        allowed: Some(format!("this has not happened{}", period.map_or(" yet", |_| &within))),
    })
}

/// Reads `Guests may not delete comments`, `A link cannot be used twice`.
fn forbidden(text: &str, role: Option<&str>) -> Option<Refusal> {
    let lower = text.to_ascii_lowercase();
    let (at, verb) = FORBIDS.iter().filter_map(|verb| Some((lower.find(verb)?, verb))).min()?;
    let (who, action) = (text.get(..at)?, text.get(at + verb.len()..)?);
    if who.contains(',') || action.is_empty() {
        return None;
    }
    let is_state = after(action, &["be "]).is_some();
    if !is_state && (!is_person(who, role) || *verb == " never ") {
        return None;
    }
    let what = attempt(who, action);
    Some(Refusal { name: title(&what), given: Vec::new(), when: vec![what], allowed: None })
}

/// Whether a text names people: those of the story, or others by a noun, before what describes them.
fn is_person(text: &str, role: Option<&str>) -> bool {
    const DESCRIBED: [&str; 5] = [" of ", " who ", " with ", " in ", " on "];
    let lower = text.to_lowercase();
    let end = DESCRIBED.iter().filter_map(|word| lower.find(word)).min().unwrap_or(lower.len());
    let last = lower[..end].rsplit(' ').next().unwrap_or_default();
    let last = last.strip_suffix('s').unwrap_or(last);
    let is_role = |role: &str| role.to_lowercase().trim_end_matches('s').ends_with(last);
    !text.contains(',') && (lists(PEOPLE, last) || role.is_some_and(is_role))
}

/// The attempt of what somebody may do, or of what something may be.
fn attempt(who: &str, action: &str) -> String {
    let is_plural = grammar::is_plural(who);
    if let Some(state) = after(action, &["be "]) {
        let is = if is_plural { "are" } else { "is" };
        return format!("{who} {is} {state}");
    }
    let tries = if is_plural { "try" } else { "tries" };
    format!("{who} {tries} to {action}")
}

/// Whether a text says that something may not be.
pub(super) fn is_forbidden(text: &str) -> bool {
    let lower = text.to_lowercase();
    FORBIDS.iter().any(|verb| lower.contains(verb))
}

/// Whether an outcome is a refusal or an error.
pub(super) fn is_refusal(text: &str) -> bool {
    const WORDS: [&str; 6] = ["refuse", "reject", "denied", "deny", "forbid", "error"];
    let lower = text.to_lowercase();
    let is_word = |word: &str| WORDS.iter().any(|refusal| word.starts_with(refusal));
    let is_negated = ["no error", "without an error", "without error"];
    lower.split(|c: char| !c.is_alphanumeric()).any(is_word)
        && !is_negated.iter().any(|part| lower.contains(part))
}
