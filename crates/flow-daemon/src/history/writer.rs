//! The thread that writes the journal. The owner of the state hands changes over and never waits for the disk.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use super::journal::Journal;
use super::past_file::PastReader;
use super::state::{Condition, State};
use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::store::Snapshot;
use crate::store::activity::{Change, KEPT, Past};
use crate::store::keeper::{Keeper, Recalled};

/// Largest number of messages that wait. Each holds a snapshot.
const QUEUE: usize = 4;
/// Shortest time between two plans.
const PAUSE: Duration = Duration::from_secs(1);
/// Longest time between two plans while there are changes.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// The pause after a plan, in multiples of the time that it took: a twentieth of one core at most.
const PAUSE_PER_COST: u32 = 20;
/// The pause after a plan for each byte of it: 100 KB a second are written at most.
const BYTES_PER_SECOND: u64 = 100_000;
/// The time after which a failed write is tried again.
const RETRY: Duration = Duration::from_secs(10);

enum Message {
    Keep { snapshot: Arc<Snapshot>, changes: Vec<Arc<Change>> },
    Stop,
}

/// The end of the queue that the owner of the state has.
struct Sender {
    queue: SyncSender<Message>,
    thread: Option<JoinHandle<()>>,
    recalled: Recalled,
    past: PastReader,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// Recalls what is kept, and starts the thread.
pub(super) fn start(mut journal: Journal) -> Result<(Box<dyn Keeper>, State)> {
    let recalled = journal.recall()?;
    let past = PastReader::new(Folder::open(journal.path())?);
    let state = State::new(Condition::Kept);
    state.set(Condition::Kept, journal.bytes());
    let (queue, messages) = sync_channel(QUEUE);
    let shown = state.clone();
    let thread = std::thread::Builder::new()
        .name("history".into())
        .spawn(move || Writer::new(journal, shown).run(&messages))
        .map_err(|error| Error::io("start the thread that keeps the history", error))?;
    Ok((Box::new(Sender { queue, thread: Some(thread), recalled, past }), state))
}

impl Keeper for Sender {
    fn recall(&mut self) -> Recalled {
        std::mem::take(&mut self.recalled)
    }

    fn new_past(&mut self) -> Option<Past> {
        self.past.look()
    }

    fn keep(&mut self, snapshot: &Arc<Snapshot>, changes: &mut Vec<Arc<Change>>) {
        let taken = std::mem::take(changes);
        let message = Message::Keep { snapshot: Arc::clone(snapshot), changes: taken };
        // If the thread has ended, the log says why.
        let sent = self.queue.try_send(message);
        if let Err(TrySendError::Full(Message::Keep { changes: back, .. })) = sent {
            *changes = back;
        }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        // Waits for a free place in the queue: the thread takes each message within the time of one write.
        let _ = self.queue.send(Message::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the thread owns.
struct Writer {
    journal: Journal,
    state: State,
    /// What could not be written yet; the newest [`KEPT`].
    changes: Vec<Arc<Change>>,
    /// The newest snapshot, if it is to become the plan.
    snapshot: Option<Arc<Snapshot>>,
    /// When the next plan may be written.
    due: Instant,
}

impl Writer {
    fn new(journal: Journal, state: State) -> Self {
        Self { journal, state, changes: Vec::new(), snapshot: None, due: Instant::now() }
    }

    fn run(mut self, messages: &Receiver<Message>) {
        loop {
            let message = match &self.snapshot {
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(_) => {
                    messages.recv_timeout(self.due.saturating_duration_since(Instant::now()))
                }
            };
            match message {
                Ok(Message::Keep { snapshot, changes }) => {
                    self.changes.extend(changes);
                    self.changes.drain(..self.changes.len().saturating_sub(KEPT));
                    self.snapshot = Some(snapshot);
                }
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => {
                    self.write();
                    return;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.due <= Instant::now() {
                self.write();
            }
        }
    }

    /// Writes the changes and the plan.
    fn write(&mut self) {
        let Some(snapshot) = self.snapshot.take() else { return };
        let begun = Instant::now();
        match self.try_to_write(&snapshot) {
            Ok(bytes) => {
                let by_cost = begun.elapsed() * PAUSE_PER_COST;
                let by_size = Duration::from_millis(bytes * 1000 / BYTES_PER_SECOND);
                self.due = Instant::now() + by_cost.max(by_size).clamp(PAUSE, LONGEST_PAUSE);
                if self.state.condition() == Condition::Failed {
                    tracing::info!("the history is written again");
                }
                self.state.set(Condition::Kept, self.journal.bytes());
            }
            Err(error) => {
                if self.state.condition() == Condition::Kept {
                    tracing::warn!(%error, "the history cannot be written; serving goes on, and it is tried again");
                }
                self.state.set(Condition::Failed, self.journal.bytes());
                self.snapshot = Some(snapshot);
                self.due = Instant::now() + RETRY;
            }
        }
    }

    fn try_to_write(&mut self, snapshot: &Snapshot) -> Result<u64> {
        if !self.changes.is_empty() {
            self.journal.append(&self.changes)?;
            self.changes.clear();
        }
        self.journal.commit(snapshot, SystemTime::now())
    }
}
