//! Which path a source is read from, and whether a link may lead there.
//!
//! A link may lead anywhere inside the project, or to the same relative path in another worktree of the same git
//! repository; a cloned project must not make the server read anything else.

use std::io;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Stat};

/// Largest of git's small files that is read, in bytes.
const GIT_FILE: u64 = 4096;

/// Where a source lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Relative to the root.
    pub path: PathBuf,
    /// As seen through links.
    pub stat: Stat,
}

/// The first of the candidates that exists.
///
/// # Errors
/// When the system does not let it be seen. A part of the path that is no folder counts as not there.
pub fn find(
    disk: &dyn Disk,
    root: &Path,
    candidates: &[PathBuf],
) -> Result<Option<Place>, (PathBuf, io::Error)> {
    for path in candidates {
        match disk.stat(&root.join(path)) {
            Ok(stat) => return Ok(Some(Place { path: path.clone(), stat })),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err((path.clone(), error)),
        }
    }
    Ok(None)
}

/// Whether an error says that nothing is there.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The real path of a file under the root.
///
/// # Errors
/// As the system says; `Ok(None)` when a link leads where it must not.
pub fn resolve(disk: &dyn Disk, root: &Path, relative: &Path) -> io::Result<Option<PathBuf>> {
    let real = disk.resolve(&root.join(relative))?;
    let allowed = real.starts_with(root) || is_in_sister_worktree(disk, root, (relative, &real));
    Ok(allowed.then_some(real))
}

/// Whether `real` is `root/relative` as another worktree of the same repository has it.
fn is_in_sister_worktree(disk: &dyn Disk, root: &Path, (relative, real): (&Path, &Path)) -> bool {
    let (Some(ours), Some(theirs)) = (worktree(disk, root), worktree(disk, real)) else {
        return false;
    };
    let below = root.strip_prefix(&ours.top).unwrap_or(Path::new(""));
    ours.repository == theirs.repository && real == theirs.top.join(below).join(relative)
}

struct Worktree {
    top: PathBuf,
    /// The folder that all worktrees of the repository share.
    repository: PathBuf,
}

/// The worktree that a path lies in. What its `.git` says of another repository counts only where that repository
/// knows it: anybody can write a file that claims something.
fn worktree(disk: &dyn Disk, path: &Path) -> Option<Worktree> {
    let top = path.ancestors().find(|folder| disk.stat(&folder.join(".git")).is_ok())?;
    let git = top.join(".git");
    let repository = match disk.stat(&git).ok()? {
        stat if stat.is_folder() => disk.resolve(&git).ok()?,
        _ => shared_by(disk, top, &git)?,
    };
    Some(Worktree { top: top.to_path_buf(), repository })
}

/// The repository of an added worktree, whose `.git` is a file: it keeps a folder for each that points back to it.
fn shared_by(disk: &dyn Disk, top: &Path, git: &Path) -> Option<PathBuf> {
    let read = |path: &Path| disk.read_small(path, GIT_FILE).ok();
    let own = disk.resolve(&top.join(read(git)?.strip_prefix("gitdir:")?.trim())).ok()?;
    let repository = disk.resolve(&own.join(read(&own.join("commondir"))?.trim())).ok()?;
    let back = disk.resolve(&own.join(read(&own.join("gitdir"))?.trim())).ok()?;
    let known =
        own.parent() == Some(&repository.join("worktrees")) && back == disk.resolve(git).ok()?;
    known.then_some(repository)
}
