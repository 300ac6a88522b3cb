//! The PID file, for people and scripts. It is read only for messages: no process is ever signalled by the content of a
//! file.

use std::fs::File;
use std::io::Read;

use crate::error::Result;
use crate::folder::Folder;

/// Name of the PID file.
pub(crate) const NAME: &str = "api-server.pid";
/// Longest content that is read, in bytes.
const LONGEST: u64 = 32;

/// Writes the process id, completely or not at all, replacing any file with this name. A link is replaced, not
/// followed. While the returned file is open, its inode is not reused.
///
/// # Errors
/// I/O errors of the system.
pub(crate) fn write(folder: &Folder, pid: u32) -> Result<File> {
    folder.replace(NAME, format!("{pid}\n").as_bytes())
}

/// The process id in the file, if it was written by [`write()`].
pub(crate) fn read(folder: &Folder) -> Option<u32> {
    let mut text = String::new();
    folder.readable(NAME).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
    text.trim_end().parse().ok()
}
