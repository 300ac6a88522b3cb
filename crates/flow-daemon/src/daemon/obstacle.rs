//! What stands in the way of a start, found without starting anything. It leaves nothing behind.

use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use super::folder::Folder;
use super::limits;
use super::port::{self, Taken};
use super::private;
use crate::error::Result;

/// The folder of the runtime files, under the root.
const FLOW: &str = ".flow";

/// One thing that stands in the way of a start, or that makes it fall back to something else.
#[derive(Debug)]
pub enum Obstacle {
    /// `.flow` is a link, no folder, or another user's: no start uses it.
    Refused(String),
    /// Others can write to `.flow`.
    Shared {
        /// The folder.
        folder: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Nothing can be written to a folder that a start writes to.
    ReadOnly(PathBuf),
    /// The user's private runtime folder cannot be used.
    Private(String),
    /// The shell's limits are too small.
    Limits(String),
    /// Another process has the port.
    Port(Taken),
    /// The system does not give the port.
    PortRefused(String),
    /// The system has no more file watches for this user.
    NoWatches(String),
}

/// What stands in the way of a start in a project, whatever serves it at the moment.
pub fn obstacles(root: &Path) -> Vec<Obstacle> {
    let mut found = Vec::new();
    let flow = root.join(FLOW);
    let written = if flow.symlink_metadata().is_ok() { &flow } else { root };
    match Folder::open(&flow) {
        Err(error) if !error.is_not_found() => found.push(Obstacle::Refused(error.to_string())),
        Ok(folder) if folder.is_shared() => {
            found.push(Obstacle::Shared { folder: flow.clone(), mode: folder.mode() });
        }
        _ if access(written, AccessFlags::W_OK | AccessFlags::X_OK).is_err() => {
            found.push(Obstacle::ReadOnly(written.to_path_buf()));
        }
        _ => {}
    }
    found.extend(private_folder().err().map(|error| Obstacle::Private(error.to_string())));
    found.extend(limits::check().err().map(|error| Obstacle::Limits(error.to_string())));
    found.extend(no_watches());
    found
}

/// What stands in the way of listening on a port. It is taken for a moment.
pub fn port_obstacle(port: u16) -> Option<Obstacle> {
    match port::bind(port) {
        Ok(Ok(_)) => None,
        Ok(Err(taken)) => Some(Obstacle::Port(taken)),
        Err(error) => Some(Obstacle::PortRefused(error.to_string())),
    }
}

/// Looks at the private runtime folder, which is not made here.
fn private_folder() -> Result<()> {
    let path = private::path()?;
    if path.symlink_metadata().is_err() { Ok(()) } else { private::open().map(drop) }
}

#[cfg(target_os = "linux")]
fn no_watches() -> Option<Obstacle> {
    use nix::sys::inotify::{InitFlags, Inotify};
    let error = Inotify::init(InitFlags::IN_CLOEXEC).err()?;
    Some(Obstacle::NoWatches(std::io::Error::from(error).to_string()))
}

#[cfg(not(target_os = "linux"))]
fn no_watches() -> Option<Obstacle> {
    None
}
