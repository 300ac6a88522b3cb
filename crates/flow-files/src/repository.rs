//! The repository of a folder, as far as it can be believed: a checkout may bring a `.git` that leads to the repository
//! of another project, whose commits would then be shown.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::Uid;

use crate::small_file::{self, Links};
use crate::worktree::{RealFiles, Worktree};

/// The parts of a git folder that decide what is shown. None may be a link.
const PARTS: [&str; 10] = [
    "HEAD",
    "config",
    "index",
    "info",
    "logs",
    "objects",
    "packed-refs",
    "refs",
    "reftable",
    "shallow",
];
/// Folders of objects, in which no entry may be a link either.
const OBJECTS: [&str; 3] = ["objects", "objects/info", "objects/pack"];
/// The list of other folders of objects.
const ALTERNATES: &str = "objects/info/alternates";
/// Largest list of other folders of objects that is read, in bytes.
const MOST_BYTES: u64 = 64 << 10;

/// Why no git may be run on the repository of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distrust {
    /// The folder is in no repository.
    NoRepository,
    /// The `.git` of this folder is a link, or names a repository that does not refer back.
    NotItsOwn(PathBuf),
    /// This part of the repository is a link.
    Link(PathBuf),
    /// This file names objects of another repository.
    Alternates(PathBuf),
    /// This part belongs to another user.
    OtherUser(PathBuf, Uid),
}

/// The worktree that contains a folder, if git may be run on its repository.
///
/// # Errors
/// When there is none, or its `.git` leads to what is not its own.
pub fn of(folder: &Path) -> Result<Worktree, Distrust> {
    let folder = fs::canonicalize(folder).map_err(|_| Distrust::NoRepository)?;
    let has_git = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let top = folder.ancestors().find(has_git).ok_or(Distrust::NoRepository)?;
    let not_its_own = || Distrust::NotItsOwn(top.to_path_buf());
    let worktree = Worktree::of(&RealFiles, top).filter(|worktree| worktree.top == top);
    let worktree = worktree.ok_or_else(not_its_own)?;
    // git checks the owner of a repository that it searches for, and not of one that it is given.
    for path in [&top.join(".git"), &worktree.git, &worktree.repository] {
        let found = path.symlink_metadata().map_err(|_| not_its_own())?;
        let owner = Uid::from_raw(found.uid());
        if owner != Uid::effective() {
            return Err(Distrust::OtherUser(path.clone(), owner));
        }
    }
    for folder in [&worktree.git, &worktree.repository] {
        let link = PARTS.iter().map(|part| folder.join(part)).find(|path| path.is_symlink());
        if let Some(link) = link {
            return Err(Distrust::Link(link));
        }
    }
    for folder in OBJECTS.map(|objects| worktree.repository.join(objects)) {
        if let Some(link) = link_in(&folder) {
            return Err(Distrust::Link(link));
        }
    }
    let alternates = worktree.repository.join(ALTERNATES);
    if has_text(&alternates) { Err(Distrust::Alternates(alternates)) } else { Ok(worktree) }
}

/// The first link in a folder.
fn link_in(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
    entries.filter(is_link).map(|entry| entry.path()).next()
}

/// Whether a file has any line, or cannot be read.
fn has_text(path: &Path) -> bool {
    match small_file::read(path, MOST_BYTES, Links::Refused) {
        Ok(bytes) => !bytes.trim_ascii().is_empty(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}
