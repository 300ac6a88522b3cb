//! Weakenings by chance among honest changes of four writers: each is told once, with its file and line, and nothing else is.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::random::Random;
use crate::support::{Project, Server, wait_until};
use crate::tools::{figure, scaled};

const REGISTRY: &str = ".flow/state/task-dependencies.json";

/// A task of a writer.
#[derive(Debug, Clone)]
struct Task {
    /// Only in the registry; a box has its place in the list.
    id: String,
    words: Vec<String>,
    /// A limit in its text.
    limit: usize,
    is_done: bool,
    /// Only in the registry.
    needs: Vec<String>,
}

impl Task {
    fn text(&self) -> String {
        format!("{} within {} ms", self.words.join(" "), self.limit)
    }
}

/// One file and its tasks.
struct Writer {
    path: String,
    tasks: Vec<Task>,
    made: usize,
}

/// What is expected of a change: its effect, its file, its line.
type Told = (String, String, u64);

fn word(dice: &mut Random) -> String {
    let syllables =
        ["ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu"];
    (0..4).map(|_| syllables[dice.below(syllables.len())]).collect()
}

impl Writer {
    fn new(path: &str, dice: &mut Random) -> Self {
        let mut writer = Self { path: path.to_owned(), tasks: Vec::new(), made: 0 };
        for _ in 0..12 {
            writer.add(dice);
        }
        writer
    }

    fn is_registry(&self) -> bool {
        self.path == REGISTRY
    }

    fn add(&mut self, dice: &mut Random) {
        self.made += 1;
        let open: Vec<&Task> = self.tasks.iter().filter(|task| !task.is_done).collect();
        let needs = match open.len() {
            1.. if dice.below(2) == 0 => vec![open[dice.below(open.len())].id.clone()],
            _ => Vec::new(),
        };
        let words = (0..7).map(|_| word(dice)).collect();
        let (id, limit) = (format!("t{}", self.made), 1000 + 7 * self.made);
        let at =
            if self.is_registry() { self.tasks.len() } else { dice.below(self.tasks.len() + 1) };
        self.tasks.insert(at, Task { id, words, limit, is_done: false, needs });
    }

    /// The text of the file. The line of a task is its number plus [`Writer::first_line`].
    fn file(&self) -> String {
        let mut text = String::new();
        if self.is_registry() {
            text.push_str("{\"tasks\": [\n");
            for (at, task) in self.tasks.iter().enumerate() {
                let state = if task.is_done { "completed" } else { "queued" };
                let task = json!({"id": task.id, "description": task.text(), "state": state, "depends_on": task.needs});
                let comma = if at + 1 < self.tasks.len() { "," } else { "" };
                writeln!(text, "{task}{comma}").unwrap();
            }
            text.push_str("]}\n");
            return text;
        }
        text.push_str("# Tasks\n\n## Phase 1\n\n");
        for (at, task) in self.tasks.iter().enumerate() {
            let mark = if task.is_done { 'x' } else { ' ' };
            writeln!(text, "- [{mark}] T{:03} {}", at + 1, task.text()).unwrap();
        }
        text
    }

    fn line(&self, at: usize) -> u64 {
        (at + if self.is_registry() { 2 } else { 5 }) as u64
    }

    fn some(&self, dice: &mut Random, wanted: impl Fn(&Task) -> bool) -> Option<usize> {
        let found: Vec<usize> =
            (0..self.tasks.len()).filter(|at| wanted(&self.tasks[*at])).collect();
        (!found.is_empty()).then(|| found[dice.below(found.len())])
    }

    /// A change that takes nothing back.
    fn honest(&mut self, dice: &mut Random) {
        match dice.below(6) {
            0 => self.add(dice),
            1 => {
                if let Some(at) = self.some(dice, |task| !task.is_done) {
                    self.tasks[at].is_done = true;
                }
            }
            2 => {
                if let Some(at) = self.some(dice, |task| !task.is_done) {
                    self.tasks[at].words.push(word(dice));
                }
            }
            3 => {
                if let Some(at) = self.some(dice, |task| !task.is_done) {
                    let replaced = dice.below(3);
                    self.tasks[at].words[replaced] = word(dice);
                }
            }
            4 => {
                // A completed task on which nothing open depends may go.
                let needed: BTreeSet<String> =
                    self.tasks.iter().flat_map(|task| task.needs.clone()).collect();
                if let Some(at) = self.some(dice, |task| task.is_done && !needed.contains(&task.id))
                {
                    self.tasks.remove(at);
                }
            }
            _ => self.tasks.rotate_left(1),
        }
    }

    /// A change that takes something back, inside other changes of the same write.
    fn weaken(&mut self, dice: &mut Random) -> Option<Told> {
        let told = |effect: &str, line: u64| Some((effect.to_owned(), self.path.clone(), line));
        let needed: BTreeSet<String> =
            self.tasks.iter().flat_map(|task| task.needs.clone()).collect();
        let is_free = |task: &Task| !task.is_done && !needed.contains(&task.id);
        match dice.below(4) {
            0 => {
                let at = self.some(dice, is_free)?;
                let told = told("weakened", self.line(at));
                self.tasks.remove(at);
                told
            }
            1 => {
                let at = self.some(dice, |task| !task.is_done)?;
                let told = told("weakened", self.line(at));
                self.tasks[at].limit += 100_000;
                told
            }
            2 => {
                let at = self.some(dice, |task| task.is_done)?;
                let told = told("reopened", self.line(at));
                self.tasks[at].is_done = false;
                told
            }
            _ => {
                let open: BTreeSet<String> = self
                    .tasks
                    .iter()
                    .filter(|task| !task.is_done)
                    .map(|task| task.id.clone())
                    .collect();
                let at = self.some(dice, |task| {
                    !task.is_done && task.needs.iter().any(|id| open.contains(id))
                });
                let at = at.filter(|_| self.is_registry())?;
                let told = told("weakened", self.line(at));
                self.tasks[at].needs.clear();
                told
            }
        }
    }
}

/// Waits until what is served are the tasks of all writers.
#[track_caller]
fn settle(server: Server, writers: &[Writer]) {
    let of_writer = |writer: &Writer| {
        let line = |task: &Task| {
            format!(
                "{} {} {}",
                task.is_done,
                task.text(),
                if writer.is_registry() { task.needs.len() } else { 0 }
            )
        };
        writer.tasks.iter().map(line).collect::<Vec<_>>()
    };
    let mut expected: Vec<String> = writers.iter().flat_map(of_writer).collect();
    expected.sort();
    let of_answer = || {
        let answer = server.get("/api/tasks").json();
        let line = |task: &Value| {
            let text = task["title"].as_str().or(task["description"].as_str()).unwrap_or_default();
            let needs = if task["format"].is_null() {
                task["depends_on"].as_array().map_or(0, Vec::len)
            } else {
                0
            };
            format!("{} {text} {needs}", task["state"] == "completed")
        };
        let mut lines: Vec<String> = answer["tasks"].as_array().unwrap().iter().map(line).collect();
        lines.sort();
        lines
    };
    wait_until("the tasks of all writers are served", || of_answer() == expected);
}

/// The changes with an effect, oldest first.
fn told(server: Server) -> Vec<Told> {
    let answer =
        server.get("/api/activity?limit=10000&effect=weakened,reopened,contradiction").json();
    let rows = answer["activity"].as_array().unwrap().iter().rev();
    let told = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
        (text("effect"), text("file"), row["line"].as_u64().unwrap_or_default())
    };
    rows.map(told).collect()
}

#[test]
fn each_weakening_among_honest_changes_is_told_once_with_its_line() {
    let mut dice = Random(3);
    let project = Project::new();
    project.write(".flow/config.json", r#"{"formats": ["spec-kit"]}"#);
    let mut writers = vec![Writer::new(REGISTRY, &mut dice)];
    for name in ["001-find", "002-read", "003-send"] {
        project.write(&format!("specs/{name}/spec.md"), "# Feature Specification: A part\n");
        writers.push(Writer::new(&format!("specs/{name}/tasks.md"), &mut dice));
    }
    for writer in &writers {
        project.write(&writer.path, &writer.file());
    }
    let server = project.start();
    settle(server, &writers);
    let (mut expected, mut honest) = (Vec::new(), 0);
    for _ in 0..scaled(30, 400) {
        // Each writer writes once, so that the order of what is told within a round is not known.
        let mut round: Vec<Told> = Vec::new();
        for writer in &mut writers {
            if dice.below(6) == 0 {
                round.extend(writer.weaken(&mut dice));
                // Within a larger rewrite that does not move the lines before.
                for _ in 0..if writer.is_registry() { 5 } else { 0 } {
                    writer.add(&mut dice);
                }
            } else {
                writer.honest(&mut dice);
                honest += 1;
            }
            project.replace(&writer.path, writer.file());
        }
        settle(server, &writers);
        let seen = expected.len();
        let has_all = || told(server).len() >= seen + round.len();
        wait_until("all are told", has_all);
        let mut now = told(server).split_off(seen);
        now.sort();
        round.sort();
        assert_eq!(now, round);
        expected.extend(now);
    }
    assert!(expected.len() > 8, "{}", expected.len());
    figure("plan_weakenings_told", expected.len());
    figure("plan_honest_changes_not_told", honest);
}
