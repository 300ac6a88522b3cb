//! A shell in which `flow` is the program that is tested, without the user's own settings, daemons and trust.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::support::FLOW;

/// Bash in a folder, with `base` as the home, and `$SKILLS` for the folders of skills. git makes the same commits each time.
pub(crate) fn bash(at: &Path, base: &Path) -> Command {
    let program = Path::new(*FLOW).parent().unwrap().display();
    let path = format!("{program}:{}", std::env::var("PATH").unwrap());
    // A script that hangs must not hold up the others.
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", "300", "bash"]);
    command.current_dir(at).env("PATH", path).env("HOME", base).env("COLUMNS", "80");
    command.env("LC_ALL", "C");
    command.env("SKILLS", Path::new(env!("CARGO_MANIFEST_DIR")).join("skills"));
    command.env("FLOW_RUNTIME_DIR", base.join("runtime")).env_remove("FLOW_PROJECT");
    command.env("XDG_CONFIG_HOME", base.join("config")).env("XDG_STATE_HOME", base.join("state"));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Ada");
        command.env(format!("GIT_{role}_EMAIL"), "ada@example.org");
        command.env(format!("GIT_{role}_DATE"), "2026-01-01T00:00:00Z");
    }
    command
}

/// A shell that runs commands one after the other.
pub(crate) struct Session {
    shell: Child,
    words: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    pub(crate) fn open(shell: &mut Command) -> Self {
        let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let words = shell.stdin.take().unwrap();
        let output = BufReader::new(shell.stdout.take().unwrap());
        Self { shell, words, output }
    }

    /// Runs a command: its exit code, `None` if the shell is gone with it, and its output, including errors.
    pub(crate) fn run(&mut self, command: &str) -> (Option<i32>, String) {
        /// The end of the output of each command, before its exit code.
        const END: &str = "--end-of-command--";
        let mut text = String::new();
        if writeln!(self.words, "{{ {command}\n}} 2>&1 </dev/null; echo \"{END}$?\"").is_err() {
            return (None, text);
        }
        loop {
            let begun = text.len();
            if self.output.read_line(&mut text).unwrap_or(0) == 0 {
                return (None, text);
            }
            if let Some(at) = text[begun..].find(END) {
                let code = text[begun + at + END.len()..].trim().parse().unwrap();
                text.truncate(begun + at);
                return (Some(code), text);
            }
        }
    }

    /// Ends the shell after a last command.
    pub(crate) fn end(&mut self, last: &str) {
        let _ = writeln!(self.words, "{last} > /dev/null 2>&1\nexit 0");
        let _ = self.shell.wait();
    }
}

/// A folder to begin in, without links in its path.
pub(crate) fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

/// Runs git in a folder, which is created if it is not there, with an author and without the settings of the user.
#[track_caller]
pub(crate) fn git(folder: &Path, words: &[&str]) -> String {
    const SETTINGS: [&str; 4] =
        ["user.name=a", "user.email=a@b", "commit.gpgsign=false", "protocol.file.allow=always"];
    fs::create_dir_all(folder).unwrap();
    let mut command = Command::new("git");
    command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting])).args(words);
    command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("GIT_DIR");
    let done = command.output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}
