//! One run of a program as seen from outside, from its start to its end: one for each call, so that the system's sum over
//! children is that of this one.

use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// Prints the CPU time and the wall time in microseconds, and the most memory in KiB, of a run without input or output.
/// What the program starts and waits for counts as its own. Panics when it fails, as then something else is measured.
pub(crate) fn once(program: &str, arguments: &[&str]) {
    let begun = Instant::now();
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let ended = command.status().unwrap();
    let wall = begun.elapsed().as_micros();
    assert!(ended.success(), "{program} {arguments:?}: {ended}");
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let cpu = (used.user_time() + used.system_time()).num_microseconds();
    println!("{cpu} {wall} {}", used.max_rss());
}
