//! What the heading of a changelog's section is of: a version, the changes that are not released, or anything else.

use semver::Version;

use crate::generator::changes::bare;

/// Words in front of a version in headings.
const VERSION_WORDS: [&str; 4] = ["Version ", "version ", "Release ", "release "];

/// What stands for the name of the section that is not released yet, in lower case.
const PENDING: [&str; 4] = ["unreleased", "in progress", "tbd", "upcoming"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Of {
    Unreleased,
    /// A version, as written.
    Version(String),
    /// Anything else, such as notes.
    Other,
}

impl Of {
    pub(super) fn version(&self) -> Option<Version> {
        let Self::Version(label) = self else { return None };
        Version::parse(label.trim_start_matches('v')).ok()
    }

    /// The label of the section's link.
    pub(super) fn label(&self) -> Option<&str> {
        match self {
            Self::Unreleased => Some("unreleased"),
            Self::Version(label) => Some(label),
            Self::Other => None,
        }
    }
}

/// What a heading is of; its text is given. Some tools write patches in small letters, or a symbol in front.
pub(super) fn of(heading: &str) -> Of {
    let heading = heading.trim();
    let small = heading.strip_prefix("<small>").and_then(|rest| rest.strip_suffix("</small>"));
    let is_symbol = |c: char| !c.is_alphanumeric() && c != '[';
    let (_, heading) = worded(small.unwrap_or(heading).trim_start_matches(is_symbol));
    let split = match heading.strip_prefix('[') {
        Some(inner) => inner.split_once(']'),
        None => Some(heading.split_at(heading.find(' ').unwrap_or(heading.len()))),
    };
    let Some((word, rest)) = split else { return Of::Other };
    let rest = rest.trim_start();
    let is_date = |c: char| c.is_ascii_digit() || "-–—(/:,[".contains(c);
    let parts = || word.trim_start_matches('v').split('.');
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    if !(rest.is_empty() || rest.starts_with(is_date)) {
        Of::Other
    } else if is_pending(word) {
        Of::Unreleased
    } else if parts().count() > 1 && parts().all(is_number) {
        Of::Version(word.to_owned())
    } else {
        Of::Other
    }
}

/// The word in front of a heading's version, and the rest.
pub(super) fn worded(heading: &str) -> (&'static str, &str) {
    let split = |word: &'static str| Some((word, heading.strip_prefix(word)?));
    VERSION_WORDS.into_iter().find_map(split).unwrap_or(("", heading))
}

/// Whether a text says that something is not released.
pub(super) fn is_pending(text: &str) -> bool {
    PENDING.contains(&bare(text).as_str())
}
