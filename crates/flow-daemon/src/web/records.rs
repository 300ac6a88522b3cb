//! The lists of records, and single records: sessions, tasks, epics, stories.

use bytes::Bytes;
use serde_json::json;

use crate::model::document::canonical;
use crate::model::filter;
use crate::model::record::Kind;
use crate::routes::{Kind as ParameterKind, Parameter, Resource};
use crate::store::Snapshot;
use crate::store::matching::{Condition, Matching};
use crate::store::metrics::{self, Tally};
use crate::store::postings::{Postings, Span, count_u32};
use crate::store::records::Records;

use super::body::Object;
use super::bus;
use super::examined::{Examined, TooExpensive};
use super::list::{Answer, Facets, Page, Shape, tally};
use super::query::Query;
use super::view::View;

/// A field, with values of it.
struct Filter {
    field: &'static str,
    values: Vec<String>,
}

/// The filters of a list.
#[derive(Default)]
struct Filters {
    /// Fields of which a record must have one of the values.
    with: Vec<Filter>,
    /// Fields of which a record must have none of the values.
    without: Vec<Filter>,
    /// Whether a record must be ready, or must not be.
    ready: Option<bool>,
}

/// The records that a resource serves; the stories for any other resource.
pub(super) fn behind(snapshot: &Snapshot, resource: Resource) -> &Records {
    match resource {
        Resource::Sessions | Resource::Session => &snapshot.sessions.records,
        Resource::Tasks | Resource::Task => &snapshot.tasks.records,
        Resource::Epics | Resource::Epic => &snapshot.status.epics,
        _ => &snapshot.status.stories,
    }
}

/// `/api/sessions`: only the active ones unless `active` is given.
pub(super) fn sessions(view: &View<'_>, query: &Query) -> Result<Answer, TooExpensive> {
    let records = &view.snapshot.sessions.records;
    let values = match query.values("active") {
        [] => vec!["true".to_owned()],
        words if words.iter().any(|word| word == "all") => Vec::new(),
        words => words.to_vec(),
    };
    let with = if values.is_empty() { vec![] } else { vec![Filter { field: "active", values }] };
    let list = List::new(view, records, &Filters { with, ..Filters::default() }, query)?;
    let (total, active) = (records.len(), metrics::active_sessions(records));
    let counts = json!({"total": total, "active": active, "inactive": total - active});
    Ok(list.finish("sessions", view, query, |list, object| {
        // For compatibility, this list has no separate `count` without a page.
        let object = if list.page.is_some() { list.describe(object) } else { object };
        list.facets.describe(object).value("counts", &counts)
    }))
}

/// `/api/tasks`.
pub(super) fn tasks(view: &View<'_>, query: &Query) -> Result<Answer, TooExpensive> {
    let records = &view.snapshot.tasks.records;
    let list = List::new(view, records, &Filters::read(Kind::Task, query), query)?;
    Ok(list.finish("tasks", view, query, |list, object| {
        list.facets.describe(list.describe(object)).value("stats", &metrics::tasks(records))
    }))
}

/// Whether a value is documented for a parameter, or some record has it.
pub(super) fn is_known(view: &View<'_>, parameter: &Parameter, value: &str) -> bool {
    if view.route.resource == Resource::Messages {
        return bus::is_known(view, parameter, value);
    }
    let records = behind(view.snapshot, view.route.resource);
    if matches!(parameter.kind, ParameterKind::Fields | ParameterKind::Sort) {
        return records.kind().documented().any(|name| name == value) || records.has_member(value);
    }
    let value = canonical(records.kind(), parameter.name, value);
    let is_documented =
        matches!(parameter.kind, ParameterKind::Known(words) if words.contains(&value.as_str()));
    is_documented || records.terms(parameter.name).is_some_and(|terms| terms.finds(&value))
}

/// `/api/epics`.
pub(super) fn epics(view: &View<'_>, query: &Query) -> Result<Answer, TooExpensive> {
    let filters = Filters::read(Kind::Epic, query);
    let list = List::new(view, &view.snapshot.status.epics, &filters, query)?;
    Ok(list
        .finish("epics", view, query, |list, object| list.facets.describe(list.describe(object))))
}

/// `/api/stories`.
pub(super) fn stories(view: &View<'_>, query: &Query) -> Result<Answer, TooExpensive> {
    let filters = Filters::read(Kind::Story, query);
    let list = List::new(view, &view.snapshot.status.stories, &filters, query)?;
    Ok(list
        .finish("stories", view, query, |list, object| list.facets.describe(list.describe(object))))
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

impl Filters {
    /// The filters of a kind's list, as the query has them.
    fn read(kind: Kind, query: &Query) -> Self {
        let read = |field: &'static str, values: &[String]| {
            let mut values: Vec<String> =
                values.iter().map(|value| canonical(kind, field, value)).collect();
            values.sort_unstable();
            values.dedup();
            (!values.is_empty()).then_some(Filter { field, values })
        };
        let all = || filter::filters(kind).iter().map(|filter| filter.field);
        let ready = match query.values("ready") {
            [one] => Some(one == "true"),
            _ => None,
        };
        Self {
            with: all().filter_map(|field| read(field, query.values(field))).collect(),
            without: all().filter_map(|field| read(field, query.excluded(field))).collect(),
            ready,
        }
    }
}

/// The result of a query over a collection.
struct List<'a> {
    records: &'a Records,
    shape: Shape<'a>,
    /// The positions of the matches, sorted; `None` means all records in their order.
    found: Option<Vec<u32>>,
    page: Option<Page>,
    facets: Facets,
    /// Number of records that match all but `ready`, of which it is unknown.
    ready_unknown: usize,
}

impl<'a> List<'a> {
    fn new(
        view: &View<'_>,
        records: &'a Records,
        filters: &Filters,
        query: &'a Query,
    ) -> Result<Self, TooExpensive> {
        let mut examined = Examined::new();
        let shape = Shape::read(query);
        let mut found = matching(records, filters);
        let mut unknown = Vec::new();
        if let Some(ready) = filters.ready {
            let all = found.get_or_insert_with(|| (0..count_u32(records.len())).collect());
            examined.entries(all.len())?;
            unknown = split_ready(view.snapshot, records, all, ready);
        }
        let is_whole = found.is_none() && !shape.is_searched() && !shape.is_sorted();
        let page = Page::read(query);
        if !is_whole || page.is_some() || shape.is_reduced() {
            let mut all = found.unwrap_or_else(|| (0..count_u32(records.len())).collect());
            if shape.is_searched() {
                examined.bytes(sizes(records, &all) + sizes(records, &unknown))?;
                let is_found = |at: &u32| {
                    let served = records.one(*at as usize);
                    std::str::from_utf8(&served).is_ok_and(|text| shape.finds(records.kind(), text))
                };
                all.retain(is_found);
                unknown.retain(is_found);
            }
            found = Some(all);
        }
        let facets = facets(records, &shape, found.as_deref(), &mut examined)?;
        if let Some(all) = found.as_mut().filter(|_| shape.is_sorted()) {
            examined.bytes(sizes(records, all))?;
            shape.sort(records.kind(), all, |at| records.one(at as usize));
        }
        let list = Self { records, shape, found, page, facets, ready_unknown: unknown.len() };
        if list.shape.is_reduced() {
            examined.bytes(sizes(records, list.given()))?;
        }
        Ok(list)
    }

    /// Number of matches.
    fn total(&self) -> usize {
        self.found.as_ref().map_or(self.records.len(), Vec::len)
    }

    /// The positions of the returned records.
    fn given(&self) -> &[u32] {
        let found = self.found.as_deref().unwrap_or_default();
        self.page.map_or(found, |page| page.of(found))
    }

    /// Adds the number of returned records, and their position among the matches.
    fn describe(&self, object: Object) -> Object {
        let count = if self.found.is_none() { self.records.len() } else { self.given().len() };
        let mut object = object.value("count", &count);
        if self.ready_unknown > 0 {
            object = object.value("ready_unknown", &self.ready_unknown);
        }
        match self.page {
            Some(page) => page.describe(object, self.total() as u64),
            None => object,
        }
    }

    fn finish(
        self,
        name: &'static str,
        view: &View<'_>,
        query: &Query,
        describe: impl FnOnce(&Self, Object) -> Object,
    ) -> Answer {
        let object = if self.found.is_none() {
            let text = self.records.text();
            Object::with_capacity(text.len() + 256).array(name, text)
        } else {
            Object::with_capacity(256).array_with(name, |out| self.write(out)).0
        };
        let body = describe(&self, object).time("timestamp", view.modified()).finish();
        let total = self.total() as u64;
        let link = self.page.and_then(|page| page.links(view.route.path, query, total));
        Answer { body, link }
    }

    fn write(&self, out: &mut Vec<u8>) {
        for (at, position) in self.given().iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            self.shape.write(&self.records.one(*position as usize), out);
        }
    }
}

/// The positions of the records that match the filters by fields, ascending; `None` means all.
fn matching(records: &Records, filters: &Filters) -> Option<Vec<u32>> {
    let condition = |filter: &Filter, is_excluding| {
        let sets = records.terms(filter.field)?.sets(&filter.values);
        Some(Condition { sets, is_excluding })
    };
    let with = filters.with.iter().filter_map(|filter| condition(filter, false));
    let without = filters.without.iter().filter_map(|filter| condition(filter, true));
    let conditions: Vec<Condition<'_>> = with.chain(without).collect();
    (!conditions.is_empty()).then(|| Matching::new(conditions, None, records.len()).page(Span::ALL))
}

/// Keeps the positions of the records that are ready, or are not. Returns those of which it is unknown: they are open, and
/// their format states no dependencies.
fn split_ready(
    snapshot: &Snapshot,
    records: &Records,
    all: &mut Vec<u32>,
    ready: bool,
) -> Vec<u32> {
    let dependencies = records.dependencies();
    let is_order_unknown = |id: &str| snapshot.plans.is_order_unknown(records.kind(), id);
    let is_unknown = |at: u32| {
        records.is_open(at)
            && dependencies.of(at).is_none()
            && records.id(at).is_some_and(is_order_unknown)
    };
    let mut unknown = Vec::new();
    all.retain(|at| {
        if is_unknown(*at) {
            unknown.push(*at);
            return false;
        }
        dependencies.is_ready(records, *at) == ready
    });
    unknown
}

/// The size of the records at these positions, in bytes.
fn sizes(records: &Records, positions: &[u32]) -> usize {
    positions.iter().map(|at| records.size(*at as usize)).sum()
}

/// Counts the values of the requested fields among the records at these positions, ascending; `None` means all.
fn facets(
    records: &Records,
    shape: &Shape<'_>,
    found: Option<&[u32]>,
    examined: &mut Examined,
) -> Result<Facets, TooExpensive> {
    let mut facets = Facets::default();
    let found = found.map(|found| Postings::pack(found.to_vec(), records.len()));
    for field in shape.facets {
        let Some(terms) = records.terms(field) else { continue };
        examined.entries(terms.len())?;
        let mut counts = Tally::default();
        match &found {
            Some(found) => tally(&mut counts, terms.counts_in(found)),
            None => tally(&mut counts, terms.counts()),
        }
        facets.add(field, &counts);
    }
    Ok(facets)
}
