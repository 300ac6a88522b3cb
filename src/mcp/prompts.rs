//! The skills as prompts: a user picks one, and the conversation begins with what the skill makes of the arguments.

use std::fmt::Write as _;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::{Map, Value};

use super::limits::{LARGEST_ANSWER, LISTS_LAST_MS};
use super::skill_process::{self, Job, Made};
use super::state::{State, Wanted};
use super::tools::skills::find;
use crate::files::Files;
use crate::skill::generator::SKILLS;
use crate::skill::generator::skill::Skill;
use crate::skill::runtime::catalog;

/// The argument for content, if the skill accepts content and has no field of that name.
const TEXT: &str = "text";

/// All prompts.
pub(super) fn list() -> ListPromptsResult {
    ListPromptsResult::with_all_items(SKILLS.iter().map(prompt).collect())
        .with_ttl_ms(LISTS_LAST_MS)
        .with_cache_scope(CacheScope::Private)
}

fn prompt(skill: &Skill) -> Prompt {
    let schema = skill.schema();
    let is_required = |name: &str| {
        // A field that content goes to may be given as content.
        let is_content = skill.input.takes.iter().any(|takes| takes.field == name);
        !is_content
            && schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name))
    };
    let fields = schema["properties"].as_object().into_iter().flat_map(Map::iter);
    let mut arguments: Vec<PromptArgument> = fields
        .map(|(name, property)| {
            let description = property["description"].as_str().unwrap_or_default();
            PromptArgument::new(name).with_description(description).with_required(is_required(name))
        })
        .collect();
    if takes_text(skill) {
        let kinds: Vec<&str> = skill.input.takes.iter().map(|takes| takes.kind.name()).collect();
        let description = format!("Content instead of fields: {}", kinds.join(", "));
        arguments
            .push(PromptArgument::new(TEXT).with_description(description).with_required(false));
    }
    Prompt::new(skill.name, Some(catalog::summary(skill.name)), Some(arguments))
        .with_title(skill.name.replace('-', " "))
}

fn takes_text(skill: &Skill) -> bool {
    let schema = skill.schema();
    let has_field = schema["properties"].as_object().is_some_and(|all| all.contains_key(TEXT));
    !skill.input.takes.is_empty() && !has_field
}

/// A prompt with its arguments.
///
/// # Errors
/// When no prompt has this name, or its arguments are invalid.
pub(super) fn get(
    name: &str,
    arguments: &JsonObject,
    state: &State,
    files: Files,
    wanted: &Wanted,
) -> Result<GetPromptResult, ErrorData> {
    let invalid = |sentence: String| ErrorData::invalid_params(sentence, None);
    let skill = find(name).map_err(|refusal| invalid(refusal.sentence()))?;
    let mut content = None;
    let mut pairs = Vec::new();
    for (name, value) in arguments {
        let Value::String(text) = value else {
            return Err(invalid(format!(
                "the argument {name:?} is {value}, but prompt arguments must be strings"
            )));
        };
        if name == TEXT && takes_text(skill) {
            content = Some(text.clone());
        } else if !text.trim().is_empty() {
            pairs.push((name.clone(), text.clone()));
        }
    }
    let job =
        Job { skill: skill.name.to_owned(), text: content, pairs, fields: Map::new(), now: None };
    let made = skill_process::run(&job, state.root(), &Arc::new(files), wanted).map_err(invalid)?;
    let text = text(skill, &made);
    if text.len() > LARGEST_ANSWER {
        return Err(invalid(format!(
            "the artifact has {} bytes, over the limit of {LARGEST_ANSWER}; run: flow skill {name} --out FILE",
            text.len()
        )));
    }
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(catalog::summary(skill.name)))
}

/// The message to the agent.
fn text(skill: &Skill, made: &Made) -> String {
    let mut text = format!("Output of flow's skill {}; no file is written yet.\n", skill.name);
    for artifact in &made.artifacts {
        let _ =
            write!(text, "\n<artifact path={:?}>\n{}</artifact>\n", artifact.path, artifact.text);
    }
    for (title, sentences) in [("Notes", &made.notes), ("Open questions", &made.open)] {
        if !sentences.is_empty() {
            let rows: Vec<String> =
                sentences.iter().map(|sentence| format!("- {sentence}\n")).collect();
            let _ = write!(text, "\n{title}:\n\n{}", rows.concat());
        }
    }
    text.push_str(if made.open.is_empty() {
        "\nCheck it against what you know of this project, report what does not fit, and ask me whether to write it to its \
         path.\n"
    } else {
        "\nAnswer the open questions from this project's files where possible, ask me the others, and never guess. \
         Then ask me whether to write it to its path.\n"
    });
    text
}
