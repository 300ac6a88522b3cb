//! Validators: made of the version, the files behind a resource and the query, so that they change only with one
//! of those, and are the same after a restart.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::HeaderValue;
use xxhash_rust::xxh3::Xxh3;

use crate::store::Snapshot;

use super::View;
use super::query::Query;

/// This program's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The strong validator of what a view shows, quotes included.
pub fn tag(snapshot: &Snapshot, view: &View<'_>, query: &Query, about: &str) -> Bytes {
    let mut hash = Xxh3::new();
    for part in [VERSION, about, view.route.path, view.id, &query.canonical()] {
        hash.update(part.as_bytes());
        hash.update(&[0xff]);
    }
    for source in view.route.sources {
        let stamp = snapshot.stamp(*source);
        hash.update(&stamp.hash.to_le_bytes());
        hash.update(&nanoseconds(stamp.modified).to_le_bytes());
    }
    format!("\"{:016x}\"", hash.digest()).into()
}

fn nanoseconds(time: Option<SystemTime>) -> i128 {
    let signed = |nanoseconds: u128| i128::try_from(nanoseconds).unwrap_or(i128::MAX);
    match time.map(|time| time.duration_since(UNIX_EPOCH)) {
        None => i128::MIN,
        Some(Ok(after)) => signed(after.as_nanos()),
        Some(Err(before)) => -signed(before.duration().as_nanos()),
    }
}

/// Whether an `If-None-Match` names the validator (RFC 9110, section 13.1.2: weak comparison).
pub fn is_named(tag: &[u8], if_none_match: Option<&str>) -> bool {
    let strip = |one: &str| one.trim().trim_start_matches("W/").as_bytes() == tag;
    if_none_match.is_some_and(|list| list.trim() == "*" || list.split(',').any(strip))
}

/// The validator as a header.
pub fn header(tag: &Bytes) -> Option<HeaderValue> {
    HeaderValue::from_maybe_shared(tag.clone()).ok()
}
