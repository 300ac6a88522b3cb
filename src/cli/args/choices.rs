//! The values of the options of `flow skill`.

/// Whether a skill's help is requested.
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
    /// All, without the confirming option.
    Unconfirmed,
}

/// The effect of an open question on the exit code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) enum OpenQuestions {
    #[default]
    Noted,
    Refused,
}

/// What happens to an existing file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) enum Existing {
    #[default]
    Kept,
    Replaced,
}
