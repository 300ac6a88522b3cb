//! What needs attention: failed and blocked work, open questions, sessions that are silent or have ended, what was taken back
//! from the plan, what two worktrees took each by itself, files that cannot be read, and cycles.

use std::time::{Duration, SystemTime};

use indexmap::IndexMap;
use xxhash_rust::xxh3::Xxh3;

use crate::model::time;
use crate::project::Source;
use crate::store::Snapshot;
use crate::store::alarms::{Alarm, KEPT_FOR};
use crate::store::collection::Collection;
use crate::store::plan_change::PlanChange;
use crate::store::plan_changes::open_parts;
use crate::store::plan_rows::Label;
use crate::store::worktrees::Overlap;

use super::conversation::{Conversation, Message};
use super::excerpt;
use super::item::{Details, Item, Kind, LISTED, PlanDetails, key};
use super::records;
use super::sessions::ActiveSession;

/// Number of records that an item names.
const NAMED: usize = 3;
/// Number of ids of a cycle in its title.
const IN_TITLE: usize = 20;

/// The items that need attention at one moment.
#[derive(Debug)]
pub struct Attention {
    /// At most [`LISTED`] of each kind.
    pub items: Vec<Item>,
    /// Number of items of each kind, in the order of [`Kind::ALL`].
    pub counts: IndexMap<&'static str, usize>,
}

/// The part that does not depend on the time, computed once per snapshot.
#[derive(Debug)]
struct Lasting {
    /// Items of each kind in the order of [`Kind::ALL`], at most [`LISTED`], and the number of all.
    items: [(Vec<Item>, usize); 12],
    /// The active sessions whose process is not known to have ended.
    sessions: Vec<ActiveSession>,
}

impl Attention {
    /// The items at a moment; an active session counts as silent after `silent_after` without activity.
    pub fn at(snapshot: &Snapshot, now: SystemTime, silent_after: Duration) -> Self {
        let lasting = snapshot.memo.get_or_compute(|| Lasting::of(snapshot));
        let mut counts: IndexMap<&'static str, usize> = IndexMap::from([("total", 0)]);
        let mut items = Vec::new();
        for kind in Kind::ALL {
            let (mut of_kind, count) = match kind {
                Kind::SessionSilent => listed(silent(&lasting.sessions, now, silent_after)),
                Kind::PlanWeakened | Kind::PlanContradiction | Kind::Reopened => {
                    listed(taken_back(snapshot, now, kind))
                }
                _ => lasting.items[kind as usize].clone(),
            };
            // Times of one form sort as text; those that are not known come last.
            of_kind.sort_by(|a, b| b.since.cmp(&a.since));
            counts.insert(kind.name(), count);
            items.extend(of_kind);
        }
        let total = counts.values().sum();
        counts.insert("total", total);
        Self { items, counts }
    }
}

/// The first [`LISTED`] items, and the number of all.
fn listed(items: impl Iterator<Item = Item>) -> (Vec<Item>, usize) {
    let mut kept = Vec::new();
    let mut count = 0;
    for item in items {
        count += 1;
        if kept.len() < LISTED {
            kept.push(item);
        }
    }
    (kept, count)
}

impl Lasting {
    fn of(snapshot: &Snapshot) -> Self {
        let conversation = Conversation::of(snapshot);
        let mut items: [(Vec<Item>, usize); 12] = Default::default();
        items[Kind::TaskFailed as usize] = records::failed_tasks(snapshot);
        items[Kind::TaskBlocked as usize] = records::blocked_tasks(snapshot);
        items[Kind::StoryBlocked as usize] = records::blocked_stories(snapshot, &conversation);
        items[Kind::QuestionUnanswered as usize] = listed(conversation.open.iter().map(unanswered));
        items[Kind::SourceDegraded as usize] =
            listed(degraded(snapshot).chain(degraded_formats(snapshot)));
        items[Kind::Overlap as usize] = listed(snapshot.worktrees.overlaps.iter().map(overlap));
        items[Kind::DependencyCycle as usize] = listed(cycles(snapshot).into_iter());
        let (gone, sessions) = gone(snapshot);
        items[Kind::SessionGone as usize] = listed(gone.into_iter());
        Self { items, sessions }
    }
}

fn overlap(overlap: &Overlap) -> Item {
    let collection = overlap.collection.name();
    Item {
        kind: Kind::Overlap,
        label: Kind::Overlap.label(),
        key: key(Kind::Overlap, collection, overlap.subject()),
        id: overlap.ids.first().cloned(),
        title: overlap.title.as_deref().and_then(excerpt),
        reason: overlap.reason.clone(),
        since: overlap.since.map(time::format),
        source: overlap.collection.source().name(),
        agent: None,
        details: Details::Overlap {
            collection,
            ids: overlap.ids.clone(),
            file: overlap.file.clone(),
            worktrees: overlap.worktrees.clone(),
        },
    }
}

fn unanswered(question: &Message) -> Item {
    let asker = question.from.clone().unwrap_or_default();
    let receiver = question.to.as_deref().unwrap_or("nobody");
    let has = if question.to.is_some() { "has not" } else { "has" };
    Item {
        kind: Kind::QuestionUnanswered,
        label: Kind::QuestionUnanswered.label(),
        key: of_question(question),
        id: None,
        title: question.text.clone(),
        reason: format!("{receiver} {has} answered {asker}"),
        since: question.at.and_then(time::format_nanoseconds),
        source: Source::Bus.name(),
        agent: question.from.clone(),
        details: Details::Question {
            from: question.from.clone(),
            to: question.to.clone(),
            story_id: question.story.clone(),
        },
    }
}

/// A message has no id that every writer gives.
fn of_question(question: &Message) -> String {
    let mut hash = Xxh3::new();
    for part in [&question.from, &question.to, &question.story, &question.text] {
        hash.update(part.as_deref().unwrap_or_default().as_bytes());
        hash.update(&[0]);
    }
    hash.update(&question.at.unwrap_or_default().to_le_bytes());
    key(Kind::QuestionUnanswered, Source::Bus.name(), &format!("{:016x}", hash.digest()))
}

fn session_item(kind: Kind, session: &ActiveSession, reason: String, details: Details) -> Item {
    Item {
        kind,
        label: kind.label(),
        key: key(kind, Source::Sessions.name(), &session.id),
        id: Some(session.id.clone()),
        title: session.title.clone(),
        reason,
        since: session.seen_at.and_then(time::format_nanoseconds),
        source: Source::Sessions.name(),
        agent: Some(session.agent.clone()),
        details,
    }
}

/// The sessions whose process has ended, and the other active ones.
fn gone(snapshot: &Snapshot) -> (Vec<Item>, Vec<ActiveSession>) {
    let (mut gone, mut others) = (Vec::new(), Vec::new());
    for session in ActiveSession::all(snapshot) {
        let ended = &snapshot.history.ended;
        match ended.iter().find(|ended| *ended.session == *session.id) {
            None => others.push(session),
            Some(process) => {
                let pid = process.pid;
                let reason = format!("recorded as active, but its process {pid} has ended");
                let details = Details::Gone { story_id: session.story.clone(), pid };
                gone.push(session_item(Kind::SessionGone, &session, reason, details));
            }
        }
    }
    (gone, others)
}

fn silent(
    sessions: &[ActiveSession],
    now: SystemTime,
    after: Duration,
) -> impl Iterator<Item = Item> {
    let after = i64::try_from(after.as_nanos()).unwrap_or(i64::MAX);
    // Before 1970 for a long time without activity.
    let before = time::of_system(now).saturating_sub(after);
    let is_silent = move |session: &&ActiveSession| session.seen_at.is_some_and(|at| at < before);
    sessions.iter().filter(is_silent).map(|session| {
        let details = Details::OfStory { story_id: session.story.clone() };
        let reason = "active, but no sign of activity".to_owned();
        session_item(Kind::SessionSilent, session, reason, details)
    })
}

/// What was taken back from the plan, by the kind of its items.
fn taken_back(snapshot: &Snapshot, now: SystemTime, kind: Kind) -> impl Iterator<Item = Item> {
    let is_listed = move |alarm: &&Alarm| {
        let is_recent = now.duration_since(alarm.at).map_or(true, |age| age <= KEPT_FOR);
        is_recent
            && kind_of(alarm.label) == kind
            && (kind != Kind::PlanContradiction || holds(snapshot, alarm))
    };
    snapshot.history.alarms.all().filter(is_listed).filter_map(move |alarm| {
        let first = alarm.changes.first()?;
        let mut ids: Vec<String> = Vec::new();
        for change in &alarm.changes {
            if ids.len() < NAMED && !ids.contains(&change.id) {
                ids.push(change.id.clone());
            }
        }
        let title = if ids.len() > 1 { Some(alarm.subject.clone()) } else { first.title.clone() };
        Some(Item {
            kind,
            label: if alarm.label == Label::Removed { "removed" } else { kind.label() },
            key: format!("{}:{:016x}", kind.name(), alarm.key),
            id: Some(first.id.clone()),
            title: title.as_deref().and_then(excerpt),
            reason: alarm.sentence.clone(),
            since: Some(time::format(alarm.at)),
            source: first.collection.source().name(),
            agent: first.owner.clone(),
            details: Details::Plan(PlanDetails {
                collection: first.collection.name(),
                change: first.what.name(),
                field: first.member.unwrap_or_else(|| first.collection.status_field()),
                from: first.before.clone(),
                to: first.after.clone(),
                count: alarm.count,
                ids,
                file: first.place.as_ref().map(|place| place.file.clone()),
                line: first.place.as_ref().and_then(|place| place.line),
                how: alarm.how.name(),
            }),
        })
    })
}

fn kind_of(label: Label) -> Kind {
    match label {
        Label::Reopened => Kind::Reopened,
        Label::Contradiction => Kind::PlanContradiction,
        _ => Kind::PlanWeakened,
    }
}

/// Whether one of the records is still marked as completed and has open parts.
fn holds(snapshot: &Snapshot, alarm: &Alarm) -> bool {
    let is_open =
        |change: &PlanChange| !open_parts(snapshot, change.collection, &change.id).is_empty();
    alarm.changes.iter().any(is_open)
}

/// The formats of which a file is not served as it is.
fn degraded_formats(snapshot: &Snapshot) -> impl Iterator<Item = Item> {
    let degraded = snapshot.plans.formats.iter().filter(|format| format.health.state.is_degraded());
    degraded.map(|format| Item {
        kind: Kind::SourceDegraded,
        label: Kind::SourceDegraded.label(),
        key: key(Kind::SourceDegraded, "plans", format.name),
        id: Some(format.name.to_owned()),
        title: Some(format.health.path.clone()),
        reason: format.health.last_error.clone().unwrap_or_default(),
        since: None,
        source: format.name,
        agent: None,
        details: Details::Degraded { state: format.health.state.name() },
    })
}

fn degraded(snapshot: &Snapshot) -> impl Iterator<Item = Item> {
    let all = Source::ALL.into_iter().map(|source| (source, &snapshot.health[source.index()]));
    all.filter(|(_, health)| health.state.is_degraded()).map(|(source, health)| Item {
        kind: Kind::SourceDegraded,
        label: Kind::SourceDegraded.label(),
        key: key(Kind::SourceDegraded, "files", source.name()),
        id: Some(source.name().to_owned()),
        title: Some(health.path.clone()),
        reason: health.last_error.clone().unwrap_or_else(|| health.state.name().to_owned()),
        since: snapshot.history.degraded_since[source.index()].map(time::format),
        source: source.name(),
        agent: None,
        details: Details::Degraded { state: health.state.name() },
    })
}

fn cycles(snapshot: &Snapshot) -> Vec<Item> {
    let of_collection = |collection: Collection| {
        let records = snapshot.records(collection);
        let cycles = records.dependencies().cycles(records).into_iter();
        cycles.map(move |ids| cycle(collection, ids.into_iter().map(str::to_owned).collect()))
    };
    [Collection::Stories, Collection::Tasks].into_iter().flat_map(of_collection).collect()
}

fn cycle(collection: Collection, ids: Vec<String>) -> Item {
    let mut named: Vec<&str> = ids.iter().map(String::as_str).take(IN_TITLE).collect();
    named.push(if ids.len() > IN_TITLE { "…" } else { ids.first().map_or("", String::as_str) });
    Item {
        kind: Kind::DependencyCycle,
        label: Kind::DependencyCycle.label(),
        key: key(Kind::DependencyCycle, collection.name(), ids.first().map_or("", String::as_str)),
        id: ids.first().cloned(),
        title: Some(named.join(" → ")),
        reason: match ids.len() {
            1 => "it depends on itself".to_owned(),
            count => format!("{count} {} depend on each other", collection.name()),
        },
        since: None,
        source: collection.source().name(),
        agent: None,
        details: Details::Cycle { collection: collection.name(), ids },
    }
}
