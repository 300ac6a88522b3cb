//! The state: follows the four files and publishes an immutable snapshot of them.
//!
//! Data flows one way: [`watch`] reports → the owner looks → [`follow`] reads through [`disk`] and [`tail`] →
//! [`snapshot`] is built → [`publish`] hands it to readers. It answers no requests and formats nothing for HTTP.

pub mod disk;
pub mod memory;
pub mod locate;
pub mod postings;
pub mod terms;
pub mod times;
pub mod cube;
pub mod matching;
pub mod starts;
pub mod chunk;
pub mod log;
pub mod lines;
pub mod compare;
pub mod tail;
pub mod dependencies;
pub mod records;
pub mod differences;
pub mod activity;
pub mod lock_files;
pub mod history;
pub mod memo;
pub mod prepared;
pub mod snapshot;
pub mod metrics;
pub mod publish;
pub mod watch;
pub mod settle;
pub mod writers;
pub mod reading;
pub mod overwrite;
pub mod follow;
mod owner;

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::oneshot;

use crate::error::{Error, Result};
use crate::project::Project;

use disk::{Disk, RealDisk};
use lock_files::LockFiles;
use owner::{Mark, Message, Owner, QUEUE};
pub use publish::Reader;
pub use snapshot::Snapshot;
use watch::{Silent, Watch};
use writers::Writers;

/// The time, by both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// Never goes back.
    pub instant: Instant,
    /// As on the wall; only compared with the times of files.
    pub wall: SystemTime,
}

/// The time. Tests put their own in its place.
pub trait Clock: Send {
    /// The moment, by both clocks.
    fn now(&self) -> Now;
}

/// The system's clocks.
#[derive(Debug, Clone, Copy)]
pub struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Now {
        Now { instant: Instant::now(), wall: SystemTime::now() }
    }
}

/// What the system is asked to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Changes in every folder from the root to each file.
    Folders,
    /// Changes of the files alone, which ends at the first rename. Only to show that tests notice.
    Files,
    /// Nothing.
    Nothing,
}

/// How the files are followed. The default is right; tests switch parts of it off.
#[derive(Debug, Clone)]
pub struct Options {
    /// How often every file's stat is looked at, whatever the system reports. `None` never.
    pub sweep: Option<Duration>,
    /// What the system is asked to report.
    pub scope: Scope,
}

impl Default for Options {
    fn default() -> Self {
        Self { sweep: Some(Duration::from_millis(250)), scope: Scope::Folders }
    }
}

/// The world as the store sees it.
pub struct Seams {
    /// The file system.
    pub disk: Box<dyn Disk>,
    /// The time.
    pub clock: Box<dyn Clock>,
}

impl Default for Seams {
    fn default() -> Self {
        Self { disk: Box::new(RealDisk), clock: Box::new(RealClock) }
    }
}

impl std::fmt::Debug for Seams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seams").finish_non_exhaustive()
    }
}

/// Asks the owner of the state for something. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Handle(SyncSender<Message>);

impl Handle {
    /// Asks for everything that is on disk now; the receiver gets the generation that has it.
    ///
    /// # Errors
    /// When the owner is gone or has too much to do.
    pub fn sync(&self) -> Result<oneshot::Receiver<u64>> {
        let (sender, receiver) = oneshot::channel();
        let busy = |_| Error::Refused("the server is too busy to look at the files".into());
        self.0.try_send(Message::Sync(sender)).map_err(busy)?;
        Ok(receiver)
    }
}

/// The running owner of the state: a thread.
#[derive(Debug)]
pub struct Store {
    reader: Reader,
    handle: Handle,
    thread: JoinHandle<()>,
}

impl Store {
    /// Loads the files once and follows them from then on.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn open(project: &Project, options: &Options) -> Result<Self> {
        Self::open_with(project, options, Seams::default())
    }

    /// The same over another disk and clock.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn open_with(project: &Project, options: &Options, seams: Seams) -> Result<Self> {
        let (sender, messages) = sync_channel(QUEUE);
        let mark = Mark::default();
        let (told, owner) = (mark.clone(), sender.clone());
        let watch: Box<dyn Watch> = match options.scope {
            Scope::Nothing => Box::new(Silent),
            scope => watch::open(project, scope, move |report| told.add(report, &owner)),
        };
        let publisher = publish::publisher(Snapshot::empty());
        let reader = publisher.reader();
        let mut owner = Owner {
            disk: seams.disk,
            clock: seams.clock,
            watch,
            followers: Owner::followers(project),
            publisher,
            sweep: options.sweep,
            mark,
            waiting: Vec::new(),
            writers: match options.scope {
                Scope::Nothing => Writers::default(),
                Scope::Folders | Scope::Files => Writers::native(),
            },
            lock_files: LockFiles::new(project),
        };
        // The first load is the caller's own wait; from then on the thread looks.
        owner.begin();
        let thread =
            std::thread::Builder::new().name("store".into()).spawn(move || owner.run(&messages));
        let thread =
            thread.map_err(|error| Error::io("start the thread that follows the files", error))?;
        Ok(Self { reader, handle: Handle(sender), thread })
    }

    /// Reads the files once, without following them.
    pub fn read_once(project: &Project, seams: Seams) -> Reader {
        let mut owner = Owner {
            disk: seams.disk,
            clock: seams.clock,
            watch: Box::new(Silent),
            followers: Owner::followers(project),
            publisher: publish::publisher(Snapshot::empty()),
            sweep: None,
            mark: Mark::default(),
            waiting: Vec::new(),
            writers: Writers::default(),
            lock_files: LockFiles::new(project),
        };
        owner.begin();
        owner.publisher.reader()
    }

    /// A reader of its snapshots.
    pub fn reader(&self) -> Reader {
        self.reader.clone()
    }

    /// A way to ask it for something.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Ends the thread and waits for it.
    pub fn stop(self) {
        // Either fails only when the thread has ended already.
        let _ = self.handle.0.send(Message::Stop);
        let _ = self.thread.join();
    }
}
