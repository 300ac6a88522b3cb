//! `/api/projects`: the other projects that servers of this user serve, as the daemon found them last. A request looks for
//! nothing itself; it asks the daemon to look again.

use std::time::SystemTime;

use serde::Serialize;
use tokio::sync::{Notify, watch};

use crate::model::time;

use super::body::Object;
use super::reply::Reply;

/// A project that another server serves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct OtherProject {
    /// The name of its folder (never its path).
    pub name: String,
    /// The address of its page.
    pub url: String,
}

/// The other projects that were found last.
#[derive(Debug, Default)]
pub struct OtherProjects {
    found: watch::Sender<Found>,
    asked: Notify,
}

#[derive(Debug, Default)]
struct Found {
    projects: Vec<OtherProject>,
    /// None before the daemon has looked.
    at: Option<SystemTime>,
}

impl OtherProjects {
    /// Replaces what was found before.
    pub fn set(&self, projects: Vec<OtherProject>, at: SystemTime) {
        self.found.send_replace(Found { projects, at: Some(at) });
    }

    /// Waits until a client has asked for them since the last call ended.
    pub async fn asked(&self) {
        self.asked.notified().await;
    }

    /// The answer; it depends on no file of the project, so it has no validator.
    pub(super) fn answer(&self) -> Reply {
        self.asked.notify_one();
        let found = self.found.borrow();
        let body = Object::with_capacity(found.projects.len() * 64 + 128)
            .value("projects", &found.projects)
            .value("count", &found.projects.len())
            .value("timestamp", &found.at.map(time::format));
        Reply::json(body.finish())
    }
}
