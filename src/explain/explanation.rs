//! The explanation of a record or message.

use serde::Serialize;

/// The explanation of an id or a line.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Explanation {
    pub(crate) id: String,
    pub(crate) origins: Vec<Origin>,
    pub(crate) problems: Vec<NamedProblem>,
    pub(crate) nearby: Vec<NamedProblem>,
    /// The messages that name it as their story.
    #[serde(rename = "messages")]
    pub(crate) about: Option<About>,
}

/// One place that a record was read from.
#[derive(Debug, Serialize)]
pub(crate) struct Origin {
    /// The noun of its kind.
    pub(crate) kind: &'static str,
    pub(crate) title: Option<String>,
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) place: String,
    #[serde(rename = "served")]
    pub(crate) is_served: bool,
    pub(crate) fields: Vec<Field>,
    pub(crate) computed: Vec<&'static str>,
}

/// A documented field.
#[derive(Debug, Serialize)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// The member that provides its value; `None` if there is none.
    pub(crate) from: Option<String>,
    /// Its value, as written.
    pub(crate) value: Option<String>,
    pub(crate) line: Option<usize>,
}

/// A problem, with its position.
#[derive(Debug, Serialize)]
pub(crate) struct NamedProblem {
    pub(crate) file: String,
    pub(crate) line: Option<usize>,
    pub(crate) place: String,
    /// `skipped`, `repaired` or `suspicious`.
    pub(crate) effect: &'static str,
    pub(crate) reason: String,
}

/// Messages about a record.
#[derive(Debug, Serialize)]
pub(crate) struct About {
    pub(crate) file: String,
    pub(crate) count: usize,
    /// The lines of the last ones.
    #[serde(rename = "lines")]
    pub(crate) last: Vec<usize>,
}
