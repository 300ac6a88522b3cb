//! Parses and renders custom templates in a child process with limits on time, memory and output, so that no template
//! can hang or kill the program: the template parser is recursive, and a deeply nested template overflows its stack.
//! The child is this program, called with [`WORD`].

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::engine;
use crate::output::{Fault, Result};

/// The hidden command that runs a `Job`: JSON on stdin, the result on stdout, or an error on stderr.
pub const WORD: &str = "render-template";
/// Time limit for a template.
const LONGEST: Duration = Duration::from_secs(2);
/// Largest output of a template, in bytes.
const LARGEST_OUTPUT: u64 = 4 << 20;
/// Largest error message that is read, in bytes.
const LARGEST_COMPLAINT: u64 = 16 << 10;
/// The error for a template that exceeded its stack or memory.
const OVER_LIMIT: &str = "the template is nested too deeply (brackets, blocks, elif), or needs more than 1 GiB of memory";
/// Memory limit of the child, in bytes.
const MEMORY: u64 = 1 << 30;

/// The task of the child.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Job {
    /// List the variables that a template uses, as JSON.
    Placeholders { template: String },
    /// Render a template with fields.
    Render { template: String, fields: Map<String, Value> },
}

/// The variables that a template reads and does not set, sorted; parsed in a child process.
///
/// # Errors
/// When it is not a valid template, or exceeds a limit.
pub fn placeholders(template: &str) -> Result<Vec<String>> {
    let names = run(&Job::Placeholders { template: template.to_owned() })?;
    serde_json::from_str(&names)
        .map_err(|error| Fault::Refused(format!("the template could not be parsed: {error}")))
}

/// Renders a template with fields in a child process.
///
/// # Errors
/// When the template is invalid, or exceeds a limit.
pub fn render(template: &str, fields: &Map<String, Value>) -> Result<String> {
    run(&Job::Render { template: template.to_owned(), fields: fields.clone() })
}

fn run(job: &Job) -> Result<String> {
    let failed = |error: std::io::Error| {
        Fault::Refused(format!("the template could not be rendered: {error}"))
    };
    let program = std::env::current_exe().map_err(failed)?;
    let mut child = Command::new(program)
        .arg(WORD)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let job = serde_json::to_string(job).map_err(|error| failed(error.into()))?;
    let result = exchange(&mut child, job);
    let is_too_large = |(text, _): &(String, String)| text.len() as u64 > LARGEST_OUTPUT;
    if result.as_ref().is_none_or(is_too_large) {
        // Fails only if the child has ended by itself.
        let _ = child.kill();
    }
    let status = child.wait().map_err(failed)?;
    match result {
        None => {
            Err(Fault::Refused(format!("the template took longer than {} s", LONGEST.as_secs())))
        }
        Some(made) if is_too_large(&made) => {
            Err(Fault::Refused(format!("the template produced more than {LARGEST_OUTPUT} bytes")))
        }
        // A signal ends the child when its stack or memory is exhausted.
        Some(_) if status.code().is_none() => Err(Fault::Refused(OVER_LIMIT.to_owned())),
        Some((_, complaint)) if !status.success() => Err(Fault::Refused(complaint)),
        Some((text, _)) => Ok(text),
    }
}

/// The child's output and error message; `None` if it took too long.
fn exchange(child: &mut Child, job: String) -> Option<(String, String)> {
    let (mut stdin, stdout, stderr) =
        (child.stdin.take()?, child.stdout.take()?, child.stderr.take()?);
    let (sender, receiver) = mpsc::sync_channel(1);
    let reader = std::thread::spawn(move || {
        // A child that has failed already reads no more.
        let _ = stdin.write_all(job.as_bytes());
        drop(stdin);
        let text = read(stdout, LARGEST_OUTPUT + 1);
        let complaint = read(stderr, LARGEST_COMPLAINT);
        let _ = sender.send((text, complaint));
    });
    let result = receiver.recv_timeout(LONGEST).ok();
    drop(reader);
    result
}

fn read(stream: impl Read, most: u64) -> String {
    let mut bytes = Vec::new();
    let _ = stream.take(most).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
}

/// Runs in the child: reads a job, carries it out, and returns the text.
///
/// # Errors
/// When the job is invalid, or the template is.
pub fn serve(job: impl Read) -> Result<String> {
    let wrong = |error: &dyn std::fmt::Display| {
        Fault::Unreadable(format!("the render job is invalid: {error}"))
    };
    setrlimit(Resource::RLIMIT_AS, MEMORY, MEMORY).map_err(|error| wrong(&error))?;
    // A child that is ended by a signal is expected, so no core file is written.
    setrlimit(Resource::RLIMIT_CORE, 0, 0).map_err(|error| wrong(&error))?;
    let job: Job =
        serde_json::from_reader(job.take(u64::from(u32::MAX))).map_err(|error| wrong(&error))?;
    match job {
        Job::Placeholders { template } => {
            let names = engine::placeholders(&template)?;
            serde_json::to_string(&names).map_err(|error| wrong(&error))
        }
        Job::Render { template, fields } => engine::render_fields(&template, &fields),
    }
}
