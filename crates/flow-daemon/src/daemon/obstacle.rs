//! Finds what prevents a start, without starting anything. It creates no file.

use std::path::{Path, PathBuf};

use flow_files::system::FileEvents;
use nix::errno::Errno;
use nix::unistd::{AccessFlags, access};

use super::limits;
use super::port::{self, Taken};
use super::private;
use crate::error::Result;
use crate::folder::Folder;

/// The folder of the runtime files, under the root.
const FLOW: &str = ".flow";

/// Something that prevents a start, or makes it fall back to another folder.
#[derive(Debug)]
pub enum Obstacle {
    /// `.flow` is a link, not a folder, or another user's: no start uses it.
    Refused(String),
    /// Other users can write to `.flow`.
    Shared {
        /// Path of the folder.
        folder: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A folder that a start writes to is not writable by this user.
    NotWritable(PathBuf),
    /// A folder that a start writes to is on a read-only file system.
    ReadOnly(PathBuf),
    /// The user's private runtime folder cannot be used.
    Private(String),
    /// The shell's limits are too small.
    Limits(String),
    /// Another process has the port.
    Port(Taken),
    /// The system denies the port.
    PortRefused(String),
    /// The system has no more file watches for this user.
    NoWatches(String),
}

/// What prevents a start in a project, whether or not one runs already.
pub fn obstacles(root: &Path) -> Vec<Obstacle> {
    let mut found = Vec::new();
    let flow = root.join(FLOW);
    let written = if flow.symlink_metadata().is_ok() { &flow } else { root };
    match Folder::open(&flow) {
        Err(error) if !error.is_not_found() => found.push(Obstacle::Refused(error.to_string())),
        Ok(folder) if folder.is_shared() => {
            found.push(Obstacle::Shared { folder: flow.clone(), mode: folder.mode() });
        }
        _ => found.extend(not_writable(written)),
    }
    found.extend(private_folder().err().map(|error| Obstacle::Private(error.to_string())));
    found.extend(limits::check().err().map(|error| Obstacle::Limits(error.to_string())));
    found.extend(no_watches());
    found
}

/// What prevents this user from writing to a folder.
fn not_writable(folder: &Path) -> Option<Obstacle> {
    let folder = folder.to_path_buf();
    match access(&folder, AccessFlags::W_OK | AccessFlags::X_OK) {
        Ok(()) => None,
        Err(Errno::EROFS) => Some(Obstacle::ReadOnly(folder)),
        Err(_) => Some(Obstacle::NotWritable(folder)),
    }
}

/// What prevents listening on a port, tested by listening on it for a moment.
pub fn port_obstacle(port: u16) -> Option<Obstacle> {
    match port::bind(port) {
        Ok(Ok(_)) => None,
        Ok(Err(taken)) => Some(Obstacle::Port(taken)),
        Err(error) => Some(Obstacle::PortRefused(error.to_string())),
    }
}

/// Checks the private runtime folder without creating it.
fn private_folder() -> Result<()> {
    let path = private::path()?;
    if path.symlink_metadata().is_err() { Ok(()) } else { private::open().map(drop) }
}

fn no_watches() -> Option<Obstacle> {
    FileEvents::open().err().map(|error| Obstacle::NoWatches(error.to_string()))
}
