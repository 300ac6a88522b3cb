//! A folder that belongs to this user alone, held open: files in it are created, compared and removed through the open
//! folder and never through a link. The only file name that it knows is that of its probe.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat, renameat};
use nix::libc::{dev_t, ino_t};
use nix::sys::stat::{FileStat, Mode, fstat, fstatat, lstat};
use nix::unistd::{Uid, UnlinkatFlags, unlinkat};

use crate::error::{Error, Result};
use crate::project::user_name;

/// Mode bits that give the group or others any access.
const OTHERS: u32 = 0o077;
/// Mode bits that let the group or others write.
const SHARED: u32 = 0o022;
/// Mode of a new folder.
const PRIVATE: u32 = 0o700;
/// A file that is created and removed to test whether the file system keeps modes.
const PROBE: &str = "api-server.probe";

/// Identity of a file, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: dev_t,
    inode: ino_t,
}

impl Identity {
    /// The identity of an open file.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub(crate) fn of(file: impl AsFd) -> io::Result<Self> {
        Ok(Self::from(&fstat(file)?))
    }
}

impl From<&FileStat> for Identity {
    fn from(stat: &FileStat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// What differs after a file was written or replaced: its identity, and when it changed, in seconds and nanoseconds.
pub(crate) type Version = (Identity, i64, i64);

/// Whether other users can write to a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// They cannot; the folder was just created.
    Made,
    /// They cannot.
    Kept,
    /// They can, by its mode (given), or its file system keeps no modes.
    Shared(u32),
}

/// Whether a file or folder is still at its path.
#[derive(Debug)]
pub(crate) enum Presence {
    /// The same file is there.
    Same,
    /// No file, or another one, is there.
    Gone,
    /// The system did not answer, which proves nothing about the file.
    Unknown(Errno),
}

impl Presence {
    fn of(found: nix::Result<FileStat>, identity: Identity) -> Self {
        match found {
            Ok(stat) if Identity::from(&stat) == identity => Self::Same,
            // A file in place of a parent folder: the folder does not exist.
            Ok(_) | Err(Errno::ENOENT | Errno::ENOTDIR) => Self::Gone,
            Err(error) => Self::Unknown(error),
        }
    }

    /// The worse of two: absence before an error.
    pub(crate) fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Gone => Self::Gone,
            Self::Same => other(),
            Self::Unknown(error) => match other() {
                Self::Gone => Self::Gone,
                _ => Self::Unknown(error),
            },
        }
    }
}

/// An open folder of this user.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    file: File,
    identity: Identity,
}

impl Folder {
    /// Opens an existing folder, which must belong to this user and not be a link.
    ///
    /// # Errors
    /// When it does not exist, belongs to another user or is a link.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let there = path.symlink_metadata().map_err(|e| Error::path("open", path, e))?;
        if there.is_symlink() {
            return Err(refused(
                path,
                "is a symlink; flow writes runtime files only to a real folder; remove the symlink",
            ));
        }
        if !there.is_dir() {
            return Err(refused(path, "is not a folder; rename or remove it"));
        }
        let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits())
            .open(path)
            .map_err(|e| Error::path("open", path, e))?;
        let owner = file.metadata().map_err(|e| Error::path("open", path, e))?.uid();
        if owner != Uid::effective().as_raw() {
            let owner = user_name(Uid::from_raw(owner));
            let reason = format!("belongs to another user, {owner}; rename or remove it");
            return Err(refused(path, &reason));
        }
        let identity = Identity::of(&file).map_err(|e| Error::path("open", path, e))?;
        Ok(Self { path: path.into(), file, identity })
    }

    /// Opens a folder, or creates it with mode 0700. The mode of an existing one is not changed.
    ///
    /// # Errors
    /// When it can neither be created nor be used.
    pub(crate) fn make_or_open(path: &Path) -> Result<(Self, Privacy)> {
        let is_new = match DirBuilder::new().mode(PRIVATE).create(path) {
            Ok(()) => true,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => false,
            Err(e) => return Err(Error::path("create the folder", path, e)),
        };
        let folder = Self::open(path)?;
        let mode = folder.mode();
        let privacy = if folder.is_shared() || !folder.keeps_modes() {
            Privacy::Shared(mode)
        } else if is_new {
            Privacy::Made
        } else {
            Privacy::Kept
        };
        Ok((folder, privacy))
    }

    /// Its mode; one that counts as shared if the system does not answer.
    pub(super) fn mode(&self) -> u32 {
        self.file.metadata().map_or(SHARED, |there| there.mode() & 0o7777)
    }

    /// Whether other users can write to it.
    pub(crate) fn is_shared(&self) -> bool {
        self.mode() & SHARED != 0
    }

    /// Whether a file in it can be private: some mounts show every file as accessible to all, and have no sockets.
    fn keeps_modes(&self) -> bool {
        if self.mode() & OTHERS == 0 {
            return true;
        }
        // Left by a start that was killed in between.
        let _ = self.remove(PROBE);
        let Ok(file) = self.create(PROBE) else { return true };
        let kept = file.metadata().is_ok_and(|there| there.mode() & OTHERS == 0);
        let _ = self.remove(PROBE);
        kept
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its path still leads to it.
    pub(crate) fn presence(&self) -> Presence {
        Presence::of(lstat(&self.path), self.identity)
    }

    /// When the folder was last renamed, or a name in it added or removed, in seconds and nanoseconds.
    pub(crate) fn changed_at(&self) -> Option<(i64, i64)> {
        let found = fstat(&self.file).ok()?;
        Some((found.st_ctime, found.st_ctime_nsec))
    }

    /// Whether this name still leads to the file `own`.
    pub(crate) fn presence_of(&self, name: &str, identity: Identity) -> Presence {
        Presence::of(self.stat(name), identity)
    }

    /// The identity of the file with this name, which may be a link.
    pub(crate) fn identity(&self, name: &str) -> Option<Identity> {
        self.stat(name).ok().as_ref().map(Identity::from)
    }

    /// The version of the file with this name; `None` if there is none.
    pub(crate) fn version(&self, name: &str) -> Option<Version> {
        let stat = self.stat(name).ok()?;
        Some((Identity::from(&stat), stat.st_ctime, stat.st_ctime_nsec))
    }

    fn stat(&self, name: &str) -> nix::Result<FileStat> {
        fstatat(&self.file, name, AtFlags::AT_SYMLINK_NOFOLLOW)
    }

    /// Creates a new file, mode 0600.
    ///
    /// # Errors
    /// I/O errors of the system, also when the file exists.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_APPEND)
    }

    /// Opens an existing file to read and append. Never a link, a device or a pipe.
    ///
    /// # Errors
    /// When it does not exist or is not a file, and I/O errors of the system.
    pub(crate) fn existing(&self, name: &str) -> io::Result<File> {
        self.regular(name, OFlag::O_RDWR | OFlag::O_APPEND)
    }

    /// Opens an existing file to read. Never a link, a device or a pipe.
    ///
    /// # Errors
    /// When it does not exist or is not a file, and I/O errors of the system.
    pub(crate) fn readable(&self, name: &str) -> io::Result<File> {
        self.regular(name, OFlag::O_RDONLY)
    }

    fn regular(&self, name: &str, flags: OFlag) -> io::Result<File> {
        let file = self.open_file(name, flags)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        Ok(file)
    }

    fn open_file(&self, name: &str, flags: OFlag) -> io::Result<File> {
        // Without NONBLOCK the call would wait for ever on a pipe.
        let careful = OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
        let mode = Mode::S_IRUSR | Mode::S_IWUSR;
        Ok(openat(&self.file, name, flags | careful, mode)?.into())
    }

    /// Writes a file completely or not at all, replacing any file with this name. A link is replaced, not followed.
    /// While the returned file is open, its inode is not reused.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> Result<File> {
        let new = format!("{name}.new");
        self.remove(&new)?;
        let replace = || {
            let mut file = self.create(&new)?;
            file.write_all(bytes)?;
            self.rename(&new, name)?;
            Ok(file)
        };
        replace().map_err(|error| {
            let _ = self.remove(&new);
            Error::path("write", &self.path.join(name), error)
        })
    }

    /// Renames a file, replacing any file with the new name.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.file, from, &self.file, to)?)
    }

    /// Removes a name, not a link's target. Returns whether it existed.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(crate) fn remove(&self, name: &str) -> Result<bool> {
        match unlinkat(&self.file, name, UnlinkatFlags::NoRemoveDir) {
            Ok(()) => Ok(true),
            Err(Errno::ENOENT) => Ok(false),
            Err(e) => Err(Error::path("remove", &self.path.join(name), e.into())),
        }
    }

    /// Removes a name if it still leads to the file of this identity.
    pub(crate) fn remove_own(&self, name: &str, identity: Identity) {
        if self.identity(name) == Some(identity)
            && let Err(error) = self.remove(name)
        {
            tracing::warn!(%error, "could not remove a runtime file");
        }
    }
}

/// Whether a file is this user's, nobody else can open it, and no other name leads to it. A checkout may bring files of the
/// same names that others can open.
pub(crate) fn is_own(file: &Metadata) -> bool {
    let is_private = file.mode() & OTHERS == 0;
    is_private && file.nlink() == 1 && file.uid() == Uid::effective().as_raw()
}

fn refused(path: &Path, why: &str) -> Error {
    Error::Refused(format!("{} {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_was_moved_or_replaced_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let (folder, _) = Folder::make_or_open(&path).unwrap();
        assert!(matches!(folder.presence(), Presence::Same));
        std::fs::rename(&path, dir.path().join("g")).unwrap();
        assert!(matches!(folder.presence(), Presence::Gone));
        std::fs::create_dir(&path).unwrap();
        assert!(matches!(folder.presence(), Presence::Gone));
    }

    #[test]
    fn an_error_of_a_look_is_no_absence() {
        let identity = Identity { device: 1, inode: 1 };
        for error in [Errno::EIO, Errno::EACCES, Errno::ENOMEM, Errno::EINTR, Errno::ESTALE] {
            assert!(
                matches!(Presence::of(Err(error), identity), Presence::Unknown(e) if e == error)
            );
        }
        let unknown = || Presence::Unknown(Errno::EIO);
        assert!(matches!(unknown().and(|| Presence::Gone), Presence::Gone));
        assert!(matches!(unknown().and(|| Presence::Same), Presence::Unknown(_)));
        assert!(matches!(Presence::Same.and(unknown), Presence::Unknown(_)));
        assert!(matches!(Presence::Gone.and(unknown), Presence::Gone));
    }

    #[test]
    fn only_an_own_file_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let identity = Identity::of(folder.create("a").unwrap()).unwrap();
        let _kept_so_that_its_inode_is_not_used_again = folder.existing("a").unwrap();
        folder.remove("a").unwrap();
        let other = Identity::of(folder.create("a").unwrap()).unwrap();
        folder.remove_own("a", identity);
        assert_eq!(folder.identity("a"), Some(other));
        folder.remove_own("a", other);
        assert_eq!(folder.identity("a"), None);
    }

    #[test]
    fn links_and_pipes_are_not_opened() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        std::os::unix::fs::symlink("elsewhere", dir.path().join("link")).unwrap();
        assert!(folder.existing("link").is_err());
        assert!(folder.create("link").is_err());
        nix::unistd::mkfifo(&dir.path().join("pipe"), Mode::S_IRWXU).unwrap();
        assert!(folder.existing("pipe").is_err());
        assert!(!dir.path().join("elsewhere").exists());
    }
}
