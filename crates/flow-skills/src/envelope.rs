//! The envelope: what `--json` prints, and what the next skill reads.

use serde_json::{Map, Value, json};

use super::output::Output;

/// Which skill usually comes next.
const NEXT: &[(&str, &[&str])] = &[
    ("acceptance-criteria-generator", &["test-case-generator"]),
    ("blocker-analysis", &["diagram-generator"]),
    ("changelog-entry", &["pr-description"]),
    ("commit-message-formatter", &["changelog-entry"]),
    ("migration-checklist", &["deployment-guide-generator"]),
    ("sql-schema-generator", &["migration-checklist", "diagram-generator"]),
    ("story-skeleton", &["acceptance-criteria-generator"]),
    ("test-case-generator", &["type-definitions"]),
    (
        "type-definitions",
        &["validation-schema-generator", "sql-schema-generator", "api-documentation-generator"],
    ),
    ("validation-schema-generator", &["api-documentation-generator"]),
];

/// The skills that usually come after one.
pub fn next(skill: &str) -> &'static [&'static str] {
    NEXT.iter().find(|(name, _)| *name == skill).map_or(&[], |(_, next)| next)
}

/// The envelope of a skill's output.
pub fn envelope(skill: &str, input: &Map<String, Value>, output: &Output) -> Value {
    json!({
        "skill": skill,
        "version": env!("CARGO_PKG_VERSION"),
        "input": input,
        "data": output.data,
        "artifacts": output.artifacts,
        "open": output.open,
        "notes": output.notes,
        "next": next(skill),
    })
}
