//! The nothing-lost machine: a random writer carries out operations of careless writers one after the other, and after
//! each the store must serve the result of a strict reader. A second reader sends requests all the time, and must never
//! see a state that was not written. After a restart, the answers and their validators would be the same.
//!
//! `FLOW_TEST_SEED` is the first seed (it is part of each failure), `FLOW_MACHINE_SEEDS` the number of seeds, and
//! `FLOW_MACHINE_OPS` the number of operations of each. A few seeds run at a time, since most of a run is waiting.

mod observer;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use flow::project::Source;
use flow::store::snapshot::State;
use flow::store::{Environment, Store};

use crate::live::{self, Live, messages_in};
use crate::oracle::Files;
use crate::random::Random;
use crate::support::wait_until;
use crate::tools::setting;
use crate::watching::Way;
use observer::Observer;

/// The log's limit, small enough to be exceeded now and then.
const BUS_BYTES: u64 = 3000;

/// Seeds that run at a time.
const AT_ONCE: usize = 5;

/// The size of an atomic write of the system.
const PAGE: usize = 4096;

/// The states of the log that a reader may see, as their messages.
type Allowed = Arc<Mutex<HashSet<String>>>;

struct Machine {
    random: Random,
    live: Live,
    outside: tempfile::TempDir,
    /// The expected content: the last valid one of each file.
    good: Files,
    allowed: Allowed,
    /// Counts the writes, so that all content differs.
    number: usize,
    seed: u64,
    operation: usize,
}

impl Machine {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = format!("{{\"limits\":{{\"bus_bytes\":{BUS_BYTES},\"json_bytes\":4000}}}}");
        live::write(&folder.path().join(".flow/config.json"), settings);
        // Every other seed is of a store that is told of nothing, and looks by itself.
        let options = if seed.is_multiple_of(2) { Way::Followed } else { Way::Swept }.options();
        let live = Live::open(folder, &options, Environment::default());
        let allowed = Allowed::default();
        allowed.lock().unwrap().insert(messages_in(b""));
        let outside = tempfile::tempdir().unwrap();
        let random = Random(seed);
        let good = Files::default();
        Self { random, live, outside, good, allowed, number: 0, seed, operation: 0 }
    }

    /// Permits a log with these bytes.
    fn allow(&self, log: &[u8]) {
        let part = &log[live::newest_part(log, BUS_BYTES)..];
        self.allowed.lock().unwrap().insert(messages_in(part));
    }

    /// Permits a log that is being written at a position, in one call; a reader may see some of its pages.
    fn allow_write(&self, old: &[u8], (at, new): (usize, &[u8])) {
        let borders = (0..at + new.len()).step_by(PAGE).filter(|border| *border > at);
        for end in borders.chain([at + new.len()]) {
            let behind = old.get(end..).unwrap_or_default();
            self.allow(&[&old[..at], &new[..end - at], behind].concat());
        }
    }

    /// Makes the content on disk the expected one, and asserts that it is served, now or soon.
    fn settle(&mut self) {
        self.live.remember(&mut self.good);
        if self.random.below(4) > 0 {
            self.live.sync();
            self.live.serves(&self.good);
            self.is_as_after_a_restart();
        } else {
            wait_until("agreement", || self.live.difference(&self.good).is_none());
        }
    }

    /// Asserts that a store that reads the files now answers the same in status, body and `ETag`, unless the last valid
    /// content of a file is served.
    fn is_as_after_a_restart(&self) {
        let is_read = |source| matches!(self.live.state(source), State::Present | State::Missing);
        if !Source::ALL.into_iter().all(is_read) {
            return;
        }
        let fresh = Store::read_once(&self.live.project, Environment::default());
        let fresh = live::app(fresh);
        for asked in live::QUERIES {
            let [ours, theirs] = [&self.live.app, &fresh].map(|app| {
                let reply = live::ask(app, asked);
                (reply.status, reply.etag, reply.body)
            });
            assert_eq!(ours, theirs, "{asked}");
        }
    }

    fn source(&mut self) -> Source {
        self.random.one(&[Source::Status, Source::Sessions, Source::Tasks])
    }

    /// A document of a source, some of them long.
    fn document(&mut self, source: Source) -> String {
        self.number += 1;
        let n = self.number;
        let name = if source == Source::Status { "stories" } else { source.name() };
        let record = |at: usize| {
            format!(r#""US-{at}":{{"status":"done","epic":"EP-{}","n":{n},"id":{at}}}"#, at % 3)
        };
        let length = self.random.one(&[0, 1, 2, 5, 30]);
        let records: Vec<String> = (0..length).map(record).collect();
        format!("{{\"{name}\":{{{}}},\"US-{n}\":{{\"state\":\"Odd\"}}}}", records.join(","))
    }

    /// Valid and invalid lines of agents.
    fn lines(&mut self) -> Vec<u8> {
        let mut lines = Vec::new();
        for _ in 0..=self.random.below(6) {
            self.number += 1;
            let n = self.number;
            let line = match self.random.below(9) {
                0 => format!("{{\"n\":{n}}}{{\"n\":{n},\"glued\":1}}\n"),
                1 => format!("garbage {n}\n"),
                2 => "\r\n".to_owned(),
                3 => format!("{{\"n\":{n},\"ts\":\"2026-03-0{}\"}}\r\n", n % 9 + 1),
                _ => format!("{{\"n\":{n},\"from\":\"a{}\",\"type\":\"t\"}}\n", n % 3),
            };
            lines.extend(line.as_bytes());
        }
        lines
    }

    fn log(&self) -> PathBuf {
        self.live.file(Source::Bus)
    }

    fn read_log(&self) -> Vec<u8> {
        fs::read(self.log()).unwrap_or_default()
    }

    /// Removes everything that is not a file, so that an operation finds files and folders.
    fn restore(&mut self) {
        for source in Source::ALL {
            let path = self.live.file(source);
            match fs::symlink_metadata(&path) {
                Ok(meta) if meta.is_dir() => fs::remove_dir(&path).unwrap(),
                Ok(meta) if !meta.is_file() => fs::remove_file(&path).unwrap(),
                _ => fs::create_dir_all(path.parent().unwrap()).unwrap(),
            }
        }
        self.settle();
    }

    /// Appends in one call, or in two.
    fn append(&mut self) {
        let more = self.lines();
        let cut =
            if self.random.below(2) == 0 { more.len() } else { self.random.below(more.len()) };
        let mut log = self.read_log();
        let mut file = File::options().append(true).create(true).open(self.log()).unwrap();
        for part in [&more[..cut], &more[cut..]] {
            self.allow_write(&log, (log.len(), part));
            log.extend(part);
            file.write_all(part).unwrap();
        }
    }

    /// Appends half a line, and leaves it.
    fn append_half(&mut self) {
        let more = self.lines();
        let log = self.read_log();
        self.allow_write(&log, (log.len(), &more[..more.len() / 2]));
        live::append(&self.log(), &more[..more.len() / 2]);
    }

    /// Keeps the last part in place, like rotation scripts: read, truncated, written.
    fn rotate(&mut self) {
        let old = self.read_log();
        let kept = old[self.random.below(old.len() + 1)..].to_vec();
        self.overwrite(&kept);
    }

    /// Truncates the log and writes other lines into it, fewer or more.
    fn regrow(&mut self) {
        let mut log = Vec::new();
        for _ in 0..self.random.below(20) {
            log.extend(self.lines());
        }
        self.overwrite(&log);
    }

    fn overwrite(&mut self, log: &[u8]) {
        self.allow_write(b"", (0, log));
        fs::write(self.log(), log).unwrap();
    }

    /// Overwrites a part in place with the same size.
    fn edit(&mut self) {
        let log = self.read_log();
        let at = self.random.below(log.len() + 1);
        let new = self.lines();
        let length = new.len().min(log.len() - at);
        self.allow_write(&log, (at, &new[..length]));
        let Ok(mut file) = File::options().write(true).open(self.log()) else { return };
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&new[..length]).unwrap();
    }

    fn replace_log(&mut self) {
        let log = self.lines();
        self.allow(&log);
        live::replace(&self.log(), log);
    }

    fn replace_document(&mut self) {
        let source = self.source();
        let text = self.document(source);
        live::replace(&self.live.file(source), text);
    }

    /// Truncates and writes in pieces; sometimes the writer dies in between.
    fn write_document(&mut self) {
        let source = self.source();
        let text = self.document(source);
        let end =
            if self.random.below(3) == 0 { self.random.below(text.len()) } else { text.len() };
        let mut file = File::create(self.live.file(source)).unwrap();
        for piece in text.as_bytes()[..end].chunks(512) {
            file.write_all(piece).unwrap();
        }
    }

    /// Overwrites a document in pieces without truncating it; a shorter one is padded, so that no end of the old one is left.
    fn overwrite_document(&mut self) {
        let source = self.source();
        let mut text = self.document(source);
        let Ok(mut file) = File::options().write(true).open(self.live.file(source)) else { return };
        let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
        text.push_str(&" ".repeat(length.saturating_sub(text.len())));
        for piece in text.as_bytes().chunks(512) {
            file.write_all(piece).unwrap();
        }
    }

    fn break_document(&mut self) {
        let source = self.source();
        let broken = self.random.one(&["", "{", "[]", "null", "{}}", "{\"tasks\":\u{1}}"]);
        live::write(&self.live.file(source), broken);
    }

    fn remove(&mut self) {
        let source = self.random.one(&Source::ALL);
        let _ = fs::remove_file(self.live.file(source));
    }

    /// The alternative path of the registries.
    fn write_second(&mut self) {
        let text = self.document(Source::Sessions);
        live::write(&self.live.path(".agileflow/sessions/registry.json"), text);
    }

    fn remove_folder(&mut self) {
        let folder =
            self.random.one(&["docs", "docs/09-agents/bus", ".flow/sessions", ".agileflow"]);
        let _ = fs::remove_dir_all(self.live.path(folder));
    }

    /// Moves a folder away; the next operation creates it again, or this one moves it back.
    fn move_folder(&mut self) {
        let folder = self.random.one(&["docs", "docs/09-agents", ".flow/state"]);
        let (here, away) = (self.live.path(folder), self.live.path("away"));
        let _ = fs::remove_dir_all(&away);
        if fs::rename(&here, &away).is_ok() && self.random.below(2) == 0 {
            self.settle();
            fs::rename(&away, &here).unwrap();
        }
    }

    /// A link instead of a document: to a file inside, outside, or nowhere.
    fn link(&mut self) {
        let source = self.source();
        let text = self.document(source);
        let target = match self.random.below(3) {
            0 => self.live.path("elsewhere/inside.json"),
            1 => self.outside.path().join("outside.json"),
            _ => return self.link_to(source, Path::new("nowhere")),
        };
        live::write(&target, text);
        self.link_to(source, &target);
    }

    fn link_to(&self, source: Source, target: &Path) {
        let path = self.live.file(source);
        let _ = fs::remove_file(path.with_extension("link"));
        symlink(target, path.with_extension("link")).unwrap();
        fs::rename(path.with_extension("link"), path).unwrap();
    }

    /// A folder instead of a document.
    fn put_folder(&mut self) {
        let path = self.live.file(self.random.one(&[Source::Status, Source::Tasks]));
        let _ = fs::remove_file(&path);
        self.settle();
        fs::create_dir(path).unwrap();
    }

    fn operate(&mut self) {
        self.restore();
        self.operation += 1;
        match self.random.below(32) {
            0..8 => self.append(),
            8 | 9 => self.append_half(),
            10 | 11 => self.rotate(),
            12 => self.regrow(),
            13 => self.edit(),
            14 => self.replace_log(),
            15..18 => self.replace_document(),
            18..21 => self.write_document(),
            21 | 22 => self.break_document(),
            23 => self.remove(),
            24 => self.write_second(),
            25 => self.remove_folder(),
            26 => self.move_folder(),
            27 => self.link(),
            28 => self.put_folder(),
            29 | 30 => self.overwrite_document(),
            _ => {}
        }
        self.settle();
    }
}

impl Drop for Machine {
    #[expect(clippy::print_stderr, reason = "a failure must say how to have it again")]
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("FLOW_TEST_SEED={}, in operation {}", self.seed, self.operation);
        }
    }
}

/// Stops the observer, even if the machine panics.
struct Ends(Arc<AtomicBool>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn run(seed: u64, operations: usize) {
    let mut machine = Machine::new(seed);
    let done = Arc::new(AtomicBool::new(false));
    let observer = Observer {
        app: live::app(machine.live.app.reader.clone()),
        allowed: Arc::clone(&machine.allowed),
        done: Arc::clone(&done),
    };
    thread::scope(|scope| {
        let asking = scope.spawn(|| observer.run());
        let ends = Ends(done);
        for _ in 0..operations {
            machine.operate();
            assert!(!asking.is_finished(), "the other reader saw what must not be");
        }
        drop(ends);
    });
}

#[test]
fn nothing_is_lost_whatever_writers_do() {
    let operations = usize::try_from(setting("FLOW_MACHINE_OPS").unwrap_or(80)).unwrap();
    let first = setting("FLOW_TEST_SEED").unwrap_or(0);
    let end = first + setting("FLOW_MACHINE_SEEDS").unwrap_or(2);
    let next = AtomicU64::new(first);
    let some = || {
        // Each thread takes its own seeds; a failing one does not affect the others.
        while let Some(seed) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < end)
        {
            run(seed, operations);
        }
    };
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(some);
        }
    });
}
