//! The records as they lie on disk, their aliases and their times. No IO, no clock.
