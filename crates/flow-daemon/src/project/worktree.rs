//! Git worktrees: the repository of a folder, and the path of its main worktree.
//!
//! A `.git` counts only if it is a regular file or folder, and its content only if the repository that it names refers
//! back to it: anybody can write a file that claims something.

use std::io;
use std::path::{Path, PathBuf};

/// Largest of git's small files that is read, in bytes.
pub const MOST_BYTES: u64 = 4096;

/// The part of the file system that is needed here.
pub trait GitFiles {
    /// Whether a path leads to a folder; links are followed.
    ///
    /// # Errors
    /// I/O errors of the system.
    fn is_folder(&self, path: &Path) -> io::Result<bool>;

    /// The absolute path without links.
    ///
    /// # Errors
    /// I/O errors of the system.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// The text of one of git's small files. A link in place of the file is not followed.
    ///
    /// # Errors
    /// I/O errors of the system, or a content that is not UTF-8.
    fn read_small(&self, path: &Path) -> io::Result<String>;
}

/// A worktree.
#[derive(Debug, PartialEq, Eq)]
pub struct Worktree {
    /// The folder that contains its `.git`.
    pub top: PathBuf,
    /// The folder that all worktrees of the repository share.
    pub repository: PathBuf,
}

impl Worktree {
    /// The worktree that contains a path without links.
    pub fn of(files: &dyn GitFiles, path: &Path) -> Option<Self> {
        let (top, is_folder) = path.ancestors().find_map(|folder| {
            files.is_folder(&folder.join(".git")).ok().map(|is_folder| (folder, is_folder))
        })?;
        let git = top.join(".git");
        // If it resolves to another path it is a link, which may lead into an unrelated repository.
        if files.resolve(&git).ok()? != git {
            return None;
        }
        let repository = if is_folder { git } else { shared_by(files, &git)? };
        Some(Self { top: top.to_path_buf(), repository })
    }

    /// The top folder of the repository's main worktree, if this is another worktree.
    pub fn main(&self) -> Option<&Path> {
        let is_usual = self.repository.file_name().is_some_and(|name| name == ".git");
        self.repository.parent().filter(|top| is_usual && *top != self.top)
    }
}

/// The repository of a linked worktree, whose `.git` is a file: the repository has a folder for each that refers back.
fn shared_by(files: &dyn GitFiles, git: &Path) -> Option<PathBuf> {
    let read = |path: &Path| files.read_small(path).ok();
    let folder = git.parent()?;
    let own = files.resolve(&folder.join(read(git)?.strip_prefix("gitdir:")?.trim())).ok()?;
    let repository = files.resolve(&own.join(read(&own.join("commondir"))?.trim())).ok()?;
    let back = files.resolve(&own.join(read(&own.join("gitdir"))?.trim())).ok()?;
    let points_back = own.parent() == Some(&repository.join("worktrees")) && back == git;
    points_back.then_some(repository)
}
