//! Processes of this program that limit themselves before they read anything: memory, processor time and stack. On
//! Linux they end with the thread that started them, however that ends.
//!
//! Such a process is this program, called with a hidden word as its first argument. What it starts inherits the limits.

use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use flow_files::system;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Largest stack of the first thread, in bytes, if the shell allows as much: the default of most systems.
const STACK: u64 = 8 << 20;

/// Whether this process is the program, and no test or benchmark that contains its library.
static IS_PROGRAM: AtomicBool = AtomicBool::new(false);

/// Records that this process is the program, so that it can be called with a hidden word.
pub fn this_is_the_program() {
    IS_PROGRAM.store(true, Ordering::Relaxed);
}

/// Whether this process is the program.
pub(crate) fn is_program() -> bool {
    IS_PROGRAM.load(Ordering::Relaxed)
}

/// This program with a hidden word.
///
/// # Errors
/// When the system does not tell which file it is.
pub fn command(word: &str) -> io::Result<Command> {
    let mut command = Command::new(system::own_program()?);
    command.arg(word);
    Ok(command)
}

/// Limits this process: its memory in bytes, and its processor time. On Linux it is killed when the thread that started it ends.
///
/// # Errors
/// When the system refuses a limit.
pub fn limit(memory: u64, processor: Duration) -> io::Result<()> {
    // Memory that is written. Files that git maps take none of their own, and packs are of any size.
    lower(Resource::RLIMIT_DATA, memory, memory)?;
    lower(Resource::RLIMIT_STACK, STACK, STACK)?;
    // At the first limit comes a signal that tells why, at the second the end.
    let seconds = processor.as_secs();
    lower(Resource::RLIMIT_CPU, seconds, seconds + 1)?;
    // Its end by a signal is expected, so no core file is written.
    lower(Resource::RLIMIT_CORE, 0, 0)?;
    Ok(system::end_with_starter()?)
}

/// Lowers a limit, unless it is lower already.
fn lower(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let (soft_now, hard_now) = getrlimit(resource)?;
    Ok(setrlimit(resource, soft_now.min(soft), hard_now.min(hard))?)
}
