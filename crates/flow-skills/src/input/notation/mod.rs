//! Line notations: each has a written grammar (docs/notation.md), is read whole or refused with the line, the part that
//! does not fit and an example, and prints so that it reads back.

pub mod arrows;
pub mod bounds;
pub mod endpoints;
pub mod entities;
pub mod errors;
pub mod list;
pub mod split;
pub mod story;

use crate::output::Fault;

/// Longest part that an error repeats, in characters.
const SHOWN: usize = 80;

/// The notations of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// `User: id uuid pk, email string unique`
    Entities,
    /// `GET /users/{id} -> User`
    Endpoints,
    /// `a -> b -> c: label`
    Arrows,
    /// `user not found 404, payment declined 402`
    Errors,
    /// Items, one a line or a bullet, with an optional `type:`.
    List,
    /// `As a … I want … so that …`
    Story,
}

impl Notation {
    /// Its name, as `--as` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Entities => "entities",
            Self::Endpoints => "endpoints",
            Self::Arrows => "arrows",
            Self::Errors => "errors",
            Self::List => "list",
            Self::Story => "story-sentence",
        }
    }

    /// An example of its form.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Entities => "User: id uuid pk, email string unique, orders -> Order[]",
            Self::Endpoints => "GET /users/{id} -> User",
            Self::Arrows => "web [frontend] -> api -> db: SQL",
            Self::Errors => "user not found 404, payment declined 402",
            Self::List => "fixed: a crash on an empty list",
            Self::Story => "As a reader I want to search by author so that I find all books of one",
        }
    }

    /// Whether a text is this notation and hardly anything else: every line fits.
    pub fn is_whole(self, text: &str) -> bool {
        match self {
            Self::Entities => entities::is_whole(text),
            Self::Endpoints => endpoints::read(text).is_ok(),
            Self::Arrows => arrows::read(text).is_ok(),
            Self::Errors => errors::read(text).is_ok(),
            Self::List => list::is_whole(text),
            Self::Story => story::read(text).is_ok(),
        }
    }

    /// Whether a text tries to be this notation: its first line begins as one does.
    pub fn is_likely(self, text: &str) -> bool {
        match self {
            Self::Entities => entities::is_likely(text),
            Self::Endpoints => endpoints::is_likely(text),
            Self::Arrows => text.contains("->"),
            Self::Errors | Self::List => false,
            Self::Story => text.trim_start().to_lowercase().starts_with("as a"),
        }
    }
}

/// Why a text is not of its notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The line, from 1.
    pub line: usize,
    /// The part that does not fit.
    pub part: String,
    /// What is wrong with it.
    pub why: String,
    /// The form, with the user's own words where they can be used.
    pub example: String,
}

impl Misfit {
    /// The error of a field.
    pub fn fault(self, field: &str) -> Fault {
        let Self { line, part, why, example } = self;
        let cut = part.char_indices().nth(SHOWN).map(|(at, _)| at);
        let part = cut.map_or(part.clone(), |at| format!("{}…", &part[..at]));
        Fault::Notation { field: field.to_owned(), line, part, why, example }
    }
}

/// The lines that are neither empty nor a comment (`#`), each with its number from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The lines outside of fenced code, each with its number from 1.
pub fn outside_fences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let is_mark = line.trim_start().starts_with("```");
        is_fenced ^= is_mark;
        (!is_fenced && !is_mark).then_some((at + 1, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a reader that looks at the rest of the text again for each part, these take hours.
    #[test]
    fn long_texts_are_read_in_linear_time() {
        let most = crate::input::LARGEST;
        let commas = ",".repeat(most);
        let late = format!("{}:{}", "a".repeat(most / 2), ",".repeat(most / 2));
        let names: Vec<String> = (0..most / 10).map(|number| format!("field{number}")).collect();
        let fields = format!("User: {}", names.join(", "));
        assert!(endpoints::read(&commas).is_err());
        assert!(errors::read(&late).is_err());
        let misfit = entities::read(&fields).unwrap_err();
        assert_eq!(misfit.why, "has more than 1000 fields, which is the most that are read");
    }
}
