//! Compares a new snapshot with the one before it and records the changes in its history.

use std::sync::Arc;
use std::time::SystemTime;

use crate::project::Source;

use super::activity::Collection;
use super::snapshot::{Snapshot, State};

/// Records in the history of `next`, which already has its own generation, the differences from `before`.
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
    let mut activity = Arc::clone(&next.history.activity);
    for collection in RECORDED {
        let source = collection.source();
        let is_same = next.stamp(source) == before.stamp(source);
        // The first valid content of a file that was invalid at the start is no change. Records of a file that appeared
        // later are new, even if its writer created it empty.
        if is_same || before.history.unread[source.index()] || before.plans.is_incomplete {
            continue;
        }
        let (old, new) = (before.records(collection), next.records(collection));
        let former_id = |id: &str| next.plans.former_id(collection, id);
        let is_archived = |id: &str| next.plans.is_retired(collection, id);
        let kept = Arc::make_mut(&mut activity);
        let noted = kept.note(collection, old, new, former_id, is_archived, now);
        if noted {
            next.history.noted = generation;
        }
    }
    next.history.activity = activity;
}

/// The collections in the order in which their changes are recorded.
const RECORDED: [Collection; 4] =
    [Collection::Epics, Collection::Stories, Collection::Sessions, Collection::Tasks];

/// Whether a file exists whose content was never loaded.
fn is_unread(snapshot: &Snapshot, source: Source) -> bool {
    let health = &snapshot.health[source.index()];
    health.loaded_at.is_none() && health.state != State::Missing
}
