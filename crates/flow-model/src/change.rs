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
    /// So many records differ that they were not compared.
    NotCompared,
}

impl What {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Added,
        Self::Changed,
        Self::Removed,
        Self::Moved,
        Self::Archived,
        Self::Ticked,
        Self::Unticked,
        Self::Reworded,
        Self::NotCompared,
    ];

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
            Self::NotCompared => "not_compared",
        }
    }

    /// The kind with this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|what| what.name() == name)
    }
}

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It is still to be done.
    Open,
    /// It is completed.
    Done,
    /// It will not be done.
    GivenUp,
}

impl Standing {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Open, Self::Done, Self::GivenUp];

    /// Name in the journal.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::GivenUp => "given_up",
        }
    }

    /// The one with this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.name() == name)
    }
}

/// How a change came to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum How {
    /// The file was written while it was watched.
    Watched,
    /// It was written between two times at which it was read.
    WhileStopped,
    /// git put it there: a switch of branches, a pull, a rebase, a stash.
    Checkout,
    /// It is a commit of the past.
    Git,
}

impl How {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Watched, Self::WhileStopped, Self::Checkout, Self::Git];

    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Watched => "watched",
            Self::WhileStopped => "while_stopped",
            Self::Checkout => "checkout",
            Self::Git => "git",
        }
    }

    /// The one with this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|how| how.name() == name)
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
    /// All effects.
    pub const ALL: [Self; 3] = [Self::Weakened, Self::Reopened, Self::Contradiction];

    /// The effect with this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.name() == name)
    }

    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weakened => "weakened",
            Self::Reopened => "reopened",
            Self::Contradiction => "contradiction",
        }
    }
}
