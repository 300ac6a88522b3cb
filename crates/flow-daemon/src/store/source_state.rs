//! What is known of the content of a source: its state, its health, and what identifies it.

use std::time::SystemTime;

/// Whether the content that is served is that on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// It is.
    Present,
    /// There is no file.
    #[default]
    Missing,
    /// It is being written; the last good content is served.
    Changing,
    /// It is not JSON of the right kind; the last good content is served.
    Invalid,
    /// The system denies access; the last good content is served.
    Unreadable,
    /// A link leads out of the project, or it is not a regular file; the last good content is served.
    Refused,
    /// It exceeds the limit; the last good content is served.
    TooLarge,
}

impl State {
    /// All states.
    pub const ALL: [Self; 7] = [
        Self::Present,
        Self::Missing,
        Self::Changing,
        Self::Invalid,
        Self::Unreadable,
        Self::Refused,
        Self::TooLarge,
    ];

    /// Name in `/api/health`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Missing => "missing",
            Self::Changing => "changing",
            Self::Invalid => "invalid",
            Self::Unreadable => "unreadable",
            Self::Refused => "refused",
            Self::TooLarge => "too_large",
        }
    }

    /// Whether it needs attention.
    pub const fn is_degraded(self) -> bool {
        matches!(self, Self::Invalid | Self::Unreadable | Self::Refused | Self::TooLarge)
    }
}

/// The health of one source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// Whether the content that is served is that on disk.
    pub state: State,
    /// Its path relative to the root.
    pub path: String,
    /// When the content that is served was loaded.
    pub loaded_at: Option<SystemTime>,
    /// Size of the file that is served.
    pub bytes: u64,
    /// Records or messages that are served.
    pub records: u64,
    /// Records or lines that are skipped.
    pub skipped: u64,
    /// Records that are served after a repair.
    pub repaired: u64,
    /// Why the state is not present, if known: a phrase that completes "the file is"; for `Unreadable` the system's own
    /// sentence.
    pub last_error: Option<String>,
    /// The line of the file to which that applies, from 1, if it is known.
    pub error_line: Option<usize>,
}

impl Health {
    /// The line, if known, and the reason why the content on disk is not served; `None` if it is, or may be soon.
    pub fn degraded(&self) -> Option<(Option<usize>, &str)> {
        let reason = self.last_error.as_deref().unwrap_or(self.state.name());
        self.state.is_degraded().then_some((self.error_line, reason))
    }
}

/// Identifies the content of a file: the basis of validators and times of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// A hash of the content.
    pub hash: u64,
    /// When the file was last written; `None` if there is no file.
    pub modified: Option<SystemTime>,
}
