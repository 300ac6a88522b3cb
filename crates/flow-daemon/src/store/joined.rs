//! The two documents that files and plans share: what the file contains, followed by the records of the formats.
//!
//! Where no format is read, a document is the file's own text, and nothing is copied.

use std::sync::Arc;

use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::model::fault::Fault;
use crate::model::record::Kind;
use crate::project::Source;

use super::joined_text::JoinedText;
use super::plan_documents::PlanDocuments;
use super::plans::Plans;
use super::snapshot::{Registry, Snapshot, Stamp, Status};

/// The last valid content of the two files, and the documents of the formats.
#[derive(Debug, Default)]
pub struct Joined {
    status: Option<FileText>,
    tasks: Option<FileText>,
    documents: Option<PlanDocuments>,
    stamp: Stamp,
}

#[derive(Debug, Clone)]
struct FileText {
    text: Bytes,
    stamp: Stamp,
}

/// The effect of content on the snapshot.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken {
    /// It replaced the earlier content.
    New,
    /// It is the same as the earlier content.
    Same,
}

impl Joined {
    /// Takes the content of a file, `None` if it is gone, into the next snapshot.
    ///
    /// # Errors
    /// Why the content is not valid; the earlier one is kept.
    pub fn take_file(
        &mut self,
        source: Source,
        content: Option<(Bytes, Stamp)>,
        most: usize,
        next: &mut Snapshot,
    ) -> Result<Taken, Fault> {
        let given = content.map(|(text, stamp)| FileText { text, stamp });
        let before = match source {
            Source::Tasks => &mut self.tasks,
            _ => &mut self.status,
        };
        if let (Some(before), Some(given)) = (&before, &given)
            && before.stamp == given.stamp
        {
            return Ok(Taken::Same);
        }
        let kept = std::mem::replace(before, given);
        let made = self.make(source, most, next);
        if made.is_err() {
            match source {
                Source::Tasks => self.tasks = kept,
                _ => self.status = kept,
            }
        }
        made.map(|()| Taken::New)
    }

    /// Takes what the formats contain into the next snapshot. If it cannot be served together with the files, what was
    /// served before stays, and the plans say why.
    pub fn take_plans(
        &mut self,
        plans: Plans,
        documents: PlanDocuments,
        most: usize,
        next: &mut Snapshot,
    ) {
        let before = next.clone();
        let kept = (self.documents.replace(documents), self.stamp);
        self.stamp = plans.stamp;
        next.plans = Arc::new(plans);
        let made = self
            .make(Source::Status, most, next)
            .and_then(|()| self.make(Source::Tasks, most, next));
        let Err(fault) = made else { return };
        (self.documents, self.stamp) = kept;
        let new = std::mem::replace(&mut next.plans, before.plans);
        (next.status, next.tasks) = (before.status, before.tasks);
        let served = Arc::make_mut(&mut next.plans);
        if served.formats.is_empty() {
            *served = Plans::none_of(&new);
        }
        served.refuse(&fault.of_document());
    }

    /// Reads a document anew.
    fn make(&self, source: Source, most: usize, next: &mut Snapshot) -> Result<(), Fault> {
        let file = match source {
            Source::Tasks => &self.tasks,
            _ => &self.status,
        };
        let Some(documents) = &self.documents else {
            match (source, file) {
                (Source::Tasks, None) => next.tasks = Arc::new(Registry::missing(Kind::Task)),
                (Source::Tasks, Some(FileText { text, stamp })) => {
                    let text = JoinedText::of_file(text);
                    next.tasks = Arc::new(Registry::read(Kind::Task, &text, *stamp, most)?);
                }
                (_, None) => next.status = Arc::new(Status::missing()),
                (_, Some(FileText { text, stamp })) => {
                    let text = JoinedText::of_file(text);
                    next.status = Arc::new(Status::read(&text, *stamp, most)?);
                }
            }
            return Ok(());
        };
        let planned = match source {
            Source::Tasks => &documents.tasks,
            _ => &documents.status,
        };
        let synonyms = Arc::clone(&documents.synonyms);
        let (text, stamp) = match file {
            None => (JoinedText { text: planned.clone(), plans_at: 0, synonyms }, self.stamp),
            Some(FileText { text, stamp }) => {
                let joined = [text.as_ref(), planned.as_ref()].concat();
                let stamp = Stamp {
                    hash: xxh3_64_with_seed(&stamp.hash.to_le_bytes(), self.stamp.hash),
                    modified: stamp.modified.max(self.stamp.modified),
                };
                (JoinedText { text: joined.into(), plans_at: text.len(), synonyms }, stamp)
            }
        };
        match source {
            Source::Tasks => {
                next.tasks = Arc::new(Registry::read(Kind::Task, &text, stamp, most)?);
            }
            _ => next.status = Arc::new(Status::read(&text, stamp, most)?),
        }
        Ok(())
    }
}
