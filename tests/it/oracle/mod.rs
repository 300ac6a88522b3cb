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
mod names;
mod problem;
mod query;
mod records;
mod resemblance;
mod suspicious;
mod tally;
mod time;

use std::fmt;
use std::time::SystemTime;

use json::Json;
pub(crate) use problem::{At, Level, Problem, Problems};
use records::Record;
use suspicious::Item;

/// A file as it was last loaded: its bytes and its modification time. `None` when it is missing.
pub(crate) type File = Option<(Vec<u8>, SystemTime)>;

/// The four files. An invalid document counts as missing: the caller has to remember its last valid content.
#[derive(Clone, Default)]
pub(crate) struct Files {
    pub(crate) status: File,
    pub(crate) sessions: File,
    pub(crate) tasks: File,
    pub(crate) bus: File,
    /// Whether the files may be the last valid content of files that are invalid or unreadable by now. Then entries of
    /// `/api/problems` about whole files are not compared.
    pub(crate) is_kept: bool,
    /// How many values of a field of messages have names in counts, if not as many as usual.
    pub(crate) names: Option<usize>,
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |file: &File| file.as_ref().map(|(bytes, _)| bytes.escape_ascii().to_string());
        f.debug_struct("Files")
            .field("status", &text(&self.status))
            .field("sessions", &text(&self.sessions))
            .field("tasks", &text(&self.tasks))
            .field("bus", &text(&self.bus))
            .field("is_kept", &self.is_kept)
            .field("names", &self.names)
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
    /// This list of problems, and this time.
    Problems(Problems, Json),
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
#[derive(Default)]
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
    /// Sources that cannot be read.
    invalid: Vec<Problem>,
    /// Of all sources, in their order.
    suspicious: Vec<Problem>,
    /// Skipped and repaired records and lines, by source in their order.
    problems: Vec<Problem>,
    is_kept: bool,
    /// How many values of a field of messages have names in counts.
    names: usize,
    /// Of status, sessions, tasks and bus, as last loaded.
    times: [Option<SystemTime>; 4],
}

/// A document and its time.
type Document = Option<(Json, SystemTime)>;

fn document(file: &File) -> Document {
    let (bytes, time) = file.as_ref()?;
    Some((parse(bytes)?, *time))
}

impl State {
    fn load(files: &Files) -> Self {
        let documents = [&files.status, &files.sessions, &files.tasks].map(document);
        let mut state = Self::of_documents(&documents);
        let (messages, mut bad_lines) =
            files.bus.as_ref().map(|(bytes, _)| bus::read(bytes)).unwrap_or_default();
        state.problems.append(&mut bad_lines);
        let items = messages.iter().filter_map(|message| {
            let at = At::Line(message.line?);
            Some(Item { at, id: "", body: &message.body })
        });
        let items: Vec<Item<'_>> = items.collect();
        state.suspicious.extend(suspicious::of_messages(&records::MESSAGES, &items));
        state.messages = messages.into_iter().map(|message| message.body).collect();
        let named = ["status", "sessions", "tasks"].into_iter().zip(&documents);
        let files_of = [&files.status, &files.sessions, &files.tasks];
        for ((source, document), file) in named.zip(files_of) {
            if document.is_none() && file.is_some() {
                state.invalid.push(Problem { source, at: At::File, level: Level::Invalid });
            }
        }
        let [status, sessions, tasks] = documents.map(|document| document.map(|(_, time)| time));
        state.times = [status, sessions, tasks, files.bus.as_ref().map(|(_, time)| *time)];
        let bytes = files.status.as_ref().filter(|_| status.is_some());
        state.raw_status = bytes.map(|(bytes, _)| without_bom(bytes).to_vec());
        state.status_is_there = files.status.is_some();
        state.is_kept = files.is_kept;
        state.names = files.names.unwrap_or(tally::NAMES);
        state
    }

    /// The records of the documents status, sessions and tasks.
    fn of_documents([status, sessions, tasks]: &[Document; 3]) -> Self {
        let mut state = Self::default();
        if let Some((document, _)) = status {
            state.problems.extend(records::of_members(document, "status"));
            let (epics, mut of_epics) = records::collect(document, &records::EPICS, &[]);
            let (stories, mut of_stories) = records::collect(document, &records::STORIES, &epics);
            state.suspicious.extend(suspicious::of_status(document, !stories.is_empty()));
            state.problems.append(&mut of_epics);
            state.problems.append(&mut of_stories);
            state.epics = state.complete(epics, &records::EPICS);
            state.stories = state.complete(stories, &records::STORIES);
            let epic = |body: &Json| body.get("epic_id")?.plain().map(str::to_owned);
            let found =
                suspicious::other_spellings(&records::STORIES, &state.stories, epic, &state.epics);
            state.suspicious.extend(found);
        }
        let mut registry = |document: &Document, kind: &records::Kind| {
            let Some((document, _)) = document else { return Vec::new() };
            state.problems.extend(records::of_members(document, kind.source));
            let (found, mut problems) = records::collect(document, kind, &[]);
            state.problems.append(&mut problems);
            state.suspicious.extend(suspicious::of_registry(document, kind));
            state.complete(found, kind)
        };
        let sessions = registry(sessions, &records::SESSIONS);
        let tasks = registry(tasks, &records::TASKS);
        let stories = &state.stories;
        state.suspicious.extend(suspicious::shared(stories, &tasks));
        let story = |body: &Json| derived::word(body, "story_id");
        state.suspicious.extend(suspicious::other_spellings(
            &records::TASKS,
            &tasks,
            story,
            stories,
        ));
        let story = |body: &Json| derived::text(body, "story_id story storyId");
        let found = suspicious::other_spellings(&records::SESSIONS, &sessions, story, stories);
        state.suspicious.extend(found);
        Self { sessions, tasks, ..state }
    }

    /// Adds the members that are computed from dependencies, and notes what is suspicious.
    fn complete(&mut self, mut records: Vec<Record>, kind: &records::Kind) -> Vec<Record> {
        self.suspicious.extend(suspicious::of_records(kind, &records));
        self.problems.extend(dependencies::compute(&mut records, kind));
        records
    }
}
