//! Looks which other projects are served: now and then, and after a client has asked. It only reads the user's registry; no
//! project's folder is touched, so that a dead mount under one of them hinders nobody.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::registry::{self, Registered};
use crate::web::projects::{OtherProject, OtherProjects};

/// Time between two looks if nobody asks.
const EVERY: Duration = Duration::from_secs(5);
/// Shortest time between two looks.
const LEAST: Duration = Duration::from_millis(500);
/// Most projects that are kept.
const MOST: usize = 100;

/// Looks until it is dropped. `root` is the project of this server.
pub(crate) async fn follow(root: PathBuf, found: Arc<OtherProjects>) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = found.asked() => {}
        }
        let root = root.clone();
        // A look that failed leaves what was found before.
        if let Ok(projects) = spawn_blocking(move || served_beside(&root)).await {
            found.set(projects, SystemTime::now());
        }
        sleep(LEAST).await;
    }
}

/// The other projects, by name.
fn served_beside(root: &Path) -> Vec<OtherProject> {
    let running = registry::running();
    let others = running.iter().filter(|other| other.root != root);
    let mut projects: Vec<OtherProject> = others.filter_map(described).take(MOST).collect();
    projects.sort();
    projects
}

fn described(registered: &Registered) -> Option<OtherProject> {
    let port = registered.port?;
    let name = registered.root.file_name()?.to_string_lossy().into_owned();
    Some(OtherProject { name, url: format!("http://127.0.0.1:{port}/") })
}
