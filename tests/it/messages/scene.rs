//! The environment of a case: a project and the files around it; values that differ from run to run become fixed.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::Signal;

use super::Case;
use crate::neighbours::User;
use crate::support::{FLOW, Project, Ran, Server, halt, is_alive, send, wait_until};

/// Where a command is run.
pub(super) struct Scene {
    project: Project,
    user: Option<User>,
    others: Vec<Project>,
    /// Ports that are held.
    held: Vec<TcpListener>,
    /// Servers that are halted.
    halted: Vec<u32>,
    /// Numbers, and what the page has for them.
    numbers: Vec<(u64, &'static str)>,
    /// The port that commands name as `$PORT`.
    port: u16,
}

impl Scene {
    pub(super) fn of(is_by_another: bool) -> Self {
        let user = if is_by_another { User::new() } else { None };
        assert!(!is_by_another || user.is_some(), "there is no other user");
        Self {
            project: Project::named("bookshop"),
            user,
            others: Vec::new(),
            held: Vec::new(),
            halted: Vec::new(),
            numbers: Vec::new(),
            port: 0,
        }
    }

    /// Prepares what a script cannot.
    fn prepare(&mut self, what: &str) {
        match what.split_once(' ').unwrap_or((what, "")) {
            ("start", "") => _ = self.start(),
            ("start", "other") => self.start_other(),
            ("crash", "") => {
                let server = self.start();
                send(server.pid, Signal::SIGKILL);
                wait_until("it is gone", || !is_alive(server.pid));
            }
            ("halt", "") => {
                let server = self.start();
                halt(server.pid);
                self.halted.push(server.pid);
            }
            ("hold", "port") => self.hold_port(),
            ("rooted", path) => {
                let path = self.root().join(path);
                chown(&path, Some(0), Some(0)).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            }
            _ => panic!("{what}: no such preparation"),
        }
    }

    /// Names a number of this run for the page.
    fn number(&mut self, number: impl Into<u64>, shown: &'static str) {
        self.numbers.push((number.into(), shown));
    }

    /// Starts the project's server.
    fn start(&mut self) -> Server {
        let server = self.project.start();
        self.number(server.port, "3456");
        self.number(server.pid, "4711");
        server
    }

    /// Starts the server of another project of this user.
    fn start_other(&mut self) {
        let other = Project::named("other");
        let mut command = other.command();
        command.env("FLOW_RUNTIME_DIR", &self.project.runtime);
        let ran = Ran::from(command.args(["api", "start", "PORT=0", "--json"]).output().unwrap());
        let server = Server::from(&ran.expect(0).json());
        self.number(server.pid, "4712");
        self.port(server.port);
        self.others.push(other);
    }

    /// A port of another program.
    fn hold_port(&mut self) {
        let held = TcpListener::bind("127.0.0.1:0").unwrap();
        self.port(held.local_addr().unwrap().port());
        self.number(std::process::id(), "4713");
        self.held.push(held);
    }

    fn port(&mut self, port: u16) {
        self.number(port, "3456");
        self.port = port;
    }

    /// Runs a script of the preparation. Its commits always have the same ids.
    fn shell(&self, script: &str) {
        let commit =
            "git -c user.name=x -c user.email=x@localhost -c commit.gpgsign=false commit -q -m x";
        let mut command = self.command(script);
        command.env("COMMIT", commit).env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z");
        command.env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
        let done = command.output().unwrap();
        assert!(done.status.success(), "{script}: {done:?}");
    }

    fn root(&self) -> &Path {
        self.user.as_ref().map_or(&self.project.root, |user| &user.project)
    }

    fn command(&self, script: &str) -> Command {
        let shell = self.project.command();
        let program = Path::new(*FLOW).parent().unwrap().display();
        let path = format!("{program}:{}", std::env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.args(["-c", script]).current_dir(self.root()).stdin(Stdio::null());
        match &self.user {
            None => {
                let set = shell.get_envs().filter_map(|(name, value)| Some((name, value?)));
                command.envs(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
                command.env_remove("FLOW_PROJECT").env_remove("COLUMNS");
            }
            Some(user) => {
                command.env_clear().env("HOME", user.project.parent().unwrap());
                command.uid(user.id).gid(user.id);
            }
        }
        command.env("PATH", path).env("PORT", self.port.to_string());
        command
    }

    pub(super) fn run(mut self, case: &Case) -> Ran {
        for (path, text) in &case.files {
            match &self.user {
                None => self.project.write(path, text),
                Some(user) => user.write(path, text),
            }
        }
        for (mark, what) in &case.preparations {
            match *mark {
                "+" => self.shell(what),
                _ => self.prepare(what),
            }
        }
        let ran = Ran::from(self.command(case.command).output().unwrap());
        let started = self.project.files("api-server");
        assert!(ran.code != 2 || started.is_empty(), "{}: made {started:?}", case.command);
        Ran { out: self.settled(&ran.out), err: self.settled(&ran.err), ..ran }
    }

    /// What differs from run to run, as one reader saw it.
    fn settled(&self, text: &str) -> String {
        let base = self.project.root.parent().unwrap();
        let mut text =
            text.replace(&self.project.runtime.display().to_string(), "/run/user/1000/flow");
        let folders = [
            ("config", "/home/you/.config"),
            ("state", "/home/you/.local/state"),
            ("", "/home/you"),
        ];
        for (folder, shown) in folders {
            let folder = base.join(folder).display().to_string();
            text = text.replace(folder.trim_end_matches('/'), shown);
        }
        for other in &self.others {
            text = text.replace(&other.root.display().to_string(), "/home/you/other");
        }
        if let Some(user) = &self.user {
            text = text
                .replace(&user.project.display().to_string(), "/home/you/bookshop")
                .replace(&user.project.parent().unwrap().display().to_string(), "/home/you");
        }
        self.settled_words(&text)
    }

    /// The same with the words that differ: ports, processes, users, and the names of private folders.
    fn settled_words(&self, text: &str) -> String {
        let mut before = "";
        let mut settled = String::with_capacity(text.len());
        for word in words(text) {
            let number: Option<u64> = word.parse().ok();
            let known = self.numbers.iter().find(|(known, _)| Some(*known) == number);
            let is_user = self.user.as_ref().is_some_and(|user| number == Some(user.id.into()));
            let is_free_port = !self.numbers.is_empty() && matches!(before, "PORT" | "port");
            settled.push_str(match (known, number) {
                (Some((_, shown)), _) => shown,
                _ if is_user => "1000",
                (None, Some(_)) if is_free_port => "3457",
                _ if word.len() == 16 && word.chars().all(|c| c.is_ascii_hexdigit()) => {
                    "8c1f6a2e90b35d47"
                }
                _ => word,
            });
            if word.starts_with(|c: char| c.is_ascii_alphanumeric()) {
                before = word;
            }
        }
        settled
    }
}

/// A text as words of letters and digits, and what stands between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: &u8| c.is_ascii_alphanumeric();
    text.as_bytes().chunk_by(move |a, b| is_word(a) == is_word(b)).map(|bytes| {
        // A character of several bytes is not cut: none of them is a letter or digit of ASCII.
        std::str::from_utf8(bytes).unwrap()
    })
}

impl Drop for Scene {
    fn drop(&mut self) {
        for pid in &self.halted {
            send(*pid, Signal::SIGCONT);
        }
        // Also one that was started in another folder.
        self.project.flow(&["api", "stop", "--all"]);
    }
}
