//! The records as they are on disk: their text, aliases, dependencies and times. No I/O, no clock.

pub mod fault;
pub mod json;
pub mod record;
pub mod fields;
pub mod dependency;
pub mod cycles;
pub mod exchange;
pub mod bus;
pub mod document;
pub mod problem;
pub mod time;
pub mod span;
