//! The projects that are served, seen together.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::data::{History, Moment};
use crate::control::client;
use crate::daemon;

/// Number of servers that are asked at a time: one that hangs must not delay the others.
const AT_ONCE: usize = 16;
/// Most projects that are shown.
const MOST: usize = 100;
/// How long what a server told is valid without a change: sessions become silent.
const VALID: Duration = Duration::from_secs(10);

/// A project that is or was served.
#[derive(Debug, Clone)]
pub(super) struct Served {
    root: PathBuf,
    /// Its folder, with the one above where another project has the same name.
    pub(super) name: String,
    pub(super) state: State,
}

/// The state of its server.
#[derive(Debug, Clone)]
pub(super) enum State {
    /// It answers.
    Answers(Arc<Answer>),
    /// It holds its lock, and does not respond.
    Silent,
    /// It ran at the look before, or has crashed.
    Gone,
}

/// What it answers.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) moment: Moment,
    /// Address of its page.
    pub(super) page: String,
    generation: u64,
    at: Instant,
}

impl Served {
    /// What its server answers.
    pub(super) fn answer(&self) -> Option<&Answer> {
        match &self.state {
            State::Answers(answer) => Some(answer),
            State::Silent | State::Gone => None,
        }
    }

    /// Whether it is another one than at an earlier look.
    pub(super) fn differs_from(&self, before: &Self) -> bool {
        self.root != before.root
            || match (&self.state, &before.state) {
                (State::Answers(one), State::Answers(other)) => !Arc::ptr_eq(one, other),
                (State::Silent, State::Silent) | (State::Gone, State::Gone) => false,
                _ => true,
            }
    }
}

/// Asks every server of this user, each at its own control socket. What it told before is used as long as nothing has changed.
pub(super) fn look(before: &[Served]) -> Vec<Served> {
    let mut roots: Vec<PathBuf> = daemon::registered_roots();
    roots.extend(before.iter().map(|served| served.root.clone()));
    roots.sort();
    roots.dedup();
    roots.truncate(MOST);
    let earlier = |root: &Path| before.iter().find(|served| served.root == root);
    let ask = |root: &PathBuf| Served {
        root: root.clone(),
        name: name(root, &roots),
        state: ask(root, earlier(root)),
    };
    let ask_together = |roots: &[PathBuf]| {
        thread::scope(|scope| {
            let asked: Vec<_> = roots.iter().map(|root| scope.spawn(|| ask(root))).collect();
            asked.into_iter().filter_map(|one| one.join().ok()).collect::<Vec<_>>()
        })
    };
    roots.chunks(AT_ONCE).flat_map(ask_together).collect()
}

fn name(root: &Path, roots: &[PathBuf]) -> String {
    let last = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = last(root);
    let is_unique = roots.iter().filter(|other| last(other) == name).count() == 1;
    match root.parent() {
        Some(parent) if !is_unique => format!("{}/{name}", last(parent)),
        _ => name,
    }
}

fn ask(root: &Path, before: Option<&Served>) -> State {
    let Ok(Some(socket)) = daemon::socket(root) else { return State::Gone };
    let Ok(status) = client::status(&socket) else { return State::Silent };
    if let Some(State::Answers(answer)) = before.map(|served| &served.state)
        && answer.generation == status.generation
        && answer.page == status.page()
        && answer.at.elapsed() < VALID
    {
        return State::Answers(Arc::clone(answer));
    }
    let get =
        |path: &str| client::get(&socket, path).map(|got| got.body).map_err(|e| e.to_string());
    match Moment::ask(get, History::Known, None) {
        Ok(moment) => State::Answers(Arc::new(Answer {
            moment,
            page: status.page(),
            generation: status.generation,
            at: Instant::now(),
        })),
        Err(_) => State::Silent,
    }
}
