//! The tools about skills: which there are, what one takes, and what it makes of an input.
//!
//! A skill's artifact is text in the answer: nothing is written. The project's own templates are not offered.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::project::Nothing;
use super::tool::{Call, Tool};
use crate::mcp::answer::{self, Answer, Refusal};
use crate::mcp::skill_process::{self, Job};
use crate::model::time::{self, Edge};
use crate::skill::generator::skill::{Needs, Skill};
use crate::skill::generator::{self, SKILLS, followers};
use crate::skill::input::typed::schema_of;
use crate::skill::input::values::Line;
use crate::skill::runtime::catalog;

pub(super) const LIST: Tool = Tool {
    name: "list_skills",
    title: "Skills",
    description: "The skills, which generate a document or code from an input by fixed rules, without a model: decision \
                  records, stories, acceptance and test cases, SQL, types, validation schemas, API documents, diagrams, \
                  changelogs, pull requests, and reports on the project's state. Lists the name and description of each.",
    input: schema_of::<Nothing>,
    run: list,
};

pub(super) const DESCRIBE: Tool = Tool {
    name: "describe_skill",
    title: "Describe a skill",
    description: "A skill's fields as a JSON Schema, the kinds of content that it accepts as text, and its documentation with an \
                  example. Call it before run_skill.",
    input: schema_of::<DescribeSkill>,
    run: describe,
};

pub(super) const RUN: Tool = Tool {
    name: "run_skill",
    title: "Run a skill",
    description: "Generates a skill's artifact from fields, text or both, and returns its text; it writes no file. `artifacts` \
                  are the texts with their suggested paths, `open` the questions that the input leaves open, \
                  `notes` the assumptions. The same input gives the same output.",
    input: schema_of::<RunSkill>,
    run,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DescribeSkill {
    /// The skill's name from `list_skills`.
    name: Line,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunSkill {
    /// The skill's name from `list_skills`.
    name: Line,
    /// The skill's fields by name, as described by `describe_skill`.
    #[serde(default)]
    fields: Map<String, Value>,
    /// Content: the text, JSON, YAML, SQL or notation that the skill accepts.
    text: Option<String>,
    /// The current time for the skill (RFC 3339 or a date), for reproducible output.
    now: Option<Line>,
}

fn list(call: &Call<'_>) -> answer::Result {
    call.read::<Nothing>()?;
    let skills: Vec<Value> = SKILLS
        .iter()
        .map(|skill| {
            json!({
                "name": skill.name,
                "description": catalog::summary(skill.name),
                "needs_input": skill.needs == Needs::Input,
            })
        })
        .collect();
    Answer::of(json!({"count": skills.len(), "skills": skills}))
}

fn describe(call: &Call<'_>) -> answer::Result {
    let skill = find(&call.read::<DescribeSkill>()?.name)?;
    let content: Vec<&str> = skill.input.takes.iter().map(|takes| takes.kind.name()).collect();
    Answer::of(json!({
        "name": skill.name,
        "description": catalog::summary(skill.name),
        "fields": skill.schema(),
        "content": content,
        "page": catalog::file(skill.name, "SKILL.md").unwrap_or_default(),
    }))
}

fn run(call: &Call<'_>) -> answer::Result {
    let RunSkill { name, fields, text, now } = call.read()?;
    let skill = find(&name)?;
    let now = now.as_deref().map(moment).transpose()?;
    let job = Job { skill: skill.name.to_owned(), text, pairs: Vec::new(), fields, now };
    let made = skill_process::run(&job, call.state.root(), &call.files, call.wanted);
    let made = made.map_err(Refusal::Other)?;
    Answer::of(json!({
        "skill": skill.name,
        "kind": skill.gives,
        "artifacts": made.artifacts,
        "open": made.open,
        "notes": made.notes,
        "next": followers(skill.gives).map(|skill| skill.name).collect::<Vec<_>>(),
    }))
}

/// The skill of a name.
pub(in crate::mcp) fn find(name: &str) -> answer::Result<&'static Skill> {
    let name = name.to_lowercase();
    generator::find(&name).ok_or_else(|| {
        let known: Vec<&str> = catalog::names().collect();
        let near = generator::similar(&name);
        let hint = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        Refusal::Other(format!(
            "there is no skill {name:?}; {hint}known skills: {}",
            known.join(", ")
        ))
    })
}

fn moment(text: &str) -> answer::Result<String> {
    if time::parse(text, Edge::Start).is_none() {
        return Err(Refusal::Other(format!(
            "the field \"now\" is {text:?}, but must be an RFC 3339 time or a date"
        )));
    }
    // A date alone means its beginning.
    Ok(if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() })
}
