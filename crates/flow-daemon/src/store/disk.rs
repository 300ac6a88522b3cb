//! A trait for the file system: stat, resolve, open, read. Tests provide a failing disk.
//!
//! It makes no decisions: [`super::poller`] interprets a stat, and [`super::locate`] decides which links are followed.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::fcntl::OFlag;
use nix::sys::stat::Mode;

use flow_files::restrict::Restriction;
use flow_files::small_file::{self, Links};

/// The type of a regular file in a mode. (The constants of the C library are not of the same size on all Unixes.)
pub const FILE: u32 = 0o100_000;
/// The type of a folder.
pub const FOLDER: u32 = 0o040_000;
/// The bits of the type.
const KIND: u32 = 0o170_000;

/// The part of a file's stat that shows whether it changed, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Device and inode.
    pub identity: (u64, u64),
    /// Bytes.
    pub size: u64,
    /// Last change of the content, nanoseconds since 1970.
    pub modified: i128,
    /// Last change of content or attributes, nanoseconds since 1970.
    pub changed: i128,
    /// Type and permissions.
    pub mode: u32,
}

impl Stat {
    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.is(FILE)
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.is(FOLDER)
    }

    fn is(&self, kind: u32) -> bool {
        self.mode & KIND == kind
    }

    /// The time of the last change of the content.
    pub fn modified_at(&self) -> SystemTime {
        let distance = |ns: u128| Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX));
        if self.modified >= 0 {
            SystemTime::UNIX_EPOCH + distance(self.modified.unsigned_abs())
        } else {
            SystemTime::UNIX_EPOCH - distance(self.modified.unsigned_abs())
        }
    }
}

impl From<fs::Metadata> for Stat {
    fn from(meta: fs::Metadata) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            identity: (meta.dev(), meta.ino()),
            size: meta.len(),
            modified: nanoseconds(meta.mtime(), meta.mtime_nsec()),
            changed: nanoseconds(meta.ctime(), meta.ctime_nsec()),
            mode: meta.mode(),
        }
    }
}

/// The file system.
pub trait Disk: Send {
    /// The stat of what a path leads to; links are followed.
    ///
    /// # Errors
    /// I/O errors of the system.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// The absolute path without links.
    ///
    /// # Errors
    /// I/O errors of the system.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// Opens a file by the path that [`Disk::resolve`] returned; never waits for a writer. If a part of the path has
    /// become a link since, that is an error (`ELOOP`), because the link may lead anywhere.
    ///
    /// # Errors
    /// I/O errors of the system.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Open>>;

    /// Reads a small text file, such as one of git's, up to `most` bytes.
    ///
    /// # Errors
    /// I/O errors of the system, or a content that is not UTF-8.
    fn read_small(&self, path: &Path, most: u64) -> io::Result<String>;

    /// The names in a folder, given by the path that [`Disk::resolve`] returned, in order; at most `most`.
    ///
    /// # Errors
    /// I/O errors of the system, or a folder with more names. A disk that holds single files has no folders.
    fn list(&self, folder: &Path, most: usize) -> io::Result<Vec<Listed>> {
        let _ = (folder, most);
        Err(ErrorKind::Unsupported.into())
    }

    /// How much of what is outside of the project the kernel denies to [`Disk::open`] and [`Disk::read_small`].
    fn restriction(&self) -> Restriction {
        Restriction::Missing
    }
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// The name; names that are not UTF-8 are left out.
    pub name: String,
    /// Whether it is a folder; a link is none.
    pub is_folder: bool,
}

/// An open file.
pub trait Open: Send {
    /// The stat of the file itself, whatever its path leads to by now.
    ///
    /// # Errors
    /// I/O errors of the system.
    fn stat(&self) -> io::Result<Stat>;

    /// Reads bytes at an offset; 0 at the end of the file.
    ///
    /// # Errors
    /// I/O errors of the system.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// The file descriptor, if the system can report events about it.
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

/// The real file system.
#[derive(Debug, Clone, Copy)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        fs::metadata(path).map(Stat::from)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Open>> {
        Ok(Box::new(open_real(path)?))
    }

    fn read_small(&self, path: &Path, most: u64) -> io::Result<String> {
        let bytes = small_file::read(path, most, Links::Refused)?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }

    fn list(&self, folder: &Path, most: usize) -> io::Result<Vec<Listed>> {
        let mut listed = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if listed.len() == most {
                return Err(ErrorKind::FileTooLarge.into());
            }
            listed.push(Listed { name, is_folder: entry.file_type()?.is_dir() });
        }
        listed.sort();
        Ok(listed)
    }
}

/// Opens an absolute path that contains no link. Does not block: the file may have become a FIFO.
fn open_real(path: &Path) -> io::Result<File> {
    let below = path.strip_prefix("/").map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
    flow_files::open_beneath(flow_files::root()?, below, OFlag::O_RDONLY, Mode::empty())
}

impl Open for File {
    fn stat(&self) -> io::Result<Stat> {
        self.metadata().map(Stat::from)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, offset)
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.as_fd())
    }
}

/// Fills the buffer from an offset, across interruptions and short reads.
///
/// # Errors
/// `UnexpectedEof` if the file ends before, or an I/O error of the system.
pub fn read_exact_at(file: &dyn Open, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        match file.read_at(&mut buffer[done..], offset + done as u64) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => done += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_anywhere_on_the_path_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        fs::create_dir(real.join("folder")).unwrap();
        fs::write(real.join("folder/file"), "text").unwrap();
        std::os::unix::fs::symlink("folder", real.join("link")).unwrap();
        assert_eq!(
            io::read_to_string(open_real(&real.join("folder/file")).unwrap()).unwrap(),
            "text"
        );
        let refused = open_real(&real.join("link/file")).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(nix::libc::ELOOP));
        assert_eq!(open_real(&real.join("no")).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
