//! A story's sentence: `As a … I want … so that …`.

use crate::text;

/// An example of the form, for errors and help.
pub const EXAMPLE: &str = "As a reader I want to search by author so that I find all books of one";

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
pub(super) const WANTS: [&str; 8] = [
    "I want ",
    "we want ",
    "I need ",
    "we need ",
    "I would like ",
    "we would like ",
    "I'd like ",
    "we'd like ",
];
const BENEFIT: [&str; 1] = ["so that "];

/// The sentence at the beginning of a text, and the text right after it.
pub fn split(text: &str) -> Option<(StorySentence, &str)> {
    let trimmed = text.trim_start();
    let first = text::sentences(paragraph(trimmed)).into_iter().next()?;
    let rest = trimmed.get(first.len()..)?;
    parse(&text::line(&first.replace("**", ""))).map(|sentence| (sentence, rest))
}

/// The lines that can belong to a sentence: up to an empty line, a bullet, or a line behind the benefit that begins with a
/// capital.
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
        is_complete |= text::after(bare, &BENEFIT).is_some() || cut(bare, &BENEFIT).is_some();
    }
    text.get(..end).unwrap_or(text)
}

fn parse(line: &str) -> Option<StorySentence> {
    let bare = |text: &str| text.trim().trim_end_matches(['.', '!', ',']).to_owned();
    let (role, rest) = cut(text::after(line, &STARTS)?, &WANTS)?;
    let (want, benefit) = match cut(rest, &BENEFIT) {
        Some((want, benefit)) => (want, Some(bare(benefit))),
        None => (rest, None),
    };
    let sentence = StorySentence { role: bare(role), want: bare(want), benefit };
    (!sentence.role.is_empty() && !sentence.want.is_empty()).then_some(sentence)
}

/// The text before the first of several phrases and the text after it, ignoring case. The phrase must follow a blank, and
/// may follow a comma.
fn cut<'a>(text: &'a str, phrases: &[&str]) -> Option<(&'a str, &'a str)> {
    let lower = text.to_ascii_lowercase();
    let places = phrases.iter().filter_map(|phrase| {
        let at = lower.find(&format!(" {}", phrase.to_ascii_lowercase()))?;
        Some((at, at + 1 + phrase.len()))
    });
    let (at, end) = places.min()?;
    let before = text.get(..at)?;
    Some((before.strip_suffix(',').unwrap_or(before), text.get(end..)?))
}
