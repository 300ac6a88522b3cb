//! The project as tools and resources see it, and the one place where their work is done.

use std::path::Path;
use std::sync::Arc;

use rmcp::ErrorData;
use tokio::sync::{OnceCell, Semaphore, watch};
use tokio::time::timeout;

use super::limits::{MOST_SKILLS, MOST_WORKING, SYNC_WAIT};
use crate::files::Files;
use crate::project::Project;
use crate::store::{Handle, Reader, Store};
use crate::web::About;

/// Tells some work whether its result is still wanted.
#[derive(Debug)]
pub(super) struct Wanted(watch::Receiver<()>);

impl Wanted {
    /// Waits until nobody waits for the result any more.
    pub(super) async fn no_longer(&self) {
        let mut receiver = self.0.clone();
        // Nothing is sent: the sender is dropped with the future that waits for the work.
        while receiver.changed().await.is_ok() {}
    }
}

/// A project whose files a store watches.
#[derive(Debug)]
pub struct State {
    project: Project,
    reader: Reader,
    handle: Handle,
    is_loaded: OnceCell<()>,
    about: About,
    working: Arc<Semaphore>,
    skills: Arc<Semaphore>,
}

/// What some work does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// It reads the state of the project.
    Reads,
    /// It reads what does not depend on that state.
    Lists,
    /// It runs a skill, which may take long.
    RunsSkill,
}

impl State {
    /// The watched project.
    pub fn new(project: Project, store: &Store) -> Self {
        let name = project.root().file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self {
            about: About { served_from: project.served_from(), ..About::new(name) },
            reader: store.reader(),
            handle: store.handle(),
            is_loaded: OnceCell::new(),
            working: Arc::new(Semaphore::new(MOST_WORKING)),
            skills: Arc::new(Semaphore::new(MOST_SKILLS)),
            project,
        }
    }

    pub(super) fn project(&self) -> &Project {
        &self.project
    }

    pub(super) fn root(&self) -> &Path {
        self.project.root()
    }

    pub(super) fn reader(&self) -> Reader {
        self.reader.clone()
    }

    /// The store's current snapshot, without reading the disk.
    pub(super) fn now(&self) -> Files {
        Files::seen_by(&self.reader, self.about.clone())
    }

    /// Waits until the snapshot is that of the disk. Before the first load, there is nothing to answer from; later a file
    /// that is being written for longer than [`SYNC_WAIT`] keeps its last valid content, and its state says so.
    ///
    /// # Errors
    /// When the first load has failed.
    async fn catch_up(&self) -> Result<(), ErrorData> {
        self.loaded().await?;
        if let Ok(synced) = self.handle.sync() {
            let _ = timeout(SYNC_WAIT, synced).await;
        }
        let _ = timeout(SYNC_WAIT, self.rest()).await;
        Ok(())
    }

    /// Waits until the files have been read once.
    ///
    /// # Errors
    /// When reading them has failed.
    pub(super) async fn loaded(&self) -> Result<(), ErrorData> {
        let failed = |error: String| {
            let sentence =
                format!("the project's files could not be read: {error}; see the server's log");
            ErrorData::internal_error(sentence, None)
        };
        let first_load = async || {
            let synced = self.handle.sync().map_err(|error| failed(error.to_string()))?;
            synced.await.map(|_| ()).map_err(|error| failed(error.to_string()))
        };
        self.is_loaded.get_or_try_init(first_load).await.copied()
    }

    /// Waits until no file is being written.
    async fn rest(&self) {
        let mut reader = self.reader();
        while self.now().is_changing() && reader.published().await {}
    }

    /// Runs some work on the current state of the disk, on a thread that may block. The work is told when the future is
    /// dropped.
    ///
    /// # Errors
    /// When the work panics.
    pub(super) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        what: Work,
        work: impl FnOnce(&Self, Files, &Wanted) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let failed = |_| ErrorData::internal_error("internal error; see the server's log", None);
        let places = if what == Work::RunsSkill { &self.skills } else { &self.working };
        let permit = Arc::clone(places)
            .acquire_owned()
            .await
            .map_err(|_| ErrorData::internal_error("the server is shutting down", None))?;
        if what != Work::Lists {
            self.catch_up().await?;
        }
        let state = Arc::clone(self);
        let (_waiting, wanted) = watch::channel(());
        let work = move || {
            let done = work(&state, state.now(), &Wanted(wanted));
            drop(permit);
            done
        };
        tokio::task::spawn_blocking(work).await.map_err(failed)
    }
}
