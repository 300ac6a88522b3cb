//! The right to be a project's daemon, and the files that show it. They go when the claim is dropped, each only
//! where it is still ours, and the lock last.

use std::fs::File;
use std::os::unix::net::UnixListener;

use super::folder::{Identity, Presence};
use super::lock::{self, Lock};
use super::pid;
use super::runtime::{Note, PID, Place, SOCKET};
use crate::control::server;
use crate::error::{Error, Result};

/// The lock, held, and what was made under it.
#[derive(Debug)]
pub(crate) struct Claim {
    place: Place,
    lock: Lock,
    own_lock: Identity,
    socket: Option<Identity>,
    pid: Option<File>,
}

impl Claim {
    /// Takes the lock and clears away what a daemon that did not stop in order has left. `None` when another
    /// process has the lock.
    ///
    /// # Errors
    /// When something cannot be locked or removed.
    pub(crate) fn take(place: Place) -> Result<Option<(Self, Option<Note>)>> {
        let Some(lock) = Lock::take(place.home())? else { return Ok(None) };
        let own_lock = lock.identity().map_err(|e| Error::io("look at the lock file", e))?;
        let claim = Self { place, lock, own_lock, socket: None, pid: None };
        let files = claim.clear()?;
        let note = (!files.is_empty()).then_some(Note::Cleaned { files });
        Ok(Some((claim, note)))
    }

    fn clear(&self) -> Result<Vec<String>> {
        let mut files = Vec::new();
        if self.lock.left_behind {
            files.push(lock::NAME.to_owned());
        }
        for (folder, name) in [(self.place.home(), SOCKET), (self.place.flow(), PID)] {
            if folder.remove(name)? {
                files.push(name.to_owned());
            }
        }
        Ok(files)
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Makes the control socket.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn bind(&mut self) -> Result<UnixListener> {
        let listener = server::bind(&self.place.socket())?;
        self.socket = self.place.home().identity(SOCKET);
        Ok(listener)
    }

    /// Writes the PID file for this process.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn write_pid(&mut self) -> Result<()> {
        self.pid = Some(pid::write(self.place.flow(), std::process::id())?);
        Ok(())
    }

    /// Whether others can still find this daemon. Once folder, lock or socket are gone, nobody can stop it any
    /// more, and a second one could start.
    pub(crate) fn presence(&self) -> Presence {
        let home = self.place.home();
        let socket = || match self.socket {
            Some(own) => home.presence_of(SOCKET, own),
            None => Presence::Same,
        };
        self.place.presence().and(|| home.presence_of(lock::NAME, self.own_lock)).and(socket)
    }

    /// When the runtime folder was last moved or its names changed.
    pub(crate) fn folder_changed_at(&self) -> Option<(i64, i64)> {
        self.place.flow().changed_at()
    }

    /// Tells cleaners of old files that the lock is in use.
    pub(crate) fn touch(&self) {
        self.lock.touch();
    }

    /// Clears away what the forked process has made before it ended without a word. Its lock is ours too.
    pub(crate) fn abandon(self) {
        // It may have been about to write it.
        let _ = self.place.flow().remove(PID);
        drop(self);
    }

    /// Leaves everything to the process that was forked: dropping it here would take the lock from it.
    pub(crate) fn leave(self) {
        std::mem::forget(self);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(own) = self.socket {
            self.place.home().remove_own(SOCKET, own);
        }
        if let Some(own) = self.pid.as_ref().and_then(|file| Identity::of(file).ok()) {
            self.place.flow().remove_own(PID, own);
        }
        self.place.home().remove_own(lock::NAME, self.own_lock);
        if self.pid.is_none() {
            self.place.unmake();
        }
    }
}
