//! The tools that read records: a page of a collection, and one record.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::tool::{Call, Tool};
use crate::mcp::answer::{self, Answer, Refusal};
use crate::mcp::limits::{DEFAULT_RECORDS, MOST_RECORDS};
use crate::routes::ROUTES;
use crate::skill::input::typed::schema_of;
use crate::skill::input::values::{Int, Line};
use crate::skill::project_state::state::State as Encoding;

pub(super) const LIST: Tool = Tool {
    name: "list_records",
    title: "List records",
    description: "One page of the project's stories, epics, tasks, sessions or messages. Filters are combined with AND; \
                  comma-separated values of one filter mean OR. `total` is the number of matches, `next_offset` the \
                  offset of the next page. Messages are listed newest first; only active sessions are listed \
                  unless `active` is set.",
    input: schema_of::<ListRecords>,
    run: list,
};

pub(super) const GET: Tool = Tool {
    name: "get_record",
    title: "Get one record",
    description: "One story, epic, task or session by its id, with all its recorded fields. An epic includes the ids \
                  of its stories. For a message use list_records or explain_record.",
    input: schema_of::<GetRecord>,
    run: get,
};

/// A collection that the API lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Collection {
    Stories,
    Epics,
    Tasks,
    Sessions,
    Messages,
}

impl Collection {
    const ALL: [Self; 5] =
        [Self::Stories, Self::Epics, Self::Tasks, Self::Sessions, Self::Messages];

    const fn path(self) -> &'static str {
        match self {
            Self::Stories => "/api/stories",
            Self::Epics => "/api/epics",
            Self::Tasks => "/api/tasks",
            Self::Sessions => "/api/sessions",
            Self::Messages => "/api/bus/messages",
        }
    }

    /// The fields of a page for which none are named: an identifier, a title, a status and an owner.
    const fn usual_fields(self) -> &'static str {
        match self {
            Self::Stories | Self::Epics => "id,title,status,owner",
            Self::Tasks => "id,description,state,subagent_type",
            Self::Sessions => "id,nickname,status,story_id,last_active",
            Self::Messages => "timestamp,from,to,type,story_id,message",
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "it validates the arguments, which are passed on unchanged")]
struct ListRecords {
    /// Which records to list.
    collection: Collection,
    /// The filters of the collections.
    #[serde(flatten)]
    filters: Filters,
    /// Stories and tasks: whether the record is open and has no unfinished dependency.
    ready: Option<bool>,
    /// Sessions: true (the default), false, or all.
    active: Option<Line>,
    /// Messages: at or after this time (RFC 3339 or a date).
    since: Option<Line>,
    /// Messages: at or before this time; a date means the end of the day.
    until: Option<Line>,
    /// Exclude the records with these values, such as {"status": "done,archived"}.
    exclude: Option<Filters>,
    /// Words that must all occur in id, title, name, nickname, description, text or message, ignoring case.
    q: Option<Line>,
    /// Fields to sort by, a minus before one for descending, such as `-updated_at,id`.
    sort: Option<Line>,
    /// The fields to include, such as `id,title,points`, or `all`; default: id, title, status and owner, or what stands for
    /// them in the collection.
    fields: Option<Line>,
    /// Count each value of these fields among the matches, such as `status,owner`.
    facets: Option<Line>,
    /// Maximum number of records, default 50.
    limit: Option<Int<0, MOST_RECORDS>>,
    /// Number of matches to skip.
    offset: Option<Int<0, { i64::MAX }>>,
    /// Messages: desc (newest first, the default) or asc.
    order: Option<Line>,
    /// Messages: `start`, or the `next_cursor` of the previous page, to read the log without gaps; not with offset, sort
    /// or order.
    cursor: Option<Line>,
    /// Messages: count the matches of each 1h, 1d or 1w, in UTC; limit 0 returns the counts alone.
    buckets: Option<Line>,
    /// Messages: with buckets, also count the most frequent values of from, to, type or `story_id`.
    by: Option<Line>,
}

/// The filters of the collections that can be negated, by name, as the routes declare them.
#[derive(Deserialize)]
#[serde(try_from = "BTreeMap<String, Line>")]
struct Filters;

impl Filters {
    /// Each filter and the records that it selects, in all collections.
    fn all() -> BTreeMap<&'static str, Vec<&'static str>> {
        let lists = Collection::ALL.map(Collection::path);
        let of_lists = ROUTES.iter().filter(|route| lists.contains(&route.path));
        let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for parameter in of_lists.flat_map(|route| route.parameters) {
            if parameter.kind.can_be_negated() {
                all.entry(parameter.name).or_default().push(parameter.gives);
            }
        }
        all
    }
}

impl TryFrom<BTreeMap<String, Line>> for Filters {
    type Error = String;

    fn try_from(values: BTreeMap<String, Line>) -> Result<Self, String> {
        let all = Self::all();
        match values.into_keys().find(|name| !all.contains_key(name.as_str())) {
            None => Ok(Self),
            Some(name) => {
                let known: Vec<&str> = all.into_keys().collect();
                Err(format!("has no filter {name:?}; filters are {}", known.join(", ")))
            }
        }
    }
}

impl JsonSchema for Filters {
    fn schema_name() -> Cow<'static, str> {
        "Filters".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let describe = |(name, selects): (&str, Vec<&str>)| {
            (name.to_owned(), json!({"type": "string", "description": selects.join("; ")}))
        };
        let properties: Map<String, Value> = Self::all().into_iter().map(describe).collect();
        json_schema!({"type": "object", "properties": properties, "additionalProperties": false})
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetRecord {
    /// The collection of the record.
    collection: Identified,
    /// The id of the record.
    id: String,
}

/// A collection whose records have ids.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Identified {
    Stories,
    Epics,
    Tasks,
    Sessions,
}

impl Identified {
    const fn path(self) -> &'static str {
        match self {
            Self::Stories => Collection::Stories.path(),
            Self::Epics => Collection::Epics.path(),
            Self::Tasks => Collection::Tasks.path(),
            Self::Sessions => Collection::Sessions.path(),
        }
    }
}

fn list(call: &Call<'_>) -> answer::Result {
    let collection = call.read::<ListRecords>()?.collection;
    let mut given = call.given();
    given.shift_remove("collection");
    if let Some(Value::Object(excluded)) = given.shift_remove("exclude") {
        given.extend(excluded.into_iter().map(|(name, value)| (format!("{name}!"), value)));
    }
    for (one, other) in [("status", "state"), ("status!", "state!")] {
        let (kept, alias) =
            if collection == Collection::Tasks { (other, one) } else { (one, other) };
        // Where both are given, the API refuses the one that the collection does not have.
        if !given.contains_key(kept)
            && let Some(value) = given.shift_remove(alias)
        {
            given.insert(kept.to_owned(), value);
        }
    }
    match given.get("fields").and_then(Value::as_str) {
        Some("all") => {
            given.shift_remove("fields");
        }
        Some(_) => {}
        None => {
            given.insert("fields".to_owned(), collection.usual_fields().into());
        }
    }
    given.entry("limit").or_insert_with(|| DEFAULT_RECORDS.into());
    let orders = ["order", "sort", "cursor"];
    if collection == Collection::Messages && !orders.iter().any(|name| given.contains_key(*name)) {
        given.insert("order".to_owned(), "desc".into());
    }
    Answer::of_api(&call.files, &format!("{}{}", collection.path(), query(&given)))
}

fn get(call: &Call<'_>) -> answer::Result {
    let GetRecord { collection, id } = call.read()?;
    let target = format!("{}/{}", collection.path(), Encoding::encoded(&id));
    Answer::of_api(&call.files, &target).map_err(|refusal| match refusal {
        Refusal::NotFound(sentence) => Refusal::NotFound(format!(
            "{sentence}; to search for it, use list_records with q={id:?}"
        )),
        other @ Refusal::Other(_) => other,
    })
}

/// Arguments as the query of a path, with its question mark.
pub(super) fn query(arguments: &Map<String, Value>) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => Encoding::encoded(text),
        // A whole number may be written as 3.0; other fractions were refused before.
        Value::Number(number) if number.is_f64() => {
            format!("{:.0}", number.as_f64().unwrap_or_default())
        }
        other => Encoding::encoded(&other.to_string()),
    };
    let pairs: Vec<String> =
        arguments.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Collection::{Epics, Messages, Sessions, Stories, Tasks};
    use super::*;

    #[test]
    fn every_parameter_of_the_lists_is_an_argument() {
        let schema = schema_of::<ListRecords>();
        let names = |schema: &Value| -> BTreeSet<String> {
            schema["properties"].as_object().unwrap().keys().cloned().collect()
        };
        let parameters = || {
            let all = [Stories, Epics, Tasks, Sessions, Messages];
            let is_list = move |path: &str| all.iter().any(|one| one.path() == path);
            ROUTES.iter().filter(move |route| is_list(route.path)).flat_map(|r| r.parameters)
        };
        let mut known: BTreeSet<String> = parameters().map(|one| one.name.to_owned()).collect();
        known.extend(["collection".to_owned(), "exclude".to_owned()]);
        assert_eq!(names(&schema), known);
        let negated = parameters().filter(|one| one.kind.can_be_negated());
        let negated: BTreeSet<String> = negated.map(|one| one.name.to_owned()).collect();
        assert_eq!(names(&schema["properties"]["exclude"]), negated);
    }
}
