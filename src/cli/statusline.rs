//! `flow statusline`: one line for prompts and status bars. It never takes long and never fails.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
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

/// Most projects that are asked for the line of all.
const MOST_PROJECTS: usize = 100;

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
    /// A server is registered, and does not run any more.
    Gone,
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

/// A project that is registered, and what its server answers in time.
struct Registered {
    root: PathBuf,
    line: Line,
}

/// Prints the line of all projects that are served. Each is asked by a thread of its own, so that one that hangs hides no other.
pub(super) fn of_all() -> CommandOutput {
    let deadline = Instant::now() + BUDGET;
    let mut roots = daemon::registered_roots();
    roots.truncate(MOST_PROJECTS);
    let (sender, receiver) = sync_channel::<Registered>(MOST_PROJECTS);
    for root in roots.clone() {
        let sender = sender.clone();
        // A thread that cannot be started leaves its project without an answer.
        let _ = thread::Builder::new().spawn(move || {
            let socket = daemon::socket(&root).ok().flatten();
            let line = socket.map_or(Line::Gone, |socket| served(&socket, deadline));
            let _ = sender.send(Registered { root, line });
        });
    }
    drop(sender);
    let left = || deadline.saturating_duration_since(Instant::now());
    let mut all: Vec<Registered> =
        std::iter::from_fn(|| receiver.recv_timeout(left()).ok()).collect();
    roots.retain(|root| all.iter().all(|one| one.root != *root));
    all.extend(roots.into_iter().map(|root| Registered { root, line: Line::NotResponding }));
    all.sort_by(|one, other| one.root.cmp(&other.root));
    let counts = || all.iter().filter_map(|one| one.line.counts());
    let total = Counts::total(counts());
    let mut text = match counts().count() {
        0 => "no project is served".to_owned(),
        1 => format!("1 project: {}", total.line()),
        count => format!("{count} projects: {}", total.line()),
    };
    for line in [Line::NotResponding, Line::Gone] {
        let count = all.iter().filter(|one| one.line == line).count();
        if count > 0 {
            let _ = write!(text, " · {count} {}", line.text());
        }
    }
    let facts_of = |one: &Registered| {
        let mut facts = one.line.facts();
        facts["project"] = one.root.to_string_lossy().into();
        facts
    };
    let projects: Vec<Value> = all.iter().map(facts_of).collect();
    let facts =
        json!({"text": text, "from": "servers", "counts": total.facts(), "projects": projects});
    CommandOutput { facts, ..CommandOutput::shown(text + "\n") }
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
        Ok(Some(socket)) => served(&socket, deadline),
    }
}

/// What a server answers in time.
fn served(socket: &Path, deadline: Instant) -> Line {
    let get = |path: &str| {
        let left = deadline.saturating_duration_since(Instant::now());
        let wait = Some(left).filter(|left| !left.is_zero())?;
        client::get_within(socket, path, wait).ok().map(|got| got.body)
    };
    Counts::ask(get).map_or(Line::NotResponding, Line::Served)
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
            Self::Gone => "gone".to_owned(),
        }
    }

    fn counts(&self) -> Option<&Counts> {
        match self {
            Self::Served(counts) | Self::Files(counts) => Some(counts),
            _ => None,
        }
    }

    fn facts(&self) -> Value {
        let from = match self {
            Self::Served(_) => "server",
            Self::Files(_) => "files",
            _ => "nothing",
        };
        json!({"text": self.text(), "from": from, "counts": self.counts().map(Counts::facts)})
    }
}
