//! Finds active sessions whose lock file names a process that has ended.
//!
//! Writers leave ended sessions recorded as active, and keep a file `<id>.lock` with a line `pid=NUMBER` in the folder of the
//! registry. The owner of the state reads these files every few seconds and within limits; a request opens none.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use crate::project::{Project, Source};

use super::disk::Disk;
use super::history::EndedProcess;
use super::locate;
use super::records::Records;
use super::snapshot::{Snapshot, Stamp};

/// How often the lock files are read while no session changes.
const EVERY: Duration = Duration::from_secs(5);
/// Number of active sessions whose lock files are read at a time: the last ones in the file, which are the newest.
pub const READ: usize = 256;
/// Bytes of a lock file that are read; known ones have 30.
const BYTES: u64 = 1024;
/// Longest id whose lock file is read, in bytes, within the limit of file names.
const NAME: usize = 240;

/// Reads the lock files in the folder of a registry.
#[derive(Debug)]
pub struct LockFiles {
    root: PathBuf,
    candidates: Vec<PathBuf>,
    /// When they were read last, and for which sessions.
    last: Option<(Instant, Stamp)>,
}

impl LockFiles {
    /// The lock files of a project.
    pub fn new(project: &Project) -> Self {
        Self {
            root: project.root().to_path_buf(),
            candidates: project.files(Source::Sessions).to_vec(),
            last: None,
        }
    }

    /// Reads the lock files if that is due. Returns whether the set of sessions whose process has ended changed.
    pub fn check(&mut self, disk: &dyn Disk, now: Instant, next: &mut Snapshot) -> bool {
        let stamp = next.sessions.stamp;
        let is_due =
            |(at, of): (Instant, Stamp)| of != stamp || now.saturating_duration_since(at) >= EVERY;
        if !self.last.is_none_or(is_due) {
            return false;
        }
        self.last = Some((now, stamp));
        let ended = self.ended(disk, &next.sessions.records);
        let is_other = *next.history.ended != ended;
        if is_other {
            next.history.ended = Arc::new(ended);
        }
        is_other
    }

    fn ended(&self, disk: &dyn Disk, sessions: &Records) -> Vec<EndedProcess> {
        let active = sessions.terms("active").and_then(|terms| terms.get("true"));
        let Some(active) = active.filter(|active| !active.is_empty()) else { return Vec::new() };
        let Some(folder) = self.folder(disk) else { return Vec::new() };
        let positions = sessions.positions(Some(active));
        let newest = positions.iter().skip(positions.len().saturating_sub(READ));
        let ids = newest.filter_map(|position| sessions.id(*position));
        let ended = ids.filter(|id| is_file_name(id)).filter_map(|id| {
            let text = disk.read_small(&folder.join(format!("{id}.lock")), BYTES).ok()?;
            let pid = process(&text)?;
            has_ended(pid).then(|| EndedProcess { session: id.into(), pid })
        });
        ended.collect()
    }

    /// The folder of the registry, if it may be read.
    fn folder(&self, disk: &dyn Disk) -> Option<PathBuf> {
        let located = locate::find(disk, &self.root, &self.candidates).ok()??;
        let real = locate::resolve(disk, &self.root, &located.path).ok()??;
        real.parent().map(Path::to_path_buf)
    }
}

/// Whether an id can be part of a file name without naming another folder.
fn is_file_name(id: &str) -> bool {
    !id.is_empty() && id.len() <= NAME && !id.contains(['/', '\0'])
}

/// The process id in a lock file.
fn process(text: &str) -> Option<i32> {
    let number = text.lines().find_map(|line| line.trim().strip_prefix("pid="))?;
    number.trim().parse().ok().filter(|pid| *pid > 0)
}

/// Whether no process has this id. A process of another user counts as existing.
fn has_ended(pid: i32) -> bool {
    kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_names_a_process() {
        assert_eq!(process("pid=12345\nstarted=1706825600\n"), Some(12345));
        assert_eq!(process("started=1\r\n pid= 7 \r\n"), Some(7));
        for text in ["", "12345", "pid=", "pid=-1", "pid=0", "pid=99999999999", "mypid=1"] {
            assert_eq!(process(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_id_leads_to_no_other_folder() {
        assert!(is_file_name("1") && is_file_name(".."), "..lock is a name like any other");
        for id in ["", "a/b", "../x", "/etc/x", "a\0b"] {
            assert!(!is_file_name(id), "{id:?}");
        }
    }

    #[test]
    fn this_process_has_not_ended() {
        assert!(!has_ended(i32::try_from(std::process::id()).unwrap()));
        assert!(!has_ended(1), "a process of another user is there");
    }
}
