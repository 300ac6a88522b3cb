//! The history of a project, for a process that does not record it.

use std::sync::Arc;
use std::time::SystemTime;

use super::journal::{self, Wanted};
use super::past_file::{self, Origin, PastReader};
use super::plan_file;
use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::store::activity::{Change, Past};
use crate::store::keeper::{Keeper, Recalled};
use crate::store::{Reader, Snapshot, Store};

/// The plan of the last comparison.
const COMPARED: &str = "compared";
/// Largest size of it, in bytes.
const MOST_COMPARED: usize = 16 << 20;

/// What is kept of a project.
#[derive(Debug)]
pub struct Kept {
    folder: Folder,
    most_records: usize,
}

impl Kept {
    pub(crate) fn new(folder: Folder, most_records: usize) -> Self {
        Self { folder, most_records }
    }

    /// When recording began; `None` if no server has recorded yet.
    pub fn began(&self) -> Option<SystemTime> {
        journal::began(&self.folder)
    }

    /// Where the changes of the past are from, if they were found.
    pub fn origin(&self) -> Option<Origin> {
        past_file::origin(&self.folder)
    }

    /// Replaces the changes of the past; of those that do not fit, the newest are kept.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn replace_past(&self, origin: &Origin, changes: &[Change]) -> Result<()> {
        past_file::replace(&self.folder, origin, changes)
    }

    /// Gives all changes that are kept, oldest first: those of the past, and the recorded ones.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn each(&self, visit: &mut dyn FnMut(Change)) -> Result<()> {
        let past = past_file::read(&self.folder).map(|(_, changes)| changes).unwrap_or_default();
        past.into_iter().for_each(&mut *visit);
        journal::each(&self.folder, visit)
    }

    /// The plan of the last comparison, and when that was.
    pub fn compared(&self) -> Option<(Snapshot, SystemTime)> {
        let bytes = journal::bytes_of(&self.folder, COMPARED)?;
        plan_file::read(&bytes, self.most_records).map(|(_, plan, at)| (plan, at))
    }

    /// Keeps a plan as that of the last comparison.
    ///
    /// # Errors
    /// When it is too large, or the folder cannot be written.
    pub fn replace_compared(&self, plan: &Snapshot, at: SystemTime) -> Result<()> {
        let bytes = plan_file::write(plan, 0, at).filter(|bytes| bytes.len() <= MOST_COMPARED);
        let too_large = || {
            Error::Refused(format!(
                "the plan is too large to be kept: more than {} MiB when it is compressed",
                MOST_COMPARED >> 20
            ))
        };
        self.folder.replace(COMPARED, &bytes.ok_or_else(too_large)?).map(drop)
    }

    /// As what a store that follows the files recalls; it keeps nothing.
    ///
    /// # Errors
    /// When the folder cannot be opened.
    pub fn into_keeper(self) -> Result<Box<dyn Keeper>> {
        let wanted = Wanted::Plan(self.most_records);
        Ok(Box::new(self.reading(wanted)?))
    }

    /// A reader of the newest snapshot of another one, with the changes that are kept.
    ///
    /// # Errors
    /// When the folder cannot be opened.
    pub fn added_to(&self, reader: &Reader) -> Result<Reader> {
        Ok(Store::recalled(reader, &mut self.reading(Wanted::Changes)?))
    }

    fn reading(&self, wanted: Wanted) -> Result<Reading> {
        let open = || Folder::open(self.folder.path());
        Ok(Reading { folder: open()?, wanted, past: PastReader::new(open()?) })
    }
}

/// Gives what another process keeps.
#[derive(Debug)]
struct Reading {
    folder: Folder,
    wanted: Wanted,
    past: PastReader,
}

impl Keeper for Reading {
    fn recall(&mut self) -> Recalled {
        journal::peek(&self.folder, self.wanted).unwrap_or_default()
    }

    fn new_past(&mut self) -> Option<Past> {
        self.past.look()
    }

    fn keep(&mut self, _snapshot: &Arc<Snapshot>, changes: &mut Vec<Arc<Change>>) {
        changes.clear();
    }
}
