//! `flow statusline`: one line for prompts and status bars. It never takes long and never fails.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::command_output::CommandOutput;
use super::counts::Counts;
use super::invocation::Invocation;
use super::text::escape;
use crate::control::client;
use crate::daemon;
use crate::files::Files;
use crate::project::{Project, Source};
use crate::skill::project_state::state::Answers;

/// Time limit for everything. A halted server, or a dead mount, must not block a prompt.
const BUDGET: Duration = Duration::from_millis(100);
/// Largest total size of files that are read for the line, in bytes: more would take too long for a prompt.
const MOST_BYTES: u64 = 512 * 1024;

/// The content of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    /// The numbers, from a server.
    Served(Counts),
    /// The numbers, from the files.
    Files(Counts),
    /// No server is running, and the files are too large or too slow to be read.
    NotServed,
    /// There is no project here, or it has none of the files.
    NoProject,
    /// The settings are invalid, or a folder cannot be read.
    Unusable,
    /// A server is running and did not respond in time, or the disk did not.
    NotResponding,
}

/// What is known so far.
enum Step {
    /// No server is running; the files are being read.
    NoServer,
    /// The line.
    Done(Line),
}

/// Prints the line of the project.
pub(super) fn statusline(invocation: Invocation) -> CommandOutput {
    let deadline = Instant::now() + BUDGET;
    let (sender, receiver) = sync_channel(2);
    let looking = thread::Builder::new().spawn(move || {
        // The receiver is gone if this took too long.
        let _ = sender.send(Step::Done(look(&invocation, deadline, &sender)));
    });
    let next = || receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    let line = match looking.map(|_| next()) {
        Ok(Ok(Step::Done(line))) => line,
        // The files are too slow to be read for a prompt.
        Ok(Ok(Step::NoServer)) => match next() {
            Ok(Step::Done(line)) => line,
            _ => Line::NotServed,
        },
        _ => Line::NotResponding,
    };
    CommandOutput { facts: line.facts(), ..CommandOutput::shown(line.text() + "\n") }
}

fn look(invocation: &Invocation, deadline: Instant, steps: &SyncSender<Step>) -> Line {
    // The home folder and similar ones: no project, which is not an error here.
    let Ok(root) = invocation.root() else { return Line::NoProject };
    match daemon::socket(&root) {
        Err(_) => Line::Unusable,
        Ok(None) => {
            let _ = steps.send(Step::NoServer);
            of_files(invocation)
        }
        Ok(Some(socket)) => {
            let get = |path: &str| {
                let left = deadline.saturating_duration_since(Instant::now());
                let wait = Some(left).filter(|left| !left.is_zero())?;
                client::get_within(&socket, path, wait).ok().map(|got| got.body)
            };
            Counts::ask(get).map_or(Line::NotResponding, Line::Served)
        }
    }
}

fn of_files(invocation: &Invocation) -> Line {
    let Ok(project) = invocation.project() else { return Line::Unusable };
    let bytes = bytes(&project);
    if bytes.is_some_and(|bytes| bytes > MOST_BYTES) {
        return Line::NotServed;
    }
    // A plan of another tool is found only by reading it, once its files are settled; one that takes too long is not waited for.
    let files = if bytes.is_some() { Files::read(&project) } else { Files::read_at_rest(&project) };
    if bytes.is_none() && files.snapshot().plans.formats.is_empty() {
        return Line::NoProject;
    }
    let get = |path: &str| files.get(path).ok().map(|(_, body)| body);
    Counts::ask(get).map_or(Line::Unusable, Line::Files)
}

/// The total size of the files; `None` if there are none.
fn bytes(project: &Project) -> Option<u64> {
    let of_source = |source| {
        let mut files = project.files(source).iter().map(|file| project.state_root().join(file));
        files.find_map(|file| file.metadata().ok()).map(|found| found.len())
    };
    Source::ALL.into_iter().filter_map(of_source).reduce(u64::saturating_add)
}

impl Line {
    fn text(&self) -> String {
        match self {
            Self::Served(counts) => escape(&counts.line()),
            Self::Files(counts) => format!("{} · not served", escape(&counts.line())),
            Self::NotServed => "not served".to_owned(),
            Self::NoProject => "no project".to_owned(),
            Self::Unusable => "broken: run flow doctor".to_owned(),
            Self::NotResponding => "not responding".to_owned(),
        }
    }

    fn facts(&self) -> Value {
        let (from, counts) = match self {
            Self::Served(counts) => ("server", Some(counts)),
            Self::Files(counts) => ("files", Some(counts)),
            Self::NotServed | Self::NoProject | Self::Unusable | Self::NotResponding => {
                ("nothing", None)
            }
        };
        json!({"text": self.text(), "from": from, "counts": counts.map(Counts::facts)})
    }
}
