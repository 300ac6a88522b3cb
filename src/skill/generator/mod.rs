//! One file for each skill that a template alone cannot do, and the table of them.

mod changelog_entry;
mod changelog_file;
mod commit_message_formatter;
mod conventional;
mod deployment_guide_generator;
mod deployment_profiles;
mod error_handler_template;
mod given;
mod pr_description;
mod prose;
mod shell;
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
    (changelog_entry::NAME, changelog_entry::generate),
    (commit_message_formatter::NAME, commit_message_formatter::generate),
    (deployment_guide_generator::NAME, deployment_guide_generator::generate),
    (error_handler_template::NAME, error_handler_template::generate),
    (pr_description::NAME, pr_description::generate),
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
