//! The records as they lie on disk: their text, their aliases, their times. No IO, no clock.

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
