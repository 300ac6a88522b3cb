//! The input of skills, from text to a typed value: [`recognise`] determines the kind of content, [`labels`] and
//! [`notation`] read text, [`place`] puts everything into the fields of one object, and [`typed`] reads that object as
//! the skill's input type. [`kind`] lists the kinds of data that skills pass to each other.

pub(crate) mod coerce;
pub mod effort;
pub mod given;
pub mod kind;
pub mod labels;
pub mod notation;
pub mod place;
pub mod recognise;
pub mod typed;
pub mod values;

/// Largest input, in bytes.
pub const LARGEST: usize = 4 << 20;
