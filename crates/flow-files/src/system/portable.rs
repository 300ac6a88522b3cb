//! The calls of all Unixes, in place of `linux`. What they cannot tell is unknown, and the callers do without.

use std::convert::Infallible;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use nix::sys::stat::Mode;
use nix::unistd::Uid;

use super::types::{FileEvent, Holder, Restriction, Target};

// The right to search a folder is not enough: not every system has a flag for that.
pub(crate) const SEARCH: OFlag = OFlag::O_RDONLY;
pub(crate) const RESTRICTS: bool = false;
pub const DESCRIPTORS: &str = "/dev/fd";

pub(crate) fn open_beneath(
    _: BorrowedFd<'_>,
    _: &Path,
    _: OFlag,
    _: Mode,
) -> Option<nix::Result<OwnedFd>> {
    None
}

pub(crate) fn restrict(_: Vec<Target>) -> io::Result<Restriction> {
    Ok(Restriction::Missing)
}

#[derive(Debug)]
pub enum FileEvents {}

pub type WatchId = Infallible;

impl FileEvents {
    // Where a system reports changes, it does not say who has the file open.
    pub fn open() -> io::Result<Option<Self>> {
        Ok(None)
    }

    pub fn watch(&self, _: BorrowedFd<'_>) -> Option<WatchId> {
        match *self {}
    }

    pub fn unwatch(&self, _: WatchId) {
        match *self {}
    }

    pub fn read(&self) -> io::Result<Vec<(WatchId, FileEvent)>> {
        match *self {}
    }
}

pub fn path_of(_: BorrowedFd<'_>) -> Option<PathBuf> {
    None
}

pub fn send_abstract(_: &UnixDatagram, _: &[u8], _: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub fn client_socket() -> nix::Result<OwnedFd> {
    let end = socket(AddressFamily::Unix, SockType::Stream, SockFlag::empty(), None)?;
    fcntl(&end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    fcntl(&end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok(end)
}

// The limit of processor time ends the process.
pub fn end_with_starter() -> nix::Result<()> {
    Ok(())
}

pub fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

pub fn listener(_: u16) -> (Option<Holder>, Option<Uid>) {
    (None, None)
}

pub fn lock_holders(_: u64) -> Vec<u32> {
    Vec::new()
}

pub fn has_open(_: u32, _: &Path) -> bool {
    false
}

pub fn resident_bytes() -> Option<u64> {
    None
}

pub fn open_files() -> Option<u64> {
    None
}
