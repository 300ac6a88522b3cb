//! A shell in separate namespaces: its mounts and limits are invisible to others and end with it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::support::{FLOW, Project, Server};
use crate::tools::{has, is_root, skip};

/// The end of the output of each command, before its exit code.
const END: &str = "--end-of-command--";

/// The shell. Its user is root in its own user namespace, without additional rights outside, unless it was opened as
/// the real root.
pub(crate) struct Namespace {
    shell: Child,
    words: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Namespace {
    /// In separate user and mount namespaces, at the root of a project; `None`, with a message, if the system does not
    /// permit them.
    #[track_caller]
    pub(crate) fn open(project: &Project) -> Option<Self> {
        Self::unshare(project, &["--user", "--map-root-user"], "user")
    }

    /// In a separate mount namespace, as the real root: for operations that a file system allows only to root.
    #[track_caller]
    pub(crate) fn as_root(project: &Project) -> Option<Self> {
        if is_root() { Self::unshare(project, &[], "mnt") } else { None }
    }

    #[track_caller]
    fn unshare(project: &Project, more: &[&str], kind: &str) -> Option<Self> {
        if !has("unshare") || !has("mount") {
            return None;
        }
        let path = format!("/proc/self/ns/{kind}");
        let mut command = Command::new("unshare");
        command.args(more).args(["--mount", "--propagation", "private", "sh"]);
        command.current_dir(&project.root).env("FLOW", *FLOW).env_remove("FLOW_PROJECT");
        command.env("FLOW_RUNTIME_DIR", &project.runtime).env("XDG_STATE_HOME", project.state());
        command.env("OUTSIDE", std::fs::read_link(&path).unwrap());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut shell = command.spawn().unwrap();
        let words = shell.stdin.take().unwrap();
        let output = BufReader::new(shell.stdout.take().unwrap());
        let mut namespace = Self { shell, words, output };
        // Nothing is mounted or limited unless this is certainly a separate namespace.
        if namespace
            .try_run(&format!("[ \"$(readlink {path})\" != \"$OUTSIDE\" ]"))
            .is_none_or(|(code, _)| code != 0)
        {
            skip(&format!("the system gives no {kind} namespace"));
            return None;
        }
        Some(namespace)
    }

    /// Runs a command; returns its exit code and its output, including errors.
    #[track_caller]
    pub(crate) fn run(&mut self, command: &str) -> (i32, String) {
        self.try_run(command).expect("the shell is gone")
    }

    /// Runs a command that must succeed.
    #[track_caller]
    pub(crate) fn must(&mut self, command: &str) -> String {
        let (code, text) = self.run(command);
        assert_eq!(code, 0, "{command}: {text}");
        text
    }

    /// Runs a command that sets something up; `false`, with a message, if the system refuses it.
    #[track_caller]
    pub(crate) fn may(&mut self, command: &str) -> bool {
        let (code, text) = self.run(command);
        if code != 0 {
            skip(&format!("the system refuses {command:?}: {}", text.trim()));
        }
        code == 0
    }

    /// Starts the daemon.
    #[track_caller]
    pub(crate) fn start(&mut self) -> Server {
        let text = self.must("\"$FLOW\" api start PORT=0 --json");
        Server::from(&serde_json::from_str(text.trim()).unwrap())
    }

    fn try_run(&mut self, command: &str) -> Option<(i32, String)> {
        writeln!(self.words, "{{ {command}\n}} 2>&1 </dev/null; echo \"{END}$?\"").ok()?;
        let mut text = String::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(at) = line.find(END) {
                text.push_str(&line[..at]);
                return Some((line[at + END.len()..].trim().parse().ok()?, text));
            }
            text.push_str(&line);
        }
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.try_run("\"$FLOW\" api stop");
        let _ = writeln!(self.words, "exit");
        let _ = self.shell.wait();
    }
}
