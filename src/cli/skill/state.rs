//! The source of the project's state for skills: the running server over its control socket, else the files.
//!
//! Both use the same code, so the answers are the same bytes. A skill makes several requests; all answers must come
//! from one snapshot, else the skill is run again.

use std::cell::{Cell, OnceCell};
use std::path::PathBuf;
use std::rc::Rc;

use super::super::invocation::Invocation;
use crate::control::client;
use crate::daemon::{self, Probe};
use crate::error::Result;
use crate::files::{self, Files};
use crate::project::Project;
use crate::skill::project_state::state::{Answers, State};

/// How often a skill is run on a server whose state changes during the run, before the files are read instead.
const TRIES: usize = 3;

/// Runs a function on one snapshot of the project's state.
pub(super) fn with<T>(invocation: &Invocation, run: impl Fn(State) -> Result<T>) -> Result<T> {
    // A missing or invalid project matters only to functions that use its state.
    let project = match invocation.project() {
        Ok(project) => Rc::new(project),
        Err(error) => return run(State::none(error.to_string())),
    };
    for _ in 0..TRIES {
        let live = Rc::new(Live::new(Rc::clone(&project)));
        let made = run(State::of(Rc::clone(&live) as Rc<dyn Answers>));
        if live.is_one_moment() {
            return made;
        }
    }
    let files = Source::Files(Box::new(Files::read_at_rest(&project)));
    run(State::of(Rc::new(Live { source: files.into(), ..Live::new(project) })))
}

/// Answers from the running server, else from the files, whichever is found at the first request.
#[derive(Debug)]
struct Live {
    project: Rc<Project>,
    source: OnceCell<Source>,
    /// Whether the server failed to respond later.
    is_lost: Cell<bool>,
}

#[derive(Debug)]
enum Source {
    /// The server, and the generation of the first answer.
    Server { socket: PathBuf, generation: u64 },
    /// The files, read once.
    Files(Box<Files>),
}

impl Live {
    fn new(project: Rc<Project>) -> Self {
        Self { project, source: OnceCell::new(), is_lost: Cell::new(false) }
    }

    /// Whether all answers came from one snapshot.
    fn is_one_moment(&self) -> bool {
        match self.source.get() {
            Some(Source::Server { socket, generation }) => {
                !self.is_lost.get()
                    && client::status(socket).is_ok_and(|now| now.generation == *generation)
            }
            Some(Source::Files(_)) | None => true,
        }
    }
}

impl Answers for Live {
    fn get(&self, target: &str) -> Result<(u16, String), String> {
        match self.source.get_or_init(|| source(&self.project)) {
            Source::Files(files) => files.get(target),
            Source::Server { socket, .. } => {
                let got = client::get(socket, target).map_err(|error| {
                    self.is_lost.set(true);
                    error.to_string()
                })?;
                Ok((got.status, got.body))
            }
        }
    }

    fn ids_elsewhere(&self, collection: &str) -> Vec<String> {
        files::ids_elsewhere(&self.project, collection)
    }
}

/// A server whose snapshot contains everything that is on disk now, else the files.
fn source(project: &Project) -> Source {
    let Ok(Probe::Running { socket, .. }) = daemon::probe(project.root()) else {
        return Source::Files(Box::new(Files::read_at_rest(project)));
    };
    match client::sync(&socket) {
        Ok(synced) => Source::Server { socket, generation: synced.generation },
        Err(_) => Source::Files(Box::new(Files::read_at_rest(project))),
    }
}
