//! The input of skills, from text to a typed value: [`recognise`] determines the kind of [`content`] (by `forms`, [`parse`] and
//! `objects`), [`place`] puts everything into the fields of one object, as a skill's [`definition`] says ([`labels`] and [`coerce`]
//! read texts for it), and a skill reads the object that is [`given`] as its input type ([`typed`], with the types of [`values`]).
//! [`keywords`] lists what a field of such a type can declare of this, [`kind`] the kinds of data that skills pass to each other.

pub mod keywords;
pub mod kind;
pub mod content;
pub mod definition;
pub mod forms;
pub(crate) mod objects;
pub mod parse;
pub mod recognise;
pub mod typed;
pub mod coerce;
pub mod labels;
pub mod given;
pub mod place;
pub mod values;

/// Largest input, in bytes.
pub const LARGEST: usize = 4 << 20;
