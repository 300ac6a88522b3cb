//! The project's folder: named by the user, or found upward from the current one. Folders of other users are never
//! used.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use flow_plans::FORMATS;
use nix::unistd::{Uid, User};

use crate::error::{Error, Result};

/// Names that mark a folder as a project root; one of them is enough.
const MARKS: [&str; 5] = [".flow", ".agileflow", "agileflow", ".aflow", "docs/09-agents"];
/// Folders of a project whose content decides what is run or written: they must belong to this user too.
const TRUSTED: [&str; 2] = [".flow", ".claude"];

/// The environment of a command, which determines the project and its settings.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The folder that the user named.
    pub named: Option<&'a Path>,
    /// The current folder, absolute.
    pub from: &'a Path,
    /// The user's home folder, which a search never selects.
    pub home: Option<&'a Path>,
    /// The user's own settings, which alone may raise limits.
    pub settings: Option<&'a Path>,
}

/// The root, absolute and without links.
pub(super) fn find(at: &Surroundings<'_>) -> Result<PathBuf> {
    let root = match at.named {
        Some(path) => at.from.join(path),
        None => search(at.from, at.home)?,
    };
    let root = fs::canonicalize(&root).map_err(|error| unusable(&root, error))?;
    let found = fs::metadata(&root).map_err(|error| unusable(&root, error))?;
    if !found.is_dir() {
        let why = "is not a folder; give the project's folder with --project DIR";
        return Err(Error::Usage(format!("{} {why}", root.display())));
    }
    let parts = TRUSTED.map(|name| root.join(name));
    for path in [&root].into_iter().chain(&parts) {
        check_owner(path)?;
    }
    Ok(root)
}

/// A folder that cannot be opened. One that is not there was named wrongly.
fn unusable(root: &Path, error: io::Error) -> Error {
    if error.kind() != io::ErrorKind::NotFound {
        return Error::path("open the project folder", root, error);
    }
    Error::Refused(format!(
        "the project folder {} does not exist; give an existing one with --project DIR or FLOW_PROJECT",
        root.display()
    ))
}

/// The nearest folder upward that has a mark or `.git`, else the current one. The nearest `.git` ends the search.
fn search(from: &Path, home: Option<&Path>) -> Result<PathBuf> {
    let home = home.map(|home| fs::canonicalize(home).unwrap_or_else(|_| home.to_path_buf()));
    let may_be_taken = |dir: &&Path| dir.parent().is_some() && Some(*dir) != home.as_deref();
    let ends = |dir: &&Path| is_marked(dir) || dir.join(".git").symlink_metadata().is_ok();
    let mut above = from.ancestors().filter(may_be_taken);
    let found = above.find(|dir| is_own(dir) && ends(dir));
    let found = found.or_else(|| Some(from).filter(may_be_taken));
    found.map(Path::to_path_buf).ok_or_else(|| {
        Error::Usage(format!(
            "{0} is not used as a project unless it is given; to use it, add: --project {0}",
            from.display()
        ))
    })
}

fn is_marked(dir: &Path) -> bool {
    MARKS.iter().any(|mark| dir.join(mark).is_dir()) || has_plans(dir)
}

/// Whether a folder has what marks the root of a project with a plan of another tool.
pub(super) fn has_plans(dir: &Path) -> bool {
    let mut marks = FORMATS.iter().flat_map(|format| format.marks());
    marks.any(|mark| dir.join(mark).exists())
}

/// Whether a folder belongs to the user who runs this.
pub(super) fn is_own(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.uid() == Uid::effective().as_raw())
}

/// Refuses a folder of another user, whose content that user controls.
fn check_owner(path: &Path) -> Result<()> {
    let Ok(found) = path.symlink_metadata() else { return Ok(()) };
    let (owner, user) = (Uid::from_raw(found.uid()), Uid::effective());
    if owner == user {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "{} belongs to another user, {}, and flow runs as {}; run it as the owner, or change the owner",
        path.display(),
        user_name(owner),
        user_name(user)
    )))
}

/// A user for people: the name where there is one, and the number.
pub fn user_name(user: Uid) -> String {
    match User::from_uid(user) {
        Ok(Some(known)) => format!("{} (uid {user})", known.name),
        _ => format!("uid {user}"),
    }
}
