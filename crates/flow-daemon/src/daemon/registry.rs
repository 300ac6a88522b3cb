//! The registry of a user's daemons: each keeps a small file with its project's root and its port in the user's private
//! runtime folder, and a lock on that file while it runs. The lock says that the entry is current; whether the project can be
//! started or stopped, its own lock alone decides.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::thread::yield_now;

use super::private;
use crate::error::Result;
use crate::folder::{Folder, Identity};

/// Name of the folder of entries in the private runtime folder.
const FOLDER: &str = "daemons";
/// Largest number of entries that are read.
const MOST: usize = 1000;
/// Longest entry, in bytes: a root, a zero byte, a port.
const LONGEST: u64 = 4096 + 6;
/// Attempts to lock a new entry. A reader of the entry may hold the lock for some microseconds.
const ATTEMPTS: usize = 1000;

/// What an entry says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Registered {
    pub(crate) root: PathBuf,
    /// None in an entry that an earlier version wrote.
    pub(crate) port: Option<u16>,
}

/// The entry of a daemon of this process. It is removed when this is dropped, unless another daemon has replaced it: one that
/// was started in the place of a removed project.
#[derive(Debug)]
pub(crate) struct Registration {
    root: PathBuf,
    port: u16,
    /// The file, whose lock ends with it.
    entry: Option<File>,
}

impl Registration {
    /// An entry that is not written yet.
    pub(crate) fn new(root: &Path, port: u16) -> Self {
        Self { root: root.to_path_buf(), port, entry: None }
    }

    /// Writes the entry. It is repeated every minute, since cleaners of old files may remove it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn renew(&mut self) -> Result<()> {
        let (folder, _) = Folder::make_or_open(&private::open()?.path().join(FOLDER))?;
        let port = self.port.to_string();
        let text = [self.root.as_os_str().as_bytes(), b"\0", port.as_bytes()].concat();
        let entry = folder.replace(&private::key(&self.root), &text)?;
        for _ in 0..ATTEMPTS {
            match entry.try_lock() {
                Err(TryLockError::WouldBlock) => yield_now(),
                Ok(()) | Err(TryLockError::Error(_)) => break,
            }
        }
        self.entry = Some(entry);
        Ok(())
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let Some(identity) = self.entry.as_ref().and_then(|entry| Identity::of(entry).ok()) else {
            return;
        };
        for folder in existing() {
            folder.remove_own(&private::key(&self.root), identity);
        }
    }
}

/// Removes the entry of a root.
pub(crate) fn unregister(root: &Path) {
    for folder in existing() {
        let _ = folder.remove(&private::key(root));
    }
}

/// The registered roots, including those of crashed daemons.
pub(crate) fn registered() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> =
        existing().iter().flat_map(entries).map(|(registered, _)| registered.root).collect();
    roots.sort();
    roots.dedup();
    roots
}

/// The entries of daemons that run.
pub(crate) fn running() -> Vec<Registered> {
    let folders = existing();
    let entries = folders.iter().flat_map(entries);
    let is_locked = |file: &File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let mut running: Vec<Registered> =
        entries.filter(|(_, file)| is_locked(file)).map(|(registered, _)| registered).collect();
    running.sort_by(|one, other| one.root.cmp(&other.root));
    running.dedup_by(|one, other| one.root == other.root);
    running
}

fn entries(folder: &Folder) -> Vec<(Registered, File)> {
    let Ok(entries) = folder.path().read_dir() else { return Vec::new() };
    entries
        .flatten()
        .take(MOST)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (registered, file) = read(folder, &name)?;
            (private::key(&registered.root) == name).then_some((registered, file))
        })
        .collect()
}

fn read(folder: &Folder, name: &str) -> Option<(Registered, File)> {
    let mut bytes = Vec::new();
    let file = folder.readable(name).ok()?;
    (&file).take(LONGEST + 1).read_to_end(&mut bytes).ok()?;
    let fits = !bytes.is_empty() && bytes.len() as u64 <= LONGEST;
    let end = memchr::memchr(0, &bytes).unwrap_or(bytes.len());
    let port = bytes.get(end + 1..).and_then(|port| std::str::from_utf8(port).ok()?.parse().ok());
    bytes.truncate(end);
    let root = PathBuf::from(OsString::from_vec(bytes));
    fits.then_some((Registered { root, port }, file))
}

/// The existing folders of entries. Those that other users can write to are ignored.
fn existing() -> Vec<Folder> {
    let bases = private::candidates().unwrap_or_default();
    let private = |path: &Path| Folder::open(path).ok().filter(|folder| !folder.is_shared());
    // The folder above is checked first: a link there would lead to entries of somebody else's choice.
    let open = |base: &PathBuf| private(base).and_then(|_| private(&base.join(FOLDER)));
    bases.iter().filter_map(open).collect()
}
