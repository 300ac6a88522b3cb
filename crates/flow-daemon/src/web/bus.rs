//! `/api/bus/messages`: a page of the log.

use bytes::Bytes;

use crate::model::bus::{self, FIELDS};
use crate::model::time::Edge;
use crate::routes::{DEFAULT_LIMIT, LARGEST_LIMIT};
use crate::store::chunk::Query as LogQuery;
use crate::store::log::Page;
use crate::store::postings::Order;
use crate::store::times::Window;

use super::body::Object;
use super::query::Query;
use super::view::View;

/// Expected size of a message, in bytes; only the initial capacity of a page depends on it.
const USUAL: usize = 320;

/// The page that a query asks for.
pub(super) fn messages(view: &View<'_>, query: &Query) -> Bytes {
    let limit = query.number("limit", DEFAULT_LIMIT).min(LARGEST_LIMIT);
    let offset = query.number("offset", 0);
    let order =
        if query.value("order") == Some("desc") { Order::Descending } else { Order::Ascending };
    let page = Page { offset, limit: usize::try_from(limit).unwrap_or(usize::MAX), order };
    let asked = LogQuery {
        values: FIELDS.map(|field| query.values(field).to_vec()),
        window: window(query),
    };
    let bus = &view.snapshot.bus;
    let mut text = Vec::with_capacity(page.limit.min(bus.log.len()) * USUAL + 256);
    let found = bus.log.query(&asked, page, |chunk, position| {
        if !text.is_empty() {
            text.push(b',');
        }
        let (message, form) = chunk.message(position);
        bus::write(message, form, &mut text);
    });
    let next = offset.saturating_add(found.count as u64);
    let is_more = found.count > 0 && next < found.total as u64;
    let object = Object::with_capacity(text.len() + 256)
        .array("messages", &text)
        .value("count", &found.count)
        .value("total", &found.total)
        .value("limit", &limit)
        .value("offset", &offset)
        .value("next_offset", &is_more.then_some(next))
        .value("timestamp", &view.timestamp());
    if bus.left_out > 0 {
        object.value("left_out_bytes", &bus.left_out).finish()
    } else {
        object.finish()
    }
}

/// Whether a message has this value.
pub(super) fn is_recorded(view: &View<'_>, parameter: &str, value: &str) -> bool {
    let Some(at) = FIELDS.iter().position(|field| *field == parameter) else { return false };
    let mut terms = view.snapshot.bus.log.chunks().filter_map(|chunk| chunk.terms().get(at));
    terms.any(|terms| terms.finds(value))
}

fn window(query: &Query) -> Option<Window> {
    let (since, until) = (query.time("since", Edge::Start), query.time("until", Edge::End));
    let all = Window { since: i64::MIN + 1, until: i64::MAX };
    (since.is_some() || until.is_some())
        .then(|| Window { since: since.unwrap_or(all.since), until: until.unwrap_or(all.until) })
}
