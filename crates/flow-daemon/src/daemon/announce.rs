//! How the daemons of a user are found without a search: each keeps a small file with its project's root in the
//! user's private runtime folder. It proves nothing; the lock does.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::folder::Folder;
use super::private;
use crate::error::{Error, Result};

/// The folder of the announcements, under the private runtime folder.
const FOLDER: &str = "daemons";
/// Most announcements that are read.
const MOST: usize = 1000;
/// The longest root, in bytes.
const LONGEST: u64 = 4096;

/// Says, or says again, that a daemon serves this root. Cleaners of old files need the "again".
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn announce(root: &Path) -> Result<()> {
    let (folder, _) = Folder::make_or_open(&private::open()?.path().join(FOLDER))?;
    let key = private::key(root);
    let new = format!("{key}.new");
    folder.remove(&new)?;
    let replace = || {
        folder.create(&new)?.write_all(root.as_os_str().as_bytes())?;
        folder.rename(&new, &key)
    };
    replace().map_err(|e| Error::path("write", &folder.path().join(&key), e))
}

/// Takes it back.
pub(crate) fn withdraw(root: &Path) {
    for folder in existing() {
        let _ = folder.remove(&private::key(root));
    }
}

/// The roots that are announced.
pub(crate) fn announced() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = existing().iter().flat_map(announced_in).collect();
    roots.sort();
    roots.dedup();
    roots
}

fn announced_in(folder: &Folder) -> Vec<PathBuf> {
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

/// The folders of announcements that are there. What others could have written says nothing.
fn existing() -> Vec<Folder> {
    let bases = private::candidates().unwrap_or_default();
    let open = |base: &PathBuf| Folder::open(&base.join(FOLDER)).ok();
    bases.iter().filter_map(open).filter(|folder| !folder.is_shared()).collect()
}
