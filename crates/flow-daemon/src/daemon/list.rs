//! Every daemon of this user, asked one by one. It starts and stops none.

use std::path::{Path, PathBuf};
use std::thread;

use serde::Deserialize;

use super::announce;
use super::look::{Look, look};
use crate::control::{Status, client};

/// How many are asked at a time: one that hangs must not hold up the others.
const AT_ONCE: usize = 16;

/// What a daemon says of the files behind its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It answered: `ok` or `degraded`.
    Said(String),
    /// It did not.
    Unknown,
}

/// A daemon of this user.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its project's root.
    pub root: PathBuf,
    /// What it answers; `None` when it holds its lock and does not answer.
    pub answer: Option<(Status, Health)>,
}

/// Every daemon of this user that holds its lock, by root. What is announced and does not run is forgotten.
pub fn list() -> Vec<Listed> {
    let roots = announce::announced();
    roots.chunks(AT_ONCE).flat_map(ask_together).collect()
}

fn ask_together(roots: &[PathBuf]) -> Vec<Listed> {
    thread::scope(|scope| {
        let asked: Vec<_> = roots.iter().map(|root| scope.spawn(move || ask(root))).collect();
        asked.into_iter().filter_map(|one| one.join().ok().flatten()).collect()
    })
}

fn ask(root: &Path) -> Option<Listed> {
    let answer = match look(root) {
        Ok(Look::Running { status, socket }) => Some((status, health(&socket))),
        Ok(Look::Silent { .. }) => None,
        Ok(Look::Stopped { .. }) => {
            announce::withdraw(root);
            return None;
        }
        Err(_) => return None,
    };
    Some(Listed { root: root.to_path_buf(), answer })
}

fn health(socket: &Path) -> Health {
    #[derive(Deserialize)]
    struct Body {
        status: String,
    }
    let got = client::get(socket, "/api/health").ok();
    let body = got.and_then(|got| serde_json::from_str::<Body>(&got.body).ok());
    body.map_or(Health::Unknown, |body| Health::Said(body.status))
}
