//! `/api/bus/messages`: a page of the log.

mod counts;
mod find;

use bytes::Bytes;
use http::StatusCode;

use crate::model::bus::{self, FIELDS};
use crate::model::json;
use crate::model::record::Kind;
use crate::model::time::Edge;
use crate::routes::{FIRST_CURSOR, Kind as ParameterKind, Parameter};
use crate::store::chunk::Query as LogQuery;
use crate::store::cursor::Cursor;
use crate::store::log::{Log, Page as LogPage};
use crate::store::postings::Order;
use crate::store::times::Window;

use super::body::Object;
use super::errors::context;
use super::examined::{Examined, TooExpensive};
use super::list::{Answer, Page, Shape, Target, link};
use super::query::Query;
use super::reply::Reply;
use super::view::View;
use counts::Counted;
use find::{Begin, Found, Request, Summary};

/// Expected size of a message, and of a page besides its messages, in bytes; only the capacity that is reserved depends on
/// them.
const USUAL: usize = 320;
const REST: usize = 512;
/// Number of newest messages that are searched for a member whose name is not documented.
const MOST_SEARCHED_FOR_NAMES: usize = 10_000;

/// Refuses an expired or invalid cursor, parameters that cannot be combined with one, and `by` without `buckets`.
///
/// # Errors
/// The answer to such a request.
pub(super) fn check(view: &View<'_>, query: &Query) -> Result<(), Reply> {
    if query.value("by").is_some() && query.value("buckets").is_none() {
        return Err(query.refusal("by", "given together with buckets"));
    }
    if query.value("cursor").is_none() {
        return Ok(());
    }
    if let Some(name) = ["offset", "sort"].into_iter().find(|name| query.value(name).is_some()) {
        return Err(query.refusal(name, "omitted if a cursor is given"));
    }
    begin(&view.snapshot.bus.log, query).map(|_| ())
}

fn begin(log: &Log, query: &Query) -> Result<Option<Begin>, Reply> {
    let text = match query.value("cursor") {
        None => return Ok(None),
        Some(FIRST_CURSOR) => return Ok(Some(Begin::First)),
        Some(text) => text,
    };
    let allowed = format!("{FIRST_CURSOR}, or the next_cursor of the previous page");
    let cursor = Cursor::parse(text).ok_or_else(|| query.refusal("cursor", &allowed))?;
    let number = log.number_at(cursor).ok_or_else(|| expired(text))?;
    Ok(Some(Begin::Beyond { cursor, number }))
}

fn expired(cursor: &str) -> Reply {
    let sentence = format!(
        "the log was rotated or rewritten since the cursor {cursor:?} was given, or the part that it names is no \
         longer served; begin again with cursor={FIRST_CURSOR}"
    );
    let context = context([("cursor", cursor.into())]);
    Reply::error(StatusCode::GONE, "cursor_expired", &sentence, context)
}

/// The requested page.
pub(super) fn messages(view: &View<'_>, query: &Query) -> Result<Answer, TooExpensive> {
    let bus = &view.snapshot.bus;
    let is_descending = query.value("order") == Some("desc");
    let page = Page::read(query);
    let mut examined = Examined::new();
    let mut filters = LogQuery {
        values: FIELDS.map(|field| query.values(field)),
        excluded: FIELDS.map(|field| query.excluded(field)),
        window: window(query),
        ..LogQuery::default()
    };
    filters.scanned = bus.log.scan(&filters, |bytes| examined.bytes(bytes))?;
    let request = Request {
        filters,
        order: if is_descending { Order::Descending } else { Order::Ascending },
        shape: Shape::read(query),
        page: page.unwrap_or(Page::DEFAULT),
        // An invalid cursor was refused before.
        begin: begin(&bus.log, query).ok().flatten(),
        counted: Counted::read(query),
    };
    let (object, found) = Object::with_capacity(REST).array_with("messages", |out| {
        let mut is_first = true;
        request.find(&bus.log, &mut examined, |one| {
            if is_first {
                out.reserve(request.page.size().min(bus.log.len()) * USUAL + REST);
            } else {
                out.push(b',');
            }
            is_first = false;
            write(one, &request.shape, out);
        })
    });
    let found = found?;
    let object = object.value("count", &found.count);
    let (object, link) = match (request.begin, found.total.unwrap_or_default()) {
        (None, total) => {
            let links = || request.page.links(view.route.path, query, total);
            (request.page.describe(object, total), page.and_then(|_| links()))
        }
        (Some(begin), _) => {
            let next = next_cursor(&bus.log, &request, begin, &found);
            let object = describe_cursor(object, &request, &found, next.as_deref());
            (object, cursor_links(view, query, next.as_deref().filter(|_| found.is_more)))
        }
    };
    let mut object = found.facets.describe(object);
    if let Some(buckets) = &found.buckets {
        object = object.value("buckets", buckets);
    }
    if found.left_out > 0 {
        object = object.value("left_out_messages", &found.left_out);
    }
    object = object.time("timestamp", view.modified());
    if bus.left_out > 0 {
        object = object.value("left_out_bytes", &bus.left_out);
    }
    Ok(Answer { body: object.finish(), link })
}

/// The cursor of the next page; `None` for an empty log without a cursor.
fn next_cursor(
    log: &Log,
    request: &Request<'_>,
    begin: Begin,
    found: &Summary<'_>,
) -> Option<String> {
    if request.order == Order::Descending && !found.is_more {
        return None;
    }
    let beyond = found.last.map(|last| log.cursor(last.chunk, last.position));
    Some(match (beyond, begin) {
        (Some(cursor), _) | (None, Begin::Beyond { cursor, .. }) => cursor.format(),
        (None, Begin::First) => FIRST_CURSOR.to_owned(),
    })
}

fn describe_cursor(
    object: Object,
    request: &Request<'_>,
    found: &Summary<'_>,
    next: Option<&str>,
) -> Object {
    let object = match found.total {
        Some(total) => object.value("total", &total),
        None => object,
    };
    object
        .value("limit", &request.page.limit)
        .value("next_cursor", &next)
        .value("more", &found.is_more)
}

fn cursor_links(view: &View<'_>, query: &Query, next: Option<&str>) -> Option<Bytes> {
    let to = |cursor| Target::Cursor { limit: query.value("limit"), cursor };
    link(view.route.path, query, &[("first", Some(to(FIRST_CURSOR))), ("next", next.map(to))])
}

/// Most messages of most logs are copied as they are, so this part is small enough for the compiler to inline it.
#[inline]
fn write(one: Found<'_>, shape: &Shape<'_>, out: &mut Vec<u8>) {
    match one.chunk.verbatim(one.position).filter(|_| !shape.is_reduced()) {
        Some(message) => out.extend_from_slice(message),
        None => write_changed(one, shape, out),
    }
}

#[inline(never)]
fn write_changed(one: Found<'_>, shape: &Shape<'_>, out: &mut Vec<u8>) {
    let (message, form) = one.chunk.message(one.position);
    if !shape.is_reduced() {
        return bus::write(message, form, out);
    }
    let mut served = Vec::with_capacity(message.len());
    bus::write(message, form, &mut served);
    shape.write(&served, out);
}

/// Whether a value is documented for a parameter, or some message has it or may have it.
pub(super) fn is_known(view: &View<'_>, parameter: &Parameter, value: &str) -> bool {
    let log = &view.snapshot.bus.log;
    if matches!(parameter.kind, ParameterKind::Fields | ParameterKind::Sort) {
        return Kind::Message.documented().any(|name| name == value) || has_member(log, value);
    }
    let Some(at) = FIELDS.iter().position(|field| *field == parameter.name) else { return false };
    let mut terms = log.chunks().filter_map(|chunk| chunk.terms().get(at));
    // A value that has no set of positions may be on record: it is filtered by as a whole too, which finds it or nothing.
    terms.any(|terms| terms.finds(value) || !terms.rest().is_empty())
}

/// Whether any of the newest messages has a member with this name.
fn has_member(log: &Log, name: &str) -> bool {
    let mut quoted = Vec::new();
    json::write_string(name, &mut quoted);
    let mut is_found = false;
    let newest = LogPage { offset: 0, limit: MOST_SEARCHED_FOR_NAMES, order: Order::Descending };
    log.query(&LogQuery::default(), newest, |chunk, position| {
        let (text, _) = chunk.message(position);
        // A name may also be written with escapes.
        let is_possible =
            || memchr::memmem::find(text.as_bytes(), &quoted).is_some() || text.contains("\\u");
        let has = |members: json::Members<'_>| members.list.iter().any(|m| m.name == name);
        is_found = is_found || is_possible() && json::members(text).is_ok_and(has);
    });
    is_found
}

fn window(query: &Query) -> Option<Window> {
    let (since, until) = (query.time("since", Edge::Start), query.time("until", Edge::End));
    let all = Window { since: i64::MIN + 1, until: i64::MAX };
    (since.is_some() || until.is_some())
        .then(|| Window { since: since.unwrap_or(all.since), until: until.unwrap_or(all.until) })
}
