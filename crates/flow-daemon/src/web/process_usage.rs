//! What this process uses, as the daemon read it last, so that no request reads it from the system.

use std::sync::atomic::{AtomicU64, Ordering};

/// What was read last; 0 means unknown.
#[derive(Debug, Default)]
pub struct ProcessUsage {
    resident_bytes: AtomicU64,
    open_files: AtomicU64,
}

impl ProcessUsage {
    /// Notes what was read. What could not be read stays as it was.
    pub fn note(&self, resident_bytes: Option<u64>, open_files: Option<u64>) {
        for (last, read) in [(&self.resident_bytes, resident_bytes), (&self.open_files, open_files)]
        {
            if let Some(read) = read {
                last.store(read, Ordering::Relaxed);
            }
        }
    }

    /// The memory that is resident, in bytes.
    pub(super) fn resident_bytes(&self) -> Option<u64> {
        known(&self.resident_bytes)
    }

    /// The number of open files.
    pub(super) fn open_files(&self) -> Option<u64> {
        known(&self.open_files)
    }
}

fn known(last: &AtomicU64) -> Option<u64> {
    Some(last.load(Ordering::Relaxed)).filter(|value| *value > 0)
}
