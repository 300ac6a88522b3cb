//! One look of `flow wait`: what holds that was not told yet.

use serde_json::Value;

use crate::cli::origin::Origin;
use crate::error::Error;

use super::cursor::Place;

/// Most items that one call tells; the others are told by the next one.
pub(super) const MOST_ITEMS: usize = 100;
/// The status of an answer with content, of one to a cursor that has expired, and of one to a parameter that is not known.
const FOUND: u16 = 200;
const GONE: u16 = 410;
const UNKNOWN: u16 = 400;

/// The result of a look.
#[derive(Debug)]
pub(super) enum Look {
    /// The condition does not hold, or it was told before.
    Nothing,
    /// It holds.
    Told(Told),
    /// It can never hold, for a reason that the caller should know.
    Invalid(Error),
}

/// What is told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Each has a `key`.
    pub(super) items: Vec<Value>,
    /// How many more there are.
    pub(super) more: u64,
}

/// Changes after a position.
#[derive(Debug)]
pub(super) struct Page {
    /// Oldest first.
    pub(super) rows: Vec<Value>,
    /// Number of all changes after the position.
    pub(super) total: u64,
    /// The position behind the rows.
    pub(super) next: String,
}

/// Where an answer is from.
pub(super) fn place(origin: &Origin) -> Place {
    match origin {
        Origin::Server { .. } => Place::Server,
        Origin::Files { .. } => Place::Files,
    }
}

/// The answer to a path.
///
/// # Errors
/// Why there is none.
pub(super) fn read(origin: &Origin, path: &str) -> Result<Value, String> {
    let (status, body) = origin.get(path)?;
    parsed(path, status, &body)
}

fn parsed(path: &str, status: u16, body: &str) -> Result<Value, String> {
    let body: Value =
        serde_json::from_str(body).map_err(|error| format!("{path} could not be read: {error}"))?;
    if status == FOUND {
        return Ok(body);
    }
    Err(body["error"].as_str().unwrap_or("the server refused the request").to_owned())
}

/// The changes after a position, or with `now` none; `None` if the position is of another history.
///
/// # Errors
/// Why there is no answer.
pub(super) fn changes(origin: &Origin, after: &str, limit: usize) -> Result<Option<Page>, String> {
    let path = format!("/api/activity?after={after}&limit={limit}");
    let (status, body) = origin.get(&path)?;
    let mut answer = match status {
        GONE => return Ok(None),
        UNKNOWN => return Err(OLD.to_owned()),
        _ => parsed(&path, status, &body)?,
    };
    let rows = match answer["activity"].take() {
        Value::Array(rows) => rows,
        _ => Vec::new(),
    };
    let next = answer["next_cursor"].as_str().ok_or(OLD)?.to_owned();
    Ok(Some(Page { rows, total: answer["total"].as_u64().unwrap_or_default(), next }))
}

/// The position after the newest change.
///
/// # Errors
/// Why there is none.
pub(super) fn newest(origin: &Origin) -> Result<String, String> {
    changes(origin, crate::routes::NEWEST_CURSOR, 1)?
        .map(|page| page.next)
        .ok_or_else(|| OLD.into())
}

/// The error for a server that does not know the parameter `after`.
const OLD: &str = "the server is of an earlier version; run: flow api restart";

/// Whether everything on disk could be read, so that what is missing is not there.
///
/// # Errors
/// Why there is no answer.
pub(super) fn is_whole(origin: &Origin) -> Result<bool, String> {
    Ok(origin.get("/api/health?require=ok")?.0 == FOUND)
}
