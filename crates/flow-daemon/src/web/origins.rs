//! `/api/origins/:id`: on which lines the records with an id stand in their files.

use bytes::Bytes;
use serde::Serialize;

use crate::store::collection::Collection;

use super::body::Object;
use super::view::View;

/// A record with the id.
#[derive(Debug, Serialize)]
struct Origin<'a> {
    collection: &'static str,
    source: &'static str,
    /// The path of the file, for a record of a format.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// Counted from 1; none where no file holds the record.
    line: Option<u64>,
}

/// Whether a record has the id.
pub(super) fn is_known(view: &View<'_>) -> bool {
    let has =
        |collection: &Collection| view.snapshot.records(*collection).position(view.id).is_some();
    Collection::ALL.iter().any(has)
}

/// The body of the resource.
pub(super) fn origins(view: &View<'_>) -> Bytes {
    let origin = |collection: Collection| {
        let records = view.snapshot.records(collection);
        let position = records.position(view.id)?;
        let name = collection.name();
        let Some(place) = view.snapshot.plan_place(collection, view.id) else {
            let (source, line) = (collection.source().name(), records.line(position));
            return Some(Origin { collection: name, source, file: None, line });
        };
        Some(Origin {
            collection: name,
            source: place.format,
            file: Some(place.file),
            line: Some(place.line),
        })
    };
    let origins: Vec<Origin<'_>> = Collection::ALL.into_iter().filter_map(origin).collect();
    Object::with_capacity(256)
        .value("id", view.id)
        .value("origins", &origins)
        .value("count", &origins.len())
        .time("timestamp", view.modified())
        .finish()
}
