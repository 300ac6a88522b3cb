//! Renders a custom template in a process of its own, with limits of time, memory and output, so that no template can
//! hang or kill the program. The child is this same program, called with [`WORD`].

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use nix::sys::resource::{Resource, setrlimit};
use serde_json::{Map, Value, json};

use super::engine;
use crate::output::{Fault, Result};

/// The hidden command that renders: a job as JSON on stdin, the text on stdout, or a sentence on stderr.
pub const WORD: &str = "render-template";
/// How long a template may take.
const LONGEST: Duration = Duration::from_secs(2);
/// Largest text that it may give, in bytes.
const LARGEST_OUTPUT: u64 = 4 << 20;
/// Largest complaint that is read, in bytes.
const LARGEST_COMPLAINT: u64 = 16 << 10;
/// Memory that the child may have, in bytes.
const MEMORY: u64 = 1 << 30;

/// Renders a template with fields in a child process.
///
/// # Errors
/// When the template is wrong, or went over a limit.
pub fn render(template: &str, fields: &Map<String, Value>) -> Result<String> {
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
    let result = exchange(&mut child, &json!({"template": template, "fields": fields}).to_string());
    let is_too_large = |(text, _): &(String, String)| text.len() as u64 > LARGEST_OUTPUT;
    if result.as_ref().is_none_or(is_too_large) {
        // It fails only where the child has ended by itself.
        let _ = child.kill();
    }
    let status = child.wait().map_err(failed)?;
    match result {
        None => {
            Err(Fault::Refused(format!("the template took longer than {} s", LONGEST.as_secs())))
        }
        Some(made) if is_too_large(&made) => {
            Err(Fault::Refused(format!("the template gave more than {LARGEST_OUTPUT} bytes")))
        }
        // An orderly child exits; what ends it otherwise is the limit of memory.
        Some(_) if status.code().is_none() => {
            Err(Fault::Refused("the template needed more memory than it may have".to_owned()))
        }
        Some((_, complaint)) if !status.success() => Err(Fault::Refused(complaint)),
        Some((text, _)) => Ok(text),
    }
}

/// The child's text and complaint; `None` when it was too slow.
fn exchange(child: &mut Child, job: &str) -> Option<(String, String)> {
    let (mut stdin, stdout, stderr) =
        (child.stdin.take()?, child.stdout.take()?, child.stderr.take()?);
    let (sender, receiver) = mpsc::sync_channel(1);
    let job = job.to_owned();
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

/// The child's side: reads a job, renders it, and gives the text.
///
/// # Errors
/// When the job is none, or the template is wrong.
pub fn serve(job: impl Read) -> Result<String> {
    let wrong = |error: &dyn std::fmt::Display| {
        Fault::Unreadable(format!("the job cannot be read: {error}"))
    };
    setrlimit(Resource::RLIMIT_AS, MEMORY, MEMORY).map_err(|error| wrong(&error))?;
    let job: Value =
        serde_json::from_reader(job.take(u64::from(u32::MAX))).map_err(|error| wrong(&error))?;
    let fields = job["fields"].as_object().cloned().unwrap_or_default();
    engine::render_fields(job["template"].as_str().unwrap_or_default(), &fields)
}
