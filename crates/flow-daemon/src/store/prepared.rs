//! Bodies that are rendered at most once per change and shared by all requests: cells in a snapshot. It renders
//! nothing.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

/// Number of answers with one shared body that are being sent.
pub type InFlight = Arc<AtomicUsize>;

/// The compressed form of a body, made at most once, when it is first asked for.
pub type Compressed = Arc<OnceLock<Bytes>>;

/// A body and its validator, rendered at most once per change.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The whole body.
    pub body: Bytes,
    /// The `ETag`, quotes included.
    pub tag: Bytes,
    /// Number of answers with this body that are being sent.
    pub in_flight: InFlight,
    /// The body for clients that accept a compressed one.
    pub compressed: Compressed,
}

impl Prepared {
    /// A body that nobody has asked for.
    pub fn new(body: Bytes, tag: Bytes) -> Self {
        Self { body, tag, in_flight: InFlight::default(), compressed: Compressed::default() }
    }
}

/// The cache cell of a prepared body.
pub type Cell = OnceLock<Prepared>;

/// The bodies of the lists from status.json.
#[derive(Debug, Default)]
pub struct StatusBodies {
    /// `/api/stories`.
    pub stories: Cell,
    /// `/api/epics`.
    pub epics: Cell,
}

/// The bodies of the resources over all four files.
#[derive(Debug, Default)]
pub struct OverviewBodies {
    /// `/api/metrics`.
    pub metrics: Cell,
    /// `/api/problems`.
    pub problems: Cell,
}
