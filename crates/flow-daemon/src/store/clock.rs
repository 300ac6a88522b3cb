//! A trait for the system's clocks, so that tests can replace them.

use std::time::{Instant, SystemTime};

/// The current time, by both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// Monotonic.
    pub instant: Instant,
    /// Wall-clock time; only compared with the times of files.
    pub wall: SystemTime,
}

/// A source of the current time. Tests provide their own.
pub trait Clock: Send {
    /// The current time, by both clocks.
    fn now(&self) -> Now;
}

/// The system's clocks.
#[derive(Debug, Clone, Copy)]
pub struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Now {
        Now { instant: Instant::now(), wall: SystemTime::now() }
    }
}
