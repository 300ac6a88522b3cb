//! The kinds of change of a record, and what a change does to what the plan promises.

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// The record is new.
    Added,
    /// A member has another value.
    Changed,
    /// The record, or one of its criteria, is gone.
    Removed,
    /// It is the same under another id or in another file.
    Moved,
    /// It was moved to where finished work is kept.
    Archived,
    /// Its box was ticked.
    Ticked,
    /// Its box is no longer ticked.
    Unticked,
    /// A text says the same, or something else, in other words.
    Reworded,
}

impl What {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Moved => "moved",
            Self::Archived => "archived",
            Self::Ticked => "ticked",
            Self::Unticked => "unticked",
            Self::Reworded => "reworded",
        }
    }
}

/// What a change does to what the plan promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// A promise of an open record is taken back.
    Weakened,
    /// What was completed is open again. A review may do that.
    Reopened,
    /// A record is completed, and parts of it are not.
    Contradiction,
}

impl Effect {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weakened => "weakened",
            Self::Reopened => "reopened",
            Self::Contradiction => "contradiction",
        }
    }
}
