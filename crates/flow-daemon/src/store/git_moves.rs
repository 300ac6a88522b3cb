//! Whether git put a file where it is: a switch of branches, a pull, a rebase, a stash. What git brings back is not a change that somebody made.
//!
//! Two of git's files say so, and no program is run. The index has the stat of each file as git wrote it, so that a file with
//! the same stat has the content of the commit or was staged; and the log of `HEAD` has the first command that ended after the
//! file was written. If that is a commit, somebody wrote the file before it.
//!
//! ```text
//! specs/001/tasks.md   written at 12:00:03.1, as the index has it
//! .git/logs/HEAD       12:00:03 checkout: moving from main to 001-search    git wrote it
//!                      12:00:05 commit: Drop two tasks                      (somebody wrote it)
//! ```

use std::collections::{BTreeSet, HashMap};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flow_files::worktree::Worktree;

use super::disk::{Disk, Stat, read_exact_at};
use super::locate;

/// Largest index that is read, in bytes.
const MOST_INDEX: u64 = 64 << 20;
/// The end of the log of `HEAD` that is read, in bytes.
const MOST_LOG: u64 = 16 << 10;
/// The longest time from writing a file to the end of the command.
const LONGEST_COMMAND: Duration = Duration::from_mins(2);
/// How long after a file was written git may still have to write its log.
const LOG_FOLLOWS: Duration = Duration::from_millis(1500);

/// The time within which a commit may be of a file that was written just before.
const SOON: Duration = Duration::from_secs(2);
/// How long ago a file that is gone may have been removed while it was watched.
const LONGEST_NOTICE: Duration = Duration::from_secs(15);

/// Who wrote a file last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    /// git.
    Git,
    /// Somebody else.
    Other,
    /// git is at work, or its log may still follow.
    NotYetKnown,
}

/// The repository of a project.
#[derive(Debug)]
pub(super) struct GitMoves {
    root: PathBuf,
    worktree: Worktree,
}

impl GitMoves {
    /// The repository that contains a root; `None` if there is none that can be believed.
    pub(super) fn of(disk: &dyn Disk, root: &Path) -> Option<Self> {
        let root = disk.resolve(root).ok()?;
        let worktree = locate::worktree(disk, &root)?;
        Some(Self { root, worktree })
    }

    /// Who wrote or removed each of these files, given by their paths relative to the root. They were read before at `since`; `None`
    /// if they are watched.
    pub(super) fn writers<'a>(
        &self,
        disk: &dyn Disk,
        files: &BTreeSet<&'a str>,
        now: SystemTime,
        since: Option<SystemTime>,
    ) -> HashMap<&'a str, Writer> {
        let all = |writer: Writer| files.iter().map(|file| (*file, writer)).collect();
        if disk.stat(&self.worktree.git.join("index.lock")).is_ok() {
            return all(Writer::NotYetKnown);
        }
        let log = self.log(disk).unwrap_or_default();
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let watched_since = now.saturating_sub(LONGEST_NOTICE);
        let removed_since = since
            .map_or(watched_since, |since| since.duration_since(UNIX_EPOCH).unwrap_or_default());
        let command = |stat: &Option<Stat>| match stat.as_ref().map(written_at) {
            Some(at) => command_after(&log, at),
            None => log.last().filter(|last| last.at >= removed_since.as_secs()),
        };
        let written: Vec<(&str, Option<Stat>)> =
            files.iter().map(|file| (*file, disk.stat(&self.root.join(file)).ok())).collect();
        let is_recent = |stat: &Option<Stat>| {
            stat.as_ref().is_some_and(|stat| now.saturating_sub(written_at(stat)) < LOG_FOLLOWS)
        };
        if !written.iter().any(|(_, stat)| is_recent(stat) || command(stat).is_some()) {
            return all(Writer::Other);
        }
        let Ok(index) = self.index(disk, &written) else { return all(Writer::Other) };
        let writer = |(file, stat): &(&'a str, Option<Stat>)| {
            let path = self.in_repository(file);
            let entry = path.as_ref().and_then(|path| index.get(path.as_str()));
            let is_git = match (stat, entry) {
                (Some(stat), Some(entry)) => entry.is_of(stat),
                (None, None) => true,
                _ => false,
            };
            let writer = match command(stat) {
                Some(command) if is_git && !command.is_commit => Writer::Git,
                None if is_git && is_recent(stat) => Writer::NotYetKnown,
                _ => Writer::Other,
            };
            (*file, writer)
        };
        written.iter().map(writer).collect()
    }

    /// The path of a file relative to the top of the worktree.
    fn in_repository(&self, file: &str) -> Option<String> {
        let below = self.root.strip_prefix(&self.worktree.top).ok()?;
        Some(below.join(file).to_str()?.to_owned())
    }

    /// The newest entries of the log of `HEAD`, oldest first.
    fn log(&self, disk: &dyn Disk) -> io::Result<Vec<Entry>> {
        let path = self.worktree.git.join("logs/HEAD");
        let file = disk.open(&disk.resolve(&path)?)?;
        let size = file.stat()?.size;
        let start = size.saturating_sub(MOST_LOG);
        let mut bytes = vec![0; usize::try_from(size - start).unwrap_or_default()];
        read_exact_at(file.as_ref(), &mut bytes, start)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().skip(usize::from(start > 0)).filter_map(Entry::read).collect())
    }

    /// The entries of the index for these files, by their paths.
    fn index(
        &self,
        disk: &dyn Disk,
        files: &[(&str, Option<Stat>)],
    ) -> io::Result<HashMap<String, Indexed>> {
        let wanted: BTreeSet<String> =
            files.iter().filter_map(|(file, _)| self.in_repository(file)).collect();
        let file = disk.open(&disk.resolve(&self.worktree.git.join("index"))?)?;
        let size = file.stat()?.size;
        if size > MOST_INDEX {
            return Err(ErrorKind::FileTooLarge.into());
        }
        let mut bytes = vec![0; usize::try_from(size).unwrap_or_default()];
        read_exact_at(file.as_ref(), &mut bytes, 0)?;
        read_index(&bytes, &wanted).ok_or_else(|| ErrorKind::InvalidData.into())
    }
}

/// When the content of a file was written, since 1970.
fn written_at(stat: &Stat) -> Duration {
    u64::try_from(stat.modified).map_or(Duration::ZERO, Duration::from_nanos)
}

/// The command that may have written a file: the last one of the same second, else the next one, if it is not much later. Where a
/// commit follows within [`SOON`], the file may have been written between the two, and the commit counts.
fn command_after(log: &[Entry], written: Duration) -> Option<&Entry> {
    let of_second = log.iter().rposition(|entry| entry.at == written.as_secs());
    let later = || log.iter().position(|entry| entry.at > written.as_secs());
    let at = of_second.or_else(later)?;
    let is_soon = |entry: &&Entry| entry.at <= written.as_secs() + SOON.as_secs();
    let commit = log[at..].iter().take_while(is_soon).find(|entry| entry.is_commit);
    let command = commit.unwrap_or(&log[at]);
    (Duration::from_secs(command.at).saturating_sub(written) <= LONGEST_COMMAND).then_some(command)
}

/// An entry of the log of `HEAD`.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// Seconds since 1970.
    at: u64,
    is_commit: bool,
}

impl Entry {
    /// Reads `OLD NEW Name <mail> SECONDS ZONE\tcheckout: moving from a to b`. A command that stays at the same commit writes no file,
    /// unless it is a reset, which a stash is too.
    fn read(line: &str) -> Option<Self> {
        let (head, message) = line.split_once('\t')?;
        let mut ids = head.split(' ');
        if ids.next() == ids.next() && !message.starts_with("reset:") {
            return None;
        }
        let at = head.rsplit(' ').nth(1)?.parse().ok()?;
        let is_commit = message.starts_with("commit:") || message.starts_with("commit (");
        Some(Self { at, is_commit })
    }
}

/// The stat of a file in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Indexed {
    seconds: u32,
    nanoseconds: u32,
    inode: u32,
    size: u32,
}

impl Indexed {
    #[allow(clippy::cast_possible_truncation, reason = "git keeps the lower 32 bits")]
    fn is_of(self, stat: &Stat) -> bool {
        let Ok(modified) = u64::try_from(stat.modified) else { return false };
        let modified = Duration::from_nanos(modified);
        self.seconds == modified.as_secs() as u32
            && (self.nanoseconds == 0 || self.nanoseconds == modified.subsec_nanos())
            && self.inode == stat.identity.1 as u32
            && self.size == stat.size as u32
    }
}

/// The entries of these paths in an index of version 2, 3 or 4 (gitformat-index(5)); `None` if it is none. Where a repository
/// names objects by SHA-256, no entry is found.
fn read_index(bytes: &[u8], wanted: &BTreeSet<String>) -> Option<HashMap<String, Indexed>> {
    /// Times, device, inode, mode, owner, size.
    const STAT: usize = 40;
    const NAME_OF_OBJECT: usize = 20;
    const EXTENDED: u16 = 0x4000;
    let number = |at: usize| {
        let bytes: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(bytes))
    };
    let version = number(4).filter(|version| (2..=4).contains(version))?;
    if !bytes.starts_with(b"DIRC") {
        return None;
    }
    let mut found = HashMap::new();
    let mut path: Vec<u8> = Vec::new();
    let mut at = 12;
    for _ in 0..number(8)? {
        let flags_at = at + STAT + NAME_OF_OBJECT;
        let flags: [u8; 2] = bytes.get(flags_at..flags_at + 2)?.try_into().ok()?;
        let is_extended = u16::from_be_bytes(flags) & EXTENDED != 0;
        let mut name_at = flags_at + if is_extended { 4 } else { 2 };
        if version == 4 {
            let (left_out, length) = varint(bytes.get(name_at..)?)?;
            path.truncate(path.len().checked_sub(left_out)?);
            name_at += length;
        } else {
            path.clear();
        }
        let length = memchr::memchr(0, bytes.get(name_at..)?)?;
        path.extend_from_slice(bytes.get(name_at..name_at + length)?);
        if let Some(path) = std::str::from_utf8(&path).ok().filter(|path| wanted.contains(*path)) {
            let entry = Indexed {
                seconds: number(at + 8)?,
                nanoseconds: number(at + 12)?,
                inode: number(at + 20)?,
                size: number(at + 36)?,
            };
            found.insert(path.to_owned(), entry);
        }
        at = match version {
            4 => name_at + length + 1,
            // One to eight zero bytes follow, up to a multiple of eight.
            _ => at + ((name_at - at + length) / 8 + 1) * 8,
        };
    }
    Some(found)
}

/// A number as in git's packs, and its length: each byte but the last has its highest bit set.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_after_a_file_was_written_is_found() {
        let line = |text: &str| Entry::read(&format!("0a 1b A B <a@b> 1700000000 +0100\t{text}"));
        let at = 1_700_000_000;
        assert_eq!(line("checkout: moving from a to b"), Some(Entry { at, is_commit: false }));
        assert_eq!(line("commit (amend): x"), Some(Entry { at, is_commit: true }));
        assert_eq!(line("rebase (pick): commit: x"), Some(Entry { at, is_commit: false }));
        assert_eq!(Entry::read("no entry"), None);
        assert_eq!(
            Entry::read("0a 0a A <a@b> 1700000000 +0100\tcheckout: moving from a to b"),
            None
        );
        let log = [(10, true), (12, false), (12, true), (15, false), (20, false), (21, true)]
            .map(|(at, is_commit)| Entry { at, is_commit });
        let after = |milliseconds| command_after(&log, Duration::from_millis(milliseconds));
        assert_eq!(after(9_000), Some(&log[0]));
        assert_eq!(after(12_500), Some(&log[2]), "the last one of the same second");
        assert_eq!(after(13_000), Some(&log[3]));
        assert_eq!(after(14_000), Some(&log[3]));
        assert_eq!(after(20_900), Some(&log[5]), "it may have been written before the commit");
        assert_eq!(after(22_000), None);
    }

    #[test]
    fn no_bytes_are_an_index_by_chance() {
        let wanted = BTreeSet::from(["a".to_owned()]);
        for bytes in
            [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x01", b"DIRC\0\0\0\x04\xff\xff\xff\xff"]
        {
            assert_eq!(read_index(bytes, &wanted), None, "{bytes:?}");
        }
        assert_eq!(read_index(b"DIRC\0\0\0\x02\0\0\0\0", &wanted), Some(HashMap::new()));
    }
}
