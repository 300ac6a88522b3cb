//! `change`: the changes of the plan that were not told. A server records them one by one; without one, the files are
//! compared with those of the look before.

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::cli::origin::Origin;
use crate::model::change::How;
use crate::model::name::Name;
use crate::store::Snapshot;
use crate::store::activity::Change;
use crate::store::collection::Collection;
use crate::store::plan_changes::{self, LeftOut};

use super::condition;
use super::cursor::{Cursor, Place, hash};
use super::look::{self, Look, MOST_ITEMS, Told};

/// The collections that are a part of the plan.
const PLAN: [Collection; 3] = [Collection::Stories, Collection::Epics, Collection::Tasks];

/// What one call has seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The files at the look before.
    files: Option<Arc<Snapshot>>,
}

/// Takes the plan of now as known.
///
/// # Errors
/// Why there is no answer.
pub(super) fn begin(origin: &Origin, cursor: &mut Cursor, seen: &mut Seen) -> Result<(), String> {
    // First the plan: what changes after it was read may be told twice, but not be missed.
    cursor.told = [plan_hash(origin)?].into();
    cursor.position = Some(look::newest(origin)?);
    seen.files = snapshot(origin);
    Ok(())
}

/// Looks at the changes.
///
/// # Errors
/// Why there is no answer.
pub(super) fn look(origin: &Origin, cursor: &mut Cursor, seen: &mut Seen) -> Result<Look, String> {
    let place = look::place(origin);
    let is_other_place = cursor.place != place;
    if place == Place::Files || is_other_place {
        if place == Place::Files && !look::is_whole(origin)? {
            // What is missing may be there again in a moment.
            return Ok(Look::Nothing);
        }
        let plan = plan_hash(origin)?;
        if cursor.told.contains(&plan) {
            if is_other_place {
                cursor.position = Some(look::newest(origin)?);
            }
            cursor.place = place;
            seen.files = snapshot(origin);
            return Ok(Look::Nothing);
        }
    }
    cursor.place = place;
    let before = std::mem::replace(&mut seen.files, snapshot(origin));
    if let (Some(before), Some(now)) = (before, &seen.files) {
        let told = compared(&before, now);
        return settled(origin, cursor, told);
    }
    let after = match &cursor.position {
        Some(position) => look::changes(origin, position, MOST_ITEMS)?,
        None => None,
    };
    match after {
        Some(page) if !page.rows.is_empty() => {
            let more = page.total.saturating_sub(page.rows.len() as u64);
            let items = keyed(page.rows);
            cursor.position = Some(page.next);
            settled(origin, cursor, Told { items, more })
        }
        Some(_) if place == Place::Server && !is_other_place => Ok(Look::Nothing),
        // No server recorded what happened since the cursor.
        _ => {
            cursor.position = Some(look::newest(origin)?);
            let plan = plan_hash(origin)?;
            if cursor.told.contains(&plan) {
                return Ok(Look::Nothing);
            }
            let key = format!("plan:{plan:010x}");
            let summary = "the plan has changed; no server recorded how";
            settled(
                origin,
                cursor,
                Told { items: vec![json!({"key": key, "summary": summary})], more: 0 },
            )
        }
    }
}

/// The cursor after something is told: the plan is known if nothing else has changed since.
fn settled(origin: &Origin, cursor: &mut Cursor, told: Told) -> Result<Look, String> {
    let plan = plan_hash(origin)?;
    let later = match (look::place(origin), &cursor.position) {
        (Place::Server, Some(after)) => {
            look::changes(origin, after, 1)?.map_or(0, |page| page.total)
        }
        _ => told.more,
    };
    cursor.told = if later == 0 { [plan].into() } else { [].into() };
    if told.items.is_empty() { Ok(Look::Nothing) } else { Ok(Look::Told(told)) }
}

fn snapshot(origin: &Origin) -> Option<Arc<Snapshot>> {
    match origin {
        Origin::Server { .. } => None,
        Origin::Files { files, .. } => Some(files.snapshot()),
    }
}

/// What differs between two readings of the files.
fn compared(before: &Snapshot, now: &Snapshot) -> Told {
    let at = SystemTime::now();
    let found = plan_changes::compare(before, now, &LeftOut::default()).changes;
    let more = found.len().saturating_sub(MOST_ITEMS) as u64;
    let change = |plan| Change { at, how: How::Watched, commit: None, plan };
    let rows = found.into_iter().take(MOST_ITEMS).map(change);
    let rows = rows.filter_map(|change| serde_json::to_value(change).ok()).collect();
    Told { items: keyed(rows), more }
}

/// The changes, each with a key.
fn keyed(rows: Vec<Value>) -> Vec<Value> {
    let key = |mut row: Value| {
        row["key"] = format!("change:{:010x}", hash(&row.to_string())).into();
        row
    };
    rows.into_iter().map(key).collect()
}

/// The hash of all members that are a part of the plan.
fn plan_hash(origin: &Origin) -> Result<u64, String> {
    let mut text = String::new();
    for collection in PLAN {
        let name = collection.name();
        let fields: Vec<&str> =
            condition::kind(collection).planned().map(Name::documented).collect();
        let answer = look::read(origin, &format!("/api/{name}?fields=id,{}", fields.join(",")))?;
        text += &answer[name].to_string();
    }
    Ok(hash(&text))
}
