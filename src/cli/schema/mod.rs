//! `flow schema`: the files that agents write as JSON Schemas, and what to tell agents.

mod agents;

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::args::SchemaCall;
use super::command_output::CommandOutput;
use super::invocation::Invocation;
use super::terminal::{Size, table};
use super::text::escape;
use crate::error::Result;
use crate::model::schema::{self as model, About};
use crate::project::{Project, Source};

/// Prints the schema of a file, the paragraph for agents, or the list of files.
pub(super) fn schema(invocation: &Invocation, call: &SchemaCall) -> Result<CommandOutput> {
    if let Some(source) = call.file {
        let schema = schema_of(source);
        let artifact = format!("{schema:#}\n");
        return Ok(CommandOutput { facts: schema, artifact, ..CommandOutput::quiet() });
    }
    let project = invocation.project()?;
    if call.for_agents {
        let artifact = agents::paragraph(&project);
        let facts = json!({"text": artifact});
        return Ok(CommandOutput { facts, artifact, ..CommandOutput::quiet() });
    }
    Ok(CommandOutput { facts: facts(&project), ..CommandOutput::shown(list(&project)) })
}

fn schema_of(source: Source) -> Value {
    let title = title(source);
    let about = About { name: source.name(), title: &title };
    match source {
        Source::Bus => model::line(about),
        _ => model::document(about, source.kinds()),
    }
}

fn title(source: Source) -> String {
    match source {
        Source::Bus => "A line of the message log that flow reads".to_owned(),
        _ => format!("The {} that flow reads", source.content()),
    }
}

fn facts(project: &Project) -> Value {
    let fact = |source: Source| {
        json!({
            "name": source.name(),
            "file": project.file(source).to_string_lossy(),
            "content": source.content(),
            "id": schema_of(source)["$id"],
        })
    };
    json!({"schemas": Source::ALL.map(fact)})
}

fn list(project: &Project) -> String {
    let row = |source: Source| {
        let path = escape(&project.file(source).to_string_lossy());
        (source.name(), format!("{path}: {}", source.content()))
    };
    let mut text = table("files", Source::ALL.into_iter().map(row), Size::known_width());
    let status = project.file(Source::Status);
    let shown = escape(&status.to_string_lossy());
    let up = "../".repeat(status.components().count().saturating_sub(1));
    let _ = write!(
        text,
        "\nThe schema of a file, for editors and validators:\n\
         \x20 flow schema status > .vscode/status.schema.json\n\
         VS Code uses it if .vscode/settings.json contains\n\
         \x20 \"json.schemas\": [{{\"fileMatch\": [\"/{shown}\"], \"url\": \"./.vscode/status.schema.json\"}}]\n\
         or, like most editors, if the file itself names it; flow ignores that member:\n\
         \x20 {{\"$schema\": \"{up}.vscode/status.schema.json\", …}}\n\
         What to tell agents:\n\
         \x20 flow schema --for-agents >> AGENTS.md\n"
    );
    text
}
