//! Opens files of a project whose content is not trusted: below a folder without following a symbolic link anywhere in
//! the path, small files of any type ([`small_file`]), git's files ([`worktree`], [`repository`]), and in a thread that the kernel lets
//! open nothing else ([`restrict`]). [`FileId`] identifies the file that was read. [`system`] is what the systems do differently.

pub mod repository;
pub mod restrict;
pub mod small_file;
pub mod system;
pub mod worktree;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open, openat};
use nix::sys::stat::{Mode, SFlag, fstatat};

/// The identity and state of a file that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId {
    /// The device of the file system.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    size: u64,
    /// Last change of the content, in seconds and nanoseconds since 1970.
    modified: (i64, i64),
}

impl FileId {
    /// The identity of an open file.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub fn of(file: &File) -> io::Result<Self> {
        let meta = file.metadata()?;
        Ok(Self {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
        })
    }
}

/// Flags of each open: it does not block on a FIFO, acquires no controlling terminal, and is closed on exec.
const ALWAYS: OFlag =
    OFlag::O_NONBLOCK.union(OFlag::O_NOFOLLOW).union(OFlag::O_NOCTTY).union(OFlag::O_CLOEXEC);

/// The root folder of the file system, to open absolute paths below it.
///
/// # Errors
/// I/O errors of the system.
pub fn root() -> io::Result<OwnedFd> {
    Ok(open("/", PASS, Mode::empty())?)
}

/// Opens a relative path below a folder. A link in the path is `ELOOP`, and `..` out of the folder is `EXDEV`.
///
/// # Errors
/// I/O errors of the system.
pub fn open_beneath(folder: impl AsFd, path: &Path, flags: OFlag, mode: Mode) -> io::Result<File> {
    match system::open_beneath(folder.as_fd(), path, flags | ALWAYS, mode) {
        Some(opened) => Ok(opened?.into()),
        None => open_step_by_step(folder, path, flags, mode),
    }
}

/// Flags for opening the folders of a path.
const PASS: OFlag = system::SEARCH.union(OFlag::O_DIRECTORY).union(ALWAYS);

/// The same, one component of the path after the other.
fn open_step_by_step(folder: impl AsFd, path: &Path, flags: OFlag, mode: Mode) -> io::Result<File> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir if parts.pop().is_some() => {}
            _ => return Err(Errno::EXDEV.into()),
        }
    }
    let Some((last, folders)) = parts.split_last() else {
        return Ok(openat(folder, ".", flags | ALWAYS, mode)?.into());
    };
    let mut at = None;
    for part in folders {
        at = Some(match &at {
            None => open_part(&folder, part, PASS, Mode::empty())?,
            Some(above) => open_part(above, part, PASS, Mode::empty())?,
        });
    }
    Ok(match &at {
        None => open_part(folder, last, flags | ALWAYS, mode)?.into(),
        Some(above) => open_part(above, last, flags | ALWAYS, mode)?.into(),
    })
}

/// Opens what a folder contains. Systems differ in the error for a link, which becomes `ELOOP`.
fn open_part(at: impl AsFd, name: &OsStr, flags: OFlag, mode: Mode) -> nix::Result<OwnedFd> {
    openat(&at, name, flags, mode).map_err(|error| {
        let is_link = || {
            let found = fstatat(&at, name, AtFlags::AT_SYMLINK_NOFOLLOW);
            found.is_ok_and(|found| found.st_mode & SFlag::S_IFMT.bits() == SFlag::S_IFLNK.bits())
        };
        let may_be_link = matches!(error, Errno::ENOTDIR | Errno::EMLINK);
        if may_be_link && is_link() { Errno::ELOOP } else { error }
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    type Opener = fn(&File, &Path, OFlag, Mode) -> io::Result<File>;

    const OPENERS: [Opener; 2] = [
        |folder, path, flags, mode| open_beneath(folder, path, flags, mode),
        |folder, path, flags, mode| open_step_by_step(folder, path, flags, mode),
    ];

    #[test]
    fn no_link_is_followed_and_no_path_leads_out() {
        let temporary = tempfile::tempdir().unwrap();
        let base = temporary.path();
        fs::create_dir_all(base.join("root/folder")).unwrap();
        fs::write(base.join("root/folder/file"), "text").unwrap();
        fs::write(base.join("outside"), "secret").unwrap();
        symlink("folder", base.join("root/link")).unwrap();
        symlink("../outside", base.join("root/out")).unwrap();
        let folder = File::open(base.join("root")).unwrap();
        for open in OPENERS {
            let read = |path: &str| {
                open(&folder, Path::new(path), OFlag::O_RDONLY, Mode::empty())
                    .and_then(io::read_to_string)
            };
            assert_eq!(read("folder/file").unwrap(), "text");
            assert_eq!(read("folder/../folder/./file").unwrap(), "text");
            let code = |path: &str| read(path).unwrap_err().raw_os_error();
            assert_eq!(code("no"), Some(nix::libc::ENOENT));
            assert_eq!(code("out"), Some(nix::libc::ELOOP));
            assert_eq!(code("link/file"), Some(nix::libc::ELOOP));
            assert_eq!(code("folder/file/no"), Some(nix::libc::ENOTDIR));
            assert_eq!(code("../outside"), Some(nix::libc::EXDEV));
            assert_eq!(code("folder/../../outside"), Some(nix::libc::EXDEV));
            let absolute = base.join("outside");
            assert_eq!(code(absolute.to_str().unwrap()), Some(nix::libc::EXDEV));
        }
    }

    #[test]
    fn a_fifo_is_opened_without_waiting() {
        let temporary = tempfile::tempdir().unwrap();
        nix::unistd::mkfifo(&temporary.path().join("fifo"), Mode::S_IRUSR).unwrap();
        let folder = File::open(temporary.path()).unwrap();
        for open in OPENERS {
            assert!(open(&folder, Path::new("fifo"), OFlag::O_RDONLY, Mode::empty()).is_ok());
        }
    }
}
