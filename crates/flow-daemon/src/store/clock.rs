//! The clocks behind a trait, so that tests can replace them.

use std::time::{Instant, SystemTime};

/// The time, by both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// Never goes back.
    pub instant: Instant,
    /// As on the wall; only compared with the times of files.
    pub wall: SystemTime,
}

/// The time. Tests put their own in its place.
pub trait Clock: Send {
    /// The moment, by both clocks.
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
