//! The registry of a user's daemons: each keeps a small file with its project's root in the user's private runtime
//! folder. An entry does not prove that the daemon runs; its lock does.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::folder::Folder;
use super::private;
use crate::error::Result;

/// Name of the folder of entries in the private runtime folder.
const FOLDER: &str = "daemons";
/// Largest number of entries that are read.
const MOST: usize = 1000;
/// Longest root path, in bytes.
const LONGEST: u64 = 4096;

/// Registers the daemon of a root. Repeated every minute, since cleaners of old files may remove the entry.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn register(root: &Path) -> Result<()> {
    let (folder, _) = Folder::make_or_open(&private::open()?.path().join(FOLDER))?;
    folder.replace(&private::key(root), root.as_os_str().as_bytes()).map(drop)
}

/// Removes the entry of a root.
pub(crate) fn unregister(root: &Path) {
    for folder in existing() {
        let _ = folder.remove(&private::key(root));
    }
}

/// The registered roots.
pub(crate) fn registered() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = existing().iter().flat_map(registered_in).collect();
    roots.sort();
    roots.dedup();
    roots
}

fn registered_in(folder: &Folder) -> Vec<PathBuf> {
    let Ok(entries) = folder.path().read_dir() else { return Vec::new() };
    entries
        .flatten()
        .take(MOST)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let root = read(folder, &name)?;
            (private::key(&root) == name).then_some(root)
        })
        .collect()
}

fn read(folder: &Folder, name: &str) -> Option<PathBuf> {
    let mut bytes = Vec::new();
    folder.readable(name).ok()?.take(LONGEST + 1).read_to_end(&mut bytes).ok()?;
    let fits = !bytes.is_empty() && bytes.len() as u64 <= LONGEST;
    fits.then(|| PathBuf::from(OsString::from_vec(bytes)))
}

/// The existing folders of entries. Those that other users can write to are ignored.
fn existing() -> Vec<Folder> {
    let bases = private::candidates().unwrap_or_default();
    let open = |base: &PathBuf| Folder::open(&base.join(FOLDER)).ok();
    bases.iter().filter_map(open).filter(|folder| !folder.is_shared()).collect()
}
