//! Shared by the fuzz targets of parsers: a parser runs on a small stack and must terminate quickly, and a skill runs on bytes
//! through the catalog's table, as the command line runs it.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use flow_skills::generator;
use flow_skills::input::place::Request;
use flow_skills::project_state::Context;
use flow_skills::project_state::state::State;
use nix::time::{ClockId, clock_gettime};

/// Stack of a reader, in bytes.
const STACK: usize = 1 << 20;
/// Longest time that a reader may need, in processor time of its thread.
const LONGEST: Duration = Duration::from_secs(1);
/// How many times more of both a reader may need under the address sanitizer, whose frames are larger.
const UNDER_SANITIZER: u32 = 5;
/// If the first byte is at least this, the text is repeated, to detect readers that take longer than linear time.
const REPEATED: u8 = 0xf0;
/// Length of a repeated text, in bytes.
const REPEATED_LENGTH: usize = 32 << 10;

/// A call of a skill that uses a reader.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// The skill.
    pub skill: &'static str,
    /// The field for the text; if none is named, the skill recognises the text.
    pub field: Option<&'static str>,
    /// Other fields, with their texts.
    pub options: &'static [(&'static str, &'static str)],
}

/// Runs a reader on a small stack.
///
/// # Panics
/// When it takes too long. A stack overflow ends the process.
pub fn within_limits(read: impl FnOnce() + Send) {
    let times =
        if std::env::var("SANITIZER").as_deref() == Ok("none") { 1 } else { UNDER_SANITIZER };
    let timed = || {
        let begin = Duration::from(now());
        read();
        Duration::from(now()) - begin
    };
    let taken = thread::scope(|scope| {
        let reader =
            thread::Builder::new().stack_size(STACK * times as usize).spawn_scoped(scope, timed);
        reader.expect("no thread").join().expect("the reader panicked")
    });
    assert!(taken <= LONGEST * times, "the reader took {taken:?} of processor time");
}

fn now() -> nix::sys::time::TimeSpec {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("no clock")
}

/// The first byte, which chooses among the readers, and the text.
pub fn choice(data: &[u8]) -> Option<(usize, Vec<u8>)> {
    let (&first, text) = data.split_first()?;
    let times = if first < REPEATED { 1 } else { REPEATED_LENGTH / text.len().max(1) };
    Some((usize::from(first), text.repeat(times)))
}

/// Runs a skill on a text; the skill may refuse it.
pub fn run(call: &Call, text: &[u8]) {
    let skill = generator::find(call.skill).expect("no such skill");
    let mut request = Request::default();
    let pairs = call.options.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    request.pairs.extend(pairs);
    match (call.field, std::str::from_utf8(text)) {
        (Some(field), Ok(text)) => request.pairs.push((field.to_owned(), text.to_owned())),
        (Some(_), Err(_)) => return,
        (None, _) => request.contents.push(text.to_owned()),
    }
    // A refusal has a reason; the tests check which one.
    let _ = skill.place(&request).and_then(|given| skill.run(&given, &context()));
}

/// The folder of the project that skills read.
pub fn folder() -> PathBuf {
    std::env::temp_dir().join("flow-fuzz")
}

/// A fixed time, and no project.
pub fn context() -> Context {
    Context {
        now: "2026-01-31T09:30:00Z".to_owned(),
        state: State::none("no project".to_owned()),
        folder: folder(),
        root: folder(),
        out: None,
    }
}
