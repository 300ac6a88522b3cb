//! The plan after the last change that counts, as bytes: a line of facts, then compressed parts, each behind its length.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use serde::{Deserialize, Serialize};

use crate::store::Snapshot;
use crate::store::saved_plan::{Facts, SavedPlan};

/// The version of the form.
const VERSION: u32 = 1;
/// Fast: four times smaller than JSON.
const LEVEL: u8 = 1;
/// Largest file, in bytes.
pub(super) const MOST_BYTES: u64 = 32 << 20;
/// Largest part when it is decompressed, in bytes.
const MOST_OF_PART: usize = 512 << 20;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    version: u32,
    /// The number of the last change that counts.
    number: u64,
    /// When the plan was so, in milliseconds since 1970.
    at: u64,
    /// The lengths of the compressed parts: facts, then texts.
    parts: [usize; 4],
}

/// The plan of a snapshot, in which the change with this number is the last; `None` if it is too large.
pub(super) fn write(snapshot: &Snapshot, number: u64, at: SystemTime) -> Option<Vec<u8>> {
    let SavedPlan { facts, texts } = SavedPlan::of(snapshot);
    let facts = serde_json::to_vec(&facts).ok()?;
    let mut parts = vec![compress_to_vec_zlib(&facts, LEVEL)];
    parts.extend(texts.iter().map(|text| compress_to_vec_zlib(text, LEVEL)));
    let lengths: Vec<usize> = parts.iter().map(Vec::len).collect();
    let at = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let head = Head {
        version: VERSION,
        number,
        at: u64::try_from(at).unwrap_or_default(),
        parts: lengths.try_into().ok()?,
    };
    let mut bytes = serde_json::to_vec(&head).ok()?;
    bytes.push(b'\n');
    bytes.extend(parts.concat());
    (bytes.len() as u64 <= MOST_BYTES).then_some(bytes)
}

/// The number of the last change that counts.
pub(super) fn number(bytes: &[u8]) -> Option<u64> {
    let (head, _) = bytes.split_at(memchr::memchr(b'\n', bytes)?);
    let head: Head = serde_json::from_slice(head).ok()?;
    (head.version == VERSION).then_some(head.number)
}

/// The number of the last change that counts, the plan, and when it was so.
pub(super) fn read(bytes: &[u8], most_records: usize) -> Option<(u64, Snapshot, SystemTime)> {
    let (head, mut rest) = bytes.split_at(memchr::memchr(b'\n', bytes)? + 1);
    let head: Head = serde_json::from_slice(head).ok()?;
    if head.version != VERSION {
        return None;
    }
    let mut parts = Vec::new();
    for length in head.parts {
        let part;
        (part, rest) = rest.split_at_checked(length)?;
        parts.push(decompress_to_vec_zlib_with_limit(part, MOST_OF_PART).ok()?);
    }
    let [facts, status, tasks, sessions] = <[Vec<u8>; 4]>::try_from(parts).ok()?;
    let facts: Facts = serde_json::from_slice(&facts).ok()?;
    let texts = [status, tasks, sessions].map(Bytes::from);
    let at = UNIX_EPOCH + Duration::from_millis(head.at);
    let snapshot = SavedPlan { facts, texts }.snapshot(at, most_records).ok()?;
    Some((head.number, snapshot, at))
}
