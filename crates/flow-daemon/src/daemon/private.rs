//! The user's private runtime folder: its path, and a project's folder in it. An existing folder is used as it is or
//! refused; its mode is never changed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::unistd::Uid;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::folder::{Folder, Privacy};

/// The variable that overrides the default folders.
const VARIABLE: &str = "FLOW_RUNTIME_DIR";
/// The remedy for a folder that is refused.
const ADVICE: &str = "set FLOW_RUNTIME_DIR to a folder that only you can write to";

/// Path of the folder, whether or not it exists.
///
/// # Errors
/// When `FLOW_RUNTIME_DIR` is relative.
pub(crate) fn path() -> Result<PathBuf> {
    Ok(candidates()?.swap_remove(0))
}

/// Its possible paths, the one for a new folder first: a shell, a service and a cron job of one user may have different
/// environments.
///
/// # Errors
/// When `FLOW_RUNTIME_DIR` is relative.
pub(crate) fn candidates() -> Result<Vec<PathBuf>> {
    let variable =
        |name| std::env::var_os(name).filter(|text| text != OsStr::new("")).map(PathBuf::from);
    let user = Uid::effective();
    match variable(VARIABLE) {
        // The daemon's current folder differs from the caller's.
        Some(path) if path.is_relative() => Err(Error::Usage(format!(
            "{VARIABLE} must be an absolute path, not {:?}",
            path.display().to_string()
        ))),
        Some(path) => Ok(vec![path]),
        None => {
            let session = variable("XDG_RUNTIME_DIR");
            let session = session.filter(|path| path.is_absolute() && path.is_dir());
            let mut found: Vec<PathBuf> =
                session.into_iter().map(|path| path.join("flow")).collect();
            found.push(PathBuf::from(format!("/tmp/flow-{user}")));
            let usual = PathBuf::from(format!("/run/user/{user}/flow"));
            if !found.contains(&usual) {
                found.push(usual);
            }
            Ok(found)
        }
    }
}

/// Opens the folder, or creates it.
///
/// # Errors
/// When it is another user's, a link, or other users can write to it.
pub(crate) fn open() -> Result<Folder> {
    only_private(&path()?)
}

/// Its subfolder for one project; `true` if it was just created.
///
/// # Errors
/// When the folder cannot be opened or created.
pub(crate) fn of_project(root: &Path) -> Result<(Folder, bool)> {
    let path = open()?.path().join(key(root));
    let is_new = path.symlink_metadata().is_err();
    Ok((only_private(&path)?, is_new))
}

/// A file name derived from a project's root.
pub(crate) fn key(root: &Path) -> String {
    format!("{:016x}", xxh3_64(root.as_os_str().as_bytes()))
}

fn only_private(path: &Path) -> Result<Folder> {
    let wrong = |reason: String| Error::Refused(format!("{reason}; {ADVICE}"));
    match Folder::make_or_open(path) {
        Ok((_, Privacy::Shared(mode))) => Err(wrong(format!(
            "other users can write to {} (mode {mode:o}), the folder of lock, socket and log",
            path.display()
        ))),
        Ok((folder, Privacy::Made | Privacy::Kept)) => Ok(folder),
        Err(error) => Err(wrong(error.to_string())),
    }
}
