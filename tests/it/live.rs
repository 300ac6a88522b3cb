//! A store that follows real files in a temporary project, and the expected answers: those of the plain model for the
//! files as they are now, or as they last were valid.

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
use crate::support::wait_until;

/// Requests whose answers depend on everything in the four files.
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

/// Whether a condition becomes true within a time; for conditions that must not.
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

/// The beginning of the served part of a log over its limit: the first line after a segment boundary.
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

/// Removes the note about omitted bytes from a page of messages.
pub(crate) fn without_left_out(body: &[u8]) -> (Vec<u8>, usize) {
    let text = std::str::from_utf8(body).unwrap();
    match text.rsplit_once(",\"left_out_bytes\":") {
        Some((page, bytes)) => {
            (format!("{page}}}").into_bytes(), bytes.trim_end_matches('}').parse().unwrap())
        }
        None => (body.to_vec(), 0),
    }
}

/// Sends a request without conditions to an app.
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

/// Whether an answer is the expected one for these files.
pub(crate) fn answers(reply: &Reply, files: &Files, asked: &str) -> bool {
    let expected = oracle::answer(files, asked);
    compare::difference(&expected, reply.status.as_u16(), &reply.body).is_none()
}

/// The difference between the answers of an app and the expected ones for these files and this limit of the log.
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

/// The messages of an answer, regardless of their time.
pub(crate) fn messages_of(body: &[u8]) -> String {
    let text = std::str::from_utf8(body).unwrap();
    text.rsplit_once(",\"timestamp\":").map_or(text, |(messages, _)| messages).to_owned()
}

/// The messages of a log, in the form of an answer.
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
    /// Dropped last, so that its removal is not observed.
    _folder: Option<TempDir>,
}

impl Live {
    /// Over an empty project.
    pub(crate) fn new() -> Self {
        Self::open(tempfile::tempdir().unwrap(), &Options::default(), Environment::default())
    }

    /// Over an existing project.
    pub(crate) fn open(folder: TempDir, options: &Options, environment: Environment) -> Self {
        let root = folder.path().to_path_buf();
        Self::over(&root, Some(folder), options, environment)
    }

    /// Over a project in a folder of the caller.
    pub(crate) fn at(root: &Path) -> Self {
        Self::over(root, None, &Options::default(), Environment::default())
    }

    /// Over a project in a folder of the caller, or one that is kept here.
    fn over(
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

    /// The path of a source.
    pub(crate) fn file(&self, source: Source) -> PathBuf {
        self.project.root().join(&self.project.files(source)[0])
    }

    /// Writes a source at once, creating its folders.
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

    /// Requests that everything on disk now is served.
    pub(crate) fn ask(&self) -> Receiver<u64> {
        let mut waiting = None;
        wait_until("the queue accepts a request", || {
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

    /// The health of a source.
    pub(crate) fn health(&self, source: Source) -> Health {
        self.app.reader.snapshot().health[source.index()].as_ref().clone()
    }

    /// Its state.
    pub(crate) fn state(&self, source: Source) -> State {
        self.health(source).state
    }

    /// Whether `/api/health` is ok.
    pub(crate) fn is_ok(&self) -> bool {
        self.text("/api/health").starts_with(r#"{"status":"ok""#)
    }

    /// The files as read by a strict reader.
    pub(crate) fn files(&self) -> Files {
        let mut files = Files::default();
        self.remember(&mut files);
        files
    }

    /// Updates the expected files from disk: a missing file is removed, an invalid one changes nothing. A document that
    /// was never valid is empty in the model, which is not valid either.
    pub(crate) fn remember(&self, good: &mut Files) {
        good.is_kept = true;
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
        // A path that cannot be examined, such as a loop of links, exists all the same.
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

    /// The difference from the expected answers for these files.
    pub(crate) fn difference(&self, files: &Files) -> Option<String> {
        difference(&self.app, files, self.project.limits().bus_bytes)
    }

    /// Asserts that the content on disk is served after a `sync`.
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

    /// Waits until the content on disk is served, without a `sync`.
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

/// The result of a strict reader.
enum Found {
    Nothing,
    Refused,
    File(oracle::File),
}

/// Writes a file at once, creating its folders.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Replaces a file atomically: a new one is renamed over it.
pub(crate) fn replace(path: &Path, text: impl AsRef<[u8]>) {
    let new = path.with_extension("new");
    write(&new, text);
    fs::rename(&new, path).unwrap();
}

/// Adds to the end of a file.
pub(crate) fn append(path: &Path, text: impl AsRef<[u8]>) {
    File::options().append(true).create(true).open(path).unwrap().write_all(text.as_ref()).unwrap();
}
