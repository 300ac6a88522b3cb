//! Git worktrees: the repository of a folder, and the path of its main worktree.
//!
//! A `.git` counts only if it is a regular file or folder, and its content only if the repository that it names refers
//! back to it: anybody can write a file that claims something.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::small_file::{self, Links};

/// Largest of git's small files that is read, in bytes.
pub const MOST_BYTES: u64 = 4096;
/// Largest number of linked worktrees that [`Worktree::others`] looks at.
const MOST_WORKTREES: usize = 256;

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

/// The real file system.
#[derive(Debug, Clone, Copy)]
pub struct RealFiles;

impl GitFiles for RealFiles {
    fn is_folder(&self, path: &Path) -> io::Result<bool> {
        Ok(fs::metadata(path)?.is_dir())
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn read_small(&self, path: &Path) -> io::Result<String> {
        let bytes = small_file::read(path, MOST_BYTES, Links::Refused)?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }
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

    /// The top folders of the repository's other worktrees, on the real file system. Like this one, each must refer to
    /// the repository, and the repository to it.
    pub fn others(&self) -> Vec<PathBuf> {
        let known = fs::read_dir(self.repository.join("worktrees"));
        let linked =
            known.into_iter().flatten().flatten().take(MOST_WORKTREES).filter_map(|entry| {
                let git = RealFiles.read_small(&entry.path().join("gitdir")).ok()?;
                let git = RealFiles.resolve(&entry.path().join(git.trim())).ok()?;
                git.parent().map(Path::to_path_buf)
            });
        let main = self.main().map(Path::to_path_buf);
        let is_other = |top: &PathBuf| {
            *top != self.top
                && Self::of(&RealFiles, top)
                    .is_some_and(|other| other.top == *top && other.repository == self.repository)
        };
        main.into_iter().chain(linked).filter(is_other).collect()
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
