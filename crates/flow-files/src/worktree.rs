//! Git worktrees: the repository of a folder, and the path of its main worktree.
//!
//! A `.git` counts only if it is a regular file or folder, and its content only if the repository that it names refers
//! back to it: anybody can write a file that claims something.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::small_file::{self, Links};

/// Largest of git's small files that is read, in bytes.
pub const MOST_BYTES: u64 = 64 << 10;
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
    /// The folder of what this worktree alone has: its branch and its index.
    pub git: PathBuf,
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
        let top = top.to_path_buf();
        if !is_folder {
            let (git, repository) = named_by(files, &git)?;
            return Some(Self { top, git, repository });
        }
        // A repository of its own shares no folder with others.
        let is_shared = files.resolve(&git.join("commondir")).is_ok();
        (!is_shared).then(|| Self { top, git: git.clone(), repository: git })
    }

    /// The top folder of the repository's main worktree, if this is another worktree.
    pub fn main(&self) -> Option<&Path> {
        let is_usual = self.repository.file_name().is_some_and(|name| name == ".git");
        self.repository.parent().filter(|top| is_usual && *top != self.top)
    }

    /// The repository's other worktrees, on the real file system. Like this one, each must refer to the repository, and
    /// the repository to it.
    pub fn others(&self) -> Vec<Self> {
        let known = fs::read_dir(self.repository.join("worktrees"));
        let linked =
            known.into_iter().flatten().flatten().take(MOST_WORKTREES).filter_map(|entry| {
                let git = RealFiles.read_small(&entry.path().join("gitdir")).ok()?;
                let git = RealFiles.resolve(&entry.path().join(git.trim())).ok()?;
                git.parent().map(Path::to_path_buf)
            });
        let main = self.main().map(Path::to_path_buf);
        let other = |top: PathBuf| {
            let other = Self::of(&RealFiles, &top).filter(|other| other.top == top)?;
            (other.top != self.top && other.repository == self.repository).then_some(other)
        };
        main.into_iter().chain(linked).filter_map(other).collect()
    }
}

/// The folders that a `.git` which is a file names: that of its worktree, and that of the repository, which must refer
/// back. The repository has a folder for each of its linked worktrees; that of a submodule, or one that was created
/// elsewhere, names its worktree in its settings.
fn named_by(files: &dyn GitFiles, git: &Path) -> Option<(PathBuf, PathBuf)> {
    let read = |path: &Path| files.read_small(path).ok();
    let top = git.parent()?;
    let folder = files.resolve(&top.join(read(git)?.strip_prefix("gitdir:")?.trim())).ok()?;
    let Some(shared) = read(&folder.join("commondir")) else {
        let settings = read(&folder.join("config"))?;
        let back = files.resolve(&folder.join(worktree_of(&settings)?)).ok()?;
        return (back == top).then(|| (folder.clone(), folder));
    };
    let repository = files.resolve(&folder.join(shared.trim())).ok()?;
    let back = files.resolve(&folder.join(read(&folder.join("gitdir"))?.trim())).ok()?;
    let points_back = folder.parent() == Some(&repository.join("worktrees")) && back == git;
    points_back.then_some((folder, repository))
}

/// `core.worktree` of a repository's settings, as git writes it.
fn worktree_of(settings: &str) -> Option<&str> {
    settings.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "worktree").then(|| value.trim().trim_matches('"'))
    })
}
