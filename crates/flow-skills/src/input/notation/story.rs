//! A story's sentence: `As a … I want … so that …`.

use super::line::Misfit;
use crate::text;

/// An example of the form, for errors and help.
pub(super) const EXAMPLE: &str =
    "As a reader I want to search by author so that I find all books of one";

/// The parts of a story's sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorySentence {
    /// Who wants it, without an article.
    pub role: String,
    /// What they want: the text after "I want".
    pub want: String,
    /// The benefit: the text after "so that".
    pub benefit: Option<String>,
}

const STARTS: [&str; 4] = ["As an ", "As a ", "As the ", "As "];
const WANTS: [&str; 10] = [
    "I want ",
    "we want ",
    "I need ",
    "we need ",
    "I would like ",
    "we would like ",
    "I'd like ",
    "we'd like ",
    "I’d like ",
    "I wish ",
];
/// The phrases before a benefit, and the words to put before the benefit.
const BENEFITS: [(&str, &str); 5] = [
    ("so that ", ""),
    ("in order to ", "I can "),
    ("so I ", "I "),
    ("so we ", "we "),
    ("so my ", "my "),
];

/// The sentence at the beginning of a text, and the text right after it.
pub fn split(text: &str) -> Option<(StorySentence, &str)> {
    let trimmed = text.trim_start();
    let first = text::sentences(paragraph(trimmed)).into_iter().next()?;
    let rest = trimmed.get(first.len()..)?;
    parse(&text::line(&first)).map(|sentence| (sentence, rest))
}

/// Whether a text begins like such a sentence.
pub fn is_claimed(text: &str) -> bool {
    text::after(text.trim_start(), &["As a ", "As an "]).is_some()
}

/// The lines that can belong to a sentence: up to an empty line, a bullet, or a line after the benefit's.
fn paragraph(text: &str) -> &str {
    let mut end = 0;
    let mut is_complete = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let is_new = is_complete && bare.starts_with(char::is_uppercase);
        if bare.is_empty() || is_new || end > 0 && text::item(bare).is_some() {
            break;
        }
        end += line.len();
        is_complete = text::after(bare, &["so that ", "in order to "]).is_some();
    }
    text.get(..end).unwrap_or(text)
}

/// Reads a sentence.
///
/// # Errors
/// When it does not have this form, or text follows it.
pub fn read(text: &str) -> Result<StorySentence, Misfit> {
    let misfit = |part: &str, why: &str| Misfit::new(1, &text::title(part), why, EXAMPLE);
    match split(text) {
        Some((sentence, rest)) if rest.trim().is_empty() => Ok(sentence),
        Some((_, rest)) => Err(misfit(rest, "follows the story's sentence")),
        None => Err(misfit(text, "is not a story sentence")),
    }
}

fn parse(line: &str) -> Option<StorySentence> {
    let bare = |text: &str| text.trim().trim_end_matches(['.', '!', ',']).to_owned();
    let (stated, rest) = benefit_first(line).unwrap_or((None, line));
    let rest = text::after(rest, &STARTS)?;
    let (role, _, rest) = cut(rest, &WANTS)?;
    let benefits = BENEFITS.map(|(words, _)| words);
    let (want, benefit) = match cut(rest, &benefits) {
        Some((want, words, benefit)) => {
            let begins = BENEFITS.iter().find(|(known, _)| *known == words);
            (want, Some(format!("{}{}", begins.map_or("", |(_, begins)| begins), bare(benefit))))
        }
        None => (rest, stated.map(|benefit| format!("I can {}", bare(benefit)))),
    };
    let sentence = StorySentence { role: bare(role), want: bare(want), benefit };
    (!sentence.role.is_empty() && !sentence.want.is_empty()).then_some(sentence)
}

/// Splits `In order to get back in, as a reader I want …` into the benefit and the rest.
fn benefit_first(line: &str) -> Option<(Option<&str>, &str)> {
    let rest = text::after(line, &["In order to "])?;
    let (benefit, _, _) = cut(rest, &["as an ", "as a ", "as the "])?;
    let from = benefit.len() + rest.get(benefit.len()..)?.find(['a', 'A'])?;
    Some((Some(benefit), rest.get(from..)?))
}

/// The text before the first of several phrases, the phrase, and the text after it, ignoring case. The phrase must
/// follow a blank, and may follow a comma.
fn cut<'a>(text: &'a str, phrases: &[&'static str]) -> Option<(&'a str, &'static str, &'a str)> {
    let lower = text.to_ascii_lowercase();
    let found = phrases.iter().filter_map(|phrase| {
        let at = lower.find(&format!(" {}", phrase.to_ascii_lowercase()))?;
        Some((at, *phrase))
    });
    let (at, phrase) = found.min_by_key(|(at, phrase)| (*at, usize::MAX - phrase.len()))?;
    let before = text.get(..at)?;
    let before = before.strip_suffix(',').unwrap_or(before);
    Some((before, phrase, text.get(at + 1 + phrase.len()..)?))
}
