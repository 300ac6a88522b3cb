//! Line notations. Each has a written grammar (docs/notation.md), and is read completely or refused with the line, the
//! part that does not fit and an example.

pub mod arrows;
pub mod endpoints;
pub mod entities;
pub mod errors;
mod line;
pub mod list;

pub use line::{Misfit, lines, split};

#[cfg(test)]
mod tests {
    use super::*;

    /// With a parser that scans the rest of the text again for each part, these take hours.
    #[test]
    fn long_texts_are_read_in_linear_time() {
        let most = 4 << 20;
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
