//! Errors: `user not found 404, payment declined 402`, on lines or between commas and semicolons. A word with a colon
//! may precede them, such as a language.

use super::line::{Misfit, lines};
use crate::text::{is_number, lists};

/// An example of the form, for errors and help.
pub(crate) const EXAMPLE: &str = "user not found 404, payment declined 402";

/// Largest number of errors.
const MOST: usize = 1_000;
/// Longest name of an error, in words.
const LONGEST: usize = 8;
/// The same for one without a status: longer ones are sentences.
const LONGEST_BARE: usize = 3;
/// What is wrong with a part that is only a name.
const NO_STATUS: &str = "has no status from 400 to 599 after its name";

/// What is wrong with a part that may belong to the message before it.
const AFTER_MESSAGE: &str =
    "stands behind a message and has no status; put a message with a semicolon in double quotes";

/// An example of a message with a semicolon.
const QUOTED: &str = "out of stock 409: \"Sold out; sorry\"";

/// An error case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCase {
    /// Its name, such as `user not found`.
    pub name: String,
    /// The code that callers see, if it is not that of the name.
    pub code: Option<String>,
    /// Its HTTP status, if given.
    pub status: Option<u16>,
    /// The message for users, after a colon.
    pub message: Option<String>,
    /// Whether the same request may succeed later, if that is given: `provider down 503 retryable`.
    pub retryable: Option<bool>,
}

/// The words for languages, after which a status begins a case.
const LANGUAGES: &str = "typescript ts python py";

/// A word with a colon before the first case, such as the language of `python: user not found 404`, and the text after
/// it.
pub fn headed(text: &str) -> (Option<&str>, &str) {
    let is_word = |head: &str| {
        head.starts_with(char::is_alphabetic) && head.chars().all(char::is_alphanumeric)
    };
    match text.split_once(':') {
        Some((head, rest)) if is_word(head.trim()) && !is_case(head.trim(), rest) => {
            (Some(head.trim()), rest)
        }
        _ => (None, text),
    }
}

/// Whether a text after a colon begins with the status of the word before it, as in `conflict: 409 Reload the page`, and not
/// with a case.
fn is_case(head: &str, rest: &str) -> bool {
    let first = rest.split([',', ';', '\n']).next().unwrap_or_default().trim();
    let word = first.split([' ', ':']).next().unwrap_or_default();
    let is_language = || lists(LANGUAGES, &head.to_lowercase());
    status(first).is_some() || status(word).is_some() && !is_language()
}

/// A status, also in parentheses.
fn status(word: &str) -> Option<u16> {
    let bare = word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).unwrap_or(word);
    bare.parse::<u16>().ok().filter(|status| (400..600).contains(status))
}

/// Whether a text is unambiguously this notation: each case has a status.
pub(crate) fn is_unambiguous(text: &str) -> bool {
    read(text).is_ok_and(|cases| cases.iter().all(|case| case.status.is_some()))
}

/// Reads error cases.
///
/// # Errors
/// The first part that does not fit the notation.
pub fn read(text: &str) -> Result<Vec<ErrorCase>, Misfit> {
    let list = headed(text).1;
    let before = text[..text.len() - list.len()].matches('\n').count();
    let mut cases: Vec<ErrorCase> = Vec::new();
    for (line, text) in lines(list) {
        let line = line + before;
        let mut after_message = false;
        for part in parts(text) {
            let misfit = |why: String| Misfit::new(line, part, why, EXAMPLE);
            let case = case(part).map_err(misfit)?;
            if after_message && case.status.is_none() {
                return Err(Misfit::new(line, part, AFTER_MESSAGE, QUOTED));
            }
            after_message = case.message.is_some();
            if let Some(known) = cases.iter().find(|known| known.name == case.name) {
                return Err(misfit(match [known.status, case.status] {
                    [Some(one), Some(other)] if one != other => {
                        format!(
                            "has another status than {one}, which it has before: give one, or two names"
                        )
                    }
                    _ => "is given twice".to_owned(),
                }));
            }
            if cases.len() == MOST {
                return Err(misfit(format!("is over the limit of {MOST} errors")));
            }
            cases.push(case);
        }
    }
    if cases.is_empty() { Err(Misfit::new(1, "", "has no error", EXAMPLE)) } else { Ok(cases) }
}

/// The parts between commas and semicolons; a message after a colon keeps its commas up to the next case.
fn parts(line: &str) -> Vec<&str> {
    let bare = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line);
    let mut parts: Vec<&str> = Vec::new();
    let mut start = 0;
    let (mut has_message, mut is_quoted) = (false, false);
    for (at, c) in bare.char_indices() {
        has_message |= c == ':';
        is_quoted ^= c == '"';
        let is_end = !is_quoted
            && match c {
                ';' => true,
                ',' => {
                    let next = bare[at + 1..].split([',', ';']).next().unwrap_or_default();
                    !has_message
                        || at_colon(next).1.is_some_and(is_number)
                        || case(next).is_ok_and(|case| case.status.is_some())
                }
                _ => false,
            };
        if is_end {
            parts.push(bare[start..at].trim());
            start = at + 1;
            has_message = false;
        }
    }
    parts.push(bare[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The parts of a case as written; the message is what stands behind a colon.
struct Parts<'a> {
    name: &'a str,
    status: Option<u16>,
    message: Option<&'a str>,
}

fn case(part: &str) -> Result<ErrorCase, String> {
    let part = part.trim();
    if part.starts_with('|') {
        return Err("is a row of a table: write each case on a line, or as an object".to_owned());
    }
    let before = part
        .strip_suffix(" retryable")
        .filter(|before| status_last(before).or_else(|| status_first(before)).is_some());
    let (part, retryable) = (before.unwrap_or(part), before.map(|_| true));
    let parts =
        status_last(part).or_else(|| status_first(part)).or_else(|| status_behind_colon(part));
    let Parts { name, status, message } = match parts {
        Some(parts) => parts,
        None => without_status(part)?,
    };
    let name = name.trim().trim_end_matches('=').trim();
    let is_name = !name.is_empty()
        && name.split_whitespace().count() <= LONGEST
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '\'' | '/'))
        && name.contains(char::is_alphabetic);
    if !is_name {
        return Err(format!(
            "has no name of at most {LONGEST} words, of letters, digits and - _ / ', before its status"
        ));
    }
    if name.split(' ').any(|word| self::status(word).is_some()) {
        return Err("has two statuses: put a comma between two cases".to_owned());
    }
    if message == Some("") {
        return Err("has a colon without a message".to_owned());
    }
    let message = message.map(|text| text.trim_matches('"').to_owned());
    Ok(ErrorCase { name: name.to_owned(), code: None, status, message, retryable })
}

/// A text before its first colon, and the text behind it.
fn at_colon(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((before, behind)) => (before.trim(), Some(behind.trim())),
        None => (text, None),
    }
}

/// `404 user not found` and `404: user not found`.
fn status_first(part: &str) -> Option<Parts<'_>> {
    let (word, rest) = part.split_once([' ', ':'])?;
    let number = status(word)?;
    let (name, message) = at_colon(rest.trim_start_matches([' ', ':']));
    // Of two statuses none is chosen.
    let has_second = name.rsplit(' ').next().and_then(status).is_some();
    (!has_second).then_some(Parts { name, status: Some(number), message })
}

/// `user not found 404`, `user not found (404)` and `USER_NOT_FOUND=404`.
fn status_last(part: &str) -> Option<Parts<'_>> {
    let (head, message) = at_colon(part);
    let (name, number) = head.rsplit_once([' ', '=']).unwrap_or(("", head));
    let status = status(number)?;
    // `404: user not found` begins with its status.
    let has_name = !name.is_empty() || message.is_none();
    has_name.then_some(Parts { name, status: Some(status), message })
}

/// `user not found: 404`, and a message behind it.
fn status_behind_colon(part: &str) -> Option<Parts<'_>> {
    let (name, behind) = at_colon(part);
    let (number, message) = match behind?.split_once([':', ' ']) {
        Some((number, message)) => (number, Some(message.trim_start_matches([':', ' ']))),
        None => (behind?, None),
    };
    Some(Parts { name, status: Some(status(number)?), message })
}

/// A name alone, which is short and has no number.
fn without_status(part: &str) -> Result<Parts<'_>, String> {
    let (name, message) = at_colon(part);
    let has_digit = name.contains(|c: char| c.is_ascii_digit());
    if let Some(number) = message.filter(|text| is_number(text)) {
        return Err(format!("has no status from 400 to 599 but {number}"));
    }
    if has_digit || name.split_whitespace().count() > LONGEST_BARE {
        return Err(NO_STATUS.to_owned());
    }
    Ok(Parts { name, status: None, message })
}
