//! The explanation of a record or message.

use crate::model::problem::Effect;
use crate::model::record::Kind;

/// The explanation of an id or a line.
#[derive(Debug, Default)]
pub(super) struct Explanation {
    pub(super) id: String,
    pub(super) origins: Vec<Origin>,
    pub(super) problems: Vec<NamedProblem>,
    pub(super) nearby: Vec<NamedProblem>,
    /// The messages that name it as their story.
    pub(super) about: Option<About>,
}

/// One place that a record was read from.
#[derive(Debug)]
pub(super) struct Origin {
    pub(super) kind: Kind,
    pub(super) title: Option<String>,
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) place: String,
    pub(super) is_served: bool,
    pub(super) fields: Vec<Field>,
    pub(super) computed: Vec<&'static str>,
}

/// A documented field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    /// The member that provides its value; `None` if there is none.
    pub(super) from: Option<String>,
    /// Its value, as written.
    pub(super) value: Option<String>,
    pub(super) line: Option<usize>,
}

/// A problem, with its position.
#[derive(Debug)]
pub(super) struct NamedProblem {
    pub(super) file: String,
    pub(super) line: Option<usize>,
    pub(super) place: String,
    pub(super) effect: Effect,
    pub(super) reason: String,
}

/// Messages about a record.
#[derive(Debug)]
pub(super) struct About {
    pub(super) file: String,
    pub(super) count: usize,
    /// The lines of the last ones.
    pub(super) last: Vec<usize>,
}
