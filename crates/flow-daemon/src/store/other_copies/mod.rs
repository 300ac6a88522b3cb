//! Follows the copies of the plan in the repository's other worktrees, in a thread of its own: what each has, what differs from
//! the served copy, and what two of them took each by itself.
//!
//! Which worktrees there are follows from git's files; no program is run for that. Their files are opened by one restricted
//! thread (`shared_disk`), looked at with `stat`, and read again only when that has changed. Data flows one way: `listed`
//! chooses → `copy` reads and compares → `overlap` → the store publishes it with its next snapshot.

mod bases;
mod copy;
mod head;
mod listed;
mod overlap;
mod shared_disk;
mod taken;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use flow_files::worktree::{RealFiles, Worktree};

use crate::error::{Error, Result};
use crate::project::Project;

use super::collection::Collection;
use super::common_plan::CommonPlan;
use super::disk::{Disk, RealDisk, Stat};
use super::plan_choice;
use super::publish::Reader;
use super::snapshot::Snapshot;
use super::worktrees::{Overlap, Row, Worktrees};
use bases::Bases;
use copy::Copy;
use head::Head;
use listed::{Listed, MOST, MOST_BYTES, choose};
use overlap::{Side, overlaps};
use shared_disk::SharedDisk;

/// The shortest and the longest time between two looks.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(2);
/// The time between two looks in times of what a look takes, within these.
const PART_OF_TIME: u32 = 100;
/// The time between two looks while a file is being written.
const SETTLING: Duration = Duration::from_millis(100);
/// How often the list of worktrees is compared with git's files although their folder is as before.
const LIST: Duration = Duration::from_secs(5);
/// How often at most the worktrees are chosen again while some are left out, which takes a small part of the time too.
const CHOOSE: Duration = Duration::from_secs(10);
/// Most overlaps that the row of a worktree names.
const NAMED: usize = 20;

/// The thread. It ends when this is dropped.
#[derive(Debug)]
pub struct Follower(#[allow(dead_code, reason = "its end is the message")] SyncSender<()>);

/// Hands over what was found. Returns whether it was taken.
pub(super) type Put = Box<dyn Fn(&Arc<Worktrees>) -> bool + Send>;

/// Starts to follow the worktrees of a project's repository.
///
/// # Errors
/// When the thread cannot be started.
pub(super) fn follow(
    project: &Project,
    served: Reader,
    common: Box<dyn CommonPlan>,
    put: Put,
) -> Result<Follower> {
    let (alive, ended) = sync_channel(1);
    let mut following = Following::new(project.clone(), served, common, put);
    let run = move || following.run(&ended);
    let thread = thread::Builder::new().name("worktrees".to_owned()).spawn(run);
    thread.map_err(|error| Error::io("start the thread that follows the worktrees", error))?;
    Ok(Follower(alive))
}

/// The ids that the records of a collection have in the repository's other worktrees, read once.
pub fn ids_elsewhere(project: &Project, collection: Collection) -> Vec<String> {
    let root = project.state_root();
    let Some(ours) = Worktree::of(&RealFiles, root) else { return Vec::new() };
    let others = ours.others();
    if others.is_empty() {
        return Vec::new();
    }
    let disk = SharedDisk::new(root);
    let read = plan_choice::choose(&disk, root, project.formats()).read.into_iter();
    let formats: Vec<String> = read.map(|format| format.name().to_owned()).collect();
    let listed = choose(others, &ours, project, &formats, &disk);
    let copies = listed.read.into_iter().map(|(worktree, project)| {
        // One at a time is held.
        Copy::new(worktree, &project, &disk).ids(collection)
    });
    copies.flatten().collect()
}

/// What the thread owns.
struct Following {
    project: Project,
    /// The formats that are read of the served copy.
    formats: Vec<String>,
    served: Reader,
    put: Put,
    disk: SharedDisk,
    bases: Bases,
    ours: Option<Worktree>,
    head: Head,
    /// What shows that the list of worktrees changed, and when it was compared last.
    key: Option<Stat>,
    is_listed: bool,
    compared: Instant,
    /// When the worktrees may be chosen again.
    next_choice: Instant,
    copies: Vec<Copy>,
    left_out: usize,
    /// Since when each overlap is known, by its collection and subject.
    since: HashMap<(&'static str, String), Option<SystemTime>>,
    published: Arc<Worktrees>,
}

impl Following {
    fn new(project: Project, served: Reader, common: Box<dyn CommonPlan>, put: Put) -> Self {
        let names = served.snapshot().plans.names().into_iter();
        let formats: Vec<String> = names.map(str::to_owned).collect();
        let root = project.state_root().to_path_buf();
        let disk = SharedDisk::new(&root);
        let bases = Bases::new(project.in_worktree(root, formats.clone()), common);
        let now = Instant::now();
        Self {
            project,
            formats,
            served,
            put,
            disk,
            bases,
            ours: None,
            head: Head::default(),
            key: None,
            is_listed: false,
            compared: now,
            next_choice: now,
            copies: Vec::new(),
            left_out: 0,
            since: HashMap::new(),
            published: Arc::default(),
        }
    }

    fn run(&mut self, ended: &Receiver<()>) {
        let mut wait = Duration::ZERO;
        while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            let begun = Instant::now();
            if catch_unwind(AssertUnwindSafe(|| self.look())).is_err() {
                tracing::error!("looking at the other worktrees failed unexpectedly; trying again");
                // What was half done must not be believed.
                (self.copies, self.is_listed) = (Vec::new(), false);
            }
            wait = self.pause(begun.elapsed());
        }
    }

    /// The time until the next look: a small part of the time is used, and a file that is being written is read soon.
    fn pause(&self, took: Duration) -> Duration {
        let usual = (took * PART_OF_TIME).clamp(SHORTEST, LONGEST);
        let due = self.copies.iter().filter_map(Copy::due).min();
        let soon = due.map(|due| due.saturating_duration_since(Instant::now()).max(SETTLING));
        usual.min(soon.unwrap_or(usual)).max(took)
    }

    fn look(&mut self) {
        let served = self.served.snapshot();
        self.list();
        for copy in &mut self.copies {
            copy.look(&served);
        }
        let bytes: u64 = self.copies.iter().map(Copy::bytes).sum();
        if bytes > MOST_BYTES && Instant::now() >= self.next_choice {
            let others = self.ours.as_ref().map(Worktree::others).unwrap_or_default();
            self.choose(others);
        }
        let found = Arc::new(self.found(&served));
        if self.published != found && (self.put)(&found) {
            self.published = found;
        }
    }

    /// Finds the worktrees again if git's list may have changed.
    fn list(&mut self) {
        let place = match &self.ours {
            Some(ours) => ours.repository.join("worktrees"),
            None => self.project.state_root().join(".git"),
        };
        let key = RealDisk.stat(&place).ok();
        let has_others = !self.copies.is_empty() || self.left_out > 0;
        let is_new = !self.is_listed || self.key != key;
        if !(is_new || has_others && self.compared.elapsed() >= LIST) {
            return;
        }
        (self.key, self.is_listed, self.compared) = (key, true, Instant::now());
        self.ours = Worktree::of(&RealFiles, self.project.state_root());
        let others = self.ours.as_ref().map(Worktree::others).unwrap_or_default();
        let is_read = |other: &Worktree| self.copies.iter().any(|copy| copy.worktree == *other);
        let is_same = others.len() == self.copies.len() && others.iter().all(is_read);
        let is_chosen = self.left_out > 0 && !is_new && Instant::now() < self.next_choice;
        if is_same || is_chosen {
            return;
        }
        self.choose(others);
    }

    fn choose(&mut self, others: Vec<Worktree>) {
        let Some(ours) = &self.ours else {
            (self.copies, self.left_out) = (Vec::new(), 0);
            return;
        };
        let begun = Instant::now();
        let Listed { read, left_out } =
            choose(others, ours, &self.project, &self.formats, &self.disk);
        self.left_out = left_out;
        self.next_choice = Instant::now() + CHOOSE.max(begun.elapsed() * PART_OF_TIME);
        let mut known = std::mem::take(&mut self.copies);
        // Those that are no longer read are freed before others are read.
        known.retain(|copy| read.iter().any(|(worktree, _)| *worktree == copy.worktree));
        for (worktree, project) in read {
            let copy = match known.iter().position(|copy| copy.worktree == worktree) {
                Some(at) => known.swap_remove(at),
                None => Copy::new(worktree, &project, &self.disk),
            };
            self.copies.push(copy);
        }
    }

    fn found(&mut self, served: &Snapshot) -> Worktrees {
        let has_others = !self.copies.is_empty() || self.left_out > 0;
        let Some(ours) = self.ours.as_ref().filter(|_| has_others) else {
            return Worktrees::default();
        };
        self.head.renew(&self.disk, ours);
        // That of a bare repository is beside it.
        let main = ours.repository.parent().unwrap_or(Path::new("/")).to_path_buf();
        let own = Row { served: true, ..copy::row(&ours.top, &main, &self.head, served) };
        let overlaps = self.overlaps();
        let row = |copy: &Copy| {
            let (called, mut row) = (copy.called(), copy.row(&main));
            let ours = overlaps.iter().filter(|overlap| overlap.worktrees.contains(&called));
            row.overlap = copy::named(ours.flat_map(|overlap| overlap.ids.clone()), NAMED);
            row
        };
        let mut rows: Vec<Row> = self.copies.iter().map(row).collect();
        rows.sort_by(|a, b| b.last_write.cmp(&a.last_write).then_with(|| a.path.cmp(&b.path)));
        rows.insert(0, own);
        let note = (self.left_out > 0).then(|| {
            format!(
                "{} more worktrees are not read: at most {MOST} are, and {} MiB of plan files together; these were written last",
                self.left_out,
                MOST_BYTES >> 20
            )
        });
        let modified = self.copies.iter().filter_map(Copy::modified).max();
        let modified = modified.max(served.modified(&copy::PLAN));
        Worktrees { rows, left_out: self.left_out, note, overlaps, modified }
    }

    /// What linked worktrees took each by itself. In the main one plans are made: a story that it gives to the agent of another
    /// worktree is in progress in both.
    fn overlaps(&mut self) -> Vec<Overlap> {
        let side = |copy: &'_ Copy| {
            (copy.worktree.git != copy.worktree.repository).then(|| copy.head.commit.clone())?
        };
        let commits: Vec<(&Copy, String)> = self
            .copies
            .iter()
            .filter_map(|copy| Some((copy, side(copy)?)))
            .filter(|(copy, _)| !copy.taken().is_empty())
            .collect();
        let mut sides: Vec<Side<'_>> = commits
            .iter()
            .map(|(copy, commit)| Side {
                called: copy.called(),
                commit,
                taken: copy.taken(),
                modified: copy.modified(),
            })
            .collect();
        sides.sort_by(|one, other| one.called.cmp(&other.called));
        let mut found = overlaps(&sides, &mut self.bases);
        let key = |overlap: &Overlap| (overlap.collection.name(), overlap.subject().to_owned());
        for overlap in &mut found {
            let since = self.since.entry(key(overlap)).or_insert(overlap.since);
            overlap.since = *since;
        }
        let current: Vec<_> = found.iter().map(key).collect();
        self.since.retain(|known, _| current.contains(known));
        found
    }
}
