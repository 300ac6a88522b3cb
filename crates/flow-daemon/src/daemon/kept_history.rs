//! Opens the journal of a project in the user's state folder, unless the user does not want it.

use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use super::private::key;
use crate::error::{Error, Result};
use crate::folder::{Folder, Privacy};
use crate::history::{self, Condition, Kept, State};
use crate::project::{History, Project};
use crate::store::keeper::Keeper;

/// The folder of all projects in the user's state folder.
const FOLDER: &str = "flow/history";
/// Mode of a new folder.
const PRIVATE: u32 = 0o700;

/// The journal, and its state. Where it cannot be written, what it has is read, and the changes of this run are kept in memory only.
pub(super) fn open(project: &Project) -> (Option<Box<dyn Keeper>>, State) {
    if project.history() == History::Off {
        return (None, State::new(Condition::Off));
    }
    match try_to_open(project) {
        Ok((keeper, state)) => (Some(keeper), state),
        Err(error) => {
            tracing::warn!(%error, "the history is not kept; set XDG_STATE_HOME to a folder of your own");
            let reading = kept(project).and_then(|kept| kept.into_keeper().ok());
            (reading, State::new(Condition::Failed))
        }
    }
}

/// What is kept of a project, for a process that does not record it; `None` if nothing is, or the user does not want it.
pub fn kept(project: &Project) -> Option<Kept> {
    if project.history() == History::Off {
        return None;
    }
    let path = state_folder().ok()?.join(FOLDER).join(key(project.root()));
    Some(Kept::new(Folder::open(&path).ok()?, most_records(project)))
}

/// The same, of a project of which nothing needs to be kept yet.
///
/// # Errors
/// When the folder cannot be used.
pub fn make_kept(project: &Project) -> Result<Kept> {
    Ok(Kept::new(folder(project)?, most_records(project)))
}

fn most_records(project: &Project) -> usize {
    usize::try_from(project.limits().records).unwrap_or(usize::MAX)
}

fn try_to_open(project: &Project) -> Result<(Box<dyn Keeper>, State)> {
    history::open(folder(project)?, project.root(), most_records(project))
}

/// The folder of a project's history.
fn folder(project: &Project) -> Result<Folder> {
    let all = state_folder()?.join(FOLDER);
    let mut builder = DirBuilder::new();
    builder
        .recursive(true)
        .mode(PRIVATE)
        .create(&all)
        .map_err(|e| Error::path("create", &all, e))?;
    let path = all.join(key(project.root()));
    let (folder, privacy) = Folder::make_or_open(&path)?;
    if let Privacy::Shared(mode) = privacy {
        let what = format!("other users can write to {} (mode {mode:o})", path.display());
        return Err(Error::Refused(what));
    }
    Ok(folder)
}

/// `$XDG_STATE_HOME`, else `~/.local/state`. A relative variable counts as unset, as the XDG specification requires.
fn state_folder() -> Result<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|text| text != OsStr::new(""));
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
        .ok_or_else(|| Error::Refused("there is no home folder".to_owned()))
}
