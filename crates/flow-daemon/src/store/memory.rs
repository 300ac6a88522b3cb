//! Files in memory, all with the same modification time: for a state that is embedded in the program.
//!
//! It has no folders, links or permissions, and nothing in it changes.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::disk::{Disk, FILE, Open, Stat};

/// A file's path and its text.
pub type File = (PathBuf, &'static str);

/// The files.
#[derive(Debug)]
pub struct MemoryDisk {
    files: Vec<File>,
    /// When they were written, in nanoseconds since 1970.
    written: i128,
}

impl MemoryDisk {
    /// Files written at a moment, in nanoseconds since 1970.
    pub fn new(files: Vec<File>, written: i64) -> Self {
        Self { files, written: written.into() }
    }

    fn find(&self, path: &Path) -> io::Result<Opened> {
        let at = self.files.iter().position(|(known, _)| known == path);
        let at = at.ok_or_else(|| io::Error::from(ErrorKind::NotFound))?;
        let text = self.files[at].1;
        let stat = Stat {
            identity: (0, at as u64),
            size: text.len() as u64,
            modified: self.written,
            changed: self.written,
            mode: FILE,
        };
        Ok(Opened { text, stat })
    }
}

impl Disk for MemoryDisk {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        Ok(self.find(path)?.stat)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Open>> {
        Ok(Box::new(self.find(path)?))
    }

    fn read_small(&self, path: &Path, _most: u64) -> io::Result<String> {
        Ok(self.find(path)?.text.to_owned())
    }
}

struct Opened {
    text: &'static str,
    stat: Stat,
}

impl Open for Opened {
    fn stat(&self) -> io::Result<Stat> {
        Ok(self.stat)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(self.text.len());
        let rest = &self.text.as_bytes()[from..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}
