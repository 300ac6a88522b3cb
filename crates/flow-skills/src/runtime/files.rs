//! All file access of skills: below a project's root without following links, regular files only, without blocking on a
//! FIFO, written to a temporary file and renamed. No other module of this crate uses `std::fs`.
//!
//! Paths in fields and in the content of files go through [`Folder`]. A path that the user typed (`--input`, `--out`)
//! may lead anywhere and is read by [`read_named`].

use std::fs::File;
use std::io;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use flow_files::FileId;
use flow_files::open_beneath;
use flow_files::worktree::{RealFiles, Worktree};
use nix::dir::{Dir, Type};
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, renameat};
use nix::sys::stat::{Mode, SFlag, fchmod, fstatat, mkdirat};
use nix::unistd::{LinkatFlags, Uid, UnlinkatFlags, User, linkat, unlinkat};

use crate::output::Fault;
use crate::project_state::Context;

/// Largest number of entries of a folder that are listed.
const ENTRIES_LIMIT: usize = 10_000;
/// Largest number of components of a path below a root.
const MOST_PARTS: usize = 128;
/// Largest number of other worktrees that are looked at.
const MOST_WORKTREES: usize = 32;

/// An open folder that no path leads out of.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The base of relative paths, below the folder.
    base: PathBuf,
    open: File,
}

impl Folder {
    /// Opens a folder by its path; links are followed.
    ///
    /// # Errors
    /// When it is not a folder, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        let fail = |error: io::Error| FileError::io(path, &error);
        let path = path.canonicalize().map_err(fail)?;
        let flags = OFlag::O_DIRECTORY | OFlag::O_NONBLOCK;
        let open =
            File::options().read(true).custom_flags(flags.bits()).open(&path).map_err(fail)?;
        Ok(Self { path, base: PathBuf::new(), open })
    }

    /// Like [`Folder::open`], but creates a missing folder, with a mode that the user's mask narrows.
    ///
    /// # Errors
    /// When it can be neither created nor opened.
    pub fn make(path: &Path, mode: u32) -> Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        let created = std::fs::DirBuilder::new().recursive(true).mode(mode).create(path);
        created.map_err(|error| FileError::io(path, &error))?;
        Self::open(path)
    }

    /// The project of a skill's call: paths are relative to the current folder and stay below the root.
    pub(crate) fn project(context: &Context) -> Result<Self> {
        let fail = |error: io::Error| FileError::io(&context.folder, &error);
        let current = context.folder.canonicalize().map_err(fail)?;
        let root = context.root.canonicalize().unwrap_or_else(|_| current.clone());
        match current.strip_prefix(&root) {
            Ok(base) => Ok(Self { base: base.to_owned(), ..Self::open(&root)? }),
            Err(_) => Self::open(&current),
        }
    }

    /// The corresponding folders of the repository's other worktrees. One that a link would lead to is left out.
    pub(crate) fn in_other_worktrees(&self) -> Vec<Self> {
        let Some(ours) = Worktree::of(&RealFiles, &self.path) else { return Vec::new() };
        let below = self.path.strip_prefix(&ours.top).unwrap_or(Path::new(""));
        let folder = |other: Worktree| {
            let path = other.top.join(below);
            let folder = Self::open(&path).ok().filter(|folder| folder.path == path)?;
            Some(Self { base: self.base.clone(), ..folder })
        };
        ours.others().into_iter().take(MOST_WORKTREES).filter_map(folder).collect()
    }

    /// Its path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A path relative to the root and without `..`.
    pub(crate) fn relative(&self, path: &Path) -> Result<PathBuf> {
        let outside = || FileError::new(path, Problem::Outside);
        let mut parts = PathBuf::new();
        for part in self.base.join(path).components() {
            match part {
                Component::Normal(part) if !part.as_bytes().contains(&0) => parts.push(part),
                Component::CurDir => {}
                Component::ParentDir if parts.pop() => {}
                _ => return Err(outside()),
            }
        }
        if parts.components().count() > MOST_PARTS {
            return Err(outside());
        }
        Ok(parts)
    }

    /// The folder of a file, relative to the root, and the file's name.
    fn parts(&self, path: &Path) -> Result<(PathBuf, PathBuf)> {
        let mut below = self.relative(path)?;
        let name = below.file_name().map(PathBuf::from);
        let name = name.ok_or_else(|| FileError::new(path, Problem::NotAFile))?;
        below.pop();
        Ok((below, name))
    }

    fn open_at(&self, path: &Path, flags: OFlag) -> Result<File> {
        open_beneath(&self.open, here(&self.relative(path)?), flags, Mode::empty())
            .map_err(|error| FileError::io(path, &error))
    }

    /// The type of the file at a path; only folders are opened.
    pub(crate) fn kind(&self, path: &Path) -> Result<Kind> {
        let below = self.relative(path)?;
        let Some(name) = below.file_name() else { return Ok(Kind::Folder) };
        let parent = self.folder_at(below.parent().unwrap_or(Path::new("")))?;
        let stat = fstatat(&parent, name, AtFlags::AT_SYMLINK_NOFOLLOW)
            .map_err(|error| FileError::io(path, &error.into()))?;
        Ok(match SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT {
            SFlag::S_IFREG => Kind::File,
            SFlag::S_IFDIR => Kind::Folder,
            _ => Kind::Other,
        })
    }

    /// Opens a folder by its path relative to the root.
    fn folder_at(&self, below: &Path) -> Result<File> {
        open_beneath(&self.open, here(below), OFlag::O_RDONLY | OFlag::O_DIRECTORY, Mode::empty())
            .map_err(|error| FileError::io(below, &error))
    }

    /// Reads a regular file of at most `limit` bytes.
    ///
    /// # Errors
    /// When it does not exist, is not a regular file, exceeds the limit, or the path contains a link.
    pub fn read(&self, path: &Path, limit: u64) -> Result<Content> {
        read_file(self.open_at(path, OFlag::O_RDONLY)?, path, limit)
    }

    /// [`Folder::read`] for text.
    ///
    /// # Errors
    /// Those of [`Folder::read`], and when it is not UTF-8.
    pub fn read_text(&self, path: &Path, limit: u64) -> Result<(String, FileId)> {
        self.read(path, limit)?.text(path)
    }

    /// The entries of a folder, sorted by name.
    ///
    /// # Errors
    /// When it is not a folder, has over 10,000 entries, or the path contains a link.
    pub fn entries(&self, path: &Path) -> Result<Vec<Entry>> {
        let fail = |error: Errno| FileError::io(path, &error.into());
        let open = self.open_at(path, OFlag::O_RDONLY | OFlag::O_DIRECTORY)?;
        let mut listed = Dir::from_fd(open.into()).map_err(fail)?;
        let mut entries = Vec::new();
        // The folder itself and the one above are listed too.
        for (count, entry) in listed.iter().enumerate() {
            let entry = entry.map_err(fail)?;
            if count >= ENTRIES_LIMIT + 2 {
                return Err(FileError::new(path, Problem::TooManyEntries(ENTRIES_LIMIT)));
            }
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                Some(Type::File) => Kind::File,
                Some(Type::Directory) => Kind::Folder,
                Some(_) => Kind::Other,
                // Some file systems do not report the type.
                None => self.kind(&path.join(name)).unwrap_or(Kind::Other),
            };
            entries.push(Entry { name: name.to_owned(), kind });
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    /// Writes a file completely or not at all; missing folders of its path are created.
    ///
    /// # Errors
    /// When an existing file must not be replaced, the path contains a link, or an I/O error of the system.
    pub fn write(&self, path: &Path, bytes: &[u8], existing: Existing) -> Result<()> {
        let (folder, name) = self.parts(path)?;
        let parent = self.make_folders(&folder)?;
        let fail = |error: io::Error| FileError::io(path, &error);
        let mode = replaceable(&parent, &name, existing)
            .map_err(|problem| FileError::new(path, problem))?;
        let temporary = temporary_name();
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL;
        let new = Mode::from_bits_truncate(0o666);
        let mut file = open_beneath(&parent, &temporary, flags, new).map_err(fail)?;
        let written = mode
            .map_or(Ok(()), |mode| fchmod(&file, mode).map_err(io::Error::from))
            .and_then(|()| file.write_all(bytes))
            .and_then(|()| file.sync_all())
            .and_then(|()| publish(&parent, &temporary, &name, existing));
        if let Err(error) = written {
            // The returned error is more informative than one about the temporary file.
            let _ = unlinkat(&parent, &temporary, UnlinkatFlags::NoRemoveDir);
            let is_taken = error.raw_os_error() == Some(Errno::EEXIST as i32);
            return Err(if is_taken { FileError::new(path, Problem::Exists) } else { fail(error) });
        }
        Ok(())
    }

    /// Whether [`Folder::write`] would succeed as far as existing files are concerned; nothing is written.
    ///
    /// # Errors
    /// Those of [`Folder::write`].
    pub fn check(&self, path: &Path, existing: Existing) -> Result<()> {
        let (folder, name) = self.parts(path)?;
        let parent = match self.folder_at(&folder) {
            Err(error) if error.is_missing() => return Ok(()),
            parent => parent?,
        };
        replaceable(&parent, &name, existing)
            .map(drop)
            .map_err(|problem| FileError::new(path, problem))
    }

    fn make_folders(&self, below: &Path) -> Result<File> {
        let mut at = PathBuf::new();
        let mut open = self.folder_at(&at)?;
        for part in below.components() {
            at.push(part);
            match mkdirat(&open, part.as_os_str(), Mode::from_bits_truncate(0o777)) {
                Ok(()) | Err(Errno::EEXIST) => open = self.folder_at(&at)?,
                Err(error) => return Err(FileError::io(&at, &error.into())),
            }
        }
        Ok(open)
    }

    /// Requires that an existing path belongs to this user. Links above its last part are followed: reading and writing
    /// refuse them.
    ///
    /// # Errors
    /// When it belongs to another user.
    pub fn require_own(&self, path: &Path) -> Result<()> {
        let user = Uid::effective();
        let below = self.relative(path)?;
        match fstatat(&self.open, here(&below), AtFlags::AT_SYMLINK_NOFOLLOW) {
            Ok(stat) if stat.st_uid == user.as_raw() => Ok(()),
            Ok(stat) => {
                let owner = User::from_uid(Uid::from_raw(stat.st_uid)).ok().flatten();
                let owner = owner.map_or_else(|| format!("uid {}", stat.st_uid), |user| user.name);
                Err(FileError::new(&self.path.join(below), Problem::Owner(owner)))
            }
            Err(Errno::ENOENT) => Ok(()),
            Err(error) => Err(FileError::io(path, &error.into())),
        }
    }
}

/// A path relative to a folder, which is its own `.`.
fn here(below: &Path) -> &Path {
    if below.as_os_str().is_empty() { Path::new(".") } else { below }
}

/// The mode of the file to be replaced; `None` if there is no file.
fn replaceable(
    parent: &impl AsFd,
    name: &Path,
    existing: Existing,
) -> std::result::Result<Option<Mode>, Problem> {
    let stat = match fstatat(parent, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::ENOENT) => return Ok(None),
        Err(error) => return Err(Problem::Io(io::Error::from(error).to_string())),
    };
    match SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT {
        SFlag::S_IFREG => {}
        SFlag::S_IFLNK => return Err(Problem::Link),
        SFlag::S_IFDIR => return Err(Problem::IsAFolder),
        _ => return Err(Problem::NotAFile),
    }
    match existing {
        Existing::Kept => return Err(Problem::Exists),
        Existing::Forced => {}
        Existing::Replaced(read) => {
            let file = open_beneath(parent, name, OFlag::O_RDONLY, Mode::empty());
            let now = file.and_then(|file| FileId::of(&file));
            let now = now.map_err(|error| Problem::Io(error.to_string()))?;
            if (now.device, now.inode) != (read.device, read.inode) {
                return Err(Problem::Exists);
            }
            if now != read {
                return Err(Problem::Changed);
            }
        }
    }
    Ok(Some(Mode::from_bits_truncate(stat.st_mode)))
}

/// Renames the temporary file. If no file may be replaced, one that was created since the check is not replaced either, but
/// on file systems without hard links.
fn publish(parent: &impl AsFd, from: &Path, to: &Path, existing: Existing) -> io::Result<()> {
    if existing == Existing::Kept {
        match linkat(parent, from, parent, to, LinkatFlags::empty()) {
            Ok(()) => return Ok(unlinkat(parent, from, UnlinkatFlags::NoRemoveDir)?),
            // Some file systems have no hard links.
            Err(Errno::EPERM | Errno::EOPNOTSUPP | Errno::ENOSYS | Errno::EMLINK) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(renameat(parent, from, parent, to)?)
}

/// A name that no other call in this or another running process uses.
fn temporary_name() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!(".flow-{}-{count}.tmp", std::process::id()))
}

fn read_file(file: File, path: &Path, limit: u64) -> Result<Content> {
    let fail = |error: io::Error| FileError::io(path, &error);
    if !file.metadata().map_err(fail)?.is_file() {
        return Err(FileError::new(path, Problem::NotAFile));
    }
    let id = FileId::of(&file).map_err(fail)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > limit {
        return Err(FileError::new(path, Problem::TooLarge(limit)));
    }
    Ok(Content { bytes, id })
}

/// Reads a regular file at a path that the user typed: links are followed, and it may be anywhere.
///
/// # Errors
/// When it does not exist, is not a regular file, or exceeds the limit.
pub fn read_named(path: &Path, limit: u64) -> Result<Content> {
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let opened = File::options().read(true).custom_flags(flags.bits()).open(path);
    read_file(opened.map_err(|error| FileError::io(path, &error))?, path, limit)
}

/// A file that could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {problem}", path.display())]
pub struct FileError {
    /// Path of the file, as given.
    pub path: PathBuf,
    /// The reason.
    pub problem: Problem,
}

/// Why a file could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("does not exist")]
    Missing,
    #[error("already exists; to replace it, add --force")]
    Exists,
    #[error("has changed since it was read; run the command again")]
    Changed,
    #[error("is a symlink or is below one; symlinks in a project are not followed")]
    Link,
    #[error("is outside the project; a path in a field must stay inside it")]
    Outside,
    /// A FIFO, a socket or a device.
    #[error("is not a regular file")]
    NotAFile,
    #[error("is not a folder")]
    NotAFolder,
    #[error("is a folder; give a file in it")]
    IsAFolder,
    #[error("has more than {0} bytes, the limit")]
    TooLarge(u64),
    #[error("has more than {0} entries, the limit")]
    TooManyEntries(usize),
    #[error("is not UTF-8 text")]
    NotText,
    #[error(
        "belongs to the user {0}; templates and the list of trusted templates must be in your own folders"
    )]
    Owner(String),
    #[error("cannot be used: {0}")]
    Io(String),
}

/// The result of reading or writing a file.
pub type Result<T> = std::result::Result<T, FileError>;

impl FileError {
    fn new(path: &Path, problem: Problem) -> Self {
        Self { path: path.to_owned(), problem }
    }

    fn io(path: &Path, error: &io::Error) -> Self {
        let problem = match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::ENOENT) => Problem::Missing,
            Some(Errno::ELOOP) => Problem::Link,
            Some(Errno::EXDEV) => Problem::Outside,
            Some(Errno::ENOTDIR) => Problem::NotAFolder,
            Some(Errno::EISDIR) => Problem::IsAFolder,
            // A socket, or a FIFO without a reader.
            Some(Errno::ENXIO) => Problem::NotAFile,
            _ => Problem::Io(error.to_string()),
        };
        Self::new(path, problem)
    }

    /// Whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        self.problem == Problem::Missing
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// A file's content and identity.
#[derive(Debug, Clone)]
pub struct Content {
    /// The whole content.
    pub bytes: Vec<u8>,
    /// Identity of the file when it was read.
    pub id: FileId,
}

impl Content {
    /// The content as text.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn text(self, path: &Path) -> Result<(String, FileId)> {
        match String::from_utf8(self.bytes) {
            Ok(text) => Ok((text, self.id)),
            Err(_) => Err(FileError::new(path, Problem::NotText)),
        }
    }
}

/// The type of the file at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    File,
    Folder,
    /// A link, a FIFO, a socket or a device: none of them is opened.
    Other,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name; names that are not UTF-8 are not listed.
    pub name: String,
    /// Its type.
    pub kind: Kind,
}

/// What happens to an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is kept, and the write is an error.
    Kept,
    /// It is replaced if it is this file, unchanged since it was read.
    Replaced(FileId),
    /// It is replaced, by `--force`.
    Forced,
}
