//! One of the two states: where its records are, and what they say.

use crate::model::change::Standing;
use crate::store::collection::Collection;
use crate::store::plan_change::RecordPlace;
use crate::store::plans::Place;
use crate::store::postings::count_u32;
use crate::store::snapshot::Snapshot;

use super::pairs::Unit;

/// One of the two states.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) snapshot: &'a Snapshot,
}

/// Which of the two kinds of file a record is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// One of the four files.
    File,
    /// A file of a format.
    Format,
}

impl<'a> Side<'a> {
    pub(super) fn place(
        self,
        collection: Collection,
        position: usize,
    ) -> Option<(RecordPlace, Origin)> {
        let records = self.snapshot.records(collection);
        if records.range(position).is_some() {
            let file = self.snapshot.health[collection.source().index()].path.clone();
            return Some((RecordPlace { file, line: records.line(position) }, Origin::File));
        }
        let Place { file, line, .. } =
            self.snapshot.plans.origin(collection, records.id_at(position)?)?;
        Some((RecordPlace { file: file.to_owned(), line: Some(line) }, Origin::Format))
    }

    pub(super) fn unit(self, collection: Collection, position: usize) -> Option<Unit<'a>> {
        let records = self.snapshot.records(collection);
        let id = records.id_at(position)?;
        let record = records.record(position)?;
        let former = self.snapshot.plans.former_id(collection, id);
        Some(Unit::new(position, id, former.as_deref(), record))
    }

    pub(super) fn is_open(self, collection: Collection, position: usize) -> bool {
        let records = self.snapshot.records(collection);
        records.is_open(count_u32(position))
    }

    pub(super) fn standing(self, collection: Collection, position: usize) -> Standing {
        self.snapshot.records(collection).standing(count_u32(position))
    }

    pub(super) fn is_done(self, collection: Collection, position: usize) -> bool {
        let records = self.snapshot.records(collection);
        records.is_done(count_u32(position))
    }
}
