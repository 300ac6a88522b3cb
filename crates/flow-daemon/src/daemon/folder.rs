//! A folder that is ours alone, held open: files in it are made, compared and removed through the open folder and
//! never through a link. It knows no file by name.

use std::fs::{DirBuilder, File, OpenOptions};
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

/// Bits that give the group or others anything.
const OTHERS: u32 = 0o077;
/// Bits that let the group or others write.
const SHARED: u32 = 0o022;
/// The mode of a folder that is made.
const PRIVATE: u32 = 0o700;
/// A file that is made and removed to see whether its mode is kept.
const PROBE: &str = "api-server.probe";

/// Which file it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: dev_t,
    inode: ino_t,
}

impl Identity {
    /// Of an open file.
    ///
    /// # Errors
    /// When the system cannot tell.
    pub(crate) fn of(file: impl AsFd) -> io::Result<Self> {
        Ok(Self::from(&fstat(file)?))
    }
}

impl From<&FileStat> for Identity {
    fn from(stat: &FileStat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// Who else can write to a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// Nobody; it was made just now.
    Made,
    /// Nobody.
    Kept,
    /// Others can, by its mode, or its file system keeps no modes.
    Shared(u32),
}

/// Whether a file or folder is still where it was put.
#[derive(Debug)]
pub(crate) enum Presence {
    /// The same file has the name.
    Same,
    /// No file has the name, or another one does.
    Gone,
    /// The system did not tell, which says nothing about the file.
    Unknown(Errno),
}

impl Presence {
    fn of(found: nix::Result<FileStat>, own: Identity) -> Self {
        match found {
            Ok(stat) if Identity::from(&stat) == own => Self::Same,
            // A file in place of a parent folder: the folder is not there.
            Ok(_) | Err(Errno::ENOENT | Errno::ENOTDIR) => Self::Gone,
            Err(error) => Self::Unknown(error),
        }
    }

    /// The worse of two: absence counts before an error.
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
    own: Identity,
}

impl Folder {
    /// Opens a folder that must be there, of this user and not a link.
    ///
    /// # Errors
    /// When it is none of these.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let there = path.symlink_metadata().map_err(|e| Error::path("open", path, e))?;
        if there.is_symlink() {
            return Err(refused(path, "is a symlink; runtime files are never kept behind one"));
        }
        if !there.is_dir() {
            return Err(refused(path, "is not a folder"));
        }
        let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits())
            .open(path)
            .map_err(|e| Error::path("open", path, e))?;
        let owner = file.metadata().map_err(|e| Error::path("open", path, e))?.uid();
        if owner != Uid::effective().as_raw() {
            let reason = format!("belongs to another user (uid {owner})");
            return Err(refused(path, &reason));
        }
        let own = Identity::of(&file).map_err(|e| Error::path("open", path, e))?;
        Ok(Self { path: path.into(), file, own })
    }

    /// Opens a folder, or makes it with the mode 0700. One that is there keeps its mode.
    ///
    /// # Errors
    /// When it can neither be made nor be used.
    pub(crate) fn make_or_open(path: &Path) -> Result<(Self, Privacy)> {
        let is_new = match DirBuilder::new().mode(PRIVATE).create(path) {
            Ok(()) => true,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => false,
            Err(e) => return Err(Error::path("make the folder", path, e)),
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

    /// Its mode; one that counts as shared where the system does not tell.
    pub(super) fn mode(&self) -> u32 {
        self.file.metadata().map_or(SHARED, |there| there.mode() & 0o7777)
    }

    /// Whether others can write to it.
    pub(crate) fn is_shared(&self) -> bool {
        self.mode() & SHARED != 0
    }

    /// Whether a file in it can be for this user alone: some mounts show every file as open to all, and know no sockets.
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
        Presence::of(lstat(&self.path), self.own)
    }

    /// When the folder was last renamed, or a name in it added or removed, in seconds and nanoseconds; wherever it is now.
    pub(crate) fn changed_at(&self) -> Option<(i64, i64)> {
        let found = fstat(&self.file).ok()?;
        Some((found.st_ctime, found.st_ctime_nsec))
    }

    /// Whether this name still leads to that file.
    pub(crate) fn presence_of(&self, name: &str, own: Identity) -> Presence {
        Presence::of(self.stat(name), own)
    }

    /// Which file has this name, a link included.
    pub(crate) fn identity(&self, name: &str) -> Option<Identity> {
        self.stat(name).ok().as_ref().map(Identity::from)
    }

    fn stat(&self, name: &str) -> nix::Result<FileStat> {
        fstatat(&self.file, name, AtFlags::AT_SYMLINK_NOFOLLOW)
    }

    /// Makes a file that must not be there yet, mode 0600.
    ///
    /// # Errors
    /// When it is there, or the system refuses.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_APPEND)
    }

    /// Opens a file that is there to read and to append. Never a link, a device or a pipe.
    ///
    /// # Errors
    /// When it is not there or not a file, or the system refuses.
    pub(crate) fn existing(&self, name: &str) -> io::Result<File> {
        self.regular(name, OFlag::O_RDWR | OFlag::O_APPEND)
    }

    /// Opens a file that is there to read. Never a link, a device or a pipe.
    ///
    /// # Errors
    /// When it is not there or not a file, or the system refuses.
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
        // Without NONBLOCK a pipe of this name would hold the call for ever.
        let careful = OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
        let mode = Mode::S_IRUSR | Mode::S_IWUSR;
        Ok(openat(&self.file, name, flags | careful, mode)?.into())
    }

    /// Writes a file whole or not at all, in place of whatever has the name. A link is replaced, not followed. As long as
    /// the file is kept open, no other file can be taken for it.
    ///
    /// # Errors
    /// When the system refuses.
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

    /// Gives a file another name, over one that has it.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.file, from, &self.file, to)?)
    }

    /// Removes a name; a link's target is not touched. Whether it was there.
    ///
    /// # Errors
    /// When it stays.
    pub(crate) fn remove(&self, name: &str) -> Result<bool> {
        match unlinkat(&self.file, name, UnlinkatFlags::NoRemoveDir) {
            Ok(()) => Ok(true),
            Err(Errno::ENOENT) => Ok(false),
            Err(e) => Err(Error::path("remove", &self.path.join(name), e.into())),
        }
    }

    /// Removes a name where it still leads to that file.
    pub(crate) fn remove_own(&self, name: &str, own: Identity) {
        if self.identity(name) == Some(own)
            && let Err(error) = self.remove(name)
        {
            tracing::warn!(%error, "could not remove a runtime file");
        }
    }
}

fn refused(path: &Path, why: &str) -> Error {
    Error::Refused(format!("{} {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_folder_is_made_or_kept_and_never_changed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let privacy = || Folder::make_or_open(&path).unwrap().1;
        assert_eq!(privacy(), Privacy::Made);
        for (mode, found) in [
            (0o700, Privacy::Kept),
            (0o755, Privacy::Kept),
            (0o775, Privacy::Shared(0o775)),
            (0o777, Privacy::Shared(0o777)),
            (0o1777, Privacy::Shared(0o1777)),
        ] {
            std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert_eq!(privacy(), found, "{mode:o}");
            assert_eq!(path.metadata().unwrap().mode() & 0o7777, mode);
            assert_eq!(path.read_dir().unwrap().count(), 0);
        }
    }

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
        let own = Identity { device: 1, inode: 1 };
        for error in [Errno::EIO, Errno::EACCES, Errno::ENOMEM, Errno::EINTR, Errno::ESTALE] {
            assert!(matches!(Presence::of(Err(error), own), Presence::Unknown(e) if e == error));
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
        let own = Identity::of(folder.create("a").unwrap()).unwrap();
        let _kept_so_that_its_inode_is_not_used_again = folder.existing("a").unwrap();
        folder.remove("a").unwrap();
        let other = Identity::of(folder.create("a").unwrap()).unwrap();
        folder.remove_own("a", own);
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
