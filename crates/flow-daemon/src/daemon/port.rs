//! Listens on a port of 127.0.0.1. If it is in use, finds the process that has it and a free port. It serves nothing.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};

use nix::sys::socket::{self, Backlog};

use crate::error::{Error, Result};

/// Length of the accept queue. A client that finds it full tries again only after a second.
const WAITING: i32 = 1024;

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
    /// A port that is free at the moment.
    pub free: Option<u16>,
}

/// Listens on a port; 0 means any.
///
/// # Errors
/// I/O errors of the system, except that the port is in use.
pub(crate) fn bind(port: u16) -> Result<Result<TcpListener, Taken>> {
    match listen(port) {
        Ok(listener) => Ok(Ok(listener)),
        Err(e) if e.kind() == ErrorKind::AddrInUse => {
            let free = listen(0).and_then(|other| other.local_addr()).ok();
            let free = free.map(|address| address.port());
            Ok(Err(Taken { port, holder: holder(port), free }))
        }
        Err(e) => Err(Error::io(&format!("listen on port {port}"), e)),
    }
}

fn listen(port: u16) -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    // The standard library's queue has 128 entries; listening again enlarges it.
    socket::listen(&listener, Backlog::new(WAITING).unwrap_or(Backlog::MAXCONN))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

#[cfg(not(target_os = "linux"))]
fn holder(_port: u16) -> Option<Holder> {
    None
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

    use super::Holder;

    /// Largest part of a socket table that is read, in bytes.
    const TABLE: u64 = 8 << 20;
    /// Time limit for the search among processes.
    const PATIENCE: Duration = Duration::from_millis(500);
    /// The state "listening" in the socket table.
    const LISTENING: &str = "0A";

    /// The process that listens on a port, as far as this user may see it.
    pub(super) fn holder(port: u16) -> Option<Holder> {
        let inodes: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
            .iter()
            .flat_map(|path| inodes(&table(path), port))
            .map(|inode| format!("socket:[{inode}]"))
            .collect();
        if inodes.is_empty() {
            return None;
        }
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

    /// The inodes of the sockets in a table that listen on a port.
    pub(super) fn inodes(table: &str, port: u16) -> Vec<String> {
        let end = format!(":{port:04X}");
        table
            .lines()
            .skip(1)
            .map(|line| line.split_ascii_whitespace().collect::<Vec<_>>())
            .filter(|field| field.len() > 9 && field[1].ends_with(&end) && field[3] == LISTENING)
            .map(|field| field[9].to_owned())
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
        assert!(taken.free.is_some_and(|free| free != port));
    }

    #[test]
    fn only_listeners_on_the_port_count() {
        let table = "head\n\
            0: 0100007F:0D80 00000000:0000 0A 0:0 0:0 0 0 0 41 1\n\
            1: 0100007F:0D80 0100007F:1000 01 0:0 0:0 0 0 0 42 1\n\
            2: 0100007F:0D81 00000000:0000 0A 0:0 0:0 0 0 0 43 1\n\
            3: short\n";
        assert_eq!(linux::inodes(table, 0x0D80), ["41"]);
    }
}
