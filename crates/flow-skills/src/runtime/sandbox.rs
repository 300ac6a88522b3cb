//! Parses and renders custom templates in a child process with limits on time, memory and output, so that no template
//! can hang or kill the program: the template parser is recursive, and a deeply nested template overflows its stack.
//! The child is this program, called with [`WORD`].

use std::io::Read;
use std::os::unix::process::ExitStatusExt as _;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::child::{self, Limits, Stopped};
use super::{engine, limited};
use crate::output::{Fault, Result};

/// The hidden command that runs a `Job`: JSON on stdin, the result on stdout, or an error on stderr.
pub const WORD: &str = "render-template";
/// Time limit for a template.
const LONGEST: Duration = Duration::from_secs(2);
/// Largest output of a template, in bytes.
const LARGEST_OUTPUT: u64 = 4 << 20;
/// Largest error message that is shown, in bytes.
const LARGEST_COMPLAINT: usize = 16 << 10;
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
    let mut command = limited::command(WORD).map_err(failed)?;
    command.env_clear();
    let job = serde_json::to_vec(job).map_err(|error| failed(error.into()))?;
    let limits = Limits { time: LONGEST, bytes: LARGEST_OUTPUT };
    let output = child::run(command, job, limits).map_err(|stopped| match stopped {
        Stopped::NotRun(error) => failed(error),
        Stopped::TooSlow => too_slow(),
        Stopped::TooLarge => {
            Fault::Refused(format!("the template produced more than {LARGEST_OUTPUT} bytes"))
        }
    })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
    match output.status.code() {
        Some(0) => Ok(text(&output.stdout)),
        Some(_) => {
            let shown = output.stderr.len().min(LARGEST_COMPLAINT);
            Err(Fault::Refused(text(&output.stderr[..shown])))
        }
        // Its limit of processor time may end the child before this process does.
        None if output.status.signal() == Some(Signal::SIGXCPU as i32) => Err(too_slow()),
        // Another signal ends it when its stack or memory is exhausted.
        None => Err(Fault::Refused(OVER_LIMIT.to_owned())),
    }
}

fn too_slow() -> Fault {
    Fault::Refused(format!("the template took longer than {} s", LONGEST.as_secs()))
}

/// Runs in the child: reads a job, carries it out, and returns the text.
///
/// # Errors
/// When the job is invalid, or the template is.
pub fn serve(job: impl Read) -> Result<String> {
    let wrong = |error: &dyn std::fmt::Display| {
        Fault::Unreadable(format!("the render job is invalid: {error}"))
    };
    limited::limit(MEMORY, LONGEST).map_err(|error| wrong(&error))?;
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
