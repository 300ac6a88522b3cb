//! The lock on `api-server.lock`, which alone tells whether a daemon runs. It never waits for the lock.

use std::fs::{File, TryLockError};
use std::io;

use super::folder::{Folder, Identity};
use crate::error::{Error, Result};

/// The lock file's name.
pub(crate) const NAME: &str = "api-server.lock";
/// How often the file may be replaced during the attempt before it is given up.
const ATTEMPTS: usize = 100;

/// The lock, held. Dropping it releases it, in every process that shares it by a fork.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    /// Whether a crashed daemon left the file.
    pub(crate) left_behind: bool,
}

impl Lock {
    /// Takes the lock; `None` when another process has it.
    ///
    /// # Errors
    /// When the file cannot be made or locked.
    pub(crate) fn take(folder: &Folder) -> Result<Option<Self>> {
        let wrong = |e| Error::path("lock", &folder.path().join(NAME), e);
        for _ in 0..ATTEMPTS {
            let (file, left_behind) = match folder.create(NAME) {
                Ok(file) => (file, false),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => match folder.existing(NAME) {
                    Ok(file) => (file, true),
                    Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                    Err(e) => return Err(unusable(folder, e)),
                },
                Err(e) => return Err(wrong(e)),
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(e)) => return Err(wrong(e)),
            }
            let lock = Self { file, left_behind };
            // A daemon that stops removes the file before it lets go: a lock on a removed file excludes nobody.
            if folder.identity(NAME) == Some(lock.identity().map_err(wrong)?) {
                return Ok(Some(lock));
            }
        }
        Err(Error::Refused(format!("{NAME} is replaced again and again")))
    }

    /// Whether some process holds the lock.
    pub(crate) fn is_held(folder: &Folder) -> bool {
        let Ok(file) = folder.readable(NAME) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Which file is locked.
    ///
    /// # Errors
    /// When the system cannot tell.
    pub(crate) fn identity(&self) -> io::Result<Identity> {
        Identity::of(&self.file)
    }

    /// Tells cleaners of old files that this one is in use.
    pub(crate) fn touch(&self) {
        let _ = self.file.set_modified(std::time::SystemTime::now());
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file would leave the lock to a forked process that has not ended yet.
        let _ = self.file.unlock();
    }
}

/// Whatever has the name was not put there by a daemon, so it is left alone.
fn unusable(folder: &Folder, error: io::Error) -> Error {
    let path = folder.path().join(NAME);
    let found = match path.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => "a symlink",
        Ok(meta) if meta.is_dir() => "a folder",
        Ok(meta) if !meta.is_file() => "not a regular file",
        _ => return Error::path("lock", &path, error),
    };
    Error::Refused(format!("{} is {found}; remove it and start again", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_a_removed_file_is_not_held() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        assert!(!Lock::is_held(&folder));
        let lock = Lock::take(&folder).unwrap().unwrap();
        assert!(!lock.left_behind);
        assert!(Lock::is_held(&folder));
        assert!(Lock::take(&folder).unwrap().is_none());
        drop(lock);
        assert!(!Lock::is_held(&folder));
        let again = Lock::take(&folder).unwrap().unwrap();
        assert!(again.left_behind);
        folder.remove(NAME).unwrap();
        assert!(Lock::take(&folder).unwrap().is_some());
    }
}
