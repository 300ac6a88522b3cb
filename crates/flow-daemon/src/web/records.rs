//! The resources that are lists of records, and single records: sessions, tasks, epics, stories.

use bytes::Bytes;
use serde_json::json;

use crate::model::document::canonical;
use crate::model::record::{Kind, TASK_STATES};
use crate::routes::Resource;
use crate::store::Snapshot;
use crate::store::metrics;
use crate::store::postings::Set;
use crate::store::records::Records;

use super::body::Object;
use super::bus;
use super::query::Query;
use super::view::View;

/// What a list keeps to.
type Filters<'a> = Vec<(&'static str, Vec<String>)>;

/// The records behind a resource.
pub(super) fn behind(snapshot: &Snapshot, resource: Resource) -> &Records {
    match resource {
        Resource::Sessions | Resource::Session => &snapshot.sessions.records,
        Resource::Tasks | Resource::Task => &snapshot.tasks.records,
        Resource::Epics | Resource::Epic => &snapshot.status.epics,
        _ => &snapshot.status.stories,
    }
}

/// `/api/sessions`: the active ones unless `active` says otherwise.
pub(super) fn sessions(view: &View<'_>, query: &Query) -> Bytes {
    let records = &view.snapshot.sessions.records;
    let asked = query.values("active");
    let filters = match asked {
        [] => vec![("active", vec!["true".to_owned()])],
        words if words.iter().any(|word| word == "all") => Vec::new(),
        words => vec![("active", words.to_vec())],
    };
    let (total, active) = (records.len(), metrics::active_sessions(records));
    list(records, "sessions", &filters)
        .object
        .value("counts", &json!({"total": total, "active": active, "inactive": total - active}))
        .value("timestamp", &view.timestamp())
        .finish()
}

/// `/api/tasks`.
pub(super) fn tasks(view: &View<'_>, query: &Query) -> Bytes {
    let records = &view.snapshot.tasks.records;
    let filters = filters(Kind::Task, &["state", "story_id", "subagent_type"], query);
    let List { object, count } = list(records, "tasks", &filters);
    object
        .value("count", &count)
        .value("stats", &metrics::tasks(records))
        .value("timestamp", &view.timestamp())
        .finish()
}

/// Whether a filter's value is documented, or is one that a record has.
pub(super) fn is_known(view: &View<'_>, parameter: &str, value: &str) -> bool {
    let (records, kind) = match view.route.resource {
        Resource::Tasks => (&view.snapshot.tasks.records, Kind::Task),
        Resource::Stories => (&view.snapshot.status.stories, Kind::Story),
        Resource::Messages => return bus::is_recorded(view, parameter, value),
        _ => return false,
    };
    let value = canonical(kind, parameter, value);
    let is_documented = parameter == "state" && TASK_STATES.contains(&value.as_str());
    is_documented || records.terms(parameter).is_some_and(|terms| terms.finds(&value))
}

/// `/api/epics`.
pub(super) fn epics(view: &View<'_>) -> Bytes {
    finish_list(list(&view.snapshot.status.epics, "epics", &Vec::new()), view)
}

/// `/api/stories`.
pub(super) fn stories(view: &View<'_>, query: &Query) -> Bytes {
    let filters = filters(Kind::Story, &["status", "epic_id", "owner"], query);
    finish_list(list(&view.snapshot.status.stories, "stories", &filters), view)
}

fn finish_list(list: List, view: &View<'_>) -> Bytes {
    list.object.value("count", &list.count).value("timestamp", &view.timestamp()).finish()
}

/// `/api/epics/:id`: the epic and the ids of its stories.
pub(super) fn epic(view: &View<'_>, position: usize) -> Bytes {
    let stories = &view.snapshot.status.stories;
    let ours = stories.terms("epic_id").and_then(|terms| terms.get(view.id));
    let positions = ours.map_or_else(Vec::new, |ours| stories.positions(Some(ours)));
    let ids: Vec<&str> = positions.iter().filter_map(|position| stories.id(*position)).collect();
    let epic = view.snapshot.status.epics.one(position);
    let members =
        epic.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
    Object::with_capacity(epic.len() + 64).members(members).value("story_ids", &ids).finish()
}

fn filters(kind: Kind, names: &[&'static str], query: &Query) -> Filters<'static> {
    let given = names.iter().filter(|name| !query.values(name).is_empty());
    given
        .map(|name| {
            let mut values: Vec<String> =
                query.values(name).iter().map(|value| canonical(kind, name, value)).collect();
            values.sort_unstable();
            values.dedup();
            (*name, values)
        })
        .collect()
}

/// The beginning of a list's body.
struct List {
    object: Object,
    /// How many records are on it.
    count: usize,
}

fn list(records: &Records, name: &str, filters: &Filters<'_>) -> List {
    let filters: Vec<(&str, &[String])> =
        filters.iter().map(|(field, values)| (*field, values.as_slice())).collect();
    let Some(set) = records.matching(&filters) else {
        let text = records.text();
        let object = Object::with_capacity(text.len() + 256).array(name, text);
        return List { object, count: records.len() };
    };
    let count = set.postings().len();
    let object = Object::with_capacity(256).array_with(name, |out| write(records, &set, out));
    List { object, count }
}

fn write(records: &Records, set: &Set<'_>, out: &mut Vec<u8>) {
    for (at, position) in records.positions(Some(set.postings())).into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&records.one(position as usize));
    }
}
