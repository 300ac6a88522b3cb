//! What the heading of a changelog's section is of: a version, the changes that are not released, or anything else.

use semver::Version;

use crate::input::values::Date;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Of {
    Unreleased,
    /// A version, as written.
    Version(String),
    /// Anything else, such as notes, or a version in another form than Keep a Changelog's.
    Other,
}

impl Of {
    /// What a heading is of; its text is given: `[Unreleased]`, `[1.2.0] - 2026-01-31`, `1.2.0`.
    pub(super) fn heading(text: &str) -> Self {
        let (name, day) = text.split_once(" - ").unwrap_or((text, ""));
        let name = name.trim();
        let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let is_day = day.is_empty() || day.starts_with(|c: char| c.is_ascii_digit());
        if inner.eq_ignore_ascii_case("unreleased") && day.is_empty() {
            Self::Unreleased
        } else if is_day && version(inner).is_some() {
            Self::Version(inner.to_owned())
        } else {
            Self::Other
        }
    }

    pub(super) fn version(&self) -> Option<Version> {
        let Self::Version(label) = self else { return None };
        version(label)
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

fn version(label: &str) -> Option<Version> {
    Version::parse(label.trim_start_matches('v')).ok()
}

/// What is wrong with the day of a version's heading.
pub(super) fn wrong_day(text: &str) -> Option<String> {
    let Some((_, day)) = text.split_once(" - ") else {
        return Some("is missing: add ` - 2026-01-31`".to_owned());
    };
    let day = day.split(' ').next().unwrap_or_default();
    Date::new(day).err().map(|wanted| format!("is {day:?}, but must be {wanted}"))
}
