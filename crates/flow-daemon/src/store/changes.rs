//! Compares a new snapshot with an earlier one and records the changes in its history.

use std::sync::Arc;
use std::time::SystemTime;

use crate::model::change::What;
use crate::project::Source;

use super::activity::{Change, Past};
use super::collection::Collection;
use super::plan_change::{NotCompared, PlanChange};
use super::plan_changes::{self, LeftOut};
use super::session_changes::between_sessions;
use super::snapshot::{Snapshot, State};

/// Records in the history of `next`, which already has its own generation, which parts differ from `before`.
pub(super) fn note(before: &Snapshot, next: &mut Snapshot, now: SystemTime) {
    let generation = next.generation;
    for source in Source::ALL {
        let at = source.index();
        if next.stamp(source) != before.stamp(source) {
            next.history.content[at] = generation;
        }
        if next.health[at] != before.health[at] {
            next.history.health[at] = generation;
        }
        let state = next.health[at].state;
        if state.is_degraded() && state != before.health[at].state {
            next.history.reload_errors[at] += 1;
        }
        let since = &mut next.history.degraded_since[at];
        *since = state.is_degraded().then(|| since.unwrap_or(now));
    }
    let states = |snapshot: &Snapshot| -> Vec<(State, Option<String>)> {
        let healths = snapshot.plans.formats.iter().map(|format| &format.health);
        healths.map(|health| (health.state, health.last_error.clone())).collect()
    };
    if states(next) != states(before) {
        next.history.plans = generation;
    }
    if next.history.ended != before.history.ended {
        next.history.locks = generation;
    }
    if next.history.started.is_none() {
        // The content of the first load is not a change.
        next.history.started = Some(now);
        next.history.unread = Source::ALL.map(|source| is_unread(next, source));
        return;
    }
    for source in Source::ALL {
        next.history.unread[source.index()] &= is_unread(next, source);
    }
}

/// Puts changes of the past before the recorded ones of `next`. They raise no alarm.
pub(super) fn put_past(next: &mut Snapshot, past: &Past) {
    next.history.noted = next.generation;
    Arc::make_mut(&mut next.history.activity).put_past(past);
}

/// Adds changes to the history of `next`. Returns them.
pub(super) fn record(next: &mut Snapshot, changes: Vec<Change>) -> Vec<Arc<Change>> {
    let Some(first) = changes.first() else { return Vec::new() };
    next.history.noted = next.generation;
    next.history.alarms.forget(first.at);
    let recorded: Vec<Arc<Change>> = changes.into_iter().map(Arc::new).collect();
    let activity = Arc::make_mut(&mut next.history.activity);
    for change in &recorded {
        activity.push(Arc::clone(change));
    }
    next.history.alarms.note(&recorded);
    recorded
}

/// The changes of records since `before`, an earlier snapshot, in the order in which they are recorded.
pub(super) fn since(before: &Snapshot, next: &Snapshot) -> Vec<PlanChange> {
    if before.history.started.is_none() {
        // The content of the first load is not a change.
        return Vec::new();
    }
    let is_same = |source| next.stamp(source) == before.stamp(source);
    // The first valid content of a file that was invalid at the start is not a change. Records of a file that appeared
    // later are new, even if its writer created it empty.
    let is_unread = |source: &Source| {
        let at = source.index();
        before.history.unread[at] || next.history.unread[at] || is_elsewhere(before, next, at)
    };
    let mut changes = Vec::new();
    let is_other_plan = !is_same(Source::Status) || !is_same(Source::Tasks);
    if is_other_plan && !before.plans.is_incomplete {
        let sources = Source::ALL.into_iter().filter(is_unread).collect();
        let left_out = LeftOut { sources, files: plan_changes::of_one_side(before, next) };
        let found = plan_changes::compare(before, next, &left_out);
        changes.extend(found.changes);
        changes.extend(found.not_compared.into_iter().filter_map(not_compared));
    }
    if !is_same(Source::Sessions) && !is_unread(&Source::Sessions) {
        let records = [before, next].map(|snapshot| snapshot.records(Collection::Sessions));
        changes.extend(between_sessions(records[0], records[1]));
    }
    let order = |change: &PlanChange| ORDER.iter().position(|one| *one == change.collection);
    changes.sort_by_key(order);
    changes
}

/// The changes of the plan in the own files of some sources.
pub(super) fn of_sources(
    before: &Snapshot,
    next: &Snapshot,
    sources: &[Source],
) -> Vec<PlanChange> {
    let others = Source::ALL.into_iter().filter(|source| !sources.contains(source)).collect();
    let paths = [before, next].into_iter().flat_map(|snapshot| snapshot.plans.paths.iter());
    let files = paths.map(|path| path.as_ref().to_owned()).collect();
    plan_changes::compare(before, next, &LeftOut { sources: others, files }).changes
}

/// Whether a source is another file than in an earlier run, since the settings changed.
fn is_elsewhere(before: &Snapshot, next: &Snapshot, at: usize) -> bool {
    let is_other_run = before.history.instance != next.history.instance;
    is_other_run && before.health[at].path != next.health[at].path
}

/// The collections in the order in which their changes are recorded.
const ORDER: [Collection; 4] =
    [Collection::Epics, Collection::Stories, Collection::Sessions, Collection::Tasks];

/// A collection of which too many records differ, as a change of its own.
fn not_compared(one: NotCompared) -> Option<PlanChange> {
    let collection = Collection::of(&one.file)?;
    let title = Some(one.reason);
    Some(PlanChange { title, ..PlanChange::new(collection, What::NotCompared, "") })
}

/// Whether a file exists whose content was never loaded.
fn is_unread(snapshot: &Snapshot, source: Source) -> bool {
    let health = &snapshot.health[source.index()];
    health.loaded_at.is_none() && health.state != State::Missing
}
