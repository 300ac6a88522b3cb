//! What the benchmarks share: projects with a fixed seed, and two ways to measure, by the clock and by callgrind.
#![allow(dead_code, reason = "each benchmark uses its own part")]

pub(crate) mod generate;
pub(crate) mod meter;

use std::path::{Path, PathBuf};
use std::time::Instant;

use flow::project::Project;
use flow::store::{Options, Scope, Store};
use flow::web::{About, App, Asked};
use http::Method;

/// A project's state, followed only when asked: what a measurement needs, and nothing that runs meanwhile.
pub(crate) fn open(folder: &Path) -> (Store, App) {
    let project = Project::open(Some(folder), folder, None).unwrap();
    let store = Store::open(&project, &Options { sweep: None, scope: Scope::Nothing }).unwrap();
    let about = About { project: "bench".to_owned(), pid: 1, started: Instant::now() };
    let app = App { reader: store.reader(), about };
    (store, app)
}

/// The body that a GET gives. Panics when it is not a 200, as then something else is measured.
pub(crate) fn get(app: &App, asked: &str) -> bytes::Bytes {
    let (path, query) = match asked.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (asked, None),
    };
    let method = &Method::GET;
    let reply = app.answer(Asked { method, path, query, if_none_match: None });
    assert!(reply.status == 200, "{asked}: {}", reply.status);
    reply.body
}

/// A project that a benchmark runs on: the folder given by `--folder`, or one made for `messages` messages.
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
        generate::project(made.path(), messages);
        Self { folder: made.path().to_path_buf(), _made: Some(made) }
    }
}

/// What follows an option on the command line.
pub(crate) fn option(name: &str) -> Option<String> {
    let mut words = std::env::args().skip_while(|word| word != name);
    words.next().and_then(|_| words.next())
}

/// The sizes of the log that are measured: of `--folder` only its own.
pub(crate) fn sizes() -> Vec<u64> {
    match (option("--folder"), option("--messages")) {
        (Some(_), _) => vec![0],
        (None, Some(list)) => list.split(',').map(|size| size.parse().unwrap()).collect(),
        (None, None) => vec![1_000, 1_000_000],
    }
}
