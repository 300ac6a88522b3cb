//! What the systems do differently. This module alone asks which system it is compiled for: `linux` has what only Linux
//! offers, `portable` the same functions with the calls of all Unixes, some of which can tell nothing. The feature
//! `portable` chooses the latter on Linux too, so that it can be tested there.

mod types;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod linux;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
#[allow(missing_docs, clippy::missing_errors_doc, reason = "`linux` describes the same items")]
#[allow(clippy::unnecessary_wraps, reason = "the same functions fail in `linux`")]
mod portable;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub use linux::*;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
pub use portable::*;
pub(crate) use types::{Access, Target};
pub use types::{FileEvent, Holder, Restriction};

use std::io;
use std::os::unix::net::UnixStream;

use nix::unistd::Uid;

/// The user at the other end of a connection. No call for this is common to all Unixes, so it does not depend on the feature.
///
/// # Errors
/// I/O errors of the system.
pub fn peer(stream: &UnixStream) -> io::Result<Uid> {
    #[cfg(target_os = "linux")]
    let user = {
        use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
        Uid::from_raw(getsockopt(stream, PeerCredentials)?.uid())
    };
    #[cfg(not(target_os = "linux"))]
    let (user, _) = nix::unistd::getpeereid(stream)?;
    Ok(user)
}

/// Of the side that is compiled: what its callers rely on.
#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::fd::{AsFd, AsRawFd};
    use std::os::unix::net::UnixDatagram;

    use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};

    use super::*;

    #[test]
    fn a_client_does_not_wait_and_leaves_its_socket_to_no_program() {
        let end = client_socket().unwrap();
        let flags = |which| fcntl(&end, which).unwrap();
        assert!(OFlag::from_bits_retain(flags(FcntlArg::F_GETFL)).contains(OFlag::O_NONBLOCK));
        assert!(FdFlag::from_bits_retain(flags(FcntlArg::F_GETFD)).contains(FdFlag::FD_CLOEXEC));
    }

    #[test]
    fn the_other_end_is_this_user() {
        let (one, _other) = UnixStream::pair().unwrap();
        assert_eq!(peer(&one).unwrap(), Uid::effective());
    }

    #[test]
    fn open_files_are_listed_and_a_short_path_leads_to_its_file() {
        let temporary = tempfile::tempdir().unwrap();
        fs::write(temporary.path().join("file"), "text").unwrap();
        let folder = File::open(temporary.path()).unwrap();
        let number = folder.as_raw_fd().to_string();
        let mut names = fs::read_dir(DESCRIPTORS).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(names.any(|name| name == *number));
        let short = path_of(folder.as_fd()).map(|short| fs::read(short.join("file")).unwrap());
        assert!(short.is_none_or(|text| text == b"text"));
    }

    #[test]
    fn a_word_to_an_abstract_socket_that_nobody_has_fails() {
        let socket = UnixDatagram::unbound().unwrap();
        assert!(send_abstract(&socket, b"flow-nobody", b"word").is_err());
    }
}
