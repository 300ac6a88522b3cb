//! `story US-0010 done` and `no running tasks`: what holds of the records now.

use serde_json::{Value, json};

use crate::cli::origin::Origin;
use crate::error::Error;
use crate::model::record;
use crate::routes::ROUTES;
use crate::skill::input::typed::nearest;
use crate::store::collection::Collection;

use super::condition::{self, Condition, SESSION_STATUSES};
use super::cursor::{Cursor, hash};
use super::look::{self, Look, Told};

/// Most ids that an error names.
const MOST_NEAR: usize = 3;
const FOUND: u16 = 200;

/// A record of a condition.
#[derive(Debug)]
pub(super) struct Wanted {
    collection: Collection,
    /// The id as it is on record.
    id: String,
    status: String,
}

impl Wanted {
    /// Finds the record that a condition means.
    ///
    /// # Errors
    /// Why there is no answer; within it, why there is no such record.
    pub(super) fn find(
        origin: &Origin,
        collection: Collection,
        id: &str,
        status: &str,
    ) -> Result<Result<Self, Error>, String> {
        let wanted = |id: &str| Self { collection, id: id.to_owned(), status: status.to_owned() };
        if origin.get(&path(collection, id))?.0 == FOUND {
            return Ok(Ok(wanted(id)));
        }
        let name = collection.name();
        let all = if collection == Collection::Sessions { "&active=all" } else { "" };
        let answer = look::read(origin, &format!("/api/{name}?fields=id{all}"))?;
        let records = answer[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let ids: Vec<&str> = records.iter().filter_map(|one| one["id"].as_str()).collect();
        if let Some(same) = ids.iter().find(|known| known.eq_ignore_ascii_case(id)) {
            return Ok(Ok(wanted(same)));
        }
        let is_whole = look::is_whole(origin)?;
        Ok(Err(unknown(condition::kind(collection).noun(), id, &ids, is_whole)))
    }

    /// Looks at the record. One that is gone may come back.
    ///
    /// # Errors
    /// Why there is no answer.
    pub(super) fn look(&self, origin: &Origin, cursor: &mut Cursor) -> Result<Look, String> {
        let (code, body) = origin.get(&path(self.collection, &self.id))?;
        let record: Value = if code == FOUND {
            serde_json::from_str(&body).map_err(|error| format!("{}: {error}", self.id))?
        } else {
            Value::Null
        };
        let noun = condition::kind(self.collection).noun();
        let status = status_of(self.collection, &record);
        let key = format!("{noun}:{}:{}", self.id, self.status);
        let item = json!({
            "key": key,
            "kind": noun,
            "id": self.id,
            "title": record["title"].as_str().or(record["description"].as_str()),
            "status": self.status,
        });
        Ok(held(status.as_deref() == Some(self.status.as_str()), item, cursor))
    }
}

/// Looks whether no record has a status. A file that cannot be read may have one.
///
/// # Errors
/// Why there is no answer.
pub(super) fn look_for_none(
    origin: &Origin,
    collection: Collection,
    status: &str,
    cursor: &mut Cursor,
) -> Result<Look, String> {
    let name = collection.name();
    let filter = match collection {
        Collection::Sessions => "active=true".to_owned(),
        _ => format!("{}={status}", collection.status_field()),
    };
    let answer = look::read(origin, &format!("/api/{name}?{filter}&fields=id&limit=1"))?;
    let is_none = answer[name].as_array().is_some_and(Vec::is_empty);
    let text = Condition::None { collection, status: status.to_owned() }.text();
    let item = json!({"key": text.replace(' ', "-"), "kind": "none", "title": text});
    Ok(held(is_none && look::is_whole(origin)?, item, cursor))
}

/// An item that is told when it holds, and again only after it did not hold.
fn held(holds: bool, item: Value, cursor: &mut Cursor) -> Look {
    let key = hash(item["key"].as_str().unwrap_or_default());
    if !holds {
        cursor.told.remove(&key);
        return Look::Nothing;
    }
    if !cursor.told.insert(key) {
        return Look::Nothing;
    }
    Look::Told(Told { items: vec![item], more: 0 })
}

fn status_of(collection: Collection, record: &Value) -> Option<String> {
    if collection == Collection::Sessions {
        let [active, ended] = SESSION_STATUSES;
        return record["active"].as_bool().map(|is| if is { active } else { ended }.to_owned());
    }
    let status = record[collection.status_field()].as_str()?;
    Some(record::status(status).into_owned())
}

fn path(collection: Collection, id: &str) -> String {
    let of_one = format!("/api/{}/:id", collection.name());
    let route = ROUTES.iter().find(|route| route.path == of_one);
    route.map(|route| route.path_of(id)).unwrap_or_default()
}

fn unknown(noun: &str, id: &str, ids: &[&str], is_whole: bool) -> Error {
    let upper = id.to_uppercase();
    let mut near: Vec<&str> =
        nearest(&upper, ids).or_else(|| nearest(id, ids)).into_iter().collect();
    let begins = |known: &&&str| known.to_uppercase().starts_with(&upper);
    near.extend(ids.iter().filter(begins).take(MOST_NEAR));
    near.dedup();
    near.truncate(MOST_NEAR);
    let hint = match near.as_slice() {
        [] => {
            format!("; for the ids there are, run: flow api get '{}?fields=id,title'", plural(noun))
        }
        near => format!("; did you mean {}?", near.join(" or ")),
    };
    let unread = if is_whole { "" } else { " in what could be read" };
    Error::Usage(format!("there is no {noun} {id:?}{unread}{hint}"))
}

fn plural(noun: &str) -> String {
    let named = Collection::ALL.into_iter().find(|one| condition::kind(*one).noun() == noun);
    named.map(Collection::name).unwrap_or_default().to_owned()
}
