//! Listens on a port of 127.0.0.1. If it is in use, finds the process that has it and a free port. It serves nothing.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};

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

/// A process that listens on a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Process id of the holder.
    pub pid: u32,
    /// Its command name, as the system reports it.
    pub name: String,
}

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
            let (holder, user) = holder(port);
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

#[cfg(not(target_os = "linux"))]
fn holder(_port: u16) -> (Option<Holder>, Option<Uid>) {
    (None, None)
}

#[cfg(target_os = "linux")]
use linux::holder;

/// Listeners according to `/proc`.
#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File};
    use std::io::Read;
    use std::path::Path;
    use std::time::{Duration, Instant};

    use nix::unistd::Uid;

    use super::Holder;

    /// Largest part of a socket table that is read, in bytes.
    const TABLE: u64 = 8 << 20;
    /// Time limit for the search among processes.
    const PATIENCE: Duration = Duration::from_millis(500);
    /// The state "listening" in the socket table.
    const LISTENING: &str = "0A";

    /// A listening socket.
    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Listening {
        pub(super) inode: String,
        pub(super) user: u32,
    }

    /// The process that listens on a port, as far as this user may see it, and the user it belongs to if that is another.
    pub(super) fn holder(port: u16) -> (Option<Holder>, Option<Uid>) {
        let found: Vec<Listening> = ["/proc/net/tcp", "/proc/net/tcp6"]
            .iter()
            .flat_map(|path| listening(&table(path), port))
            .collect();
        let others = found.iter().map(|socket| Uid::from_raw(socket.user));
        let user = others.into_iter().find(|user| *user != Uid::effective());
        (process(&found), user)
    }

    fn process(found: &[Listening]) -> Option<Holder> {
        if found.is_empty() {
            return None;
        }
        let inodes: Vec<String> =
            found.iter().map(|socket| format!("socket:[{}]", socket.inode)).collect();
        let deadline = Instant::now() + PATIENCE;
        fs::read_dir("/proc")
            .ok()?
            .flatten()
            .take_while(|_| Instant::now() < deadline)
            .filter_map(|entry| Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry)))
            .find(|(_, entry)| has(&entry.path().join("fd"), &inodes, deadline))
            .map(|(pid, entry)| Holder { pid, name: name(&entry.path()) })
    }

    fn table(path: &str) -> String {
        let mut text = String::new();
        if let Ok(file) = File::open(path) {
            let _ = file.take(TABLE).read_to_string(&mut text);
        }
        text
    }

    /// The sockets in a table that listen on a port.
    pub(super) fn listening(table: &str, port: u16) -> Vec<Listening> {
        let end = format!(":{port:04X}");
        table
            .lines()
            .skip(1)
            .map(|line| line.split_ascii_whitespace().collect::<Vec<_>>())
            .filter(|field| field.len() > 9 && field[1].ends_with(&end) && field[3] == LISTENING)
            .filter_map(|field| {
                Some(Listening { inode: field[9].to_owned(), user: field[7].parse().ok()? })
            })
            .collect()
    }

    fn has(descriptors: &Path, inodes: &[String], deadline: Instant) -> bool {
        fs::read_dir(descriptors).is_ok_and(|entries| {
            entries
                .flatten()
                .take_while(|_| Instant::now() < deadline)
                .filter_map(|entry| fs::read_link(entry.path()).ok())
                .any(|target| inodes.iter().any(|inode| target.as_os_str() == inode.as_str()))
        })
    }

    fn name(process: &Path) -> String {
        fs::read_to_string(process.join("comm")).unwrap_or_default().trim_end().to_owned()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_names_its_holder_and_a_free_one() {
        let held = listen(0).unwrap();
        let port = held.local_addr().unwrap().port();
        let taken = bind(port).unwrap().unwrap_err();
        assert_eq!(taken.port, port);
        assert_eq!(taken.holder.unwrap().pid, std::process::id());
        assert_eq!(taken.user, None, "it is this user's");
        assert!(taken.free.is_some_and(|free| free != port));
    }

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

    #[test]
    fn only_listeners_on_the_port_count() {
        let table = "head\n\
            0: 0100007F:0D80 00000000:0000 0A 0:0 0:0 0 1000 0 41 1\n\
            1: 0100007F:0D80 0100007F:1000 01 0:0 0:0 0 0 0 42 1\n\
            2: 0100007F:0D81 00000000:0000 0A 0:0 0:0 0 0 0 43 1\n\
            3: short\n";
        let listening = linux::Listening { inode: "41".to_owned(), user: 1000 };
        assert_eq!(linux::listening(table, 0x0D80), [listening]);
    }
}
