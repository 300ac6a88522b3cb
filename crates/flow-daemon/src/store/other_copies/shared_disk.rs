//! One restricted thread for the files of all worktrees: each of them may be read under the same rules, and a thread for
//! each would only wait.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flow_files::restrict::Restriction;

use super::super::disk::{Disk, Listed, Open, Stat};
use super::super::restricted_disk::RestrictedDisk;

/// The disk of a project, shared by the readers of one thread: nobody ever waits for the lock.
#[derive(Debug, Clone)]
pub(super) struct SharedDisk(Arc<Mutex<RestrictedDisk>>);

impl SharedDisk {
    /// The disk of the project with this root, which may also read the corresponding folders of the other worktrees.
    pub(super) fn new(root: &Path) -> Self {
        Self(Arc::new(Mutex::new(RestrictedDisk::new(root))))
    }

    fn disk(&self) -> MutexGuard<'_, RestrictedDisk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Disk for SharedDisk {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.disk().stat(path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.disk().resolve(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Open>> {
        self.disk().open(path)
    }

    fn read_small(&self, path: &Path, most: u64) -> io::Result<String> {
        self.disk().read_small(path, most)
    }

    fn list(&self, folder: &Path, most: usize) -> io::Result<Vec<Listed>> {
        self.disk().list(folder, most)
    }

    fn restriction(&self) -> Restriction {
        self.disk().restriction()
    }
}
