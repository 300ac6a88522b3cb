//! Runs `git` on a repository whose settings may be hostile: with a fixed environment and fixed settings under which it
//! runs no program that the repository names and fetches nothing, with limits on time, memory and output, and restricted to
//! reading the repository.
//!
//! The limit on memory is one that a process can set for itself only. Therefore this program is started with [`WORD`], sets
//! it, and is then replaced by git.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use flow_files::restrict::{Allowed, RestrictedThread};
use flow_files::system;
use nix::sys::signal::Signal;

use super::repository;
use crate::output::{Fault, Result};
use crate::runtime::child::{self, Limits, Stopped};
use crate::runtime::limited;

/// The hidden command that limits itself and is then replaced by git.
pub const WORD: &str = "run-git";
/// Memory limit of a git process, in bytes.
const MEMORY: u64 = 1 << 30;
/// Time limit of a git process.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// Largest output that is read of a query for text, in bytes. More is an error: a part of the output would be a wrong answer.
const OUTPUT_LIMIT: u64 = 8 << 20;
/// Longest part of git's own error message that is shown, in characters.
const MESSAGE_LIMIT: usize = 300;

/// Settings that override those of the repository. Each either names a program that git would run, or changes the
/// output that [`super`] parses.
const SETTINGS: [&str; 18] = [
    // A tracked folder in the form of a bare repository would have its own settings.
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.diffMerges=separate",
    "protocol.allow=never",
    "color.ui=false",
    "diff.relative=false",
    "i18n.logOutputEncoding=UTF-8",
];

/// The environment of git.
const ENVIRONMENT: [(&str, &str); 11] = [
    ("LC_ALL", "C"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // An empty list allows no protocol, and unlike `protocol.allow` it cannot be overridden by `protocol.ext.allow`.
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
];

/// The variable that names the index, which git sets for a hook.
const INDEX: &str = "GIT_INDEX_FILE";

/// Arguments of each diff: no program of an attribute, no order file that the repository names.
pub(super) const DIFF: [&str; 6] = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    // Another form would run git in the submodule, with the submodule's settings.
    "--submodule=short",
    // A submodule's own state is ignored; a change of its recorded commit is not.
    "--ignore-submodules=dirty",
    "-O/dev/null",
];

/// What git reads from its standard input, and how much it may write.
#[derive(Debug)]
pub struct Exchange {
    /// What git reads.
    pub input: Vec<u8>,
    /// Largest output, in bytes.
    pub most: u64,
}

/// The output of git for some arguments in a folder, as text.
///
/// # Errors
/// As [`exchange`].
pub fn run(folder: &Path, arguments: &[&str]) -> Result<String> {
    let nothing = Exchange { input: Vec::new(), most: OUTPUT_LIMIT };
    Ok(String::from_utf8_lossy(&exchange(folder, arguments, nothing)?).into_owned())
}

/// The output of git for some arguments in a folder. It can read its repository, and nothing else of the user.
///
/// # Errors
/// When the folder's repository is not its own, or git cannot be run, fails, or exceeds the limit of time or output.
pub fn exchange(folder: &Path, arguments: &[&str], exchange: Exchange) -> Result<Vec<u8>> {
    let worktree = repository::of(folder)?;
    let mut command = git().map_err(|error| not_run(&error))?;
    command.arg("-C").arg(folder).arg("--git-dir").arg(&worktree.git);
    command.arg("--work-tree").arg(&worktree.top).args([
        "--no-pager",
        "--no-optional-locks",
        "--no-replace-objects",
    ]);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    let mut read = vec![worktree.top, worktree.git, worktree.repository];
    let path = search_path();
    command.env_clear().envs(ENVIRONMENT);
    command.env("PATH", std::env::join_paths(&path).unwrap_or_default());
    command.args(arguments);
    if let Some(index) = std::env::var_os(INDEX) {
        command.env(INDEX, &index);
        read.push(index.into());
    }
    let mut allowed = Allowed::for_program("git", &path, read);
    allowed.execute.push(system::own_program().map_err(|error| not_run(&error))?);
    let thread = RestrictedThread::start(&allowed).map_err(|error| not_run(&error))?;
    thread.run(|| output_of(command, TIME_LIMIT, exchange)).map_err(|error| not_run(&error))?
}

/// git within its limits. Tests and benchmarks that contain this library run git itself.
fn git() -> io::Result<Command> {
    if limited::is_program() { limited::command(WORD) } else { Ok(Command::new("git")) }
}

/// Runs in the process that becomes git. Returns only if it does not.
pub fn become_git(words: &[OsString]) -> Fault {
    match limited::limit(MEMORY, TIME_LIMIT) {
        Ok(()) => not_run(&Command::new("git").args(words).exec()),
        Err(error) => not_run(&error),
    }
}

fn not_run(error: &io::Error) -> Fault {
    Fault::Refused(format!("could not run git: {error}"))
}

/// The folders of programs. A relative one would lead into the checkout.
fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|part| part.is_absolute()).collect()
}

/// The output of a command within a time limit.
fn output_of(mut command: Command, time: Duration, exchange: Exchange) -> Result<Vec<u8>> {
    let Exchange { input, most } = exchange;
    let limits = Limits { time, bytes: most };
    // What git starts is in its process group.
    command.process_group(0);
    let too_slow = || Fault::Refused(format!("git took more than {} s", time.as_secs()));
    let output = child::run(command, input, limits).map_err(|stopped| match stopped {
        Stopped::NotRun(error) => not_run(&error),
        Stopped::TooSlow => too_slow(),
        Stopped::TooLarge => {
            Fault::Refused(format!("git produced more than {most} bytes; give a shorter range"))
        }
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    if output.status.signal() == Some(Signal::SIGXCPU as i32) {
        return Err(too_slow());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let line = message.lines().find(|line| !line.trim().is_empty()).unwrap_or("it failed");
    let line: String = line.chars().filter(|c| !c.is_control()).take(MESSAGE_LIMIT).collect();
    Err(Fault::Refused(format!("git failed: {line}")))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::runtime::child::POLL_INTERVAL;

    fn nothing() -> Exchange {
        Exchange { input: Vec::new(), most: OUTPUT_LIMIT }
    }

    /// Whether a process exists and has not ended.
    fn is_running(pid: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).is_ok_and(|stat| {
            !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
        })
    }

    #[test]
    fn at_the_time_limit_the_whole_process_group_ends() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let mut command = Command::new("sh");
        // The grandchild keeps the output open, like a program that git starts.
        command.args(["-c", &format!("sleep 600 & echo $! > '{}'; wait", pid.display())]);
        let fault = output_of(command, Duration::from_millis(500), nothing()).unwrap_err();
        assert!(fault.to_string().contains("took more than"), "{fault}");
        let pid = std::fs::read_to_string(pid).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        while is_running(&pid) {
            assert!(Instant::now() < deadline, "the grandchild {pid} still runs");
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    #[test]
    fn too_much_output_is_an_error() {
        let mut command = Command::new("sh");
        command.args(["-c", "yes"]);
        let fault = output_of(command, Duration::from_secs(10), nothing()).unwrap_err();
        assert!(fault.to_string().contains("shorter range"), "{fault}");
    }
}
