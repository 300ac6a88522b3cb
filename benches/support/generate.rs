//! Generates a project of any size, deterministically: with a fixed seed and without a clock.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

/// The paths of a project's files.
pub(crate) const LOG: &str = "docs/09-agents/bus/log.jsonl";
pub(crate) const STATUS: &str = "docs/09-agents/status.json";
const SESSIONS: &str = ".agileflow/sessions/registry.json";
const TASKS: &str = ".agileflow/state/task-dependencies.json";
/// Stories of status.json: a list of about 25 KB.
const STORIES: u64 = 100;
/// Seconds since 1970 of the first message, 2026-01-01.
const BEGINNING: u64 = 1_767_225_600;
/// The first of each list is in every second message, so that a page with three filters is full at 1,000 messages.
const SENDERS: [&str; 8] = ["lead", "api", "ui", "ci", "docs", "qa", "ops", "design"];
const TYPES: [&str; 8] = [
    "progress",
    "note",
    "question",
    "answer",
    "task_assignment",
    "task_completed",
    "handoff",
    "blocked",
];
const WORDS: [&str; 16] = [
    "order", "basket", "payment", "test", "reviewed", "waits", "for", "the", "pipeline", "again",
    "merged", "branch", "failing", "endpoint", "draft", "ready",
];

/// Splitmix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }

    /// The first of the list in half of the cases.
    fn skewed<'a>(&mut self, list: &[&'a str]) -> &'a str {
        if self.below(2) == 0 { list[0] } else { self.one(&list[1..]) }
    }
}

/// What the messages of a log are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mix {
    /// Half of them have the same sender, half the same type; half of the lines have aliases.
    Skewed,
    /// Five senders and four types, each as frequent as the others; half of the lines have aliases.
    Even,
    /// As `Skewed`, but all lines have aliases.
    Aliases,
}

/// Writes the four files of a project with this number of messages.
pub(crate) fn project(root: &Path, messages: u64, mix: Mix) {
    for file in [LOG, STATUS, SESSIONS, TASKS] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
    }
    fs::write(root.join(STATUS), status(STORIES)).unwrap();
    fs::write(root.join(SESSIONS), sessions()).unwrap();
    fs::write(root.join(TASKS), r#"{"tasks":{}}"#).unwrap();
    let mut random = Random::new(1);
    let mut out = BufWriter::new(File::create(root.join(LOG)).unwrap());
    for number in 0..messages {
        out.write_all(mixed_line(number, &mut random, mix).as_bytes()).unwrap();
    }
    out.flush().unwrap();
}

/// One line of the log, about 200 bytes, half of them with aliases of the documented names.
pub(crate) fn line(number: u64, random: &mut Random) -> String {
    mixed_line(number, random, Mix::Skewed)
}

fn mixed_line(number: u64, random: &mut Random, mix: Mix) -> String {
    // One in a hundred is late by up to an hour, as with differing clocks and queues.
    let late = if random.below(100) == 0 { random.below(3600) } else { 0 };
    let time = time((BEGINNING + number * 2 + 3600 - late, random.below(1000)));
    let (from, to, kind) = match mix {
        Mix::Even => {
            (random.one(&SENDERS[..5]), random.one(&SENDERS[..5]), random.one(&TYPES[..4]))
        }
        Mix::Skewed | Mix::Aliases => {
            (random.skewed(&SENDERS), random.one(&SENDERS), random.skewed(&TYPES))
        }
    };
    let story = match random.below(10) {
        0..5 => "\"story_id\":\"US-0001\",".to_owned(),
        5..9 => format!("\"story_id\":\"US-{:04}\",", 2 + random.below(4000)),
        _ => String::new(),
    };
    let words: Vec<&str> = (0..8 + random.below(7)).map(|_| random.one(&WORDS)).collect();
    let message = words.join(" ");
    // Half of the writers use aliases, like AgileFlow's.
    let has_aliases = mix == Mix::Aliases || number.is_multiple_of(2);
    let [timestamp, sender, story_id] =
        if has_aliases { ["ts", "agent", "story"] } else { ["timestamp", "from", "story_id"] };
    let story = story.replace("story_id", story_id);
    format!(
        "{{\"id\":{number},\"{timestamp}\":\"{time}\",\"{sender}\":\"{from}\",\"to\":\"{to}\",\"type\":\"{kind}\",{story}\"message\":\"{message}\"}}\n"
    )
}

/// A time given in seconds and milliseconds since 1970, in the format of the log.
fn time((seconds, milliseconds): (u64, u64)) -> String {
    let at =
        std::time::UNIX_EPOCH + std::time::Duration::from_millis(seconds * 1000 + milliseconds);
    flow::model::time::format(at)
}

/// A status document with this number of stories, about 250 bytes each.
pub(crate) fn status(stories: u64) -> String {
    let mut random = Random::new(2);
    let mut one = |number| {
        let status = random.one(&["ready", "in-progress", "in-review", "done"]);
        let owner = random.one(&SENDERS);
        let words: Vec<&str> = (0..18).map(|_| random.one(&WORDS)).collect();
        let goal = words.join(" ");
        format!(
            "\"US-{number:04}\":{{\"title\":\"Story {number}\",\"epic_id\":\"EP-0001\",\"status\":\"{status}\",\"owner\":\"{owner}\",\"goal\":\"{goal}\"}}"
        )
    };
    let all: Vec<String> = (0..stories).map(&mut one).collect();
    let epics = "{\"EP-0001\":{\"title\":\"Basket\"}}";
    format!("{{\"epics\":{epics},\"stories\":{{{}}}}}", all.join(","))
}

/// Four active sessions: a list of about 1 KB.
fn sessions() -> String {
    let one = |number: u64| {
        let (name, hour) = (SENDERS[usize::try_from(number).unwrap()], 8 + number);
        format!(
            "\"{number}\":{{\"nickname\":\"{name}\",\"path\":\"worktrees/{name}\",\"branch\":\"checkout-{name}\",\"story\":\"US-000{number}\",\"status\":\"active\",\"created\":\"2026-03-09T08:30:00Z\",\"last_active\":\"2026-03-10T{hour:02}:44:10Z\",\"thread_type\":\"base\"}}"
        )
    };
    let all: Vec<String> = (0..4).map(one).collect();
    format!("{{\"sessions\":{{{}}}}}", all.join(","))
}
