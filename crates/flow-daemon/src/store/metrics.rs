//! Counts over a snapshot, from its indexes. No record is read.

use indexmap::IndexMap;
use serde::Serialize;

use crate::model::bus;
use crate::model::record::{STORY_STATUSES, TASK_STATES};

use super::records::Records;
use super::snapshot::{Bus, Snapshot, completed};
use super::terms::Terms;

/// Number of records per value; the numbers add up to that of all records. A log may have as many values as messages,
/// so values are not copied and the hash is that of the indexes.
pub type Tally<'a> = IndexMap<&'a str, usize, foldhash::fast::RandomState>;

/// `/api/metrics` without its time.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the contract's own names")]
pub struct Metrics<'a> {
    pub stories_total: usize,
    pub stories_completed: usize,
    pub completion_percent: f64,
    pub stories: StoryCounts<'a>,
    pub tasks: TaskCounts<'a>,
    pub epics: EpicCounts<'a>,
    pub sessions: SessionCounts,
    pub bus: BusCounts<'a>,
}

#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the contract's own names")]
pub struct StoryCounts<'a> {
    pub total: usize,
    pub completed: usize,
    pub by_status: Tally<'a>,
    pub by_owner: Tally<'a>,
}

#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the contract's own names")]
pub struct TaskCounts<'a> {
    pub total: usize,
    pub by_state: Tally<'a>,
    pub by_agent: Tally<'a>,
}

#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the contract's own names")]
pub struct EpicCounts<'a> {
    pub total: usize,
    pub by_status: Tally<'a>,
}

#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the contract's own names")]
pub struct SessionCounts {
    pub total: usize,
    pub active: usize,
}

#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the contract's own names")]
pub struct BusCounts<'a> {
    pub total: usize,
    pub by_type: Tally<'a>,
    pub by_sender: Tally<'a>,
    pub first_at: Option<String>,
    pub last_at: Option<String>,
}

/// Computes all counts.
pub fn metrics(snapshot: &Snapshot) -> Metrics<'_> {
    let stories = stories(&snapshot.status.stories);
    Metrics {
        stories_total: stories.total,
        stories_completed: stories.completed,
        completion_percent: percent(stories.completed, stories.total),
        stories,
        tasks: tasks(&snapshot.tasks.records),
        epics: EpicCounts {
            total: snapshot.status.epics.len(),
            by_status: tally(&[], snapshot.status.epics.terms("status")),
        },
        sessions: SessionCounts {
            total: snapshot.sessions.records.len(),
            active: active_sessions(&snapshot.sessions.records),
        },
        bus: bus_counts(&snapshot.bus),
    }
}

fn stories(stories: &Records) -> StoryCounts<'_> {
    StoryCounts {
        total: stories.len(),
        completed: completed(stories),
        by_status: tally(&STORY_STATUSES, stories.terms("status")),
        by_owner: tally(&[], stories.terms("owner")),
    }
}

/// Counts tasks, for `/api/tasks` as well.
pub fn tasks(tasks: &Records) -> TaskCounts<'_> {
    TaskCounts {
        total: tasks.len(),
        by_state: tally(&TASK_STATES, tasks.terms("state")),
        by_agent: tally(&[], tasks.terms("subagent_type")),
    }
}

/// Number of sessions that have not ended.
pub fn active_sessions(sessions: &Records) -> usize {
    sessions
        .terms("active")
        .and_then(|terms| terms.get("true"))
        .map_or(0, super::postings::Postings::len)
}

fn bus_counts(bus: &Bus) -> BusCounts<'_> {
    let terms = |field: &str| {
        let at = bus::FIELDS.iter().position(|known| *known == field);
        bus.log.chunks().filter_map(move |chunk| chunk.terms().get(at?))
    };
    let ends =
        bus.log.ends().map(|ends| ends.map(|(chunk, at)| bus::written_time(chunk.message(at).0)));
    let [first_at, last_at] = ends.unwrap_or_default();
    BusCounts {
        total: bus.log.len(),
        by_type: tally(&[], terms("type")),
        by_sender: tally(&[], terms("from")),
        first_at,
        last_at,
    }
}

/// The count of each value, beginning with those in `always`; other values that no record has are omitted.
fn tally<'a>(always: &[&'static str], terms: impl IntoIterator<Item = &'a Terms>) -> Tally<'a> {
    let mut counts: Tally<'a> = always.iter().map(|name| (*name, 0)).collect();
    for (value, count) in terms.into_iter().flat_map(Terms::counts).filter(|(_, count)| *count > 0)
    {
        *counts.entry(value).or_default() += count;
    }
    counts
}

/// A share in percent with one decimal; 0 if `whole` is 0.
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    let tenths = (part * 2000 + whole) / (2 * whole);
    // Tenths are at most 1000, so no precision is lost.
    f64::from(u32::try_from(tenths).unwrap_or(1000)) / 10.0
}
