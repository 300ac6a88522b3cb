//! The explanation of a record or message.

use serde_json::{Value, json};

use crate::model::problem::Effect;
use crate::model::record::Kind;

/// The explanation of an id or a line.
#[derive(Debug, Default)]
pub(crate) struct Explanation {
    pub(crate) id: String,
    pub(crate) origins: Vec<Origin>,
    pub(crate) problems: Vec<NamedProblem>,
    pub(crate) nearby: Vec<NamedProblem>,
    /// The messages that name it as their story.
    pub(crate) about: Option<About>,
}

/// One place that a record was read from.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) kind: Kind,
    pub(crate) title: Option<String>,
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) place: String,
    pub(crate) is_served: bool,
    pub(crate) fields: Vec<Field>,
    pub(crate) computed: Vec<&'static str>,
}

/// A documented field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// The member that provides its value; `None` if there is none.
    pub(crate) from: Option<String>,
    /// Its value, as written.
    pub(crate) value: Option<String>,
    pub(crate) line: Option<usize>,
}

/// A problem, with its position.
#[derive(Debug)]
pub(crate) struct NamedProblem {
    pub(crate) file: String,
    pub(crate) line: Option<usize>,
    pub(crate) place: String,
    pub(crate) effect: Effect,
    pub(crate) reason: String,
}

/// Messages about a record.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) file: String,
    pub(crate) count: usize,
    /// The lines of the last ones.
    pub(crate) last: Vec<usize>,
}

/// As it is shown.
pub(crate) fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Skipped => "skipped",
        Effect::Repaired => "repaired",
    }
}

impl Explanation {
    /// As JSON.
    pub(crate) fn facts(&self) -> Value {
        let problem = |one: &NamedProblem| json!({"file": one.file, "line": one.line, "place": one.place, "effect": effect(one.effect), "reason": one.reason});
        let field = |one: &Field| json!({"name": one.name, "from": one.from, "value": one.value, "line": one.line});
        let origin = |one: &Origin| {
            json!({
                "kind": one.kind.noun(),
                "title": one.title,
                "file": one.file,
                "line": one.line,
                "place": one.place,
                "served": one.is_served,
                "fields": one.fields.iter().map(field).collect::<Vec<_>>(),
                "computed": one.computed,
            })
        };
        json!({
            "id": self.id,
            "origins": self.origins.iter().map(origin).collect::<Vec<_>>(),
            "problems": self.problems.iter().map(problem).collect::<Vec<_>>(),
            "nearby": self.nearby.iter().map(problem).collect::<Vec<_>>(),
            "messages": self.about.as_ref().map(
                |about| json!({"file": about.file, "count": about.count, "lines": about.last})
            ),
        })
    }
}
