//! One file for each skill that a template alone cannot do, and the table of them.

mod source;
mod sql_schema_generator;
mod api_documentation_generator;
mod diagram_generator;
mod migration_checklist;
mod model_source;
mod pr_description;
mod prose;
mod staged;
mod status_texts;
mod story_skeleton;
mod test_case_generator;
mod type_definitions;
mod validation_schema_generator;

use super::input::{Context, Input};
use super::output::{Fault, Output, Result};

/// Makes a skill's output from input that fits its schema.
pub type Generate = fn(&Input, &Context) -> Result<Output>;

/// Every skill and what makes its output, sorted by name.
const GENERATORS: &[(&str, Generate)] = &[
    ("api-documentation-generator", api_documentation_generator::generate),
    ("diagram-generator", diagram_generator::generate),
    ("migration-checklist", migration_checklist::generate),
    ("sql-schema-generator", sql_schema_generator::generate),
    ("type-definitions", type_definitions::generate),
    ("validation-schema-generator", validation_schema_generator::generate),
];

/// Runs a skill.
///
/// # Errors
/// When the input cannot be used.
pub fn run(skill: &str, input: &Input, context: &Context) -> Result<Output> {
    let found = GENERATORS.iter().find(|(name, _)| *name == skill);
    let (_, generate) =
        found.ok_or_else(|| Fault::Refused(format!("there is no skill {skill:?}")))?;
    generate(input, context)
}
