//! Validators: computed from the version, the files behind a resource and the query, so that they change only with one
//! of those and survive a restart.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use xxhash_rust::xxh3::xxh3_64;

use crate::routes::Resource;
use crate::store::Snapshot;

use super::gzip;
use super::query::Query;
use super::reply::Reply;
use super::view::View;

/// This program's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The strong validator of a view, quotes included.
pub fn tag(snapshot: &Snapshot, view: &View<'_>, query: &Query, about: &str) -> Bytes {
    let mut text = Vec::with_capacity(240);
    for part in [VERSION, about, view.route.path, view.id] {
        text.extend_from_slice(part.as_bytes());
        text.push(0xff);
    }
    query.write_canonical(&mut text);
    text.push(0xff);
    for source in view.route.sources {
        let stamp = snapshot.stamp(*source);
        text.extend_from_slice(&stamp.hash.to_le_bytes());
        text.extend_from_slice(&nanoseconds(stamp.modified).to_le_bytes());
    }
    if view.route.resource == Resource::Problems {
        write_states(snapshot, &mut text);
    }
    quoted(xxh3_64(&text))
}

/// Adds the state and reason of each file whose content is not served as it is.
fn write_states(snapshot: &Snapshot, text: &mut Vec<u8>) {
    for health in &snapshot.health {
        if let Some((_, reason)) = health.degraded() {
            text.extend_from_slice(health.state.name().as_bytes());
            text.extend_from_slice(reason.as_bytes());
        }
        text.push(0xff);
    }
}

/// The hash as sixteen hexadecimal digits in quotes.
pub(super) fn quoted(hash: u64) -> Bytes {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = Vec::with_capacity(18);
    text.push(b'"');
    for byte in hash.to_be_bytes() {
        text.extend([byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]));
    }
    text.push(b'"');
    text.into()
}

fn nanoseconds(time: Option<SystemTime>) -> i128 {
    let signed = |nanoseconds: u128| i128::try_from(nanoseconds).unwrap_or(i128::MAX);
    match time.map(|time| time.duration_since(UNIX_EPOCH)) {
        None => i128::MIN,
        Some(Ok(after)) => signed(after.as_nanos()),
        Some(Err(before)) => -signed(before.duration().as_nanos()),
    }
}

/// Whether an `If-None-Match` names the validator, or that of the compressed answer (RFC 9110, section 13.1.2: weak
/// comparison).
pub fn is_named(tag: &[u8], if_none_match: Option<&str>) -> bool {
    let stem = tag.strip_suffix(b"\"").unwrap_or(tag);
    let names = |one: &str| {
        let one = one.trim().trim_start_matches("W/").as_bytes();
        one == tag || one.strip_suffix(gzip::TAG_END) == Some(stem)
    };
    if_none_match.is_some_and(|list| list.trim() == "*" || list.split(',').any(names))
}

/// The 304 for what the client named: the compressed answer, where it named that one alone.
pub(super) fn as_named(reply: Reply, if_none_match: Option<&str>) -> Reply {
    let Some(tag) = reply.etag.as_ref().filter(|_| reply.status == StatusCode::NOT_MODIFIED) else {
        return reply;
    };
    let compressed = gzip::tag(tag.as_bytes());
    let has = |tag: &[u8]| {
        if_none_match.is_some_and(|list| memchr::memmem::find(list.as_bytes(), tag).is_some())
    };
    if has(&compressed) && !has(tag.as_bytes()) {
        return Reply { etag: header(compressed), ..reply };
    }
    reply
}

/// The validator as a header value. Taken by value, since the first clone of bytes allocates.
pub fn header(tag: Bytes) -> Option<HeaderValue> {
    HeaderValue::from_maybe_shared(tag).ok()
}

/// The answer with a validator, or a 304 if the client has the body.
pub(super) fn validated(tag: &Bytes, is_known: bool, body: impl FnOnce() -> Bytes) -> Reply {
    if is_known {
        return not_modified(tag);
    }
    Reply { etag: header(tag.clone()), ..Reply::json(body()) }
}

/// The 304 for a client that has the body.
pub(super) fn not_modified(tag: &Bytes) -> Reply {
    Reply { etag: header(tag.clone()), ..Reply::empty(StatusCode::NOT_MODIFIED) }
}
