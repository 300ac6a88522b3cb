//! What `/proc` tells of processes, sockets and locks. Mostly for messages: what cannot be read is unknown.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::unistd::Uid;

use crate::system::types::Holder;

/// The folder of this process's open files, named by their numbers.
pub const DESCRIPTORS: &str = "/proc/self/fd";
/// Largest part of a socket table that is read, in bytes.
const TABLE: u64 = 8 << 20;
/// The part of the list of locks that is read, in bytes.
const LONGEST_LIST: u64 = 1 << 20;
/// Time limit for the search among processes.
const PATIENCE: Duration = Duration::from_millis(500);
/// The state "listening" in the socket table.
const LISTENING: &str = "0A";
/// Most open files that are counted; the limit of connections is far lower.
const MOST_FILES: usize = 1 << 16;

/// A short path that leads to an open file, while it is open; `None` if the system has none.
pub fn path_of(file: BorrowedFd<'_>) -> Option<PathBuf> {
    Some(format!("{DESCRIPTORS}/{}", file.as_raw_fd()).into())
}

/// The file of this program. It may have been replaced by a newer one since this process began, which may use other words.
///
/// # Errors
/// When the system does not tell.
pub fn own_program() -> io::Result<PathBuf> {
    let file = std::env::current_exe()?;
    Ok(if file.is_file() { file } else { "/proc/self/exe".into() })
}

/// A listening socket.
#[derive(Debug, PartialEq, Eq)]
struct Listening {
    inode: String,
    user: u32,
}

/// The process that listens on a port, as far as this user may see it, and the user it belongs to if that is another.
pub fn listener(port: u16) -> (Option<Holder>, Option<Uid>) {
    let found: Vec<Listening> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .flat_map(|path| listening(&text_of(path, TABLE), port))
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
    let is_one = |target: &Path| inodes.iter().any(|inode| target.as_os_str() == inode.as_str());
    let deadline = Instant::now() + PATIENCE;
    fs::read_dir("/proc")
        .ok()?
        .flatten()
        .take_while(|_| Instant::now() < deadline)
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .find(|pid| any_open(*pid, || Instant::now() < deadline, is_one))
        .map(|pid| Holder { pid, name: name(pid) })
}

/// The sockets in a table that listen on a port.
fn listening(table: &str, port: u16) -> Vec<Listening> {
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

/// Whether a process has a file open.
pub fn has_open(pid: u32, file: &Path) -> bool {
    any_open(pid, || true, |target| target == file)
}

/// Whether one of the files that a process has open is meant. The search ends when it may not go on.
fn any_open(pid: u32, goes_on: impl Fn() -> bool, is_meant: impl Fn(&Path) -> bool) -> bool {
    fs::read_dir(format!("/proc/{pid}/fd")).is_ok_and(|entries| {
        entries
            .flatten()
            .take_while(|_| goes_on())
            .filter_map(|entry| fs::read_link(entry.path()).ok())
            .any(|target| is_meant(&target))
    })
}

/// The processes that have locked the file with this inode number in any way.
pub fn lock_holders(inode: u64) -> Vec<u32> {
    // 1: FLOCK  ADVISORY  READ  1234 08:01:5678 0 EOF
    let holder = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.get(5)?.rsplit(':').next()?;
        (at.parse() == Ok(inode)).then(|| words.get(4)?.parse().ok().filter(|pid| *pid > 0))?
    };
    text_of("/proc/locks", LONGEST_LIST).lines().filter_map(holder).collect()
}

/// The memory of this process that is resident, in bytes, if the system tells.
pub fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The number of files that this process has open, if the system tells.
pub fn open_files() -> Option<u64> {
    let count = fs::read_dir(DESCRIPTORS).ok()?.take(MOST_FILES).count();
    // One of them is the folder itself, while it is read.
    u64::try_from(count.saturating_sub(1)).ok()
}

fn name(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim_end().to_owned()
}

/// The first bytes of a file as text; nothing if they cannot be read.
fn text_of(path: &str, most: u64) -> String {
    let mut text = String::new();
    if let Ok(file) = File::open(path) {
        let _ = file.take(most).read_to_string(&mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_listener_on_a_port_is_this_process() {
        let held = TcpListener::bind("127.0.0.1:0").unwrap();
        let (holder, user) = listener(held.local_addr().unwrap().port());
        assert_eq!(holder.unwrap().pid, std::process::id());
        assert_eq!(user, None, "it is this user's");
    }

    #[test]
    fn only_listeners_on_the_port_count() {
        let table = "head\n\
            0: 0100007F:0D80 00000000:0000 0A 0:0 0:0 0 1000 0 41 1\n\
            1: 0100007F:0D80 0100007F:1000 01 0:0 0:0 0 0 0 42 1\n\
            2: 0100007F:0D81 00000000:0000 0A 0:0 0:0 0 0 0 43 1\n\
            3: short\n";
        let expected = Listening { inode: "41".to_owned(), user: 1000 };
        assert_eq!(listening(table, 0x0D80), [expected]);
    }

    #[test]
    fn memory_and_files_are_told() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 100 * 1024));
        let before = open_files().unwrap();
        let opened: Vec<_> = (0..100).map(|_| File::open("/dev/null").unwrap()).collect();
        // Other tests of this process open and close files at the same time.
        assert!(open_files().unwrap() >= before + 50, "{} files more", opened.len());
    }
}
