//! The resources that follow from all files together: attention, agents, activity, history.

use std::collections::BTreeMap;
use std::time::SystemTime;

use bytes::Bytes;
use http::StatusCode;
use serde::Serialize;

use crate::derived::agents;
use crate::derived::attention::Attention;
use crate::derived::progress::{self, Counts, OfEpic, Progress};
use crate::model::time::{self, Edge};
use crate::routes::{DEFAULT_LIMIT, LARGEST_LIMIT, NEWEST_CURSOR, SILENT_AFTER};
use crate::store::activity::Change;
use crate::store::collection::Collection;
use crate::store::worktrees::Worktrees;

use super::body::Object;
use super::buckets::{Buckets, MOST, Width};
use super::errors::{context, not_found};
use super::query::Query;
use super::reply::Reply;
use super::view::View;

/// `/api/attention`. It depends on the time, so it has no validator.
pub(super) fn attention(view: &View<'_>, query: &Query) -> Reply {
    let now = SystemTime::now();
    let silent_after = query.span("silent_after", SILENT_AFTER);
    let Attention { mut items, counts } = Attention::at(view.snapshot, now, silent_after);
    let kinds = query.values("kind");
    if !kinds.is_empty() {
        items.retain(|item| kinds.iter().any(|kind| kind == item.kind.name()));
    }
    let body = Object::with_capacity(items.len() * 256 + 512)
        .value("items", &items)
        .value("count", &items.len())
        .value("counts", &counts)
        .time("timestamp", Some(now));
    Reply::json(body.finish())
}

/// `/api/worktrees`. It follows from more than the served files, so it has no validator.
pub(super) fn worktrees(view: &View<'_>) -> Reply {
    let Worktrees { rows, left_out, note, modified, .. } = &*view.snapshot.worktrees;
    let body = Object::with_capacity(rows.len() * 512 + 256)
        .value("worktrees", rows)
        .value("count", &rows.len())
        .value("left_out", left_out)
        .value("note", note)
        .time("timestamp", *modified);
    Reply::json(body.finish())
}

/// `/api/agents`.
pub(super) fn agents(view: &View<'_>) -> Bytes {
    let (agents, total) = agents::agents(view.snapshot);
    Object::with_capacity(agents.len() * 512 + 256)
        .value("agents", &agents)
        .value("count", &agents.len())
        .value("total", &total)
        .time("timestamp", view.modified())
        .finish()
}

/// Most changes in the history of one record: the newest.
const MOST_OF_RECORD: usize = 1_000;

/// `/api/activity`. It depends on this run of the server, so it has no validator.
///
/// # Errors
/// The answer to an invalid cursor.
pub(super) fn activity(view: &View<'_>, query: &Query) -> Result<Reply, Reply> {
    let history = &view.snapshot.history;
    let limit = query.number("limit", DEFAULT_LIMIT).min(LARGEST_LIMIT);
    let reads = reads(view, query)?;
    let since = query.time("since", Edge::Start);
    let is_asked = |name: &str, value: &str| {
        let values = query.values(name);
        values.is_empty() || values.iter().any(|asked| asked == value)
    };
    let matches = |change: &Change| {
        since.is_none_or(|since| time::of_system(change.at) >= since)
            && is_asked("id", &change.plan.id)
            && is_asked("collection", change.plan.collection.name())
            && is_asked("change", change.plan.what.name())
            && (query.values("effect").is_empty()
                || change.plan.effect.is_some_and(|effect| is_asked("effect", effect.name())))
    };
    let mut buckets = query.value("buckets").and_then(Buckets::of);
    let is_after = |number: u64| !matches!(reads, Reads::After(after) if number <= after);
    let newest = history.activity.newest().take_while(|(number, _)| is_after(*number));
    let (mut rows, mut total) = (Vec::new(), 0_u64);
    for (number, change) in newest.filter(|(_, change)| matches(change)) {
        total += 1;
        if let Some(buckets) = &mut buckets {
            buckets.count(change);
        }
        if reads.takes(number, rows.len() as u64, limit) {
            rows.push((number, change));
        }
    }
    let next = reads.page(&mut rows, limit, history.activity.last_position());
    let next = next.map(|number| format!("{:016x}-{number}", history.journal));
    let rows: Vec<&Change> = rows.into_iter().map(|(_, change)| change).collect();
    let body = Object::with_capacity(rows.len() * 200 + 256)
        .value("activity", &rows)
        .value("count", &rows.len())
        .value("total", &total)
        .value("limit", &limit)
        .value("next_cursor", &next)
        .value("started_at", &history.started.map(time::format))
        .value("forgotten", &history.activity.forgotten());
    let body = match buckets {
        Some(buckets) => body.value("buckets", &buckets.list()),
        None => body,
    };
    Ok(Reply::json(body.finish()))
}

/// `/api/history`. It follows from all known changes.
pub(super) fn history(view: &View<'_>, query: &Query) -> Reply {
    let (by, width) = match query.value("by") {
        Some("week") => ("week", Width::WEEKS),
        _ => ("day", Width::DAYS),
    };
    let collection = match query.value("collection") {
        Some("stories") => Collection::Stories,
        None if view.snapshot.records(Collection::Tasks).is_empty() => Collection::Stories,
        _ => Collection::Tasks,
    };
    let Progress { since, buckets, stays, unknown } =
        progress::progress(view.snapshot, collection, |at| width.number(at));
    let left_out = buckets.len().saturating_sub(MOST);
    let buckets = buckets.into_iter().skip(left_out);
    let buckets: Vec<Moved<Counts>> =
        buckets.map(|(number, counts)| Moved { from: width.from(number), counts }).collect();
    let body = Object::with_capacity(buckets.len() * 120 + 512)
        .value("by", &by)
        .value("collection", &collection.name())
        .value("timezone", &"UTC")
        .value("since", &since.map(time::format))
        .value("buckets", &buckets)
        .value("time_in_status", &stays)
        .value("unknown", &unknown);
    let body = match query.value("per") {
        Some(_) => body.value("epics", &epics(view, width)),
        None => body,
    };
    Reply::json(body.finish())
}

/// The stories of each epic by day or week.
fn epics(view: &View<'_>, width: Width) -> Vec<OneEpic> {
    let moved = |(number, counts)| Moved { from: width.from(number), counts };
    let one = |(id, buckets): (String, BTreeMap<i64, OfEpic>)| OneEpic {
        id,
        buckets: buckets.into_iter().map(moved).collect(),
    };
    progress::of_epics(view.snapshot, |at| width.number(at)).into_iter().map(one).collect()
}

/// An epic, with its days or weeks, oldest first.
#[derive(Serialize)]
struct OneEpic {
    id: String,
    buckets: Vec<Moved<OfEpic>>,
}

/// A day or a week.
#[derive(Serialize)]
struct Moved<T> {
    from: String,
    #[serde(flatten)]
    counts: T,
}

/// The known changes of one record, oldest first, also of one that is gone.
///
/// # Errors
/// The answer to an id of which nothing is known.
pub(super) fn record_history(view: &View<'_>, collection: Collection) -> Result<Reply, Reply> {
    let records = view.snapshot.records(collection);
    let is_its =
        |change: &&Change| change.plan.collection == collection && change.plan.id == view.id;
    let newest = view.snapshot.history.activity.newest().map(|(_, change)| change);
    let mut rows: Vec<&Change> = newest.filter(is_its).take(MOST_OF_RECORD).collect();
    if rows.is_empty() && records.position(view.id).is_none() {
        return Err(not_found(records.kind().noun(), view.id));
    }
    rows.reverse();
    let body = Object::with_capacity(rows.len() * 200 + 256)
        .value("collection", &collection.name())
        .value("id", &view.id)
        .value("history", &rows)
        .value("count", &rows.len());
    Ok(Reply::json(body.finish()))
}

/// In which direction changes are read, and from which number.
#[derive(Debug, Clone, Copy)]
enum Reads {
    /// Newest first.
    All,
    /// Newest first, those before this one.
    Before(u64),
    /// Oldest first, those after this one.
    After(u64),
}

impl Reads {
    /// Whether a row is needed for a page of this size, when there are so many newer ones.
    fn takes(self, number: u64, rows: u64, limit: u64) -> bool {
        match self {
            Self::All => rows <= limit,
            Self::Before(before) => number < before && rows <= limit,
            Self::After(_) => true,
        }
    }

    /// Leaves one page of the rows, which are given newest first. Returns the number from which the next page is read.
    fn page(self, rows: &mut Vec<(u64, &Change)>, limit: u64, newest: u64) -> Option<u64> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let is_whole = rows.len() <= limit;
        if let Self::After(_) = self {
            rows.reverse();
        }
        rows.truncate(limit);
        let last = rows.last().map(|(number, _)| *number);
        match self {
            Self::After(_) if is_whole => Some(newest),
            Self::After(after) => Some(last.unwrap_or(after)),
            Self::All | Self::Before(_) => last.filter(|_| !is_whole),
        }
    }
}

/// What a query reads.
///
/// # Errors
/// The answer to an invalid cursor.
fn reads(view: &View<'_>, query: &Query) -> Result<Reads, Reply> {
    let activity = &view.snapshot.history.activity;
    let number_at = |name: &'static str, cursor: &str| {
        let place = place(cursor).ok_or_else(|| query.refusal(name, CURSOR))?;
        position(view, place, name == "after").ok_or_else(|| expired(cursor))
    };
    match (query.value("cursor"), query.value("after")) {
        (Some(_), Some(_)) => Err(query.refusal("after", "used without cursor")),
        (_, Some(NEWEST_CURSOR)) => Ok(Reads::After(activity.last_position())),
        (_, Some(after)) => number_at("after", after).map(Reads::After),
        (Some(cursor), None) => number_at("cursor", cursor).map(Reads::Before),
        (None, None) => Ok(Reads::All),
    }
}

/// What a cursor must be.
const CURSOR: &str = "the next_cursor of the previous page";

/// A run of the server, and the number of a change that it saw.
#[derive(Debug, Clone, Copy)]
struct Place {
    instance: u64,
    number: u64,
}

/// What a cursor says; `None` for a text that is none.
fn place(cursor: &str) -> Option<Place> {
    let (instance, number) = cursor.split_once('-')?;
    let is_hash =
        instance.len() == 16 && instance.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    let is_number = (1..=20).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_digit());
    let instance = u64::from_str_radix(instance, 16).ok().filter(|_| is_hash && is_number)?;
    // Larger ones than any that was given name no change that is kept.
    Some(Place { instance, number: number.parse().unwrap_or(u64::MAX) })
}

/// The number of the change at a place, which was the last on its page, or, if changes `after` it are asked for, before the first
/// that is kept.
fn position(view: &View<'_>, Place { instance, number }: Place, after: bool) -> Option<u64> {
    let history = &view.snapshot.history;
    let last = history.activity.last_position();
    let kept = history.activity.newest().last().map(|(number, _)| number);
    let oldest = if after { kept.unwrap_or(last + 1) - 1 } else { kept? };
    (instance == history.journal && (oldest..=last).contains(&number)).then_some(number)
}

fn expired(cursor: &str) -> Reply {
    let sentence = format!(
        "the cursor {cursor:?} is of an earlier run of the server, or of changes that are no longer kept; \
         ask again without it"
    );
    Reply::error(
        StatusCode::GONE,
        "cursor_expired",
        &sentence,
        context([("cursor", cursor.into())]),
    )
}
