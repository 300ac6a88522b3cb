//! A store that follows real files in a project of its own, and what it must serve: what the plain model says about
//! the files as they are now, or as they last were good.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use flow::project::{Project, Source};
use flow::store::snapshot::{Health, State};
use flow::store::{Environment, Options, Reader, Store};
use flow::web::reply::Reply;
use flow::web::{About, App, Request};
use tempfile::TempDir;
use tokio::sync::oneshot::Receiver;

use crate::oracle::{self, Body, Expected, Files, compare};

/// What depends on everything in the four files.
pub(crate) const QUERIES: [&str; 9] = [
    "/api/status",
    "/api/stories",
    "/api/epics",
    "/api/tasks",
    "/api/sessions?active=all",
    MESSAGES,
    "/api/metrics",
    "/api/problems",
    "/api/agents",
];
/// The whole log.
pub(crate) const MESSAGES: &str = "/api/bus/messages?limit=10000";

/// The longest wait for anything. It only ends what would never end.
const HANG: Duration = Duration::from_secs(30);

/// Waits for a condition.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let limit = Instant::now() + HANG;
    while !done() {
        assert!(Instant::now() < limit, "{what}: not within {HANG:?}");
        thread::park_timeout(Duration::from_millis(2));
    }
}

/// Whether a condition comes true within a while; for what must not.
pub(crate) fn comes_true(within: Duration, mut done: impl FnMut() -> bool) -> bool {
    let limit = Instant::now() + within;
    while Instant::now() < limit {
        if done() {
            return true;
        }
        thread::park_timeout(Duration::from_millis(2));
    }
    false
}

/// Where the served part of a log begins that is over its limit: at the first line behind a border of sixteenths.
pub(crate) fn newest_part(log: &[u8], limit: u64) -> usize {
    let over = (log.len() as u64).saturating_sub(limit);
    if over == 0 {
        return 0;
    }
    let segment = (limit / 16).max(1);
    let border = usize::try_from(over.div_ceil(segment) * segment).unwrap();
    let newline = log.iter().skip(border - 1).position(|byte| *byte == b'\n');
    newline.map_or(log.len(), |at| border + at)
}

/// Takes the note about what is left out from a page of messages.
pub(crate) fn without_left_out(body: &[u8]) -> (Vec<u8>, usize) {
    let text = std::str::from_utf8(body).unwrap();
    match text.rsplit_once(",\"left_out_bytes\":") {
        Some((page, bytes)) => {
            (format!("{page}}}").into_bytes(), bytes.trim_end_matches('}').parse().unwrap())
        }
        None => (body.to_vec(), 0),
    }
}

/// Asks an app, without conditions.
pub(crate) fn ask(app: &App, asked: &str) -> Reply {
    let (path, query) = match asked.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (asked, None),
    };
    app.answer(Request { path, query, ..Request::GET })
}

/// An app over a reader.
pub(crate) fn app(reader: Reader) -> App {
    App { reader, about: About::new("demo") }
}

/// Whether an answer is the one that these files give.
pub(crate) fn answers(reply: &Reply, files: &Files, asked: &str) -> bool {
    let expected = oracle::answer(files, asked);
    compare::difference(&expected, reply.status.as_u16(), &reply.body).is_none()
}

/// What is wrong with what an app serves, if these are the files and the log has this limit.
pub(crate) fn difference(app: &App, files: &Files, bus_bytes: u64) -> Option<String> {
    let whole = files.bus.as_ref().map_or(&[][..], |(bytes, _)| bytes);
    let start = newest_part(whole, bus_bytes);
    let bus = files.bus.as_ref().map(|(bytes, time)| (bytes[start..].to_vec(), *time));
    let served = Files { bus, ..files.clone() };
    oracle::answers(&served, &QUERIES).into_iter().find_map(|(asked, expected)| {
        let reply = ask(app, asked);
        let (body, left_out) = without_left_out(&reply.body);
        let wrong = compare::difference(&expected, reply.status.as_u16(), &body).or_else(|| {
            let wrong = asked == MESSAGES && left_out != start;
            wrong.then(|| format!("{left_out} bytes left out in place of {start}"))
        });
        wrong.map(|wrong| format!("{asked}: {wrong}"))
    })
}

/// The messages that an answer holds, whatever their time.
pub(crate) fn messages_of(body: &[u8]) -> String {
    let text = std::str::from_utf8(body).unwrap();
    text.rsplit_once(",\"timestamp\":").map_or(text, |(messages, _)| messages).to_owned()
}

/// The messages that a log holds, as an answer has them.
pub(crate) fn messages_in(log: &[u8]) -> String {
    let bus = Some((log.to_vec(), std::time::UNIX_EPOCH));
    match oracle::answer(&Files { bus, ..Files::default() }, MESSAGES) {
        Expected { body: Body::Bytes(body), .. } => messages_of(&body),
        other => panic!("{other:?}"),
    }
}

/// A live store and its files.
pub(crate) struct Live {
    pub(crate) project: Project,
    store: Option<Store>,
    pub(crate) app: App,
    /// Goes last, so that its end is nothing to follow.
    _folder: Option<TempDir>,
}

impl Live {
    /// Over a project with nothing in it.
    pub(crate) fn new() -> Self {
        Self::open(tempfile::tempdir().unwrap(), &Options::default(), Environment::default())
    }

    /// Over a project that is there already.
    pub(crate) fn open(folder: TempDir, options: &Options, environment: Environment) -> Self {
        let root = folder.path().to_path_buf();
        Self::over(&root, Some(folder), options, environment)
    }

    /// Over a project in a folder that is the caller's, or is kept here.
    pub(crate) fn over(
        root: &Path,
        folder: Option<TempDir>,
        options: &Options,
        environment: Environment,
    ) -> Self {
        let project = Project::at(root).unwrap();
        let store = Store::open_with(&project, options, environment).unwrap();
        let app = app(store.reader());
        Self { project, store: Some(store), app, _folder: folder }
    }

    /// A path under the root.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.project.root().join(relative)
    }

    /// Where a source is written.
    pub(crate) fn file(&self, source: Source) -> PathBuf {
        self.project.root().join(&self.project.files(source)[0])
    }

    /// Writes a source in one go, its folders included.
    pub(crate) fn write(&self, source: Source, text: impl AsRef<[u8]>) {
        write(&self.file(source), text);
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    /// Returns when everything that is on disk now is served.
    pub(crate) fn sync(&self) -> u64 {
        self.ask().blocking_recv().unwrap()
    }

    /// Asks for everything that is on disk now.
    pub(crate) fn ask(&self) -> Receiver<u64> {
        let mut waiting = None;
        wait_until("room for a request", || {
            waiting = self.store().handle().sync().ok();
            waiting.is_some()
        });
        waiting.unwrap()
    }

    /// The answer to a request.
    pub(crate) fn get(&self, asked: &str) -> Reply {
        ask(&self.app, asked)
    }

    /// The answer to a request as text.
    pub(crate) fn text(&self, asked: &str) -> String {
        String::from_utf8(self.get(asked).body.to_vec()).unwrap()
    }

    /// How a source is doing.
    pub(crate) fn health(&self, source: Source) -> Health {
        self.app.reader.snapshot().health[source.index()].as_ref().clone()
    }

    /// Its state.
    pub(crate) fn state(&self, source: Source) -> State {
        self.health(source).state
    }

    /// Whether `/api/health` says that all is well.
    pub(crate) fn is_ok(&self) -> bool {
        self.text("/api/health").starts_with(r#"{"status":"ok""#)
    }

    /// The files as a strict reader finds them.
    pub(crate) fn files(&self) -> Files {
        let mut files = Files::default();
        self.remember(&mut files);
        files
    }

    /// Takes what is on disk into what is served: what is missing goes, what is not good changes nothing. A document
    /// that was never good is empty to the model, which is not valid either.
    pub(crate) fn remember(&self, good: &mut Files) {
        let kept =
            [&mut good.status, &mut good.sessions, &mut good.tasks, &mut good.bus].into_iter();
        for (source, kept) in Source::ALL.into_iter().zip(kept) {
            match self.found(source) {
                Found::Nothing => *kept = None,
                Found::File(file)
                    if source == Source::Bus
                        || file.as_ref().is_some_and(|(bytes, _)| oracle::is_valid(bytes)) =>
                {
                    *kept = file;
                }
                Found::Refused | Found::File(_) if source == Source::Bus || kept.is_some() => {}
                Found::Refused | Found::File(_) => {
                    *kept = Some((Vec::new(), std::time::UNIX_EPOCH));
                }
            }
        }
    }

    fn found(&self, source: Source) -> Found {
        let root = self.project.root();
        let mut candidates = self.project.files(source).iter().map(|path| root.join(path));
        // What cannot be looked at, such as a loop of links, is there all the same.
        let absent = [ErrorKind::NotFound, ErrorKind::NotADirectory];
        let is_there = |path: &PathBuf| match fs::metadata(path) {
            Ok(_) => true,
            Err(error) => !absent.contains(&error.kind()),
        };
        let Some(path) = candidates.find(is_there) else { return Found::Nothing };
        let Ok(meta) = fs::metadata(&path) else { return Found::Refused };
        if !meta.is_file() || !fs::canonicalize(&path).unwrap().starts_with(root) {
            return Found::Refused;
        }
        Found::File(Some((fs::read(&path).unwrap(), meta.modified().unwrap())))
    }

    /// What is wrong with what is served, if these are the files.
    pub(crate) fn difference(&self, files: &Files) -> Option<String> {
        difference(&self.app, files, self.project.limits().bus_bytes)
    }

    /// Asserts that what is on disk is served once it was asked for.
    #[track_caller]
    pub(crate) fn agrees(&self) {
        self.sync();
        self.serves(&self.files());
    }

    /// Asserts that exactly these files are served.
    #[track_caller]
    pub(crate) fn serves(&self, files: &Files) {
        if let Some(difference) = self.difference(files) {
            panic!("{difference}\n{files:#?}");
        }
    }

    /// Waits until what is on disk is served, without asking for it.
    #[track_caller]
    pub(crate) fn comes_to_agree(&self) {
        let files = self.files();
        wait_until("what is on disk is served", || self.difference(&files).is_none());
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(store) = self.store.take() {
            store.stop();
        }
    }
}

/// What a strict reader finds.
enum Found {
    Nothing,
    Refused,
    File(oracle::File),
}

/// Writes a file in one go, its folders included.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Replaces a file as careful writers do: a new one is renamed over it.
pub(crate) fn replace(path: &Path, text: impl AsRef<[u8]>) {
    let new = path.with_extension("new");
    write(&new, text);
    fs::rename(&new, path).unwrap();
}

/// Adds to the end of a file.
pub(crate) fn append(path: &Path, text: impl AsRef<[u8]>) {
    File::options().append(true).create(true).open(path).unwrap().write_all(text.as_ref()).unwrap();
}
