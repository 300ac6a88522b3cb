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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::folder::Identity;

    #[test]
    fn a_link_is_replaced_and_its_target_untouched() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let target = dir.path().join("target");
        fs::write(&target, "precious").unwrap();
        let new = format!("{NAME}.new");
        for name in [NAME, &new] {
            symlink(&target, dir.path().join(name)).unwrap();
        }
        let file = write(&folder, 42).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join(NAME)).unwrap(), "42\n");
        assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
        assert_eq!(folder.identity(NAME), Identity::of(&file).ok());
        assert!(folder.identity(&new).is_none());
    }
}
