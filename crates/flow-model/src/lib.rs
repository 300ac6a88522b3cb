//! The records as they are on disk: their text, aliases, dependencies and times. No I/O, no clock.

pub mod caveats;
pub mod change;
pub mod cause;
pub mod fault;
pub mod filter;
pub mod hidden;
pub mod json;
pub mod kind;
pub mod name;
pub mod names;
pub mod record;
pub mod dependency;
pub mod cycles;
pub mod exchange;
pub mod priority;
pub mod bus;
pub mod synonyms;
pub mod document;
pub mod problem;
pub mod similar;
pub mod status_words;
pub mod suspicions;
pub mod time;
pub mod wording;
pub mod span;
pub mod schema;
