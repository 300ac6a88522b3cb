//! A document that stays open between two readings, so that every open event in between is another process's: the system
//! merges the events of two that open a file at the same time.

use std::fmt;
use std::path::PathBuf;

use super::disk::{Open, Stat};

/// An open document.
pub struct Kept {
    /// The file.
    pub file: Box<dyn Open>,
    /// Its stat at the last reading.
    pub stat: Stat,
    /// Its path at the last reading with links followed; `None` if it leads out of the project.
    pub real: Option<PathBuf>,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("real", &self.real).finish_non_exhaustive()
    }
}

impl Kept {
    /// Whether it is the file with this stat and path, and its permissions are as they were.
    pub fn is_at(&self, stat: &Stat, real: &Option<PathBuf>) -> bool {
        (self.stat.identity, self.stat.mode) == (stat.identity, stat.mode) && self.real == *real
    }
}
