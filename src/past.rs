//! What the commits of a project changed in its plan, from `HEAD` back along the first parents.
//!
//! Blocks of commits are read from the newest to the oldest, so that what is found when the time is over has no gap; within a
//! block from the oldest to the newest, so that each commit reads only what it changed:
//!
//! ```text
//! HEAD ... c51      read first          its parent c50 is the base, c51 changes it, ...
//! c50 ... c1        read second         the base is empty, c1 adds to it, ...
//! ```

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use flow_plans::{FORMATS, Format};

use crate::error::{Error, Result};
use crate::files::Files;
use crate::git;
use crate::git::first_parents::{Changed, Step, steps};
use crate::git::revision::{HeadAt, Revision, TreeFile, is_repository, is_shallow, sizes};
use crate::model::change::How;
use crate::project::{Project, Source};
use crate::revision::{self, Contents, Part, Tree, git_error};
use crate::store::Snapshot;
use crate::store::activity::{Change, KEPT, KEPT_BYTES};
use crate::store::plan_changes::{self, LeftOut};

/// Commits that are listed at once.
const LISTED: usize = 500;
/// Commits of a block.
const BLOCK: usize = 50;
/// Commits that are searched for the last content of a file that can be read, before those of a block.
const MOST_BROKEN: usize = 200;
/// Blocks that are read at the same time.
const THREADS: usize = 2;
/// Largest content that is held of a block at once, in bytes, unless a single commit has more.
const HELD: u64 = 32 << 20;

/// How far back commits are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    /// Number of commits that touch the plan.
    pub(crate) commits: usize,
    /// The time after which no other block of them is begun, nor one that was begun counted.
    pub(crate) time: Duration,
}

/// What was found.
#[derive(Debug)]
pub(crate) struct FoundPast {
    /// The newest commit.
    pub(crate) head: String,
    /// Number of commits that touch the plan and were compared.
    pub(crate) commits: usize,
    /// When the oldest of them was made.
    pub(crate) since: Option<SystemTime>,
    /// Whether there are none before them.
    pub(crate) is_whole: bool,
    /// The changes, oldest first.
    pub(crate) changes: Vec<Change>,
}

/// The commit that `HEAD` was at a moment.
///
/// # Errors
/// When there is none, or git fails.
pub(crate) fn head_at(project: &Project, moment: SystemTime) -> Result<HeadAt> {
    git::revision::head_at(project.state_root(), moment).map_err(|fault| git_error(&fault))
}

/// Whether git has a commit.
pub(crate) fn has_commit(project: &Project, id: &str) -> bool {
    git::revision::has_commit(project.state_root(), id).unwrap_or(false)
}

/// Whether the repository lacks the commits before some of its own.
pub(crate) fn is_shallow_clone(project: &Project) -> bool {
    is_shallow(project.state_root()).unwrap_or(false)
}

/// Finds what the commits from `head` back changed in the plan. The newest ones up to `until` are left out, if that is given. `told` is
/// called with the number of commits that were read.
///
/// # Errors
/// When git fails.
pub(crate) fn find(
    project: &Project,
    head: &str,
    until: Option<SystemTime>,
    reach: Reach,
    told: &mut dyn FnMut(usize),
) -> Result<FoundPast> {
    let deadline = Instant::now() + reach.time;
    let root = project.state_root();
    let is_shallow = is_shallow(root).map_err(|fault| git_error(&fault))?;
    let formats = formats(project);
    let places = places(project, &formats);
    // The formats of now, also where a commit has only a part of their files.
    let names = formats.iter().map(|format| format.name().to_owned()).collect();
    let project = &project.clone().with_formats(names);
    let reading = Reading { project, formats, is_shallow, deadline };
    let mut blocks: Vec<Vec<Change>> = Vec::new();
    let mut past = FoundPast {
        head: head.to_owned(),
        commits: 0,
        since: None,
        is_whole: false,
        changes: Vec::new(),
    };
    let (mut next, mut found, mut bytes) = (Some(head.to_owned()), 0, 0);
    'listed: while let Some(start) = next.filter(|_| past.commits < reach.commits) {
        let most = LISTED.min(reach.commits - past.commits);
        let listed = steps(root, &start, most, &places).map_err(|fault| git_error(&fault))?;
        let is_last = listed.len() < most;
        next = listed.last().and_then(|step| step.parent.clone()).filter(|_| !is_last);
        // Those that were recorded when they were made.
        let is_left_out = |step: &&Step| until.is_some_and(|until| step.revision.time() >= until);
        let recorded =
            if past.commits == 0 { listed.iter().take_while(is_left_out).count() } else { 0 };
        let parts: Vec<&[Step]> = listed[recorded..].chunks(BLOCK).collect();
        for parts in parts.chunks(THREADS) {
            for (part, changes) in parts.iter().zip(reading.blocks(parts)) {
                let Some(changes) = changes? else { break 'listed };
                found += changes.len();
                bytes += changes.iter().map(|change| change.plan.bytes()).sum::<usize>();
                blocks.push(changes);
                past.commits += part.len();
                past.since = part.last().map(|step| step.revision.time());
            }
            told(past.commits);
            if found > KEPT || bytes > KEPT_BYTES {
                break 'listed;
            }
        }
        past.is_whole = next.is_none() && !is_shallow;
    }
    past.changes = blocks.into_iter().rev().flatten().collect();
    Ok(past)
}

/// Whether a project is in a repository whose commits can be read.
pub(crate) fn has_repository(project: &Project) -> bool {
    is_repository(project.state_root())
}

/// The formats that are read of the project now.
fn formats(project: &Project) -> Vec<&'static dyn Format> {
    let snapshot = Files::read(project).snapshot();
    let names = snapshot.plans.names();
    let known = FORMATS.iter().copied().filter(|format| names.contains(&format.name()));
    let checklists = project.formats().checklists.map(|checklists| checklists as &dyn Format);
    known.chain(checklists).collect()
}

/// Where their files and the project's own are; empty if that is anywhere.
fn places<'a>(project: &'a Project, formats: &[&'static dyn Format]) -> Vec<&'a str> {
    let own = [Source::Status, Source::Tasks].into_iter().flat_map(|source| project.files(source));
    let of_formats = formats.iter().flat_map(|format| format.places().iter().copied());
    let places: Vec<&str> = own.filter_map(|path| path.to_str()).chain(of_formats).collect();
    if places.iter().any(|place| place.is_empty()) { Vec::new() } else { places }
}

/// What all blocks share.
struct Reading<'a> {
    project: &'a Project,
    formats: Vec<&'static dyn Format>,
    is_shallow: bool,
    deadline: Instant,
}

impl Reading<'_> {
    /// The changes of some blocks, each read by a thread of its own.
    fn blocks(&self, blocks: &[&[Step]]) -> Vec<Result<Option<Vec<Change>>>> {
        thread::scope(|scope| {
            let started: Vec<_> =
                blocks.iter().map(|block| scope.spawn(|| self.block(block))).collect();
            let failed =
                || Err(Error::Refused("reading the commits failed unexpectedly".to_owned()));
            started.into_iter().map(|block| block.join().unwrap_or_else(|_| failed())).collect()
        })
    }

    /// What the commits of a block, given newest first, changed; `None` if there was no time for all of them.
    fn block(&self, steps: &[Step]) -> Result<Option<Vec<Change>>> {
        let mut steps: Vec<Step> = steps.iter().rev().cloned().collect();
        let mut contents = Contents::default();
        let Some(base) = self.base(&mut steps)? else { return Ok(Some(Vec::new())) };
        let mut tree = Arc::new(base.tree);
        let mut before = revision::read(self.project, &tree, &mut contents)?.snapshot();
        let broken = plan_changes::broken(&before);
        if !broken.is_empty() {
            for path in broken {
                self.restore(
                    &path,
                    base.commit.as_deref(),
                    Arc::make_mut(&mut tree),
                    &mut contents,
                )?;
            }
            before = revision::read(self.project, &tree, &mut contents)?.snapshot();
        }
        let written =
            steps.iter().flat_map(|step| step.changed.iter().filter_map(Changed::written));
        let written: Vec<TreeFile> = written.filter(|file| self.is_read(file)).cloned().collect();
        let sizes =
            sizes(self.project.state_root(), &written).map_err(|fault| git_error(&fault))?;
        let sizes: HashMap<String, u64> =
            written.into_iter().map(|file| file.blob).zip(sizes).collect();
        let mut changes = Vec::new();
        let mut rest = steps.as_slice();
        while let Some(count) = held_at_once(rest, &sizes) {
            let (now, later) = rest.split_at(count);
            rest = later;
            forget(&tree, &mut contents);
            let files =
                now.iter().flat_map(|step| step.changed.iter().filter_map(Changed::written));
            let files = files.filter(|file| sizes.contains_key(&file.blob)).cloned();
            revision::fetch(self.project, files, &mut contents)?;
            for step in now {
                if Instant::now() >= self.deadline {
                    return Ok(None);
                }
                let after = self.apply(step, &mut tree, &mut contents)?;
                let commit: Arc<str> = step.revision.id.as_str().into();
                let found = plan_changes::compare(&before, &after, &LeftOut::default());
                changes.extend(found.changes.into_iter().map(|plan| Change {
                    at: step.revision.time(),
                    how: How::Git,
                    commit: Some(Arc::clone(&commit)),
                    plan,
                }));
                before = after;
            }
        }
        Ok(Some(changes))
    }

    /// The files before the oldest commit. Where its parent is not known, it is the base itself.
    fn base(&self, steps: &mut Vec<Step>) -> Result<Option<Base>> {
        let Some(oldest) = steps.first() else { return Ok(None) };
        let root = self.project.state_root();
        let revision = match &oldest.parent {
            Some(id) => Revision { id: id.clone(), seconds: oldest.revision.seconds },
            None if self.is_shallow => steps.remove(0).revision,
            None => {
                let tree = Tree::empty(root, oldest.revision.time());
                return Ok(Some(Base { tree, commit: None }));
            }
        };
        let tree = Tree::read(self.project, &revision, Part::Plan)?;
        Ok(Some(Base { tree, commit: Some(revision.id) }))
    }

    /// Puts the last content of a file that can be read, up to a commit, in place of one that cannot; removes the file if there is none.
    fn restore(
        &self,
        path: &str,
        commit: Option<&str>,
        tree: &mut Tree,
        contents: &mut Contents,
    ) -> Result<()> {
        tree.remove(path);
        let Some(commit) = commit else { return Ok(()) };
        let root = self.project.state_root();
        let earlier =
            steps(root, commit, MOST_BROKEN, &[path]).map_err(|fault| git_error(&fault))?;
        let written = earlier.iter().flat_map(|step| step.changed.iter().map(Changed::written));
        // Where the file was not there, it had no content.
        for file in written.map_while(|file| file) {
            let mut alone = Tree::empty(root, SystemTime::UNIX_EPOCH);
            alone.add(file.clone());
            let read = revision::read(self.project, &Arc::new(alone), contents)?.snapshot();
            if plan_changes::broken(&read).is_empty() {
                tree.add(file.clone());
                break;
            }
        }
        Ok(())
    }

    /// Whether a file may be one of the plan.
    fn is_read(&self, file: &TreeFile) -> bool {
        let is_own = |source: Source| {
            self.project.files(source).iter().any(|path| path.to_str() == Some(&file.path))
        };
        is_own(Source::Status)
            || is_own(Source::Tasks)
            || self.formats.iter().any(|format| format.owns(&file.path))
    }

    /// Changes the tree as a commit did, and reads it. Of a file that cannot be read as it is in the commit, the last content
    /// that could be stays, as while a server runs.
    fn apply(
        &self,
        step: &Step,
        tree: &mut Arc<Tree>,
        contents: &mut Contents,
    ) -> Result<Arc<Snapshot>> {
        let next = Arc::make_mut(tree);
        next.set_time(step.revision.time());
        let mut replaced: HashMap<&str, TreeFile> = HashMap::new();
        for changed in &step.changed {
            let former = next.remove(changed.path());
            replaced.extend(former.map(|file| (changed.path(), file)));
            if let Some(file) = changed.written() {
                next.add(file.clone());
            }
        }
        let after = revision::read(self.project, tree, contents)?.snapshot();
        let broken = plan_changes::broken(&after);
        if broken.is_empty() {
            return Ok(after);
        }
        let next = Arc::make_mut(tree);
        for path in &broken {
            next.remove(path);
            if let Some(file) = replaced.remove(path.as_str()) {
                next.add(file);
            }
        }
        Ok(revision::read(self.project, tree, contents)?.snapshot())
    }
}

/// The files before the commits of a block.
struct Base {
    tree: Tree,
    /// The commit that has them.
    commit: Option<String>,
}

/// Forgets the contents that the tree no longer has.
fn forget(tree: &Tree, contents: &mut Contents) {
    let used: HashSet<&str> = tree.blobs().collect();
    Arc::make_mut(contents).retain(|blob, _| used.contains(blob.as_str()));
}

/// The number of the next commits whose contents are held at once; `None` if there are no more commits.
fn held_at_once(steps: &[Step], sizes: &HashMap<String, u64>) -> Option<usize> {
    let size = |step: &Step| -> u64 {
        let written = step.changed.iter().filter_map(Changed::written);
        written.filter_map(|file| sizes.get(&file.blob)).sum()
    };
    let mut total = 0;
    let fits = |step: &&Step| {
        total += size(step);
        total <= HELD
    };
    let count = steps.iter().take_while(fits).count();
    (!steps.is_empty()).then_some(count.max(1))
}
