//! The tools: name, arguments, result and implementation of each. All are read-only.

mod tool;
mod records;
mod project;
pub(super) mod skills;

use std::sync::{Arc, LazyLock};

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as Definition};

use super::answer::Answer;
use super::state::{State, Wanted, Work};
use crate::files::Files;
use tool::{Call, Tool};

/// Every tool, in the order in which they are listed.
const TOOLS: [Tool; 10] = [
    project::STATUS,
    project::ATTENTION,
    project::AGENTS,
    records::LIST,
    records::GET,
    project::ACTIVITY,
    project::EXPLAIN,
    skills::LIST,
    skills::DESCRIBE,
    skills::RUN,
];

/// The definitions that clients receive, built once.
pub(super) fn definitions() -> &'static [Definition] {
    static DEFINITIONS: LazyLock<Vec<Definition>> =
        LazyLock::new(|| TOOLS.iter().map(Tool::definition).collect());
    &DEFINITIONS
}

/// What a call of a tool does.
pub(super) fn work(name: &str) -> Work {
    match name {
        _ if name == skills::RUN.name => Work::RunsSkill,
        _ if [skills::LIST.name, skills::DESCRIBE.name].contains(&name) => Work::Lists,
        _ => Work::Reads,
    }
}

/// Calls a tool; `None` if none has this name.
pub(super) fn call(
    name: &str,
    arguments: &JsonObject,
    state: &State,
    files: Files,
    wanted: &Wanted,
) -> Option<CallToolResult> {
    let tool = TOOLS.iter().find(|tool| tool.name == name)?;
    let arguments = tool::understood(arguments, &(tool.input)());
    Some(match (tool.run)(&Call { state, files: Arc::new(files), arguments, wanted }) {
        Ok(Answer { text, value }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(value);
            result
        }
        Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.sentence())]),
    })
}

/// The names of the tools, in a sentence.
pub(super) fn names() -> String {
    TOOLS.map(|tool| tool.name).join(", ")
}
