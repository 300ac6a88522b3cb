//! What is said of files: which one it was, what a path leads to, and what may be replaced.

use std::path::Path;

use flow_files::FileId;

use super::error::{FileError, Problem, Result};

/// A file's content, and which file it was.
#[derive(Debug, Clone)]
pub struct Content {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// The file, as it was when it was read.
    pub id: FileId,
}

impl Content {
    /// The content as text.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn text(self, path: &Path) -> Result<(String, FileId)> {
        match String::from_utf8(self.bytes) {
            Ok(text) => Ok((text, self.id)),
            Err(_) => Err(FileError::new(path, Problem::NotText)),
        }
    }
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    File,
    Folder,
    /// A link, a FIFO, a socket or a device: none of them is opened.
    Other,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its name; one that is not UTF-8 is not listed.
    pub name: String,
    /// Whether it is a regular file.
    pub is_file: bool,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// What happens to a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and that is an error.
    Kept,
    /// It is replaced where it is this file, unchanged since it was read.
    Replaced(FileId),
    /// It is replaced: the user said so.
    Forced,
}
