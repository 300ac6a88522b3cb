//! The journal: the changes of a project beyond one run of the server, in a folder of the user's own.
//!
//! ```text
//! id                         distinguishes this journal
//! 00000000000000000001.log   changes, one JSON object a line; the name is the number of the first
//! 00000000000000004711.log
//! plan                       the plan after the last change that counts, compressed
//! compared                   the plan of the last `flow diff --since-last`, in the form of plan
//! past                       the changes of the commits before the first change, from git
//! ```
//!
//! The plan commits: changes behind the last one that it contains are dropped at the next start, and found again by comparing the
//! plan with the files. So nothing is told twice, whenever the process was killed.

mod entry;
mod journal;
mod kept;
mod past_file;
mod plan_file;
mod state;
mod writer;

use std::path::Path;

use crate::error::Result;
use crate::folder::Folder;
use crate::store::keeper::Keeper;
use journal::Journal;

pub use kept::Kept;
pub use past_file::Origin;
pub use state::{Condition, State};

/// Opens the journal in a folder that belongs to this user alone, and starts the thread that writes it.
///
/// # Errors
/// When another process writes it, or the folder cannot be used.
pub(crate) fn open(
    folder: Folder,
    root: &Path,
    most_records: usize,
) -> Result<(Box<dyn Keeper>, State)> {
    let journal = Journal::open(folder, root, most_records)?;
    writer::start(journal)
}
