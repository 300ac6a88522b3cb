//! `needs-you`: the items of attention that were not told.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cli::origin::Origin;
use crate::model::record;
use crate::routes::LARGEST_LIMIT;

use super::cursor::{Cursor, MOST_KEYS, Place, hash};
use super::look::{self, Look, MOST_ITEMS, Told};

/// An item, by the hash of its key.
struct Item {
    hash: u64,
    item: Value,
}

/// What needs you, and what became so.
struct Reading {
    items: Vec<Item>,
    /// The keys of what became failed or blocked since the cursor, in order; `None` if that is not known.
    became: Option<Vec<u64>>,
}

/// Looks at the items. A cursor without a position is that of a first look, before which nothing was seen.
///
/// # Errors
/// Why there is no answer.
pub(super) fn look(origin: &Origin, cursor: &mut Cursor) -> Result<Look, String> {
    let place = look::place(origin);
    let Reading { items, became } = read(origin, cursor)?;
    let listed: BTreeSet<u64> = items.iter().map(|item| item.hash).collect();
    match (place, cursor.place) {
        (Place::Server, Place::Server) => {
            for key in became.iter().flatten() {
                // What becomes failed or blocked again is new, unless this is the change for which it was told.
                if !cursor.aside.remove(key) {
                    cursor.told.remove(key);
                }
            }
            cursor.aside = &cursor.aside & &listed;
        }
        (Place::Server, Place::Files) => cursor.told.append(&mut cursor.aside),
        // The files do not tell everything that a server tells.
        (Place::Files, Place::Server) => cursor.aside = &cursor.told - &listed,
        (Place::Files, Place::Files) => {
            let returned = &cursor.aside & &listed;
            cursor.told.extend(&returned);
            cursor.aside = &cursor.aside - &listed;
        }
    }
    cursor.place = place;
    cursor.told = &cursor.told & &listed;
    let mut new: Vec<Item> =
        items.into_iter().filter(|item| !cursor.told.contains(&item.hash)).collect();
    // Oldest first; those whose time is not known come first.
    new.sort_by(|one, other| one.item["since"].as_str().cmp(&other.item["since"].as_str()));
    let more = new.len().saturating_sub(MOST_ITEMS);
    new.truncate(MOST_ITEMS.min(MOST_KEYS.saturating_sub(cursor.told.len())));
    cursor.told.extend(new.iter().map(|item| item.hash));
    if let Some(became) = became {
        // While git is at work, the server records a change later than it serves it.
        let is_early = |item: &&Item| is_of_record(item) && !became.contains(&item.hash);
        cursor.aside.extend(new.iter().filter(is_early).map(|item| item.hash));
    }
    if new.is_empty() {
        return Ok(Look::Nothing);
    }
    let items = new.into_iter().map(|item| item.item).collect();
    Ok(Look::Told(Told { items, more: more as u64 }))
}

/// Takes what needs you now as known.
///
/// # Errors
/// Why there is no answer.
pub(super) fn begin(origin: &Origin, cursor: &mut Cursor) -> Result<(), String> {
    // What fails in between is among the changes of the first look.
    cursor.position = Some(look::newest(origin)?);
    cursor.told = items(origin)?.into_iter().map(|item| item.hash).collect();
    Ok(())
}

fn items(origin: &Origin) -> Result<Vec<Item>, String> {
    let mut answer = look::read(origin, "/api/attention")?;
    let Value::Array(items) = answer["items"].take() else { return Ok(Vec::new()) };
    let item = |item: Value| Item { hash: hash(item["key"].as_str().unwrap_or_default()), item };
    Ok(items.into_iter().map(item).collect())
}

/// Reads, of a server, what became failed or blocked since the cursor, and then the items: one of which the change comes between
/// counts as told before its change was recorded.
fn read(origin: &Origin, cursor: &mut Cursor) -> Result<Reading, String> {
    if look::place(origin) == Place::Files {
        return Ok(Reading { items: items(origin)?, became: None });
    }
    let limit = usize::try_from(LARGEST_LIMIT).unwrap_or(usize::MAX);
    let page = match &cursor.position {
        Some(position) if cursor.place == Place::Server => look::changes(origin, position, limit)?,
        _ => None,
    };
    let Some(page) = page else {
        let items = items(origin)?;
        cursor.position = Some(look::newest(origin)?);
        return Ok(Reading { items, became: None });
    };
    let became = page.rows.iter().filter_map(key_of).map(|key| hash(&key)).collect();
    cursor.position = Some(page.next);
    Ok(Reading { items: items(origin)?, became: Some(became) })
}

fn is_of_record(item: &Item) -> bool {
    let kind = item.item["kind"].as_str().unwrap_or_default();
    matches!(kind, "task_failed" | "task_blocked" | "story_blocked")
}

/// The key of the item that a change of status makes.
fn key_of(row: &Value) -> Option<String> {
    let collection = row["collection"].as_str()?;
    let noun = match collection {
        "tasks" => "task",
        "stories" => "story",
        _ => return None,
    };
    let is_status = matches!(row["change"].as_str(), Some("changed" | "added"));
    if !is_status || !matches!(row["field"].as_str(), Some("state" | "status")) {
        return None;
    }
    let (status, id) = (record::status(row["to"].as_str()?).into_owned(), row["id"].as_str()?);
    Some(format!("{noun}_{status}:{collection}:{id}"))
}
