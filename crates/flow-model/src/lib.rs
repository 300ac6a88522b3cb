//! The records as they lie on disk: their text, their aliases, their times. No IO, no clock.

pub mod json;
pub mod record;
pub mod bus;
pub mod document;
pub mod problem;
pub mod time;
