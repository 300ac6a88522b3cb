//! The state: follows the four files and publishes an immutable snapshot of them.
//!
//! Data flows one way: [`watch`] reports → the owner probes → [`poller`] reads through [`disk`] and [`tail`] →
//! [`snapshot`] is built → [`publish`] hands it to readers. It answers no requests and formats nothing for HTTP.

pub mod clock;
pub mod cursor;
pub mod disk;
pub mod restricted_disk;
pub mod kept;
pub mod options;
pub mod memory;
pub mod locate;
pub mod postings;
pub mod terms;
pub mod times;
pub mod facet_counts;
pub mod matching;
pub mod chunk;
pub mod log;
pub mod names;
pub mod scanned;
pub mod lines;
pub mod compare;
pub mod tail;
pub mod index;
pub mod dependencies;
pub mod line_index;
pub mod joined_text;
pub mod records;
pub mod differences;
pub mod collection;
pub mod plan_change;
pub mod plan_rows;
pub mod plan_changes;
mod session_changes;
mod git_moves;
pub mod saved_plan;
pub mod keeper;
mod recorder;
pub mod alarms;
pub mod across;
pub mod activity;
pub mod history;
pub mod memo;
pub mod prepared;
pub mod answers;
pub mod source_state;
pub mod plans;
pub mod snapshot;
pub mod plan_tree;
pub mod plan_choice;
pub mod plan_files;
pub mod plan_documents;
pub mod joined;
pub mod metrics;
mod changes;
pub mod lock_files;
pub mod publish;
pub mod watch;
pub mod writers;
pub mod reading;
pub mod debounce;
pub mod overwrite;
pub mod pace;
pub mod probe;
pub mod poller;
pub mod common_plan;
pub mod worktrees;
mod owner;
pub mod other_copies;

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::error::{Error, Result};
use crate::project::Project;
use activity::Activity;
use common_plan::CommonPlan;
use keeper::{Keeper, Recalled};

pub use clock::{Clock, Now, RealClock};
pub use flow_files::restrict::Restriction;
use names::MOST_NAMES;
pub use options::{Environment, Options, Scope};
pub use other_copies::Follower;
use owner::{Message, Owner, QUEUE};
pub use publish::Reader;
pub use snapshot::Snapshot;
use worktrees::Worktrees;
use writers::Writers;

/// Sends requests to the owner of the state. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Handle(SyncSender<Message>);

impl Handle {
    /// Requests that everything on disk now is loaded; the receiver gets the generation that contains it.
    ///
    /// # Errors
    /// When the owner has stopped or its queue is full.
    pub fn sync(&self) -> Result<oneshot::Receiver<u64>> {
        let (sender, receiver) = oneshot::channel();
        let busy = |_| Error::Refused("the server is too busy to read the files".into());
        self.0.try_send(Message::Sync(sender)).map_err(busy)?;
        Ok(receiver)
    }

    /// Sends what was read of the other worktrees to the owner thread; `false` if its queue is full.
    fn put_worktrees(&self, found: &Arc<Worktrees>) -> bool {
        self.0.try_send(Message::Worktrees(Arc::clone(found))).is_ok()
    }
}

/// The running owner thread of the state.
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
        Self::open_with(project, options, Environment::default())
    }

    /// Like [`Store::open`], with another disk and clock.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn open_with(
        project: &Project,
        options: &Options,
        environment: Environment,
    ) -> Result<Self> {
        let (sender, messages) = sync_channel(QUEUE);
        let mut owner = owner(project, options, environment, &sender);
        let reader = owner.publisher.reader();
        // The first load runs on the caller's thread.
        owner.begin();
        owner.settle();
        let thread = start(move || owner.run(&messages))?;
        Ok(Self { reader, handle: Handle(sender), thread })
    }

    /// Like [`Store::open`], but returns before the files are read: until the first [`Handle::sync`] is answered, snapshots may
    /// lack what is on disk.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn open_in_background(
        project: &Project,
        options: &Options,
        environment: Environment,
    ) -> Result<Self> {
        let (sender, messages) = sync_channel(QUEUE);
        let mut owner = owner(project, options, environment, &sender);
        let reader = owner.publisher.reader();
        let thread = start(move || {
            owner.begin();
            owner.settle();
            owner.run(&messages);
        })?;
        Ok(Self { reader, handle: Handle(sender), thread })
    }

    /// Reads the files once, without following them.
    pub fn read_once(project: &Project, environment: Environment) -> Reader {
        let mut owner = Owner::new(project, environment, MOST_NAMES);
        owner.begin();
        owner.publisher.reader()
    }

    /// A reader of the newest snapshot of another one, with the changes that are kept.
    pub fn recalled(reader: &Reader, keeper: &mut dyn Keeper) -> Reader {
        let mut snapshot = reader.snapshot().as_ref().clone();
        let Recalled { id, seen, changes, .. } = keeper.recall();
        let mut activity = Activity::of(&changes, seen);
        activity.put_past(&keeper.new_past().unwrap_or_default());
        snapshot.history.journal = id;
        snapshot.history.activity = Arc::new(activity);
        publish::publisher(snapshot).reader()
    }

    /// A reader of the published snapshots.
    pub fn reader(&self) -> Reader {
        self.reader.clone()
    }

    /// A handle to send requests to the owner.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Follows the copies of the plan in the repository's other worktrees too; they are in the snapshots from then on.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn follow_worktrees(
        &self,
        project: &Project,
        common: Box<dyn CommonPlan>,
    ) -> Result<Follower> {
        let handle = self.handle();
        let put = Box::new(move |found: &Arc<Worktrees>| handle.put_worktrees(found));
        other_copies::follow(project, self.reader(), common, put)
    }

    /// Stops the thread and waits for it.
    pub fn stop(self) {
        // Both fail only if the thread has ended already.
        let _ = self.handle.0.send(Message::Stop);
        let _ = self.thread.join();
    }
}

/// An owner that the system tells of changes, as far as the options say.
fn owner(
    project: &Project,
    options: &Options,
    environment: Environment,
    sender: &SyncSender<Message>,
) -> Owner {
    let mut owner = Owner::new(project, environment, options.names);
    owner.sweep = options.sweep;
    if options.scope != Scope::Nothing {
        let (reports, sender) = (owner.mark.clone(), sender.clone());
        let report = move |report| reports.add(report, &sender);
        owner.watch = watch::open(project, options.scope, report);
        owner.writers = Writers::native();
    }
    owner
}

fn start(run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name("store".into()).spawn(run);
    thread.map_err(|error| Error::io("start the thread that watches the files", error))
}
