//! What only Linux offers, in place of `portable`: calls here, and in files of their own what restricts a thread, what
//! tells who has a file open, and what `/proc` tells.

mod events;
mod landlock;
mod proc;

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat2};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use nix::sys::stat::Mode;

pub use events::{FileEvents, WatchId};
pub(crate) use landlock::restrict;
pub use proc::{
    DESCRIPTORS, has_open, listener, lock_holders, open_files, own_program, path_of, resident_bytes,
};

/// How a folder is opened to open what it contains, or a file to say which it is: without a right to read it.
pub(crate) const SEARCH: OFlag = OFlag::O_PATH;
/// Whether a thread can be restricted at all.
pub(crate) const RESTRICTS: bool = true;

/// Opens a path below a folder in one call that follows no link; `None` if the kernel does not have it.
pub(crate) fn open_beneath(
    folder: BorrowedFd<'_>,
    path: &Path,
    flags: OFlag,
    mode: Mode,
) -> Option<nix::Result<OwnedFd>> {
    // The call accepts few flags beside PATH.
    let flags = if flags.contains(OFlag::O_PATH) {
        flags.difference(OFlag::O_NONBLOCK.union(OFlag::O_NOCTTY))
    } else {
        flags | OFlag::O_LARGEFILE
    };
    // Without NOFOLLOW: with it, a link in place of a folder would be ENOTDIR instead of the ELOOP of NO_SYMLINKS.
    let how = OpenHow::new()
        .flags(flags.difference(OFlag::O_NOFOLLOW))
        .mode(mode)
        .resolve(ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_SYMLINKS);
    match openat2(folder, path, how) {
        // An old kernel does not have the call, and an old sandbox denies it.
        Err(Errno::ENOSYS | Errno::EPERM) => None,
        opened => Some(opened),
    }
}

/// Sends a datagram to a socket in the abstract namespace.
///
/// # Errors
/// I/O errors of the system; without such a namespace `Unsupported`.
pub fn send_abstract(socket: &UnixDatagram, name: &[u8], word: &[u8]) -> io::Result<()> {
    socket.send_to_addr(word, &SocketAddr::from_abstract_name(name)?).map(drop)
}

/// A stream socket for a client that must not wait, closed on exec.
///
/// # Errors
/// I/O errors of the system.
pub fn client_socket() -> nix::Result<OwnedFd> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    socket(AddressFamily::Unix, SockType::Stream, flags, None)
}

/// Lets this process be killed when the thread that started it ends, where the system can do that.
///
/// # Errors
/// I/O errors of the system.
pub fn end_with_starter() -> nix::Result<()> {
    set_pdeathsig(Signal::SIGKILL)
}
