//! Listens on a port of 127.0.0.1. If it is in use, finds the process that has it and a free port. It serves nothing.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};

use flow_files::system::{self, Holder};
use nix::sys::socket::{self, Backlog};
use nix::unistd::Uid;

use crate::error::{Error, Result};
use crate::project::DEFAULT_PORT;

/// Length of the accept queue. A client that finds it full tries again only after a second.
const WAITING: i32 = 1024;
/// How many ports after the requested one are tried before the system chooses: it chooses from its range for outgoing
/// connections, and such a port may be in use at the next start.
const NEAR: u16 = 100;
/// The first port that a user without privileges may listen on.
const UNPRIVILEGED: u16 = 1024;

/// A port that is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The requested port.
    pub port: u16,
    /// The process that has it, if known.
    pub holder: Option<Holder>,
    /// The user it belongs to, if that is another user, whose processes are not visible.
    pub user: Option<Uid>,
    /// A port that is free at the moment.
    pub free: Option<u16>,
}

/// Listens on a port; 0 means any.
///
/// # Errors
/// I/O errors of the system, except that the port is in use; most likely the port is privileged.
pub(crate) fn bind(port: u16) -> Result<Result<TcpListener, Taken>> {
    match listen(port) {
        Ok(listener) => Ok(Ok(listener)),
        Err(e) if e.kind() == ErrorKind::AddrInUse => {
            let (holder, user) = system::listener(port);
            Ok(Err(Taken { port, holder, user, free: free(port) }))
        }
        Err(e) if e.kind() == ErrorKind::PermissionDenied && port < UNPRIVILEGED => {
            Err(Error::Refused(format!(
                "could not listen on port {port}: {e}; ports below {UNPRIVILEGED} are reserved for root; \
                 use another one, such as PORT={DEFAULT_PORT}"
            )))
        }
        Err(e) => Err(Error::io(&format!("listen on port {port}"), e)),
    }
}

/// A port that is free at the moment: one of those after the requested one, else any.
fn free(port: u16) -> Option<u16> {
    let first = port.max(UNPRIVILEGED).saturating_add(1);
    let mut near = first..=first.saturating_add(NEAR);
    near.find(|port| listen(*port).is_ok()).or_else(|| {
        let any = listen(0).and_then(|any| any.local_addr()).ok()?;
        Some(any.port())
    })
}

fn listen(port: u16) -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    // The standard library's queue has 128 entries; listening again enlarges it.
    socket::listen(&listener, Backlog::new(WAITING).unwrap_or(Backlog::MAXCONN))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_port_is_near_the_requested_one_and_never_privileged() {
        let held = listen(0).unwrap();
        let port = held.local_addr().unwrap().port();
        // Other processes may take ports during the test, but not a hundred in a row; at the end of the range there are none after it.
        let free = free(port).unwrap();
        assert!(free.wrapping_sub(port) <= NEAR + 1 || port > u16::MAX - NEAR, "{free} for {port}");
        assert!(super::free(80).unwrap() >= UNPRIVILEGED);
        assert!(super::free(u16::MAX).is_some());
    }
}
