//! The plain model: the answer of every endpoint, written from the contract only, slow and simple.
//!
//! It reads everything again for each request and shares no code with the product, so that a difference is an error in
//! one of them. Sentences for people are not modelled, only what programs depend on.

mod agents;
mod answers;
mod attention;
mod bus;
mod collections;
pub(crate) mod compare;
mod dependencies;
mod derived;
mod expectations;
mod json;
mod lists;
pub(crate) mod messy;
mod metrics;
mod query;
mod records;
mod tally;
mod time;

use std::fmt;
use std::time::SystemTime;

use json::Json;
use records::Record;

/// A file as it was last loaded: its bytes and its modification time. `None` when it is missing.
pub(crate) type File = Option<(Vec<u8>, SystemTime)>;

/// The four files. An invalid document counts as missing: the caller has to remember its last valid content.
#[derive(Clone, Default)]
pub(crate) struct Files {
    pub(crate) status: File,
    pub(crate) sessions: File,
    pub(crate) tasks: File,
    pub(crate) bus: File,
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |file: &File| file.as_ref().map(|(bytes, _)| bytes.escape_ascii().to_string());
        f.debug_struct("Files")
            .field("status", &text(&self.status))
            .field("sessions", &text(&self.sessions))
            .field("tasks", &text(&self.tasks))
            .field("bus", &text(&self.bus))
            .finish()
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) status: u16,
    pub(crate) body: Body,
}

/// The expectations on a body.
#[derive(Debug)]
pub(crate) enum Body {
    /// Only that it is a JSON object.
    Any,
    /// These bytes.
    Bytes(Vec<u8>),
    /// This list of problems, in this order of sources, and this time.
    Problems(Vec<Problem>, Json),
    /// These items of attention, and no others.
    Attention(derived::Expectation),
    /// An error.
    Error {
        code: &'static str,
        /// One of these parameters is named; if empty, this is not checked.
        names: Vec<String>,
        /// All of these words occur.
        lists: Vec<&'static str>,
        /// This member has this value.
        has: Option<(&'static str, String)>,
    },
}

/// A record or line that was skipped or repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) source: &'static str,
    pub(crate) at: At,
    /// `false` if the contract leaves it open.
    pub(crate) certain: bool,
}

/// The position of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum At {
    Line(usize),
    /// `None` if no id is known.
    Id(Option<String>),
}

/// Whether a document would be loaded.
pub(crate) fn is_valid(document: &[u8]) -> bool {
    parse(document).is_some()
}

/// The server's answer to GET of this path and query.
pub(crate) fn answer(files: &Files, path_and_query: &str) -> Expected {
    answer_from(&State::load(files), path_and_query)
}

/// The answers to several requests about the same files, which are read only once.
pub(crate) fn answers<'a>(files: &Files, asked: &[&'a str]) -> Vec<(&'a str, Expected)> {
    let state = State::load(files);
    asked.iter().map(|asked| (*asked, answer_from(&state, asked))).collect()
}

fn answer_from(state: &State, path_and_query: &str) -> Expected {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    state.answer(path, query)
}

fn parse(document: &[u8]) -> Option<Json> {
    json::read(without_bom(document)).ok().filter(|top| matches!(top, Json::Map(_)))
}

fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The parsed files.
struct State {
    /// The bytes of `status.json`.
    raw_status: Option<Vec<u8>>,
    /// Whether a `status.json` exists, valid or not.
    status_is_there: bool,
    stories: Vec<Record>,
    epics: Vec<Record>,
    sessions: Vec<Record>,
    tasks: Vec<Record>,
    messages: Vec<Json>,
    problems: Vec<Problem>,
    /// Of status, sessions, tasks and bus, as last loaded.
    times: [Option<SystemTime>; 4],
}

impl State {
    fn load(files: &Files) -> Self {
        let document = |file: &File| {
            let (bytes, time) = file.as_ref()?;
            Some((parse(bytes)?, *time))
        };
        let status = document(&files.status);
        let sessions = document(&files.sessions);
        let tasks = document(&files.tasks);
        let mut problems = Vec::new();
        let mut collect = |file: &Option<(Json, SystemTime)>, kind| {
            let Some((document, _)) = file else { return Vec::new() };
            let (records, mut found) = records::collect(document, kind);
            problems.append(&mut found);
            records
        };
        let mut stories = collect(&status, &records::STORIES);
        let epics = collect(&status, &records::EPICS);
        let session_records = collect(&sessions, &records::SESSIONS);
        let mut task_records = collect(&tasks, &records::TASKS);
        let words = [&dependencies::OF_STORIES, &dependencies::OF_TASKS];
        problems.extend(dependencies::compute(&mut stories, &records::STORIES, words[0]));
        problems.extend(dependencies::compute(&mut task_records, &records::TASKS, words[1]));
        let (messages, mut bad_lines) =
            files.bus.as_ref().map(|(bytes, _)| bus::read(bytes)).unwrap_or_default();
        problems.append(&mut bad_lines);
        let time = |file: &Option<(Json, SystemTime)>| file.as_ref().map(|(_, time)| *time);
        let bus_time = files.bus.as_ref().map(|(_, time)| *time);
        let bytes = files.status.as_ref().filter(|_| status.is_some());
        Self {
            raw_status: bytes.map(|(bytes, _)| without_bom(bytes).to_vec()),
            status_is_there: files.status.is_some(),
            times: [time(&status), time(&sessions), time(&tasks), bus_time],
            sessions: session_records,
            tasks: task_records,
            stories,
            epics,
            messages,
            problems,
        }
    }
}
