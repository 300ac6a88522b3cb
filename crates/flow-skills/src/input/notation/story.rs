//! A story's sentence: `As a … I want … so that …`.

use std::fmt;

use super::{Misfit, Notation};
use crate::text;

/// A story's sentence, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorySentence {
    /// Who wants it, without an article.
    pub role: String,
    /// What they want, as it follows "I want".
    pub want: String,
    /// What for, as it follows "so that".
    pub benefit: Option<String>,
}

/// The sentence that a text begins with, and what follows it, word for word.
pub fn split(text: &str) -> Option<(StorySentence, &str)> {
    let trimmed = text.trim_start();
    // It ends at an empty line, or at the stop of its first sentence.
    let paragraph = trimmed.split("\n\n").next().unwrap_or(trimmed);
    let first = text::sentences(paragraph).into_iter().next()?;
    let rest = trimmed.get(first.len()..)?;
    parse(&text::line(&first)).map(|sentence| (sentence, rest.trim_start()))
}

/// Reads a sentence.
///
/// # Errors
/// When it has not this form, or something follows it.
pub fn read(text: &str) -> Result<StorySentence, Misfit> {
    let misfit = |part: &str, why: &str| Misfit {
        line: 1,
        part: text::title(part),
        why: why.to_owned(),
        example: Notation::Story.example().to_owned(),
    };
    match split(text) {
        Some((sentence, "")) => Ok(sentence),
        Some((_, rest)) => Err(misfit(rest, "stands behind the story's sentence")),
        None => Err(misfit(text, "is no story's sentence")),
    }
}

fn parse(line: &str) -> Option<StorySentence> {
    let rest = text::after(line, &["As an ", "As a ", "As the ", "As "])?;
    let (role, rest) =
        cut(rest, &[", I want ", " I want ", ", we want ", " we want ", ", I need ", " I need "])?;
    let (want, benefit) =
        match cut(rest, &[", so that ", " so that ", ", in order to ", " in order to "]) {
            Some((want, benefit)) => (want, Some(benefit)),
            None => (rest, None),
        };
    let bare = |text: &str| text.trim().trim_end_matches(['.', '!', ',']).to_owned();
    let sentence = StorySentence { role: bare(role), want: bare(want), benefit: benefit.map(bare) };
    (!sentence.role.is_empty() && !sentence.want.is_empty()).then_some(sentence)
}

/// The text before and after the first of several words, whatever its case.
fn cut<'a>(text: &'a str, words: &[&str]) -> Option<(&'a str, &'a str)> {
    let lower = text.to_ascii_lowercase();
    let found =
        words.iter().filter_map(|word| Some((lower.find(&word.to_ascii_lowercase())?, word.len())));
    let (at, length) = found.min_by_key(|(at, length)| (*at, usize::MAX - length))?;
    Some((&text[..at], &text[at + length..]))
}

impl fmt::Display for StorySentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let article = if self.role.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) {
            "an"
        } else {
            "a"
        };
        write!(f, "As {article} {} I want {}", self.role, self.want)?;
        self.benefit.as_ref().map_or(Ok(()), |benefit| write!(f, " so that {benefit}"))
    }
}
