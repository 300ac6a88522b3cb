//! Error cases as one would say them: `user not found 404, payment declined 402 and too many requests`.

/// A case in words.
pub(super) struct Phrase {
    /// `USER_NOT_FOUND`.
    pub(super) code: String,
    pub(super) status: Option<u16>,
    /// `User not found.`
    pub(super) message: String,
    pub(super) is_retryable: bool,
}

/// Words that begin a list of cases and are of none.
const EMPTY: [&str; 9] = ["errors", "error", "cases", "when", "if", "the", "a", "an", "with"];
/// Longest phrase, in words.
const LONGEST: usize = 12;

/// The lines of a text, and the parts of those that semicolons or commas part; a line that begins with a code and a
/// status stands whole.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let lines = text.lines().flat_map(|line| {
        let parts: Vec<&str> = line.split(';').collect();
        if parts.iter().all(|part| is_form(part) || status(part).is_some()) {
            parts
        } else {
            vec![line]
        }
    });
    let cases = lines.flat_map(|line| {
        if is_form(line) {
            return vec![line];
        }
        let parts: Vec<&str> = line.split(',').flat_map(|part| part.split(" and ")).collect();
        let is_list = parts.iter().filter(|part| status(part).is_some()).count() > 1;
        if is_list { parts } else { vec![line] }
    });
    cases
        .map(|part| part.trim().trim_start_matches(['-', '*']).trim().trim_end_matches('.'))
        .filter(|part| !part.is_empty())
        .collect()
}

/// Whether a line begins with a code and a number, as the short form does.
pub(super) fn is_form(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let code = words.next().unwrap_or_default().trim_end_matches([':', ',']);
    let is_code = code.starts_with(|c: char| c.is_ascii_alphabetic());
    is_code && words.next().is_some_and(|word| number(word).is_some() && !is_lower(code))
        || (is_code && !is_lower(code) && line.split_whitespace().count() <= 2)
}

fn is_lower(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn number(word: &str) -> Option<u16> {
    word.trim_matches(['(', ')', ':', ',', '.', '=']).parse().ok()
}

fn status(part: &str) -> Option<u16> {
    part.split_whitespace().filter_map(number).find(|code| (400..600).contains(code))
}

/// Reads a part; none where no words are left for a code.
pub(super) fn phrase(part: &str) -> Option<Phrase> {
    let is_word = |word: &&str| number(word).is_none() && !["is", "->", "=>", "→"].contains(word);
    let words: Vec<&str> = part
        .split_whitespace()
        .map(|word| word.trim_matches(['(', ')', ':', ',', '.', '"']))
        .filter(|word| !word.is_empty())
        .filter(is_word)
        .skip_while(|word| EMPTY.contains(&word.to_ascii_lowercase().as_str()))
        .collect();
    let is_retryable = words.last().is_some_and(|word| word.eq_ignore_ascii_case("retryable"));
    let words = &words[..words.len() - usize::from(is_retryable)];
    let is_plain =
        |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_'’".contains(c));
    if words.is_empty() || words.len() > LONGEST || !words.iter().all(is_plain) {
        return None;
    }
    let text = words.join(" ");
    let bare: String = text.chars().filter(|c| !"'’".contains(*c)).collect();
    let code = heck::AsShoutySnakeCase(bare).to_string();
    let mut rest = text.chars();
    let first = rest.next()?.to_uppercase().collect::<String>();
    let message = format!("{first}{}.", rest.as_str());
    let status = status(part).or_else(|| named(&text));
    Some(Phrase { code, status, message, is_retryable })
}

/// The status whose own name ends a phrase: `user not found`.
fn named(text: &str) -> Option<u16> {
    let lower = text.to_ascii_lowercase();
    (400..600_u16).find(|code| {
        let reason =
            http::StatusCode::from_u16(*code).ok().and_then(|code| code.canonical_reason());
        reason.is_some_and(|reason| lower.ends_with(&reason.to_ascii_lowercase()))
    })
}
