//! Runs `git` on a repository whose settings may be hostile: with a fixed environment and fixed settings under which it
//! runs no program that the repository names and fetches nothing, and with limits on time and output.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::output::{Fault, Result};

/// Time limit of a git process.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// Largest output that is read, in bytes. More is an error: a part of the output would be a wrong answer.
const OUTPUT_LIMIT: u64 = 8 << 20;
/// Longest part of git's own error message that is shown, in characters.
const MESSAGE_LIMIT: usize = 300;
/// Time between two checks whether git has ended, after its output is complete.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Settings that override those of the repository. Each either names a program that git would run, or changes the
/// output that [`super`] parses.
const SETTINGS: [&str; 27] = [
    // A tracked folder in the form of a bare repository would have its own settings.
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.showSignature=false",
    "protocol.allow=never",
    // `git diff` would run in the submodule, with the submodule's settings.
    "diff.submodule=short",
    "submodule.recurse=false",
    "core.quotePath=false",
    "color.ui=false",
    "column.ui=never",
    "diff.renames=true",
    "diff.relative=false",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.algorithm=default",
    "diff.interHunkContext=0",
    "i18n.logOutputEncoding=UTF-8",
];

/// The environment of git, besides the variables in [`KEPT`].
const ENVIRONMENT: [(&str, &str); 12] = [
    ("LC_ALL", "C"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // An empty list allows no protocol, and unlike `protocol.allow` it cannot be overridden by `protocol.ext.allow`.
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
];

/// Variables of the user that git needs: the paths of the user's own settings, and, in a hook, the repository and
/// index.
const KEPT: [&str; 6] =
    ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

/// Arguments of each diff: no program of an attribute, no order file that the repository names.
pub(super) const DIFF: [&str; 6] = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--submodule=short",
    // A submodule's own state is ignored; a change of its recorded commit is not.
    "--ignore-submodules=dirty",
    "-O/dev/null",
];

/// The output of git for some arguments in a folder.
///
/// # Errors
/// When it cannot be run, fails, or exceeds the limit of time or output.
pub(super) fn run(folder: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args([
        "--no-pager",
        "--no-optional-locks",
        "--no-replace-objects",
    ]);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.args(arguments).env_clear().envs(ENVIRONMENT);
    command.envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    // A relative part of PATH would lead into the checkout.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let absolute = std::env::split_paths(&path).filter(|part| part.is_absolute());
    command.env("PATH", std::env::join_paths(absolute).unwrap_or_default());
    output_of(command, TIME_LIMIT)
}

/// The output of a command within a time limit. At the limit its whole process group is killed.
fn output_of(mut command: Command, limit: Duration) -> Result<String> {
    let deadline = Instant::now() + limit;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child =
        command.spawn().map_err(|error| Fault::Refused(format!("could not run git: {error}")))?;
    let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let read = out.recv_timeout(limit).ok();
    let is_complete = read.as_ref().is_some_and(|read| read.len() as u64 <= OUTPUT_LIMIT);
    let succeeded = finish(&mut child, is_complete.then_some(deadline))?;
    let Some(read) = read else {
        return Err(Fault::Refused(format!("git took more than {} s", limit.as_secs())));
    };
    if !is_complete {
        return Err(Fault::Refused(format!(
            "git produced more than {OUTPUT_LIMIT} bytes; give a shorter range"
        )));
    }
    if succeeded {
        return Ok(String::from_utf8_lossy(&read).into_owned());
    }
    let message = err.recv_timeout(limit).unwrap_or_default();
    let message = String::from_utf8_lossy(&message);
    let line = message.lines().find(|line| !line.trim().is_empty()).unwrap_or("it failed");
    let line: String = line.chars().filter(|c| !c.is_control()).take(MESSAGE_LIMIT).collect();
    if line.starts_with("fatal: not a git repository") {
        return Err(Fault::Refused("the folder is not in a git repository".to_owned()));
    }
    Err(Fault::Refused(format!("git failed: {line}")))
}

/// Reads to the end in a thread, up to one byte over the limit.
fn reader(from: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(from) = from {
            // An error ends the output; git's exit status shows whether the output is complete.
            let _ = from.take(OUTPUT_LIMIT + 1).read_to_end(&mut bytes);
        }
        // The receiver is gone after the time limit.
        let _ = sender.send(bytes);
    });
    receiver
}

/// Whether git succeeded. Without a deadline, or after it, git and all its children are killed.
fn finish(child: &mut Child, deadline: Option<Instant>) -> Result<bool> {
    let fault = |error: std::io::Error| Fault::Refused(format!("could not wait for git: {error}"));
    while deadline.is_some_and(|deadline| Instant::now() < deadline) {
        if let Some(status) = child.try_wait().map_err(fault)? {
            return Ok(status.success());
        }
        thread::sleep(POLL_INTERVAL);
    }
    // The child is not reaped yet, so its id is still valid. It may have ended since the last check.
    let _ = i32::try_from(child.id()).map(|id| killpg(Pid::from_raw(id), Signal::SIGKILL));
    child.wait().map(|status| status.success()).map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let fault = output_of(command, Duration::from_millis(500)).unwrap_err();
        assert!(fault.to_string().contains("took more than"), "{fault}");
        let pid = std::fs::read_to_string(pid).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        while is_running(&pid) {
            assert!(Instant::now() < deadline, "the grandchild {pid} still runs");
            thread::sleep(POLL_INTERVAL);
        }
    }

    #[test]
    fn too_much_output_is_an_error() {
        let mut command = Command::new("sh");
        command.args(["-c", "yes"]);
        let fault = output_of(command, Duration::from_secs(10)).unwrap_err();
        assert!(fault.to_string().contains("shorter range"), "{fault}");
    }
}
