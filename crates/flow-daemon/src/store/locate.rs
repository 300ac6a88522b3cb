//! Finds the path that a source is read from, and decides whether its links may be followed.
//!
//! A link may lead anywhere inside the project, or to the same relative path in another worktree of the same git
//! repository. A cloned project must not make the server read anything else.

use std::io;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Stat};
use flow_files::worktree::{GitFiles, MOST_BYTES, Worktree};

/// The path of a source, and the stat of the file there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Relative to the root.
    pub path: PathBuf,
    /// With links followed.
    pub stat: Stat,
}

/// The first of the candidates that exists.
///
/// # Errors
/// An I/O error, if the system denies access. A path whose parent is not a folder counts as absent.
pub fn find(
    disk: &dyn Disk,
    root: &Path,
    candidates: &[PathBuf],
) -> Result<Option<Located>, (PathBuf, io::Error)> {
    for path in candidates {
        match disk.stat(&root.join(path)) {
            Ok(stat) => return Ok(Some(Located { path: path.clone(), stat })),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err((path.clone(), error)),
        }
    }
    Ok(None)
}

/// Whether an error means that the path does not exist.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The real path of a file under the root.
///
/// # Errors
/// I/O errors of the system; `Ok(None)` if a link leads to a place that is not allowed.
pub fn resolve(disk: &dyn Disk, root: &Path, relative: &Path) -> io::Result<Option<PathBuf>> {
    let real = disk.resolve(&root.join(relative))?;
    let allowed = real.starts_with(root) || is_in_sister_worktree(disk, root, relative, &real);
    Ok(allowed.then_some(real))
}

/// Whether `real` is the path that corresponds to `root/relative` in another worktree of the same repository.
fn is_in_sister_worktree(disk: &dyn Disk, root: &Path, relative: &Path, real: &Path) -> bool {
    let files = OnDisk(disk);
    let (Some(ours), Some(theirs)) = (Worktree::of(&files, root), Worktree::of(&files, real))
    else {
        return false;
    };
    let below = root.strip_prefix(&ours.top).unwrap_or(Path::new(""));
    ours.repository == theirs.repository && real == theirs.top.join(below).join(relative)
}

/// The worktree that contains a path without links.
pub fn worktree(disk: &dyn Disk, path: &Path) -> Option<Worktree> {
    Worktree::of(&OnDisk(disk), path)
}

/// Git's files, read through the [`Disk`].
struct OnDisk<'a>(&'a dyn Disk);

impl GitFiles for OnDisk<'_> {
    fn is_folder(&self, path: &Path) -> io::Result<bool> {
        Ok(self.0.stat(path)?.is_folder())
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.resolve(path)
    }

    fn read_small(&self, path: &Path) -> io::Result<String> {
        self.0.read_small(path, MOST_BYTES)
    }
}
