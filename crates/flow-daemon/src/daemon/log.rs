//! The daemon's log: JSON lines in a file of bounded size.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Mutex;

use tracing_subscriber::filter::LevelFilter;

use super::runtime::LOG;
use crate::error::{Error, Result};
use crate::folder::{Folder, is_own};

/// The log is rotated before it exceeds this size, in bytes.
pub(super) const LARGEST: u64 = 1 << 20;
/// Name of the rotated log.
pub(super) const BEFORE: &str = "api-server.log.1";

/// Directs the log of this process to the log file, panics included.
///
/// # Errors
/// When the file cannot be opened.
pub(crate) fn install(folder: Folder) -> Result<()> {
    let path = folder.path().join(LOG);
    let log = BoundedLog::open(folder).map_err(|e| Error::path("open the log", &path, e))?;
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(LevelFilter::INFO)
        .log_internal_errors(false)
        .with_writer(Mutex::new(log))
        .finish();
    tracing::subscriber::set_global_default(subscriber)
        .map_err(|e| Error::io("set up the log", io::Error::other(e)))?;
    std::panic::set_hook(Box::new(|panic| {
        tracing::error!(panic = ?panic.to_string(), "a task of the daemon panicked");
    }));
    Ok(())
}

/// Sends the errors that this process logs to standard error, as JSON lines: they may repeat what a client sent.
///
/// # Errors
/// When there is a log already.
pub fn to_stderr() -> Result<()> {
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(LevelFilter::ERROR)
        .log_internal_errors(false)
        .with_writer(io::stderr)
        .finish();
    tracing::subscriber::set_global_default(subscriber)
        .map_err(|e| Error::io("set up the log", io::Error::other(e)))
}

/// A log file and at most one rotated predecessor.
#[derive(Debug)]
struct BoundedLog {
    folder: Folder,
    file: File,
    bytes: u64,
}

impl BoundedLog {
    fn open(folder: Folder) -> io::Result<Self> {
        let file = match folder.existing(LOG) {
            Ok(file) if is_own(&file.metadata()?) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => folder.create(LOG)?,
            // A link, a pipe, a hard link to another file, a file of another user, who could still read it, or one that the
            // checkout brought, which others can read.
            _ => {
                folder.remove(LOG).map_err(io::Error::other)?;
                folder.create(LOG)?
            }
        };
        let bytes = file.metadata()?.len();
        Ok(Self { folder, file, bytes })
    }

    fn rotate(&mut self) -> io::Result<()> {
        self.folder.rename(LOG, BEFORE)?;
        self.file = self.folder.create(LOG)?;
        self.bytes = 0;
        Ok(())
    }
}

impl Write for BoundedLog {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let more = line.len() as u64;
        // If the log cannot be rotated, a line is lost rather than the limit.
        if self.bytes + more > LARGEST && (self.rotate().is_err() || more > LARGEST) {
            return Ok(line.len());
        }
        let count = self.file.write(line)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn it_stays_bounded_and_keeps_one_predecessor() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = BoundedLog::open(Folder::open(dir.path()).unwrap()).unwrap();
        let line = [b'x'; 1000];
        for _ in 0..3000 {
            log.write_all(&line).unwrap();
        }
        let size = |name| fs::metadata(dir.path().join(name)).unwrap().len();
        assert!(size(LOG) <= LARGEST && size(BEFORE) <= LARGEST);
        assert!(size(LOG) + size(BEFORE) > LARGEST);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn links_are_replaced_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        fs::write(&target, "precious").unwrap();
        symlink(&target, dir.path().join(LOG)).unwrap();
        let mut log = BoundedLog::open(Folder::open(dir.path()).unwrap()).unwrap();
        log.write_all(b"line\n").unwrap();
        fs::remove_file(dir.path().join(LOG)).unwrap();
        fs::hard_link(&target, dir.path().join(LOG)).unwrap();
        let mut log = BoundedLog::open(Folder::open(dir.path()).unwrap()).unwrap();
        log.write_all(b"line\n").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    }

    #[test]
    fn a_log_that_others_can_read_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(LOG);
        for mode in [0o644, 0o640, 0o604] {
            fs::write(&path, "brought along\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let mut log = BoundedLog::open(Folder::open(dir.path()).unwrap()).unwrap();
            log.write_all(b"line\n").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "line\n");
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
            fs::remove_file(&path).unwrap();
        }
    }
}
