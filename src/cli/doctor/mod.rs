//! `flow doctor`: everything that prevents a project from being served as it is on disk, each with its remedy.

mod files;
mod file_access;
mod finding;
mod records;
mod server;

use serde_json::{Value, json};

use super::command_output::{CommandOutput, Exit};
use super::invocation::Invocation;
use super::terminal::{Size, wrapped};
use super::text::{self, escape};
use crate::daemon::{self, obstacles};
use file_access::FileAccess;
use finding::{Area, Finding, obstacle_of_start};

/// Examines the project.
pub(super) fn doctor(invocation: &Invocation) -> CommandOutput {
    let (findings, access) = findings(invocation);
    let plans = invocation.project().ok().and_then(|project| files::plans(&project));
    let notes = plans.iter().map(String::as_str).chain(access.note());
    let note: String = notes.map(text::note).collect();
    CommandOutput { message: note, ..answer(&findings) }.with("file_access", access.name())
}

/// The findings, and how files are accessed.
fn findings(invocation: &Invocation) -> (Vec<Finding>, FileAccess) {
    let root = match invocation.root() {
        Ok(root) => root,
        Err(error) => {
            // Such an error ends with what to do.
            let said = error.to_string();
            let (what, remedy) = said
                .rsplit_once("; ")
                .unwrap_or((&said, "give the project's folder: flow doctor --project DIR"));
            let found = vec![Finding::new(Area::Project, what, remedy)];
            return (found, FileAccess::of_this_program());
        }
    };
    let mut found: Vec<Finding> =
        obstacles(&root).iter().map(|obstacle| obstacle_of_start(invocation, obstacle)).collect();
    let project = match invocation.project() {
        Ok(project) => Some(project),
        Err(error) => {
            let remedy = "correct it, then run flow doctor again: files and port are checked only if the settings are valid";
            found.push(Finding::new(Area::Settings, error.to_string(), remedy));
            None
        }
    };
    // A folder that is refused is among the obstacles already.
    let look = daemon::probe(&root).ok();
    let access = look.as_ref().map_or_else(FileAccess::of_this_program, FileAccess::of_server);
    if let Some(look) = &look {
        found.extend(server::findings(invocation, look, project.as_ref()));
    }
    if let Some(project) = &project {
        found.extend(files::findings(invocation, look.as_ref(), project));
    }
    (found, access)
}

fn answer(findings: &[Finding]) -> CommandOutput {
    let rows: Vec<Value> = findings
        .iter()
        .map(|found| json!({"area": found.area.name(), "finding": found.what, "remedy": found.remedy}))
        .collect();
    let facts = json!({"count": rows.len(), "findings": rows});
    if findings.is_empty() {
        return CommandOutput { facts, ..CommandOutput::shown("No problems found\n".to_owned()) };
    }
    let width = Size::of_output().width;
    let shown = |found: &Finding| {
        let name = found.area.name();
        let what = wrapped(&escape(&found.what), name.len() + 2, width);
        let remedy = wrapped(&escape(&found.remedy), 2, width);
        format!("{}: {what}\n  {remedy}\n", text::emphasis(name))
    };
    let result = findings.iter().map(shown).collect();
    CommandOutput { exit: Exit::Refused, facts, ..CommandOutput::shown(result) }
}
