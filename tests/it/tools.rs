//! What the scoreboard's tests share: how large they are, what they print for `tests/reliability`, what a process
//! uses, and what to say where a tool is missing.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// The path of a file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A text file of the repository.
#[track_caller]
pub(crate) fn text(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The small size, or the full one where `FLOW_LONG` is set, as `tests/reliability` does.
pub(crate) fn scaled<T>(small: T, full: T) -> T {
    if std::env::var_os("FLOW_LONG").is_some() { full } else { small }
}

/// A number for the table in docs/internals/reliability.md. No test asserts a time: the table says what is wanted.
#[allow(
    clippy::print_stdout,
    reason = "the test harness captures it for the script that writes the table"
)]
pub(crate) fn figure(name: &str, value: impl std::fmt::Display) {
    println!("figure: {name} = {value}");
}

/// A duration in milliseconds, with one decimal.
pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1000.0)
}

/// Names the file to which skipped tests are added, for `tests/run`, which sums them up at the end.
const SKIPPED: &str = "FLOW_SKIPPED";

/// Reports that a test is skipped, and why. Where everything can be installed, as under `CI=true`, that is a failure.
#[track_caller]
pub(crate) fn skip(why: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{why}");
    not_here(why);
}

/// Reports that a test is skipped where what it lacks belongs to the machine and cannot be installed.
#[allow(
    clippy::print_stdout,
    reason = "the test harness captures it for the script that writes the table"
)]
pub(crate) fn not_here(why: &str) {
    println!("skipped: {why}");
    // One line, as each is an entry of the list.
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!("skipped: {}: {why}\n", thread::current().name().unwrap_or("a thread"));
    match std::env::var_os(SKIPPED) {
        Some(path) => {
            let mut list = File::options().append(true).create(true).open(path).unwrap();
            list.write_all(line.as_bytes()).unwrap();
        }
        // The harness knows only passed and failed, and shows nothing of a test that passed. What is written to the stream
        // itself is not captured.
        None => io::stderr().write_all(line.as_bytes()).unwrap(),
    }
}

/// Whether a program can be run; says so where it cannot.
#[track_caller]
pub(crate) fn has(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", "command -v \"$0\"", program])
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !found {
        skip(&format!("{program} is not installed"));
    }
    found
}

/// Whether this is root; says so where it is not.
#[track_caller]
pub(crate) fn is_root() -> bool {
    let root = nix::unistd::Uid::effective().is_root();
    if !root {
        skip("only root can become another user");
    }
    root
}

/// Lets this process open as many files as the system allows.
pub(crate) fn raise_file_limit() {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard).unwrap();
}

/// A number of a process by its name in `/proc`, such as `VmHWM:`, the most memory that it has used, in KiB.
pub(crate) fn of_status(pid: u32, name: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// A number that an environment variable gives.
pub(crate) fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// What a process uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    /// Resident memory, in KiB.
    pub(crate) memory: u64,
    pub(crate) threads: u64,
    pub(crate) files: usize,
}

impl Usage {
    pub(crate) fn of(pid: u32) -> Self {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
        Self { memory: of_status(pid, "VmRSS:"), threads: of_status(pid, "Threads:"), files }
    }
}

/// The value below which a share of them lies.
pub(crate) fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}
