//! The state: follows the four files and publishes an immutable snapshot of them.

use std::sync::Arc;
use std::time::Duration;

use crate::error::Result;
use crate::project::Project;

/// How the files are followed. The default is right; tests switch parts of it off.
#[derive(Debug, Clone)]
pub struct Options {
    /// How often every file's stat is looked at, whatever the system reports. `None` never.
    pub sweep: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self { sweep: Some(Duration::from_millis(250)) }
    }
}

/// The state at one moment.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// How many snapshots have been published.
    pub generation: u64,
}

/// Reads the newest snapshot. Cheap to clone, never blocks.
#[derive(Debug, Clone)]
pub struct Reader;

impl Reader {
    /// The newest snapshot.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::default()
    }
}

/// Asks the owner of the state for something. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Handle;

impl Handle {
    /// Asks for everything that is on disk now; the receiver gets the generation that has it.
    ///
    /// # Errors
    /// When the owner is gone or has too much to do.
    pub fn sync(&self) -> Result<tokio::sync::oneshot::Receiver<u64>> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let _ = sender.send(0);
        Ok(receiver)
    }
}

/// The running owner of the state: a thread.
#[derive(Debug)]
pub struct Store;

impl Store {
    /// Loads the files once and follows them from then on.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn open(_project: &Project, _options: &Options) -> Result<Self> {
        Ok(Self)
    }

    /// A reader of its snapshots.
    pub fn reader(&self) -> Reader {
        Reader
    }

    /// A way to ask it for something.
    pub fn handle(&self) -> Handle {
        Handle
    }

    /// Ends the thread and waits for it.
    pub fn stop(self) {}
}
