//! How the files are followed, and over which disk and clock.

use std::fmt;
use std::time::Duration;

use super::clock::{Clock, RealClock};
use super::disk::{Disk, RealDisk};

/// What the system is asked to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Changes in every folder from the root to each file.
    Folders,
    /// Changes of the files alone, which ends at the first rename. Only to show that tests notice.
    Files,
    /// Nothing.
    Nothing,
}

/// How the files are followed. The default is right; tests switch parts of it off.
#[derive(Debug, Clone)]
pub struct Options {
    /// How often every file is probed, whatever the system reports. `None` never.
    pub sweep: Option<Duration>,
    /// What the system is asked to report.
    pub scope: Scope,
}

impl Default for Options {
    fn default() -> Self {
        Self { sweep: Some(Duration::from_millis(250)), scope: Scope::Folders }
    }
}

/// The file system and the time as the store sees them.
pub struct Environment {
    /// The file system.
    pub disk: Box<dyn Disk>,
    /// The time.
    pub clock: Box<dyn Clock>,
}

impl Default for Environment {
    fn default() -> Self {
        Self { disk: Box::new(RealDisk), clock: Box::new(RealClock) }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").finish_non_exhaustive()
    }
}
