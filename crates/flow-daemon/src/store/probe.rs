//! What a probe of a file is asked for, and what it gives.

use std::time::SystemTime;

use bytes::Bytes;

use super::clock::Now;
use super::overwrite::Read;
use super::snapshot::Stamp;
use super::tail::Reading;

/// Why a file is probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// It may have changed.
    Hint,
    /// Somebody waits for what is on disk now.
    Sync,
}

/// New content.
#[derive(Debug)]
pub enum Content {
    /// There is no file any more.
    Gone,
    /// A document's bytes, without a byte order mark, and which content they are.
    Document(Bytes, Stamp),
    /// What the log holds, and when it was written.
    Log(Reading, SystemTime),
}

impl Content {
    /// Whether nothing can have been changed in it without being seen, but for the tick of a clock.
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

/// New content that a probe found. The caller judges it, and hands the token back.
#[derive(Debug)]
pub struct Probe {
    /// The content.
    pub content: Content,
    /// The token.
    pub unjudged: Unjudged,
}

/// Content that was given and not judged yet. Only `accept` and `reject` of
/// [`super::poller::SourcePoller`] take it.
#[derive(Debug)]
#[must_use = "content must be accepted or rejected"]
pub struct Unjudged {
    /// When the probe began.
    pub(super) started: Now,
    /// What was read; `None` where the file is gone.
    pub(super) read: Option<Read>,
}

/// How many records of a file are served, skipped, and served with a repair.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Records or messages that are served.
    pub records: u64,
    /// Records or lines that are not.
    pub skipped: u64,
    /// Records that are served changed.
    pub repaired: u64,
}
