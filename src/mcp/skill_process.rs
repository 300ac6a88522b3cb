//! A skill's run in a process of its own with limits, so that no input and no project can end or block this one. Both ends
//! are here: the server's, and that of the process, which is this program called with [`WORD`].
//!
//! The process gets its task as a line of JSON. It asks for each part of the project's state in a line, and the server
//! answers from the one snapshot of the call. Its last line is the result.

use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::rc::Rc;
use std::sync::Arc;
use std::time::SystemTime;

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::limits::{
    LARGEST_SKILL_OUTPUT, LONGEST_LINE, LONGEST_SKILL_RUN, SKILL_MEMORY, SKILL_PROCESSOR_TIME,
};
use super::state::Wanted;
use crate::files::{self, Files};
use crate::model::time;
use crate::project::Project;
use crate::skill::generator;
use crate::skill::input::definition::Request;
use crate::skill::output::{Fault, Output};
use crate::skill::project_state::Context;
use crate::skill::project_state::state::{Answers, State};
use crate::skill::runtime::limited;

/// The hidden command that runs a skill in the project's folder, which is its argument.
pub const WORD: &str = "run-skill";

/// Largest task, in bytes: JSON may write a byte of a message as six.
const LONGEST_JOB: u64 = 6 * LONGEST_LINE as u64;

/// What to run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Job {
    /// The skill's name.
    pub(super) skill: String,
    pub(super) text: Option<String>,
    pub(super) pairs: Vec<(String, String)>,
    pub(super) fields: Map<String, Value>,
    /// The time for the skill; `None` for that of the clock.
    pub(super) now: Option<String>,
}

/// What a skill has made.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Made {
    pub(super) artifacts: Vec<Artifact>,
    pub(super) open: Vec<String>,
    pub(super) notes: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Artifact {
    pub(super) path: String,
    pub(super) kind: String,
    pub(super) text: String,
}

/// A line of the process.
#[derive(Debug, Serialize, Deserialize)]
enum Line {
    /// The API's answer for a path is needed.
    Get(String),
    Made(Made),
    /// Why there is no result.
    Refused(String),
}

/// The line before an answer of the API: its status and its number of bytes, or why there is none.
type Head = Result<(u16, usize), String>;

/// Runs a skill in a project on its state. It reads below the project's root only.
///
/// # Errors
/// The fault of the input, or the limit at which the process ended. The process is killed when the call is no longer wanted.
pub(super) fn run(
    job: &Job,
    root: &Path,
    files: &Arc<Files>,
    wanted: &Wanted,
) -> Result<Made, String> {
    Handle::current().block_on(async {
        let mut command = Command::from(limited::command(WORD).map_err(|error| failed(&error))?);
        command.arg(root).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().map_err(|error| failed(&error))?;
        let made = tokio::select! {
            made = timeout(LONGEST_SKILL_RUN, converse(&mut process, job, files)) => made.unwrap_or_else(|_| {
                Err(over_limit(&format!("took more than {} s", LONGEST_SKILL_RUN.as_secs())))
            }),
            () = wanted.no_longer() => Err("cancelled".to_owned()),
        };
        // It may have ended by itself.
        let _ = process.kill().await;
        made
    })
}

fn failed(error: &dyn std::error::Error) -> String {
    format!("could not run the skill in a process: {error}")
}

/// Gives a process its task, answers it, and takes its result.
async fn converse(process: &mut Child, job: &Job, files: &Arc<Files>) -> Result<Made, String> {
    let (Some(mut input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
        return Err(failed(&io::Error::other("it has no pipes")));
    };
    let mut output = BufReader::new(output.take(LARGEST_SKILL_OUTPUT));
    let mut task = serde_json::to_vec(job).map_err(|error| failed(&error))?;
    task.push(b'\n');
    // Where it has ended, its output says so.
    let _ = input.write_all(&task).await;
    loop {
        let mut line = Vec::new();
        output.read_until(b'\n', &mut line).await.map_err(|error| failed(&error))?;
        if line.last() != Some(&b'\n') {
            let is_cut = output.get_ref().limit() == 0;
            return Err(ended(process, is_cut).await.unwrap_or_else(|error| failed(&error)));
        }
        match serde_json::from_slice(&line).map_err(|error| failed(&error))? {
            Line::Get(target) => answer(&mut input, files, target).await,
            Line::Made(made) => return Ok(made),
            Line::Refused(sentence) => return Err(sentence),
        }
    }
}

/// Sends the answer of the API for a path.
async fn answer(input: &mut ChildStdin, files: &Arc<Files>, target: String) {
    let files = Arc::clone(files);
    // On a thread that may block, so that a cancellation of the call need not wait for it.
    let answer = spawn_blocking(move || files.get(&target)).await;
    let answer = answer.unwrap_or_else(|error| Err(error.to_string()));
    let head: Head =
        answer.as_ref().map(|(status, body)| (*status, body.len())).map_err(Clone::clone);
    let body = answer.map(|(_, body)| body).unwrap_or_default();
    let head = serde_json::json!(head).to_string() + "\n";
    // Where the process has ended, its output says so.
    let _ = input.write_all(head.as_bytes()).await;
    let _ = input.write_all(body.as_bytes()).await;
}

/// Why a process has ended without a result.
async fn ended(process: &mut Child, is_cut: bool) -> io::Result<String> {
    if is_cut {
        return Ok(over_limit(&format!("produced more than {} MiB", LARGEST_SKILL_OUTPUT >> 20)));
    }
    Ok(cause(process.wait().await?))
}

fn cause(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal().and_then(|signal| Signal::try_from(signal).ok()) {
        Some(Signal::SIGXCPU) => over_limit(&format!(
            "took more than {} s of processor time",
            SKILL_PROCESSOR_TIME.as_secs()
        )),
        Some(signal @ (Signal::SIGABRT | Signal::SIGSEGV | Signal::SIGBUS)) => {
            over_limit(&format!(
                "needed more than {} GiB of memory, or was nested too deeply ({signal})",
                SKILL_MEMORY >> 30
            ))
        }
        _ => format!("the skill ended without a result ({status}); see the server's log"),
    }
}

fn over_limit(what: &str) -> String {
    format!("the skill {what}; give it less at once")
}

/// Runs in the process: carries out the task on standard input, and writes to standard output.
///
/// # Errors
/// When it cannot limit itself, or the server does not say what to do.
pub fn serve(root: &Path) -> io::Result<()> {
    limited::limit(SKILL_MEMORY, SKILL_PROCESSOR_TIME)?;
    let mut task = String::new();
    io::stdin().lock().take(LONGEST_JOB).read_line(&mut task)?;
    // The call was cancelled before the job was sent.
    if task.is_empty() {
        return Ok(());
    }
    let job: Job = serde_json::from_str(&task)?;
    let said = say(&match make(job, root) {
        Ok(output) => Line::Made(made(output)),
        Err(fault) => Line::Refused(fault.to_string()),
    });
    match said {
        // The call was cancelled before it was answered.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        said => said,
    }
}

fn made(output: Output) -> Made {
    let artifacts = output.artifacts.into_iter().map(|artifact| Artifact {
        path: artifact.path,
        kind: artifact.kind.to_owned(),
        text: artifact.text,
    });
    Made { artifacts: artifacts.collect(), open: output.open, notes: output.notes }
}

fn make(job: Job, root: &Path) -> Result<Output, Fault> {
    let Job { skill, text, pairs, fields, now } = job;
    let skill = generator::find(&skill)
        .ok_or_else(|| Fault::Refused(format!("there is no skill {skill:?}")))?;
    let contents = text.into_iter().map(String::into_bytes).collect();
    let placed = skill.place(&Request { contents, pairs, fields, kind: None })?;
    let context = Context {
        now: now.unwrap_or_else(|| time::format(SystemTime::now())),
        state: State::of(Rc::new(Server { root: root.to_owned() })),
        folder: root.to_owned(),
        root: root.to_owned(),
        out: None,
    };
    skill.run(&placed, &context)
}

/// The server as the source of the project's state.
#[derive(Debug)]
struct Server {
    root: PathBuf,
}

impl Answers for Server {
    fn get(&self, target: &str) -> Result<(u16, String), String> {
        let asked = || -> io::Result<Result<(u16, String), String>> {
            say(&Line::Get(target.to_owned()))?;
            let mut input = io::stdin().lock();
            let mut head = String::new();
            input.read_line(&mut head)?;
            let (status, bytes) = match serde_json::from_str::<Head>(&head)? {
                Ok(head) => head,
                Err(why) => return Ok(Err(why)),
            };
            let mut body = vec![0; bytes];
            input.read_exact(&mut body)?;
            let body = String::from_utf8(body).map_err(io::Error::other)?;
            Ok(Ok((status, body)))
        };
        asked().unwrap_or_else(|error| Err(error.to_string()))
    }

    fn ids_elsewhere(&self, collection: &str) -> Vec<String> {
        // The settings of the user say nothing of other worktrees.
        let project = Project::at(&self.root);
        project.map(|project| files::ids_elsewhere(&project, collection)).unwrap_or_default()
    }
}

fn say(line: &Line) -> io::Result<()> {
    let mut output = io::stdout().lock();
    serde_json::to_writer(&mut output, line)?;
    output.write_all(b"\n")?;
    output.flush()
}
