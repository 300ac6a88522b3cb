//! The faults of a soak test: operations of writers, users, the system and clients on a running program. Their order
//! depends only on the seed.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::conformance::attacks;
use crate::raw::{Client, good};
use crate::support::{LOG, Project, SESSIONS, STATUS, Server, TASKS, send};

/// The log is rotated beyond this many lines, and keeps this many.
const MOST_LINES: usize = 6_000;
const KEPT_LINES: usize = 1_000;

type Fault = fn(&mut Faults<'_>, Server);
const FAULTS: [Fault; 16] = [
    |faults, _| faults.write_in_pieces(),
    |faults, _| faults.put(STATUS, "{\"stories\":{\"US-1\":"),
    |faults, _| faults.put(TASKS, "\0\0garbage\u{202e}"),
    |faults, _| faults.remove(STATUS),
    |faults, _| faults.remove(LOG),
    |faults, _| faults.rotate(),
    |faults, _| faults.burst(),
    |faults, _| faults.append("{\"n\":1,\"from\":\"killed"),
    |faults, _| faults.append("\n{\"a\":1}{\"a\":\u{1}\n\u{feff}{\"a\":2}\r\n\n"),
    |faults, _| faults.move_the_folder(),
    |faults, _| faults.swap_a_link(),
    |faults, _| faults.put_a_pipe(),
    |faults, _| faults.close_to_all(),
    |faults, server| faults.crowd(server),
    |_, server| attack(server),
    |faults, server| faults.pester(server),
];

pub(super) struct Faults<'a> {
    project: &'a Project,
    random: u64,
    written: u64,
    lines: usize,
    /// Disturbing clients, until the next fault.
    clients: Vec<Client>,
}

impl<'a> Faults<'a> {
    pub(super) fn new(project: &'a Project, seed: u64) -> Self {
        let mut faults =
            Self { project, random: seed | 1, written: 0, lines: 0, clients: Vec::new() };
        faults.heal();
        faults
    }

    /// The next fault, after the previous one was undone.
    pub(super) fn next(&mut self, server: Server) {
        self.heal();
        // Xorshift: enough to choose with, and the same everywhere.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let chosen = usize::try_from(self.random % FAULTS.len() as u64).unwrap();
        FAULTS[chosen](self, server);
    }

    /// Restores the normal state: all four files exist, valid and of a bounded size.
    pub(super) fn heal(&mut self) {
        self.clients.clear();
        let agents = self.path("docs/09-agents");
        if self.path("docs/moved").exists() {
            let _ = fs::remove_dir_all(&agents);
            fs::rename(self.path("docs/moved"), &agents).unwrap();
        }
        for path in [SESSIONS, TASKS] {
            let path = self.path(path);
            if path.symlink_metadata().is_ok_and(|meta| !meta.is_file()) {
                fs::remove_file(path).unwrap();
            }
        }
        self.put(STATUS, &document("stories", self.written));
        self.put(TASKS, &document("tasks", self.written));
        self.put(SESSIONS, &document("sessions", self.written));
        fs::set_permissions(self.path(STATUS), Permissions::from_mode(0o644)).unwrap();
        self.append("\n");
        if self.lines > MOST_LINES {
            self.rotate();
        }
    }

    /// Whether the program serves exactly the content on disk.
    pub(super) fn are_served(&self, server: Server) -> bool {
        let text = fs::read_to_string(self.path(LOG)).unwrap();
        let (mut messages, mut last) = (0, None);
        for line in text.lines() {
            // Several objects on a line are several messages; those before the first invalid byte count.
            for value in
                serde_json::Deserializer::from_str(line.trim_start_matches('\u{feff}')).into_iter()
            {
                let Ok(serde_json::Value::Object(object)) = value else { break };
                messages += 1;
                last = Some(serde_json::Value::Object(object));
            }
        }
        let page = server.get("/api/bus/messages?order=desc&limit=1").json();
        page["total"] == messages
            && page["messages"].get(0).map(|one| &one["n"]) == last.as_ref().map(|one| &one["n"])
            && server.get("/api/status").body == fs::read(self.path(STATUS)).unwrap()
            && server.get("/api/health").json()["status"] == "ok"
    }

    /// The regular activity of writers.
    pub(super) fn write_a_line(&mut self) {
        self.written += 1;
        let line =
            format!("{{\"n\":{},\"from\":\"a\",\"text\":\"{}\"}}\n", self.written, "x".repeat(100));
        self.append(&line);
    }

    fn path(&self, path: &str) -> PathBuf {
        self.project.root.join(path)
    }

    fn put(&mut self, path: &str, text: &str) {
        self.project.write(path, text);
    }

    fn remove(&mut self, path: &str) {
        if path == LOG {
            self.lines = 0;
        }
        let _ = fs::remove_file(self.path(path));
    }

    fn append(&mut self, text: &str) {
        let path = self.path(LOG);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        self.lines += text.matches('\n').count();
    }

    /// Keeps the last lines, in place.
    fn rotate(&mut self) {
        let text = fs::read_to_string(self.path(LOG)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let kept = &lines[lines.len().saturating_sub(KEPT_LINES)..];
        self.lines = kept.len();
        fs::write(self.path(LOG), kept.join("\n") + "\n").unwrap();
    }

    fn burst(&mut self) {
        for _ in 0..2_000 {
            self.write_a_line();
        }
    }

    fn write_in_pieces(&mut self) {
        let text = document("stories", self.written + 1);
        let mut file = fs::File::create(self.path(STATUS)).unwrap();
        text.as_bytes().chunks(512).for_each(|piece| file.write_all(piece).unwrap());
    }

    fn move_the_folder(&mut self) {
        fs::rename(self.path("docs/09-agents"), self.path("docs/moved")).unwrap();
    }

    fn swap_a_link(&mut self) {
        let path = self.path(SESSIONS);
        fs::rename(&path, self.path("sessions.json")).unwrap();
        symlink(self.path("sessions.json"), path).unwrap();
    }

    fn put_a_pipe(&mut self) {
        fs::remove_file(self.path(TASKS)).unwrap();
        mkfifo(&self.path(TASKS), Mode::S_IRWXU).unwrap();
    }

    fn close_to_all(&mut self) {
        fs::set_permissions(self.path(STATUS), Permissions::from_mode(0o000)).unwrap();
    }

    /// Clients that send nothing or half a request, or do not read their answer.
    fn crowd(&mut self, server: Server) {
        for words in ["", "GET /api HT", &good("/api/bus/messages?limit=10000")].repeat(20) {
            let mut client = Client::new(server.address());
            client.send(words);
            self.clients.push(client);
        }
    }

    /// Invalid commands on the control socket, and a moment in which the program is halted.
    fn pester(&mut self, server: Server) {
        let long = "x".repeat(1 << 17);
        for words in ["garbage\n", &long, "{\"request\":\"sync\"}\n", "{"] {
            if let Ok(mut stream) = UnixStream::connect(self.project.file("api-server.sock")) {
                // It may close the connection in the middle of a line that is too long.
                let _ = stream.write_all(words.as_bytes());
            }
        }
        send(server.pid, Signal::SIGSTOP);
        self.burst();
        send(server.pid, Signal::SIGCONT);
    }
}

fn attack(server: Server) {
    for (_, bytes) in attacks() {
        Client::new(server.address()).send(&bytes).rest();
    }
}

/// A valid document that depends on a number.
fn document(name: &str, n: u64) -> String {
    let record = |at: u64| {
        format!("\"{name}-{at}\":{{\"status\":\"done\",\"owner\":\"o{}\",\"n\":{n}}}", at % 7)
    };
    format!("{{\"{name}\":{{{}}}}}", (0..200).map(record).collect::<Vec<_>>().join(","))
}
