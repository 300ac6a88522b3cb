//! Git's worktrees: which repository a folder belongs to, and where its main worktree is.
//!
//! A `.git` counts only where it is a regular file or folder, and what such a file says only where the repository that
//! it names points back: anybody can write a file that claims something.

use std::io;
use std::path::{Path, PathBuf};

/// Largest of git's small files that is read, in bytes.
pub const MOST_BYTES: u64 = 4096;

/// What is looked at of the file system.
pub trait GitFiles {
    /// Whether a path leads to a folder; links are followed.
    ///
    /// # Errors
    /// As the system says.
    fn is_folder(&self, path: &Path) -> io::Result<bool>;

    /// The absolute path without links.
    ///
    /// # Errors
    /// As the system says.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// The text of one of git's small files. A link in its place is not followed.
    ///
    /// # Errors
    /// As the system says, or when it is not text.
    fn read_small(&self, path: &Path) -> io::Result<String>;
}

/// A worktree.
#[derive(Debug, PartialEq, Eq)]
pub struct Worktree {
    /// The folder that its `.git` lies in.
    pub top: PathBuf,
    /// The folder that all worktrees of the repository share.
    pub repository: PathBuf,
}

impl Worktree {
    /// The worktree that a path without links lies in.
    pub fn of(files: &dyn GitFiles, path: &Path) -> Option<Self> {
        let (top, is_folder) = path.ancestors().find_map(|folder| {
            files.is_folder(&folder.join(".git")).ok().map(|is_folder| (folder, is_folder))
        })?;
        let git = top.join(".git");
        // Where it resolves to another path it is a link, and may lead into a repository that knows nothing of it.
        if files.resolve(&git).ok()? != git {
            return None;
        }
        let repository = if is_folder { git } else { shared_by(files, &git)? };
        Some(Self { top: top.to_path_buf(), repository })
    }

    /// The top of the repository's main worktree, where this is another one.
    pub fn main(&self) -> Option<&Path> {
        let is_usual = self.repository.file_name().is_some_and(|name| name == ".git");
        self.repository.parent().filter(|top| is_usual && *top != self.top)
    }
}

/// The repository of an added worktree, whose `.git` is a file: it keeps a folder for each that points back to it.
fn shared_by(files: &dyn GitFiles, git: &Path) -> Option<PathBuf> {
    let read = |path: &Path| files.read_small(path).ok();
    let folder = git.parent()?;
    let own = files.resolve(&folder.join(read(git)?.strip_prefix("gitdir:")?.trim())).ok()?;
    let repository = files.resolve(&own.join(read(&own.join("commondir"))?.trim())).ok()?;
    let back = files.resolve(&own.join(read(&own.join("gitdir"))?.trim())).ok()?;
    let points_back = own.parent() == Some(&repository.join("worktrees")) && back == git;
    points_back.then_some(repository)
}
