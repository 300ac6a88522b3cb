//! Line notations. Each has a written grammar (docs/notation.md), and is read completely or refused with the line, the
//! part that does not fit and an example.

pub mod arrows;
pub mod bounds;
pub mod endpoints;
pub mod entities;
pub mod errors;
pub(crate) mod facts;
mod line;
pub mod list;

pub use line::{Misfit, lines, split};

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
    /// Items, one per line or bullet, with an optional `type:`.
    List,
}

impl Notation {
    /// An example of its form.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Entities => entities::EXAMPLE,
            Self::Endpoints => endpoints::EXAMPLE,
            Self::Arrows => arrows::EXAMPLE,
            Self::Errors => errors::EXAMPLE,
            Self::List => list::EXAMPLE,
        }
    }

    /// Whether a text can only be this notation. A line of it may still not fit, which its reader then names.
    pub fn is_unambiguous(self, text: &str) -> bool {
        match self {
            Self::Entities => entities::is_unambiguous(text),
            Self::Endpoints => endpoints::read(text).is_ok(),
            Self::Arrows => arrows::read(text).is_ok(),
            Self::Errors => errors::is_unambiguous(text),
            Self::List => list::is_unambiguous(text),
        }
    }

    /// Whether a text is probably meant as this notation: its first line begins like one.
    pub fn is_likely(self, text: &str) -> bool {
        match self {
            Self::Entities => entities::is_likely(text),
            Self::Endpoints => endpoints::is_likely(text),
            Self::Arrows => text.contains("->"),
            Self::Errors | Self::List => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a parser that scans the rest of the text again for each part, these take hours.
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
        assert_eq!(misfit.why, "is over the limit of 1000 fields");
    }
}
