//! Counts over a snapshot, from its indexes. No record is read.

use std::cmp::Reverse;

use indexmap::IndexMap;
use serde::Serialize;

use crate::model::bus;
use crate::model::record::{STORY_STATUSES, TASK_STATES};

use super::records::Records;
use super::snapshot::{Bus, Snapshot, completed};
use super::terms::Terms;

/// Largest number of values that a count names, besides those that it always names: the most frequent ones.
pub const MOST_NAMED: usize = 1_000;

/// Number of records per value. Values are not copied, and the hash is that of the indexes.
pub type Tally<'a> = IndexMap<&'a str, usize, foldhash::fast::RandomState>;

/// `/api/metrics` without its time. A member `…_others` is the number of records whose values the count beside it does
/// not name.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the names of the contract")]
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
#[allow(missing_docs, reason = "the names of the contract")]
pub struct StoryCounts<'a> {
    pub total: usize,
    pub completed: usize,
    pub by_status: Tally<'a>,
    #[serde(skip_serializing_if = "is_none")]
    pub by_status_others: usize,
    pub by_owner: Tally<'a>,
    #[serde(skip_serializing_if = "is_none")]
    pub by_owner_others: usize,
}

#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the names of the contract")]
pub struct TaskCounts<'a> {
    pub total: usize,
    pub by_state: Tally<'a>,
    #[serde(skip_serializing_if = "is_none")]
    pub by_state_others: usize,
    pub by_agent: Tally<'a>,
    #[serde(skip_serializing_if = "is_none")]
    pub by_agent_others: usize,
}

#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the names of the contract")]
pub struct EpicCounts<'a> {
    pub total: usize,
    pub by_status: Tally<'a>,
    #[serde(skip_serializing_if = "is_none")]
    pub by_status_others: usize,
}

#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the names of the contract")]
pub struct SessionCounts {
    pub total: usize,
    pub active: usize,
}

#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the names of the contract")]
pub struct BusCounts<'a> {
    pub total: usize,
    pub by_type: Tally<'a>,
    #[serde(skip_serializing_if = "is_none")]
    pub by_type_others: usize,
    pub by_sender: Tally<'a>,
    #[serde(skip_serializing_if = "is_none")]
    pub by_sender_others: usize,
    pub first_at: Option<String>,
    pub last_at: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
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
        epics: epics(&snapshot.status.epics),
        sessions: SessionCounts {
            total: snapshot.sessions.records.len(),
            active: active_sessions(&snapshot.sessions.records),
        },
        bus: bus_counts(&snapshot.bus),
    }
}

fn stories(stories: &Records) -> StoryCounts<'_> {
    let (by_status, by_status_others) = tally(&STORY_STATUSES, stories.terms("status"));
    let (by_owner, by_owner_others) = tally(&[], stories.terms("owner"));
    StoryCounts {
        total: stories.len(),
        completed: completed(stories),
        by_status,
        by_status_others,
        by_owner,
        by_owner_others,
    }
}

fn epics(epics: &Records) -> EpicCounts<'_> {
    let (by_status, by_status_others) = tally(&[], epics.terms("status"));
    EpicCounts { total: epics.len(), by_status, by_status_others }
}

/// Counts tasks, for `/api/tasks` as well.
pub fn tasks(tasks: &Records) -> TaskCounts<'_> {
    let (by_state, by_state_others) = tally(&TASK_STATES, tasks.terms("state"));
    let (by_agent, by_agent_others) = tally(&[], tasks.terms("subagent_type"));
    TaskCounts { total: tasks.len(), by_state, by_state_others, by_agent, by_agent_others }
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
    let (by_type, by_type_others) = tally(&[], terms("type"));
    let (by_sender, by_sender_others) = tally(&[], terms("from"));
    BusCounts {
        total: bus.log.len(),
        by_type,
        by_type_others,
        by_sender,
        by_sender_others,
        first_at,
        last_at,
    }
}

/// The count of each value, beginning with those in `always`, and the number of records whose values are not named: all
/// but the most frequent ones, of equally frequent ones the first in the file. Other values that no record has are
/// omitted.
fn tally<'a>(
    always: &[&'static str],
    terms: impl IntoIterator<Item = &'a Terms>,
) -> (Tally<'a>, usize) {
    let mut counts: Tally<'a> = always.iter().map(|name| (*name, 0)).collect();
    let mut others = 0;
    for terms in terms {
        others += terms.rest().len();
        for (value, count) in terms.counts().filter(|(_, count)| *count > 0) {
            *counts.entry(value).or_default() += count;
        }
    }
    others += omit_rare(&mut counts, always.len());
    (counts, others)
}

/// Omits all but the most frequent values after the first `always`, and returns how many records have them.
fn omit_rare(counts: &mut Tally<'_>, always: usize) -> usize {
    if counts.len() - always <= MOST_NAMED {
        return 0;
    }
    let mut by_count: Vec<(usize, usize)> =
        counts.values().copied().enumerate().skip(always).collect();
    by_count.sort_by_key(|(_, count)| Reverse(*count));
    let mut is_named = vec![true; counts.len()];
    let mut omitted = 0;
    for (at, count) in by_count.into_iter().skip(MOST_NAMED) {
        is_named[at] = false;
        omitted += count;
    }
    let mut is_named = is_named.into_iter();
    counts.retain(|_, _| is_named.next().unwrap_or_default());
    omitted
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
