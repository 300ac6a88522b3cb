//! The number of answered requests per status since the start. It knows no resource.

use std::sync::atomic::{AtomicU64, Ordering};

use http::StatusCode;

/// The statuses that are counted separately; all others are counted together.
const CODES: [u16; 12] = [200, 204, 304, 400, 403, 404, 405, 410, 414, 500, 503, 0];
/// Index of the count of the others.
const OTHERS: usize = CODES.len() - 1;

/// The counts.
#[derive(Debug, Default)]
pub struct RequestCounts([AtomicU64; CODES.len()]);

impl RequestCounts {
    /// Counts an answer.
    pub(super) fn note(&self, status: StatusCode) {
        let place = CODES.iter().position(|code| *code == status.as_u16()).unwrap_or(OTHERS);
        if let Some(count) = self.0.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Each status with its count; `other` for those that are counted together.
    pub(super) fn all(&self) -> impl Iterator<Item = (String, u64)> {
        CODES.iter().zip(&self.0).map(|(code, count)| {
            let name = if *code == 0 { "other".to_owned() } else { code.to_string() };
            (name, count.load(Ordering::Relaxed))
        })
    }
}
