//! What options of `flow skill` choose between.

/// Whether a skill's help is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) enum Help {
    #[default]
    NotAsked,
    Asked,
}

/// Which templates are added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) enum Which {
    #[default]
    Named,
    All,
    /// All, without the word that confirms it.
    Unconfirmed,
}

/// What an open question means for the exit code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) enum OpenQuestions {
    #[default]
    Noted,
    Refused,
}

/// What happens to a file that is in the way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) enum Existing {
    #[default]
    Kept,
    Replaced,
}
