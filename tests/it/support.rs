//! Shared by the tests: a temporary project, the real binary, a small HTTP client, and waiting for a condition. It
//! contains no expectations.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::live;
use crate::raw::Client;
pub(crate) use crate::raw::Reply as Response;

/// Names the binary with the feature `portable` (`tests/portable`), in a folder where it is named `flow` too.
const PORTABLE: &str = "FLOW_PORTABLE_PROGRAM";
/// The binary under test: the portable one if it is named, so that these tests need not be compiled again for it.
pub(crate) static FLOW: LazyLock<&str> = LazyLock::new(|| match std::env::var(PORTABLE) {
    Ok(program) => program.leak(),
    Err(_) => env!("CARGO_BIN_EXE_flow"),
});
/// Whether it is the portable one, which can do without what only Linux has, and does not tell what only Linux tells.
pub(crate) fn is_portable() -> bool {
    std::env::var_os(PORTABLE).is_some()
}

/// The files of a project.
pub(crate) const STATUS: &str = "docs/09-agents/status.json";
pub(crate) const SESSIONS: &str = ".flow/sessions/registry.json";
pub(crate) const TASKS: &str = ".flow/state/task-dependencies.json";
pub(crate) const LOG: &str = "docs/09-agents/bus/log.jsonl";

/// The time limit for a condition. Much longer than necessary, since the machine may be busy.
pub(crate) const GENEROUS: Duration = Duration::from_secs(20);

/// The daemon's files while it runs.
pub(crate) const WHILE_RUNNING: [&str; 4] =
    ["api-server.lock", "api-server.log", "api-server.pid", "api-server.sock"];

/// Waits until a condition is true.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + GENEROUS;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs a command with this standard input, which it need not read completely.
pub(crate) fn fed(command: &mut Command, bytes: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    // A separate thread: a program that writes much before it has read everything would deadlock with this one.
    let writer = std::thread::spawn(move || _ = stdin.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Whether a process exists, and is not a zombie.
pub(crate) fn is_alive(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'))
}

/// Sends a signal to a process that the test has started.
pub(crate) fn send(pid: u32, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(pid).unwrap()), signal).unwrap();
}

/// Halts a process and returns when all of its threads are stopped. `kill` only records the signal: each thread stops
/// when it is next scheduled, and on a busy machine one of them may still answer in the meantime.
#[track_caller]
pub(crate) fn halt(pid: u32) {
    send(pid, Signal::SIGSTOP);
    wait_until("every thread stands still", || {
        let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
        threads.flatten().all(|thread| {
            let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('T'))
        })
    });
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// The one object that `--json` prints.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "{self:?}");
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// A project in a temporary folder, with its own private runtime folder. Whatever was started in it is
/// stopped when it goes.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    pub(crate) runtime: PathBuf,
    started: Mutex<Vec<u32>>,
    _folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self::named("project")
    }

    /// With a root of this name.
    pub(crate) fn named(name: impl AsRef<OsStr>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, runtime) = (base.join(name.as_ref()), base.join("runtime"));
        fs::create_dir_all(root.join("docs/09-agents")).unwrap();
        Self { root, runtime, started: Mutex::default(), _folder: folder }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces a file atomically, so that no part of it is ever read.
    pub(crate) fn replace(&self, path: &str, text: impl AsRef<[u8]>) {
        live::replace(&self.root.join(path), text);
    }

    /// A runtime file.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.root.join(".flow").join(name)
    }

    /// Where flow keeps this user's state.
    pub(crate) fn state(&self) -> PathBuf {
        self.runtime.with_file_name("state")
    }

    /// The names under `.flow` that begin so.
    pub(crate) fn files(&self, beginning: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(".flow")) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.starts_with(beginning)).collect();
        names.sort();
        names
    }

    /// The binary, in this project and away from the user's own daemons.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(*FLOW);
        command.current_dir(&self.root);
        for name in ["FLOW_PROJECT", "NOTIFY_SOCKET", "NO_COLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command.env("FLOW_RUNTIME_DIR", &self.runtime).stdin(Stdio::null());
        command.env("XDG_CONFIG_HOME", self.runtime.with_file_name("config"));
        // Not the user's own trust.
        command.env("XDG_STATE_HOME", self.state());
        command
    }

    /// The binary as above, below another program with these words.
    pub(crate) fn under(&self, words: &[&str]) -> Command {
        let flow = self.command();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(flow.get_program()).current_dir(&self.root);
        for (name, value) in flow.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn flow<S: AsRef<OsStr>>(&self, words: &[S]) -> Ran {
        self.command().args(words).output().unwrap().into()
    }

    /// Starts the daemon on any free port.
    #[track_caller]
    pub(crate) fn start(&self) -> Server {
        let mut command = self.command();
        self.launch(command.args(["api", "start", "PORT=0", "--json"]))
    }

    /// Starts the daemon by a shell, where `$0` is the binary.
    #[track_caller]
    pub(crate) fn start_by(&self, script: &str) -> Server {
        self.launch(&mut self.under(&["sh", "-c", script]))
    }

    #[track_caller]
    fn launch(&self, command: &mut Command) -> Server {
        let server = Server::from(&Ran::from(command.output().unwrap()).expect(0).json());
        self.started.lock().unwrap().push(server.pid);
        server
    }

    pub(crate) fn status(&self) -> Ran {
        self.flow(&["api", "status", "--json"])
    }

    /// Starts the daemon without a fork.
    pub(crate) fn foreground(&self, more: impl FnOnce(&mut Command)) -> Child {
        let mut command = self.command();
        command.args(["api", "start", "PORT=0", "--foreground", "--json"]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        more(&mut command);
        command.spawn().unwrap()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        if !self.root.exists() {
            return;
        }
        if self.flow(&["api", "stop"]).code == 0 {
            return;
        }
        // The last resort, and only for processes of this project that still run this binary.
        for pid in self.started.lock().unwrap().drain(..) {
            if fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == Path::new(*FLOW)) {
                let _ = kill(Pid::from_raw(i32::try_from(pid).unwrap()), Signal::SIGKILL);
            }
        }
    }
}

/// A daemon that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Server {
    pub(crate) pid: u32,
    pub(crate) port: u16,
}

impl From<&Value> for Server {
    fn from(facts: &Value) -> Self {
        let number = |name: &str| facts[name].as_u64().unwrap_or_else(|| panic!("{facts}"));
        Self {
            pid: u32::try_from(number("pid")).unwrap(),
            port: u16::try_from(number("port")).unwrap(),
        }
    }
}

impl Server {
    pub(crate) fn get(self, path: &str) -> Response {
        get(self.port, path)
    }

    /// The changes that are told, newest first.
    pub(crate) fn activity(self, query: &str) -> Vec<Value> {
        let mut answer = self.get(&format!("/api/activity?{query}")).json();
        serde_json::from_value(answer["activity"].take()).unwrap()
    }

    pub(crate) fn accepts(self) -> bool {
        TcpStream::connect(self.address()).is_ok()
    }

    pub(crate) fn address(self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// One GET on a separate connection.
#[track_caller]
pub(crate) fn get(port: u16, path: &str) -> Response {
    let mut client = Client::new((Ipv4Addr::LOCALHOST, port).into());
    client.send(format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"));
    let mut reply = client.head();
    reply.body = client.rest();
    reply
}
