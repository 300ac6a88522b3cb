//! `flow explain ID`: what is known of a record, as text.

use std::fmt::Write as _;

use serde_json::json;

use super::command_output::CommandOutput;
use super::invocation::Invocation;
use super::terminal::cut;
use super::text::{emphasis, escape};
use crate::error::Result;
use crate::explain::{self, About, Explanation, Field, NamedProblem, Origin};
use crate::files::Files;

/// Width of a value, in columns.
const VALUE: usize = 60;

/// Explains an id, or a line of the log (`bus:17`).
pub(super) fn explain(invocation: &Invocation, id: &str) -> Result<CommandOutput> {
    let project = invocation.project()?;
    let files = Files::read_at_rest(&project);
    let found = explain::explain(&project, &files.snapshot(), id)?;
    Ok(CommandOutput { facts: json!(found), ..CommandOutput::shown(text(&found)) })
}

fn text(found: &Explanation) -> String {
    let mut out = String::new();
    for origin in &found.origins {
        write_origin(&mut out, &found.id, origin);
    }
    if let Some(About { file, count, last }) = &found.about {
        let lines: Vec<String> = last.iter().map(ToString::to_string).collect();
        let dots = if *count > last.len() { "…, " } else { "" };
        let (file, lines) = (escape(file), lines.join(", "));
        let _ = writeln!(out, "messages about it: {count} in {file}, line {dots}{lines}");
    }
    problems(&mut out, "problems", &found.problems);
    problems(&mut out, "problems nearby", &found.nearby);
    out
}

fn write_origin(out: &mut String, id: &str, origin: &Origin) {
    let title = origin.title.as_deref().map(|title| format!("  {}", escape(title)));
    let title = title.unwrap_or_default();
    let _ = writeln!(out, "{} {}{title}", origin.kind, emphasis(&escape(id)));
    let served = if origin.is_served { "served" } else { "not served" };
    let (file, line, place) = (escape(&origin.file), origin.line, escape(&origin.place));
    let _ = writeln!(out, "  {file}:{line}  {place}, {served}");
    for field in &origin.fields {
        let Field { name, from, value, line } = field;
        let what = match (from, value) {
            (Some(from), Some(value)) => {
                let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
                let value = cut(&escape(value), VALUE);
                let alias = if from == name {
                    String::new()
                } else {
                    format!(", from the alias {:?}", escape(from))
                };
                format!("{value}{alias}{line}")
            }
            (None, Some(value)) => {
                format!("{}, from the epic that contains it", cut(&escape(value), VALUE))
            }
            (_, None) => "none".to_owned(),
        };
        let _ = writeln!(out, "  {name:<14}{what}");
    }
    if !origin.computed.is_empty() {
        let _ = writeln!(out, "  computed: {}", origin.computed.join(", "));
    }
}

fn problems(out: &mut String, title: &str, problems: &[NamedProblem]) {
    if problems.is_empty() {
        return;
    }
    let _ = writeln!(out, "{title}");
    for one in problems {
        let line = one.line.map(|line| format!(":{line}")).unwrap_or_default();
        let (file, place, reason) = (escape(&one.file), escape(&one.place), escape(&one.reason));
        let _ = writeln!(out, "  {} {file}{line}  {place}: {reason}", one.effect);
    }
}
