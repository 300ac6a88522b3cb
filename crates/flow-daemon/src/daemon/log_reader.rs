//! Reads the log of a daemon for commands: everything that is kept, then what is appended, across rotations.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::log::{BEFORE, LARGEST};
use super::runtime::{LOG, RuntimeFolders};
use crate::error::Result;
use crate::folder::{Folder, Identity};

/// Reads the log of one project's daemon.
#[derive(Debug)]
pub struct LogReader {
    folders: RuntimeFolders,
    open: Option<(Identity, File)>,
}

impl LogReader {
    /// The log of a project's daemon; `None` if none was ever started in it.
    ///
    /// # Errors
    /// When the project's runtime folder must not be used (a link, or another user's).
    pub fn find(root: &Path) -> Result<Option<Self>> {
        Ok(RuntimeFolders::find(root)?.map(|folders| Self { folders, open: None }))
    }

    /// Path of the log file.
    pub fn path(&self) -> PathBuf {
        self.folders.log()
    }

    /// The bytes appended since the last call; at the first call everything that is kept. Empty if there is no file.
    ///
    /// # Errors
    /// When an existing file cannot be read.
    pub fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match &mut self.open {
            Some((_, file)) => read_on(file, &mut bytes)?,
            None => {
                if let Some((_, mut before)) = open(self.folders.home(), BEFORE)? {
                    read_on(&mut before, &mut bytes)?;
                }
            }
        }
        let is_same = |identity: Identity| self.folders.home().identity(LOG) == Some(identity);
        if !self.open.as_ref().is_some_and(|(identity, _)| is_same(*identity))
            && let Some((identity, mut file)) = open(self.folders.home(), LOG)?
        {
            read_on(&mut file, &mut bytes)?;
            self.open = Some((identity, file));
        }
        Ok(bytes)
    }
}

fn open(folder: &Folder, name: &str) -> io::Result<Option<(Identity, File)>> {
    match folder.readable(name) {
        Ok(file) => Ok(Some((Identity::of(&file)?, file))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Appends the rest of a file. A log has at most [`LARGEST`] bytes; a longer file is not one.
fn read_on(file: &mut File, bytes: &mut Vec<u8>) -> io::Result<()> {
    file.take(LARGEST).read_to_end(bytes).map(drop)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn it_reads_on_over_a_rotation() {
        let dir = tempfile::tempdir().unwrap();
        assert!(LogReader::find(dir.path()).unwrap().is_none());
        let flow = dir.path().join(".flow");
        fs::create_dir(&flow).unwrap();
        let mut reader = LogReader::find(dir.path()).unwrap().unwrap();
        assert_eq!(reader.read().unwrap(), b"");
        fs::write(flow.join(BEFORE), "1\n").unwrap();
        fs::write(flow.join(LOG), "2\n").unwrap();
        let mut reader = LogReader::find(dir.path()).unwrap().unwrap();
        assert_eq!(reader.read().unwrap(), b"1\n2\n");
        assert_eq!(reader.read().unwrap(), b"");
        let mut log = fs::OpenOptions::new().append(true).open(flow.join(LOG)).unwrap();
        log.write_all(b"3\n").unwrap();
        fs::rename(flow.join(LOG), flow.join(BEFORE)).unwrap();
        fs::write(flow.join(LOG), "4\n").unwrap();
        assert_eq!(reader.read().unwrap(), b"3\n4\n");
        assert_eq!(reader.read().unwrap(), b"");
    }
}
