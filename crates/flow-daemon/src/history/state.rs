//! Whether changes are being kept, as health says it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Whether changes are being kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// They are.
    Kept,
    /// The user does not want it.
    Off,
    /// The folder cannot be used; the log says why.
    Failed,
}

impl Condition {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Off => "off",
            Self::Failed => "failed",
        }
    }
}

/// The state that the thread of the journal and requests share.
#[derive(Debug, Clone)]
pub struct State(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    condition: AtomicU8,
    bytes: AtomicU64,
}

impl State {
    /// A state with this condition.
    pub fn new(condition: Condition) -> Self {
        let shared = Shared { condition: AtomicU8::new(condition as u8), bytes: AtomicU64::new(0) };
        Self(Arc::new(shared))
    }

    /// Whether changes are being kept.
    pub fn condition(&self) -> Condition {
        let number = self.0.condition.load(Ordering::Relaxed);
        let all = [Condition::Kept, Condition::Off, Condition::Failed];
        all.into_iter().find(|one| *one as u8 == number).unwrap_or(Condition::Failed)
    }

    /// Size of the journal's files, in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, condition: Condition, bytes: u64) {
        self.0.condition.store(condition as u8, Ordering::Relaxed);
        self.0.bytes.store(bytes, Ordering::Relaxed);
    }
}
