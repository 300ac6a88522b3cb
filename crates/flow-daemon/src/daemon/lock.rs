//! The lock on `api-server.lock`, the only evidence that a daemon runs. It never waits for the lock.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;

use flow_files::system;

use crate::error::{Error, Result};
use crate::folder::{Folder, Identity, is_own};

/// The lock file's name.
pub(crate) const NAME: &str = "api-server.lock";
/// Number of attempts while the file is being replaced.
const ATTEMPTS: usize = 100;

/// The held lock. Dropping it releases it, in every process that shares it after a fork.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    /// Whether the file existed without a lock: a daemon has crashed.
    pub(crate) left_behind: bool,
}

impl Lock {
    /// Takes the lock; `None` if another process has it.
    ///
    /// # Errors
    /// When the file cannot be created or locked.
    pub(crate) fn take(folder: &Folder) -> Result<Option<Self>> {
        let wrong = |e| Error::path("lock", &folder.path().join(NAME), e);
        for _ in 0..ATTEMPTS {
            let (file, left_behind) = match folder.create(NAME) {
                Ok(file) => (file, false),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => match folder.existing(NAME) {
                    Ok(file) if file.metadata().is_ok_and(|file| is_own(&file)) => (file, true),
                    // No daemon created it, and somebody else may lock it.
                    Ok(_) => {
                        folder.remove(NAME)?;
                        continue;
                    }
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
            // A stopping daemon removes the file before it releases the lock: a lock on a removed file excludes nobody.
            if folder.identity(NAME) == Some(lock.identity().map_err(wrong)?) {
                return Ok(Some(lock));
            }
        }
        Err(Error::Refused(format!("{NAME} keeps being replaced")))
    }

    /// Whether some process holds the lock.
    pub(crate) fn is_held(folder: &Folder) -> bool {
        let Ok(file) = folder.readable(NAME) else { return false };
        let is_own = file.metadata().is_ok_and(|file| is_own(&file));
        is_own && matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// The processes that have locked the file in any way, as far as the system tells. For messages only.
    pub(crate) fn holders(folder: &Folder) -> Vec<u32> {
        let file = folder.readable(NAME).and_then(|file| file.metadata());
        file.map(|file| system::lock_holders(file.ino())).unwrap_or_default()
    }

    /// The identity of the locked file.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub(crate) fn identity(&self) -> io::Result<Identity> {
        Identity::of(&self.file)
    }

    /// Updates the file's time, so that cleaners of old files keep it.
    pub(crate) fn touch(&self) {
        let _ = self.file.set_modified(std::time::SystemTime::now());
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file would leave the lock with a forked process that has not ended yet.
        let _ = self.file.unlock();
    }
}

/// The error for a file of this name that no daemon created, and that is therefore not touched.
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
