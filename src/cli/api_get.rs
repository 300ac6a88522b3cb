//! `flow api get PATH`: the HTTP answer for a path, from the running server, else from the files, or from those of a commit.

use std::io::{self, IsTerminal};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::args::Get;
use super::command_output::{CommandOutput, Exit};
use super::invocation::Invocation;
use super::{json_text, status, text};
use crate::control::{self, client};
use crate::daemon::{self, Probe};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::git::revision::{named, short};
use crate::model::time;
use crate::revision::git_error;
use crate::routes::{self, Match, Resource, Route};
use crate::skill::project_state::state::Answers;

/// The status from which an HTTP answer is an error.
const FIRST_ERROR: u16 = 400;
/// The status of an answer to a request that cannot be answered.
const BAD_REQUEST: u16 = 400;
/// The status of an answer to a path that has no resource.
const NOT_FOUND: u16 = 404;

/// Prints the answer to a path.
pub(super) fn get(invocation: &Invocation, Get { path, at }: &Get) -> Result<CommandOutput> {
    let target = target(path);
    if !control::is_path(&target) {
        return Err(Error::Usage(format!(
            "{path:?} is not a valid request path; percent-encode special characters (a space is %20)"
        )));
    }
    if let Some(word) = at {
        return at_revision(invocation, target, word);
    }
    let root = invocation.root()?;
    match daemon::probe(&root)? {
        Probe::Running { socket, .. } => {
            let get = |target: &str| {
                let got =
                    client::get(&socket, target).map_err(|e| Error::Refused(e.to_string()))?;
                Ok((got.status, got.body))
            };
            Ok(shown("server", followed(target, get)?))
        }
        Probe::Silent(silent) => Ok(status::silent(invocation, &silent)),
        Probe::Stopped { .. } if needs_server(&target) => {
            let start = invocation.command("start");
            let sentence = format!("{target} requires a running server; run: {start}");
            Ok(CommandOutput::refused("not_running", &sentence))
        }
        Probe::Stopped { .. } => {
            // A broken file counts as being written for its first second.
            let files = Files::read_at_rest(&invocation.project()?);
            let get = |target: &str| files.get(target).map_err(Error::Refused);
            let answer = shown("files", followed(target, get)?);
            Ok(CommandOutput {
                message: text::note("no server is running; read from the files"),
                ..answer
            })
        }
    }
}

/// The answer from the files of a commit.
fn at_revision(invocation: &Invocation, target: String, word: &str) -> Result<CommandOutput> {
    if !depends_on_files_only(&target) {
        let sentence = format!(
            "{target} cannot be answered at a revision: it depends on more than the files of a commit"
        );
        let body =
            json!({"error": sentence, "code": "not_at_revision", "path": target}).to_string();
        return Ok(shown("revision", Got { target, status: BAD_REQUEST, body }));
    }
    let project = invocation.project()?;
    let commit = named(project.state_root(), word, &time::format(SystemTime::now()))
        .map_err(|fault| git_error(&fault))?;
    let files = Files::at(&project, &commit)?;
    let get = |target: &str| files.get(target).map_err(Error::Refused);
    let answer = shown("revision", followed(target, get)?).with("revision", commit.id.as_str());
    let (id, time) = (short(&commit.id), time::format(commit.time()));
    Ok(CommandOutput {
        message: text::note(&format!("read from the commit {id} of {time}")),
        ..answer
    })
}

/// Whether the files of a commit suffice for the answer to a path.
fn depends_on_files_only(target: &str) -> bool {
    let path = target.split('?').next().unwrap_or_default();
    let resource = match routes::find(path) {
        Match::Whole(route) | Match::One(route, _) => route.resource,
        // Its answer says what is wrong with it.
        Match::BadId(_) | Match::Unknown => return true,
    };
    matches!(
        resource,
        Resource::Status
            | Resource::Stories
            | Resource::Story
            | Resource::Epics
            | Resource::Epic
            | Resource::Tasks
            | Resource::Task
            | Resource::Messages
            | Resource::Sessions
            | Resource::Session
            | Resource::Metrics
    )
}

/// A path without a leading slash is relative to `/api`.
fn target(path: &str) -> String {
    match path {
        _ if path.starts_with('/') => path.to_owned(),
        _ if path == "api" || path.starts_with("api/") || path.starts_with("api?") => {
            format!("/{path}")
        }
        _ => format!("/api/{path}"),
    }
}

/// Whether a path depends on what a server has observed since its start.
fn needs_server(target: &str) -> bool {
    let path = target.split('?').next().unwrap_or_default();
    let is_live = |route: &Route| matches!(route.resource, Resource::Changes | Resource::Events);
    let is_stream = matches!(routes::find(path), Match::Whole(route) if is_live(route));
    is_stream || routes::follows_from_changes(target)
}

/// An answer, and the path that it is to.
struct Got {
    target: String,
    status: u16,
    body: String,
}

/// The answer to a path. An id that is not encoded, or stands without its collection, gets the answer of its record.
fn followed(target: String, get: impl Fn(&str) -> Result<(u16, String)>) -> Result<Got> {
    let (status, body) = get(&target)?;
    let record = (status == NOT_FOUND).then(|| serde_json::from_str::<Value>(&body).ok());
    match record.flatten().as_ref().and_then(|answer| answer["record"].as_str()) {
        Some(record) => {
            let (status, body) = get(record)?;
            Ok(Got { target: record.to_owned(), status, body })
        }
        None => Ok(Got { target, status, body }),
    }
}

fn shown(from: &str, Got { target, status, body }: Got) -> CommandOutput {
    let facts =
        json!({"path": target, "from": from, "status": status, "body": Value::from(body.as_str())});
    let artifact = if io::stdout().is_terminal() {
        text::escape_json(&json_text::indented(&body)) + "\n"
    } else {
        body
    };
    let exit = if status < FIRST_ERROR { Exit::Fine } else { Exit::Refused };
    CommandOutput { exit, facts, artifact, ..CommandOutput::quiet() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_may_be_short() {
        assert_eq!(target("/api/tasks?state=failed"), "/api/tasks?state=failed");
        assert_eq!(target("tasks?state=failed"), "/api/tasks?state=failed");
        assert_eq!(target("api"), "/api");
        assert_eq!(target("api/tasks/1"), "/api/tasks/1");
        assert_eq!(target("apiary"), "/api/apiary");
    }

    #[test]
    fn what_only_a_server_knows_is_told_apart() {
        assert!(needs_server("/api/activity?limit=1") && needs_server("/api/changes/"));
        assert!(!needs_server("/api/stories") && !needs_server("/api/activity/x"));
    }
}
