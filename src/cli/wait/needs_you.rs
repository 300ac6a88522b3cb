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

/// Looks at the items. A cursor without a position is that of a first look, before which nothing was seen.
///
/// # Errors
/// Why there is no answer.
pub(super) fn look(origin: &Origin, cursor: &mut Cursor) -> Result<Look, String> {
    let items = items(origin)?;
    let listed: BTreeSet<u64> = items.iter().map(|item| item.hash).collect();
    let place = look::place(origin);
    // The items come first: what fails after they were listed is among the changes of the next look.
    match (place, cursor.place) {
        (Place::Server, Place::Server) => forget_what_failed_again(origin, cursor)?,
        (Place::Server, Place::Files) => {
            cursor.told.append(&mut cursor.unseen);
            cursor.position = Some(look::newest(origin)?);
        }
        // The files do not tell everything that a server tells.
        (Place::Files, Place::Server) => cursor.unseen = &cursor.told - &listed,
        (Place::Files, Place::Files) => {}
    }
    cursor.place = place;
    let returned = &cursor.unseen & &listed;
    cursor.unseen = &cursor.unseen - &listed;
    cursor.told = &(&cursor.told & &listed) | &returned;
    let mut new: Vec<Item> =
        items.into_iter().filter(|item| !cursor.told.contains(&item.hash)).collect();
    // Oldest first; those whose time is not known come first.
    new.sort_by(|one, other| one.item["since"].as_str().cmp(&other.item["since"].as_str()));
    let more = new.len().saturating_sub(MOST_ITEMS);
    new.truncate(MOST_ITEMS.min(MOST_KEYS - cursor.told.len().min(MOST_KEYS)));
    cursor.told.extend(new.iter().map(|item| item.hash));
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
    cursor.told = items(origin)?.into_iter().map(|item| item.hash).collect();
    cursor.position = Some(look::newest(origin)?);
    Ok(())
}

fn items(origin: &Origin) -> Result<Vec<Item>, String> {
    let mut answer = look::read(origin, "/api/attention")?;
    let Value::Array(items) = answer["items"].take() else { return Ok(Vec::new()) };
    let item = |item: Value| Item { hash: hash(item["key"].as_str().unwrap_or_default()), item };
    Ok(items.into_iter().map(item).collect())
}

/// What became failed or blocked again since the cursor is new, though an item of that key was told.
fn forget_what_failed_again(origin: &Origin, cursor: &mut Cursor) -> Result<(), String> {
    let limit = usize::try_from(LARGEST_LIMIT).unwrap_or(usize::MAX);
    let page = match &cursor.position {
        Some(position) => look::changes(origin, position, limit)?,
        None => None,
    };
    let Some(page) = page else {
        cursor.position = Some(look::newest(origin)?);
        return Ok(());
    };
    for key in page.rows.iter().filter_map(key_of) {
        cursor.told.remove(&hash(&key));
    }
    cursor.position = Some(page.next);
    Ok(())
}

/// The key of the item that a change of status makes.
fn key_of(row: &Value) -> Option<String> {
    let collection = row["collection"].as_str()?;
    let noun = match collection {
        "tasks" => "task",
        "stories" => "story",
        _ => return None,
    };
    if row["change"] != "changed" || !matches!(row["field"].as_str(), Some("state" | "status")) {
        return None;
    }
    let (status, id) = (record::status(row["to"].as_str()?).into_owned(), row["id"].as_str()?);
    Some(format!("{noun}_{status}:{collection}:{id}"))
}
