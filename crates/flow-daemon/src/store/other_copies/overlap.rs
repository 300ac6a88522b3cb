//! What two worktrees took, each by itself: a story or task that both began or completed, or tasks in progress that name the same
//! file. What both have from a common commit is none.
//!
//! ```text
//! common commit   US-10 ready         a   US-10 in-progress    b   US-10 done     told
//! common commit   US-10 in-progress   a   US-10 in-progress    b   US-10 done     not told
//! ```

use std::time::SystemTime;

use indexmap::IndexMap;

use super::super::collection::Collection;
use super::super::snapshot::{Snapshot, State};
use super::super::worktrees::Overlap;
use super::bases::Bases;
use super::taken::{Taken, Work, is_untaken};
use crate::project::Source;

/// Most overlaps that are told.
const MOST: usize = 1_000;

/// A worktree, as far as it is compared with others.
pub(super) struct Side<'a> {
    /// What people call it.
    pub(super) called: String,
    /// The full id of its commit.
    pub(super) commit: &'a str,
    /// What was taken in it.
    pub(super) taken: &'a [Taken],
    /// When it was written last.
    pub(super) modified: Option<SystemTime>,
}

/// What a worktree took.
#[derive(Clone, Copy)]
struct Claim<'a> {
    side: &'a Side<'a>,
    taken: &'a Taken,
}

/// What several of these worktrees took. The first two that have something in common are found by the ids and files; only
/// then are their commits compared.
pub(super) fn overlaps(sides: &[Side<'_>], bases: &mut Bases) -> Vec<Overlap> {
    let mut records: IndexMap<(Collection, &str), Vec<Claim<'_>>> = IndexMap::new();
    let mut files: IndexMap<&str, Vec<Claim<'_>>> = IndexMap::new();
    for side in sides {
        for taken in side.taken {
            let claim = Claim { side, taken };
            if !taken.is_new {
                records.entry((taken.collection, &taken.id)).or_default().push(claim);
            }
            if taken.collection == Collection::Tasks && taken.work == Work::Begun {
                for file in &taken.files {
                    files.entry(file).or_default().push(claim);
                }
            }
        }
    }
    let mut found = Vec::new();
    for claims in records.into_values() {
        found.extend(of_record(&independent(&claims, bases, is_same_record)));
    }
    for (file, claims) in files {
        found.extend(of_file(file, &independent(&claims, bases, |one, other| one.id != other.id)));
    }
    found.truncate(MOST);
    found
}

fn is_same_record(one: &Taken, other: &Taken) -> bool {
    one.title == other.title
}

/// The claims that agree with one of another worktree, where neither is from what both worktrees have in common.
fn independent<'a>(
    claims: &[Claim<'a>],
    bases: &mut Bases,
    agree: impl Fn(&Taken, &Taken) -> bool,
) -> Vec<Claim<'a>> {
    let mut is_told = vec![false; claims.len()];
    for (at, one) in claims.iter().enumerate() {
        for (offset, other) in claims[at + 1..].iter().enumerate() {
            let is_other_side = !std::ptr::eq(one.side, other.side);
            if !is_other_side || !agree(one.taken, other.taken) {
                continue;
            }
            let Some(base) = bases.of(one.side.commit, other.side.commit) else { continue };
            if is_new_since(&base, one.taken) && is_new_since(&base, other.taken) {
                (is_told[at], is_told[at + 1 + offset]) = (true, true);
            }
        }
    }
    claims.iter().zip(is_told).filter(|(_, is_told)| *is_told).map(|(claim, _)| *claim).collect()
}

/// Whether a record was taken after a commit. One that the commit does not have was, if git has the file of tasks at all.
fn is_new_since(base: &Snapshot, taken: &Taken) -> bool {
    if base.records(taken.collection).position(&taken.id).is_some() {
        return is_untaken(base, taken, false);
    }
    let has_tasks = base.health[Source::Tasks.index()].state == State::Present
        || base.plans.formats.iter().any(|format| format.files > 0);
    taken.is_new && has_tasks
}

fn of_record(claims: &[Claim<'_>]) -> Option<Overlap> {
    let Taken { collection, id, title, .. } = claims.first()?.taken;
    let with = |work: Work| {
        let names = claims.iter().filter(|claim| claim.taken.work == work);
        names.map(|claim| claim.side.called.as_str()).collect::<Vec<_>>().join(", ")
    };
    let reason = match (with(Work::Completed), with(Work::Begun)) {
        (done, begun) if begun.is_empty() => format!("completed in {done}, and open here"),
        (done, begun) if done.is_empty() => format!("in progress in {begun}"),
        (done, begun) => format!("completed in {done}, in progress in {begun}, and open here"),
    };
    let ids = vec![id.clone()];
    Some(overlap(claims, *collection, ids, title.clone(), None, reason))
}

fn of_file(file: &str, claims: &[Claim<'_>]) -> Option<Overlap> {
    let Taken { collection, title, .. } = claims.first()?.taken;
    let mut ids: Vec<String> = claims.iter().map(|claim| claim.taken.id.clone()).collect();
    ids.sort();
    ids.dedup();
    let tasks = claims.iter().map(|claim| format!("{} in {}", claim.taken.id, claim.side.called));
    let tasks = tasks.collect::<Vec<_>>().join(", ");
    let reason = format!("tasks in progress name {file}: {tasks}");
    Some(overlap(claims, *collection, ids, title.clone(), Some(file.to_owned()), reason))
}

fn overlap(
    claims: &[Claim<'_>],
    collection: Collection,
    ids: Vec<String>,
    title: Option<String>,
    file: Option<String>,
    reason: String,
) -> Overlap {
    let mut worktrees: Vec<String> = claims.iter().map(|claim| claim.side.called.clone()).collect();
    worktrees.sort();
    worktrees.dedup();
    let since = claims.iter().filter_map(|claim| claim.side.modified).max();
    Overlap { collection, ids, title, file, worktrees, reason, since }
}
