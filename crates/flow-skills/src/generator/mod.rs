//! One file for each skill that a template alone cannot do, and the table of them.

mod acceptance_criteria_generator;
mod adr_template;
mod agent_brief;
mod api_documentation_generator;
mod blocker_analysis;
mod changelog_entry;
mod changelog_file;
mod commit_message_formatter;
mod conventional;
mod deployment_guide_generator;
mod deployment_profiles;
mod diagram_generator;
mod epic_planner;
mod error_handler_template;
mod handoff_note;
mod migration_checklist;
mod pr_description;
mod prose;
mod retro_facilitator;
mod shell;
mod source;
mod sprint_planner;
mod sql_schema_generator;
mod staged;
mod status_report;
mod status_texts;
mod story_skeleton;
mod tech_debt_register;
mod test_case_generator;
mod type_definitions;
mod validation_schema_generator;

use super::input::{Context, Input};
use super::output::{Fault, Output, Result};

/// Makes a skill's output from input that fits its schema.
pub type Generate = fn(&Input, &Context) -> Result<Output>;

/// Every skill and what makes its output, sorted by name.
const GENERATORS: &[(&str, Generate)] = &[
    ("acceptance-criteria-generator", acceptance_criteria_generator::generate),
    ("adr-template", adr_template::generate),
    (agent_brief::NAME, agent_brief::generate),
    ("api-documentation-generator", api_documentation_generator::generate),
    (blocker_analysis::NAME, blocker_analysis::generate),
    (changelog_entry::NAME, changelog_entry::generate),
    (commit_message_formatter::NAME, commit_message_formatter::generate),
    (deployment_guide_generator::NAME, deployment_guide_generator::generate),
    ("diagram-generator", diagram_generator::generate),
    (epic_planner::NAME, epic_planner::generate),
    (error_handler_template::NAME, error_handler_template::generate),
    (handoff_note::NAME, handoff_note::generate),
    ("migration-checklist", migration_checklist::generate),
    (pr_description::NAME, pr_description::generate),
    (retro_facilitator::NAME, retro_facilitator::generate),
    (sprint_planner::NAME, sprint_planner::generate),
    ("sql-schema-generator", sql_schema_generator::generate),
    (status_report::NAME, status_report::generate),
    ("story-skeleton", story_skeleton::generate),
    (tech_debt_register::NAME, tech_debt_register::generate),
    ("test-case-generator", test_case_generator::generate),
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
