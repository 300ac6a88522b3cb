//! The entries of `/api/problems`.

/// The effect of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// The whole file cannot be read.
    Invalid,
    /// The record or line is not served.
    Skipped,
    /// It is served after a repair.
    Repaired,
    /// It is served, and may not be read as it is meant.
    Suspicious,
}

impl Level {
    pub(crate) const ALL: [Self; 4] =
        [Self::Invalid, Self::Skipped, Self::Repaired, Self::Suspicious];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Skipped => "skipped",
            Self::Repaired => "repaired",
            Self::Suspicious => "suspicious",
        }
    }
}

/// The position of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum At {
    /// The whole file.
    File,
    Line(usize),
    /// The id of a record, its position in an array, or the name of a collection.
    Id(String),
}

/// An entry without its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) source: &'static str,
    pub(crate) at: At,
    pub(crate) level: Level,
}

impl Problem {
    pub(crate) fn of(source: &'static str, id: &str, level: Level) -> Self {
        Self { source, at: At::Id(id.to_owned()), level }
    }

    pub(crate) fn suspicious(source: &'static str, id: &str) -> Self {
        Self::of(source, id, Level::Suspicious)
    }
}

/// The expected entries.
#[derive(Debug)]
pub(crate) struct Problems {
    /// In the order in which they are listed.
    pub(crate) list: Vec<Problem>,
    /// Whether whole files are left out of the comparison, see [`super::Files::is_kept`].
    pub(crate) is_kept: bool,
}
