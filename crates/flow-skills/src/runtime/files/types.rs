//! The types of file access: content and identity, the type of a path, and what may be replaced.

use std::path::Path;

use flow_files::FileId;

use super::error::{FileError, Problem, Result};

/// A file's content and identity.
#[derive(Debug, Clone)]
pub struct Content {
    /// The whole content.
    pub bytes: Vec<u8>,
    /// Identity of the file when it was read.
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

/// The type of the file at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    File,
    Folder,
    /// A link, a FIFO, a socket or a device: none of them is opened.
    Other,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name; names that are not UTF-8 are not listed.
    pub name: String,
    /// Its type.
    pub kind: Kind,
}

/// What happens to an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is kept, and the write is an error.
    Kept,
    /// It is replaced if it is this file, unchanged since it was read.
    Replaced(FileId),
    /// It is replaced, by `--force`.
    Forced,
}
