//! The table of skills, a row for each: its input type, the content and kinds that it accepts and outputs, and its
//! functions.

mod acceptance_criteria_generator;
mod adr_template;
mod agent_brief;
mod api_documentation_generator;
mod blocker_analysis;
mod changelog_entry;
mod commit_message_formatter;
mod conventional;
mod data_fields;
mod deployment_guide_generator;
pub mod document;
mod diagram_generator;
mod epic_planner;
mod error_handler_template;
mod handoff_note;
mod report;
mod migration_checklist;
mod pr_description;
mod retro_facilitator;
mod sprint_planner;
mod sql_schema_generator;
mod status_report;
mod story_skeleton;
mod story_source;
mod tech_debt_register;
mod test_case_generator;
mod type_definitions;
mod validation_schema_generator;

pub mod skill;

use serde_json::{Map, Value, json};

use skill::Skill;

use crate::input::kind::Kind;
use crate::input::typed::nearest;
use crate::output::Output;

/// Number of letters at the beginning that a shortened name of a skill has in common with it.
const COMMON: usize = 4;

/// Every skill, sorted by name. Each row is defined in the skill's own folder.
pub static SKILLS: &[Skill] = &[
    acceptance_criteria_generator::SKILL,
    adr_template::SKILL,
    agent_brief::SKILL,
    api_documentation_generator::SKILL,
    blocker_analysis::SKILL,
    changelog_entry::SKILL,
    commit_message_formatter::SKILL,
    deployment_guide_generator::SKILL,
    diagram_generator::SKILL,
    epic_planner::SKILL,
    error_handler_template::SKILL,
    handoff_note::SKILL,
    migration_checklist::SKILL,
    pr_description::SKILL,
    retro_facilitator::SKILL,
    sprint_planner::SKILL,
    sql_schema_generator::SKILL,
    status_report::SKILL,
    story_skeleton::SKILL,
    tech_debt_register::SKILL,
    test_case_generator::SKILL,
    type_definitions::SKILL,
    validation_schema_generator::SKILL,
];

/// The skill with this name.
pub fn find(name: &str) -> Option<&'static Skill> {
    SKILLS.iter().find(|skill| skill.name == name)
}

/// The skill that a mistyped or shortened name may mean: the nearest, else the one that begins most like it.
pub fn similar(name: &str) -> Option<&'static str> {
    let known: Vec<&str> = SKILLS.iter().map(|skill| skill.name).collect();
    let common = |known: &&str| known.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
    let longest = || known.iter().copied().max_by_key(common);
    nearest(name, &known)
        .or_else(|| longest().filter(|known| common(known) >= name.len().clamp(3, COMMON)))
}

/// The skills that accept a kind of data.
pub fn followers(kind: Kind) -> impl Iterator<Item = &'static Skill> {
    SKILLS.iter().filter(move |skill| skill.input.accepts.contains(&kind))
}

/// The envelope of an output: what `--json` prints and the next skill of a chain reads.
pub fn envelope(skill: &Skill, fields: &Map<String, Value>, output: &Output) -> Value {
    json!({
        "skill": skill.name,
        "version": env!("CARGO_PKG_VERSION"),
        "kind": skill.gives,
        "input": fields,
        "data": output.data,
        "artifacts": output.artifacts,
        "open": output.open,
        "notes": output.notes,
        "next": followers(skill.gives).map(|skill| skill.name).collect::<Vec<_>>(),
    })
}
