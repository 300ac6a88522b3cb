//! Random writers and restarts. After each operation, one `sync` and one request of each kind: the answers of
//! the running program are those of a new store that reads a copy of the project, in status, `ETag` and body.
//!
//! `FLOW_TEST_SEED` repeats a run, `FLOW_COMPARISONS` is the number of comparisons (by default 40). `tests/soak` runs
//! it for hours.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use flow::control::client;
use flow::project::Project as Opened;
use flow::store::{Environment, Store};
use nix::sys::signal::Signal;

use crate::live;
use crate::support::{Project, Server, is_alive, send, wait_until};
use crate::tools::{figure, scaled};

const STATUS: &str = "docs/09-agents/status.json";
const SESSIONS: &str = ".flow/sessions/registry.json";
const TASKS: &str = ".flow/state/task-dependencies.json";
const LOG: &str = "docs/09-agents/bus/log.jsonl";
/// Lines that a rotation keeps.
const KEPT: usize = 20;

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// A small generator, the same everywhere (`SplitMix64`).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((bits ^ (bits >> 31)) % end as u64).unwrap()
    }
}

struct Soak {
    project: Project,
    server: Server,
    random: Random,
    /// Counts the writes, so that all content differs.
    number: usize,
}

impl Soak {
    fn new(seed: u64) -> Self {
        let project = Project::new();
        let server = project.start();
        Self { project, server, random: Random(seed), number: 0 }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.project.root.join(path)
    }

    fn document(&mut self, name: &str) -> String {
        self.number += 1;
        let n = self.number;
        let record = |at: usize| {
            format!(
                "\"{name}-{at}\":{{\"status\":\"s{}\",\"n\":{n},\"epic\":\"EP-{}\"}}",
                n % 3,
                at % 4
            )
        };
        let records: Vec<String> = (0..=self.random.below(200)).map(record).collect();
        format!("{{\"{name}\":{{{}}}}}", records.join(","))
    }

    fn lines(&mut self, count: usize) -> String {
        (0..count)
            .map(|_| {
                self.number += 1;
                let n = self.number;
                match n % 7 {
                    0 => format!("{{\"n\":{n}}}{{\"n\":{n},\"from\":\"glued\"}}\n"),
                    1 => format!("{{broken {n}\n"),
                    _ => format!(
                        "{{\"n\":{n},\"from\":\"a{}\",\"ts\":\"2026-01-02T03:04:{:02}Z\"}}\n",
                        n % 5,
                        n % 60
                    ),
                }
            })
            .collect()
    }

    /// One operation of a writer or a user. It leaves complete files.
    fn operate(&mut self) {
        let (path, name) =
            [(STATUS, "stories"), (SESSIONS, "sessions"), (TASKS, "tasks")][self.random.below(3)];
        let path = self.path(path);
        let log = self.path(LOG);
        match self.random.below(12) {
            0 | 1 => live::replace(&path, self.document(name)),
            2 | 3 => live::write(&path, self.document(name)),
            4 => self.overwrite(&path, name),
            5 => drop(fs::remove_file(&path)),
            6 | 7 => {
                let count = 1 + self.random.below(30);
                let lines = self.lines(count);
                fs::create_dir_all(log.parent().unwrap()).unwrap();
                live::append(&log, lines);
            }
            8 => Self::rotate(&log),
            9 => drop(fs::remove_dir_all(self.path("docs/09-agents"))),
            10 => self.restart(),
            _ => live::replace(&log, self.lines(50)),
        }
    }

    /// Overwrites a document in pieces, without truncating it.
    fn overwrite(&mut self, path: &Path, name: &str) {
        let mut text = self.document(name);
        let Ok(file) = File::options().write(true).open(path) else { return };
        // Shorter content is padded, so that the end of the old text does not remain.
        let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
        text.push_str(&" ".repeat(length.saturating_sub(text.len())));
        for (at, piece) in text.as_bytes().chunks(512).enumerate() {
            file.write_all_at(piece, at as u64 * 512).unwrap();
        }
    }

    /// Keeps the last lines, in place.
    fn rotate(log: &Path) {
        let Ok(text) = fs::read_to_string(log) else { return };
        let lines: Vec<&str> = text.lines().collect();
        let kept = lines[lines.len().saturating_sub(KEPT)..].join("\n");
        File::create(log).unwrap().write_all(kept.as_bytes()).unwrap();
    }

    fn restart(&mut self) {
        if self.random.below(2) == 0 {
            send(self.server.pid, Signal::SIGKILL);
            wait_until("the process is gone", || !is_alive(self.server.pid));
        } else {
            self.project.flow(&["api", "stop"]).expect(0);
        }
        self.server = self.project.start();
    }

    /// The difference between the running program and a new store on a copy.
    fn difference(&self) -> Option<String> {
        client::sync(&self.project.file("api-server.sock")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("project");
        // With the times of the files, which are part of the answers.
        let copied = Command::new("cp").arg("-a").args([&self.project.root, &copy]).status();
        assert!(copied.unwrap().success());
        let fresh = Store::read_once(&Opened::at(&copy).unwrap(), Environment::default());
        let app = live::app(fresh);
        live::QUERIES.into_iter().find_map(|asked| {
            let (ours, theirs) = (self.server.get(asked), live::ask(&app, asked));
            let tag = theirs.etag.as_ref().map(|tag| tag.to_str().unwrap());
            let same = ours.status == theirs.status.as_u16()
                && ours.header("ETag") == tag
                && ours.body == theirs.body;
            (!same).then(|| {
                let text = |body: &[u8]| {
                    String::from_utf8_lossy(&body[..body.len().min(600)]).into_owned()
                };
                format!(
                    "{asked}: {}\n{}\nfresh: {}\n{}",
                    ours.head,
                    text(&ours.body),
                    theirs.status,
                    text(&theirs.body)
                )
            })
        })
    }
}

#[test]
fn answers_are_those_of_a_fresh_start() {
    let seed = setting("FLOW_TEST_SEED", 1);
    let comparisons = setting("FLOW_COMPARISONS", scaled(40, 1000));
    let mut soak = Soak::new(seed);
    for comparison in 0..comparisons {
        soak.operate();
        if let Some(difference) = soak.difference() {
            panic!("seed {seed}, comparison {comparison}: {difference}");
        }
    }
    figure("restart_comparisons", comparisons);
}
