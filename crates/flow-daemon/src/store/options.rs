//! How the files are followed, and with which disk and clock.

use std::fmt;
use std::time::Duration;

use super::clock::{Clock, RealClock};
use super::disk::Disk;
use super::keeper::Keeper;
use super::names::MOST_NAMES;

/// Which events the system is asked to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Changes in every folder from the root to each file.
    Folders,
    /// Changes of the files alone, which ends at the first rename. Only for a test that must fail.
    Files,
    /// Nothing.
    Nothing,
}

/// How the files are followed. Programs use the default; tests disable parts of it.
#[derive(Debug, Clone)]
pub struct Options {
    /// How often every file is probed, whatever events are reported. `None`: never.
    pub sweep: Option<Duration>,
    /// Which events the system is asked to report.
    pub scope: Scope,
    /// Largest number of values of a field of the log that have a set of positions ([`super::names`]).
    pub names: usize,
}

impl Default for Options {
    fn default() -> Self {
        let sweep = Some(Duration::from_millis(250));
        Self { sweep, scope: Scope::Folders, names: MOST_NAMES }
    }
}

/// The file system and the clock of the store.
pub struct Environment {
    /// The file system; `None` is the real one, restricted to the project.
    pub disk: Option<Box<dyn Disk>>,
    /// The time.
    pub clock: Box<dyn Clock>,
    /// What keeps the changes beyond this run.
    pub keeper: Option<Box<dyn Keeper>>,
}

impl Default for Environment {
    fn default() -> Self {
        Self { disk: None, clock: Box::new(RealClock), keeper: None }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").finish_non_exhaustive()
    }
}
