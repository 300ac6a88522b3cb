//! What the benchmarks share: projects with a fixed seed, and two ways to measure, by the clock and by callgrind.
#![allow(dead_code, reason = "each benchmark uses its own part")]

pub(crate) mod generate;
pub(crate) mod meter;

use std::path::{Path, PathBuf};

use flow::project::Project;
use flow::store::{Clock, Environment, Now, Options, RealClock, Scope, Store};
use flow::web::{About, App, Request};
use http::Method;

/// A project's state, read only on request, so that nothing runs in the background of a measurement.
pub(crate) fn open(folder: &Path) -> (Store, App) {
    open_at(folder, Scope::Nothing)
}

/// The same, with file system events in `scope`. Its clock is halted, so that nothing becomes due: only the work caused
/// by a change is measured.
pub(crate) fn open_at(folder: &Path, scope: Scope) -> (Store, App) {
    let project = Project::at(folder).unwrap();
    let environment =
        Environment { clock: Box::new(Still(RealClock.now())), ..Environment::default() };
    let store = Store::open_with(
        &project,
        &Options { sweep: None, scope, ..Options::default() },
        environment,
    )
    .unwrap();
    let about = About::new("bench");
    let app = App { reader: store.reader(), about };
    (store, app)
}

struct Still(Now);

impl Clock for Still {
    fn now(&self) -> Now {
        self.0
    }
}

/// The body of a GET. Panics if the status is not 200.
pub(crate) fn get(app: &App, asked: &str) -> bytes::Bytes {
    let (path, query) = match asked.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (asked, None),
    };
    let method = &Method::GET;
    let reply = app.answer(Request { method, path, query, ..Request::GET });
    assert!(reply.status == 200, "{asked}: {}", reply.status);
    reply.body
}

/// The project of a benchmark: the folder given by `--folder`, or one generated for `messages` messages.
pub(crate) struct Scratch {
    pub(crate) folder: PathBuf,
    _made: Option<tempfile::TempDir>,
}

impl Scratch {
    pub(crate) fn new(messages: u64) -> Self {
        if let Some(folder) = option("--folder") {
            return Self { folder: folder.into(), _made: None };
        }
        let made = tempfile::tempdir().unwrap();
        generate::project(made.path(), messages, generate::Mix::Skewed);
        Self { folder: made.path().to_path_buf(), _made: Some(made) }
    }
}

/// The argument of an option on the command line.
pub(crate) fn option(name: &str) -> Option<String> {
    let mut words = std::env::args().skip_while(|word| word != name);
    words.next().and_then(|_| words.next())
}

/// The measured sizes of the log: for `--folder` only its own.
pub(crate) fn sizes() -> Vec<u64> {
    match (option("--folder"), option("--messages")) {
        (Some(_), _) => vec![0],
        (None, Some(list)) => list.split(',').map(|size| size.parse().unwrap()).collect(),
        (None, None) => vec![1_000, 1_000_000],
    }
}
