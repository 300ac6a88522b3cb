//! The input and output types of a probe.

use std::time::SystemTime;

use bytes::Bytes;

use super::clock::Now;
use super::overwrite::Read;
use super::source_state::Stamp;
use super::tail::Reading;

/// Why a file is probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// The file may have changed.
    Hint,
    /// A caller waits for what is on disk now.
    Sync,
}

/// New content.
#[derive(Debug)]
pub enum Content {
    /// The file no longer exists.
    Gone,
    /// The bytes of a document, without a byte order mark, and their stamp.
    Document(Bytes, Stamp),
    /// The content of the log, and when it was written.
    Log(Reading, SystemTime),
}

impl Content {
    /// Whether a change can have gone unnoticed only within one clock tick.
    pub(super) fn is_certain(&self) -> bool {
        match self {
            Self::Log(reading, _) => reading.certain,
            Self::Gone | Self::Document(..) => true,
        }
    }

    /// A hash of what was read.
    pub(super) fn hash(&self) -> u64 {
        match self {
            Self::Document(_, stamp) => stamp.hash,
            Self::Log(reading, _) => reading.hash,
            Self::Gone => 0,
        }
    }
}

/// New content that a probe found. The caller evaluates it and returns the token.
#[derive(Debug)]
pub struct Probe {
    /// The content.
    pub content: Content,
    /// The token that the caller must return.
    pub unjudged: Unjudged,
}

/// A token for content that the caller has not accepted or rejected yet. Only `accept` and `reject` of
/// [`super::poller::SourcePoller`] consume it.
#[derive(Debug)]
#[must_use = "content must be accepted or rejected"]
pub struct Unjudged {
    /// When the probe began.
    pub(super) started: Now,
    /// The reading; `None` if the file no longer exists.
    pub(super) read: Option<Read>,
}

/// Numbers of records of a file that are served, skipped, and served after a repair.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Records or messages that are served.
    pub records: u64,
    /// Records or lines that are skipped.
    pub skipped: u64,
    /// Records that are served after a repair.
    pub repaired: u64,
}
