//! Makes this process the project's only daemon: holds the lock, and owns the files that others find it by. Dropping
//! the guard removes them, each only if it is still the same file, and the lock last.

use std::fs::File;
use std::os::unix::net::UnixListener;

use super::lock::{self, Lock};
use super::pid;
use super::runtime::{Note, RuntimeFolders, SOCKET};
use crate::control::server;
use crate::error::{Error, Result};
use crate::folder::{Identity, Presence};

/// The held lock, and the files created under it.
#[derive(Debug)]
pub(crate) struct InstanceGuard {
    folders: RuntimeFolders,
    lock: Lock,
    own_lock: Identity,
    socket: Option<Identity>,
    pid: Option<File>,
}

impl InstanceGuard {
    /// Takes the lock and removes the files of a crashed daemon. `None` if another process has the lock.
    ///
    /// # Errors
    /// When the lock file cannot be locked or a file cannot be removed.
    pub(crate) fn take(folders: RuntimeFolders) -> Result<Option<(Self, Option<Note>)>> {
        let Some(lock) = Lock::take(folders.home())? else { return Ok(None) };
        let own_lock =
            lock.identity().map_err(|e| Error::io("read the state of the lock file", e))?;
        let guard = Self { folders, lock, own_lock, socket: None, pid: None };
        let files = guard.clear()?;
        let note = (!files.is_empty()).then_some(Note::Cleaned { files });
        Ok(Some((guard, note)))
    }

    fn clear(&self) -> Result<Vec<String>> {
        let mut files = Vec::new();
        if self.lock.left_behind {
            files.push(lock::NAME.to_owned());
        }
        for (folder, name) in [(self.folders.home(), SOCKET), (self.folders.flow(), pid::NAME)] {
            if folder.remove(name)? {
                files.push(name.to_owned());
            }
        }
        Ok(files)
    }

    pub(crate) fn folders(&self) -> &RuntimeFolders {
        &self.folders
    }

    /// Creates the control socket.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub(crate) fn bind(&mut self) -> Result<UnixListener> {
        let listener = server::bind(&self.folders.socket())?;
        self.socket = self.folders.home().identity(SOCKET);
        Ok(listener)
    }

    /// Writes the PID file for this process.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub(crate) fn write_pid(&mut self) -> Result<()> {
        self.pid = Some(pid::write(self.folders.flow(), std::process::id())?);
        Ok(())
    }

    /// Whether others can still find this daemon. Without folder, lock or socket nobody can stop it, and a second one
    /// could start.
    pub(crate) fn presence(&self) -> Presence {
        let home = self.folders.home();
        let socket = || match self.socket {
            Some(identity) => home.presence_of(SOCKET, identity),
            None => Presence::Same,
        };
        self.folders.presence().and(|| home.presence_of(lock::NAME, self.own_lock)).and(socket)
    }

    /// When the runtime folder was last moved or changed.
    pub(crate) fn folder_changed_at(&self) -> Option<(i64, i64)> {
        self.folders.flow().changed_at()
    }

    /// Updates the lock file's time, so that cleaners of old files keep it.
    pub(crate) fn touch(&self) {
        self.lock.touch();
    }

    /// Removes the files of the forked process, which ended without a message. Its lock belongs to this process too.
    pub(crate) fn abandon(self) {
        // It may have been about to write it.
        let _ = self.folders.flow().remove(pid::NAME);
        drop(self);
    }

    /// Leaves the files to the forked process: dropping the guard here would release the shared lock.
    pub(crate) fn leave(self) {
        std::mem::forget(self);
    }
}

impl Drop for InstanceGuard {
    fn drop(&mut self) {
        if let Some(identity) = self.socket {
            self.folders.home().remove_own(SOCKET, identity);
        }
        if let Some(identity) = self.pid.as_ref().and_then(|file| Identity::of(file).ok()) {
            self.folders.flow().remove_own(pid::NAME, identity);
        }
        self.folders.home().remove_own(lock::NAME, self.own_lock);
        if self.pid.is_none() {
            self.folders.unmake();
        }
    }
}
