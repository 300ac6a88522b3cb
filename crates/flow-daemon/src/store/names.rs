//! The values of the log's fields that have a set of positions of their own: of each field the first ones in the log, up
//! to a limit. Otherwise a log in which each message names another sender would take many times its size.
//!
//! A value has a set in each chunk in which it occurs, or in none. The chunks share the texts.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::model::bus::FIELDS;

use super::terms::{NONE, Terms};

/// Largest number of values of a field that have a set, besides [`NONE`].
pub const MOST_NAMES: usize = 65_536;

/// The values of each field that have a set.
#[derive(Debug)]
pub struct Names {
    most: usize,
    fields: [Values; FIELDS.len()],
    none: Arc<str>,
    /// Number of times that a value was left out.
    left_out: u64,
}

type Values = IndexSet<Arc<str>, RandomState>;

/// A state that [`Names::forget_since`] restores.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    lengths: [usize; FIELDS.len()],
    left_out: u64,
}

impl Names {
    /// No values yet; of each field, `most` will fit.
    pub fn new(most: usize) -> Self {
        Self { most, fields: Default::default(), none: Arc::from(NONE), left_out: 0 }
    }

    /// The text under which a value of a field has its set; a new value gets one until the limit is reached.
    pub fn text(&mut self, field: usize, value: &str) -> Option<Arc<str>> {
        // Records without the field are found under this value, so that it always has a set.
        if value == NONE {
            return Some(Arc::clone(&self.none));
        }
        let values = self.fields.get_mut(field)?;
        if let Some(known) = values.get(value) {
            return Some(Arc::clone(known));
        }
        if values.len() >= self.most {
            self.left_out += 1;
            return None;
        }
        let text: Arc<str> = Arc::from(value);
        values.insert(Arc::clone(&text));
        Some(text)
    }

    /// Whether every value has a set.
    pub fn have_all(&self) -> bool {
        self.left_out == 0
    }

    /// The state now.
    pub fn mark(&self) -> Mark {
        Mark { lengths: self.fields.each_ref().map(Values::len), left_out: self.left_out }
    }

    /// Forgets the values that are new since a mark.
    pub fn forget_since(&mut self, mark: Mark) {
        for (values, length) in self.fields.iter_mut().zip(mark.lengths) {
            values.truncate(length);
        }
        self.left_out = mark.left_out;
    }

    /// Forgets the values that no chunk has any more; `chunks` are the indexes of each. Every value must have a set.
    pub fn keep_those_of(&mut self, chunks: &[&[Terms; FIELDS.len()]]) {
        for (field, values) in self.fields.iter_mut().enumerate() {
            let terms = chunks.iter().filter_map(|terms| terms.get(field));
            let kept: HashSet<&str, RandomState> = terms.flat_map(Terms::values).collect();
            values.retain(|value| kept.contains(value.as_ref()));
        }
    }
}
