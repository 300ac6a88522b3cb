//! A shell in separate namespaces: its mounts and limits are invisible to others and end with it.

use std::process::{Command, Stdio};

use crate::shell::Session;
use crate::support::{FLOW, Project, Server};
use crate::tools::{has, is_root, skip};

/// The shell. Its user is root in its own user namespace, without additional rights outside, unless it was opened as
/// the real root.
pub(crate) struct Namespace(Session);

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
        let mut session = Session::open(command.stderr(Stdio::null()));
        // Nothing is mounted or limited unless this is certainly a separate namespace.
        if session.run(&format!("[ \"$(readlink {path})\" != \"$OUTSIDE\" ]")).0 != Some(0) {
            skip(&format!("the system gives no {kind} namespace"));
            return None;
        }
        Some(Self(session))
    }

    /// Runs a command; returns its exit code and its output, including errors.
    #[track_caller]
    pub(crate) fn run(&mut self, command: &str) -> (i32, String) {
        let (code, text) = self.0.run(command);
        (code.expect("the shell is gone"), text)
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
}

impl Drop for Namespace {
    fn drop(&mut self) {
        self.0.end("\"$FLOW\" api stop");
    }
}
