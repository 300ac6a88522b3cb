//! Lists every daemon of this user, by querying each. It starts and stops none.

use std::path::{Path, PathBuf};
use std::thread;

use serde::Deserialize;

use super::probe::{Probe, probe};
use super::registry;
use crate::control::{Status, client};

/// Number of daemons that are queried at a time: one that hangs must not delay the others.
const AT_ONCE: usize = 16;

/// A daemon of this user.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Its project's root.
    pub root: PathBuf,
    /// Its status, and its health as reported, `ok` or `degraded`, if known; `None` if it holds its lock and is not
    /// responding.
    pub answer: Option<(Status, Option<String>)>,
}

/// The roots of the projects whose daemons are registered, also of those that have crashed. Nothing but the registry is read.
pub fn registered_roots() -> Vec<PathBuf> {
    registry::registered()
}

/// Every daemon of this user that holds its lock, by root. Entries of daemons that do not run are removed.
pub fn list() -> Vec<Listed> {
    let roots = registry::registered();
    roots.chunks(AT_ONCE).flat_map(ask_together).collect()
}

fn ask_together(roots: &[PathBuf]) -> Vec<Listed> {
    thread::scope(|scope| {
        let asked: Vec<_> = roots.iter().map(|root| scope.spawn(move || ask(root))).collect();
        asked.into_iter().filter_map(|one| one.join().ok().flatten()).collect()
    })
}

fn ask(root: &Path) -> Option<Listed> {
    let answer = match probe(root) {
        Ok(Probe::Running { status, socket }) => Some((status, health(&socket))),
        Ok(Probe::Silent(_)) => None,
        Ok(Probe::Stopped { .. }) => {
            registry::unregister(root);
            return None;
        }
        Err(_) => return None,
    };
    Some(Listed { root: root.to_path_buf(), answer })
}

fn health(socket: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Body {
        status: String,
    }
    let got = client::get(socket, "/api/health").ok()?;
    serde_json::from_str::<Body>(&got.body).ok().map(|body| body.status)
}
