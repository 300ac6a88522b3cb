//! The files of the journal: what is recalled at the start, and what is appended.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::fcntl::{Flock, FlockArg};

use super::entry::{self, Entry};
use super::plan_file;
use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::model::time::{self, Edge};
use crate::store::Snapshot;
use crate::store::activity::{Change, KEPT, KEPT_BYTES};
use crate::store::keeper::Recalled;

/// Largest size of the recorded changes and the plan, in bytes. With the past and the plan of the last comparison, 64 MiB are kept.
const MOST_BYTES: u64 = 40 << 20;
/// Size at which a file of changes is followed by another one.
const SEGMENT: u64 = 4 << 20;
/// What makes one journal of a folder.
const ID: &str = "id";
const PLAN: &str = "plan";
const LOG: &str = ".log";

/// The journal of one project, which no other process writes.
#[derive(Debug)]
pub(super) struct Journal {
    folder: Folder,
    /// Held until the end.
    _lock: Flock<File>,
    id: u64,
    most_records: usize,
    /// The numbers of the first changes of the files, ascending, and their sizes.
    segments: Vec<(u64, u64)>,
    /// The last file, open to append.
    last: Option<File>,
    plan_bytes: u64,
    /// Number of the last change that is written.
    written: u64,
}

impl Journal {
    pub(super) fn open(folder: Folder, root: &Path, most_records: usize) -> Result<Self> {
        let fault = |error: io::Error| Error::path("open the history in", folder.path(), error);
        begin(&folder, root)?;
        let file = folder.existing(ID).map_err(fault)?;
        let mut lock = Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|_| {
            Error::Refused(format!(
                "another process writes the history in {}",
                folder.path().display()
            ))
        })?;
        let mut text = String::new();
        std::io::Read::by_ref(&mut *lock).take(SEGMENT).read_to_string(&mut text).map_err(fault)?;
        let id = id_of(&text).ok_or_else(|| fault(ErrorKind::InvalidData.into()))?;
        Ok(Self {
            folder,
            _lock: lock,
            id,
            most_records,
            segments: Vec::new(),
            last: None,
            plan_bytes: 0,
            written: 0,
        })
    }

    /// What is kept. Changes that the plan does not contain are dropped from the files.
    pub(super) fn recall(&mut self) -> Result<Recalled> {
        let Read { recalled, segments, plan_bytes } =
            read(&self.folder, self.id, Wanted::Plan(self.most_records))?;
        for Segment { first, size, end } in segments {
            if end < size {
                let cut = self.folder.existing(&name_of(first)).and_then(|file| file.set_len(end));
                cut.map_err(|error| {
                    Error::path("write the history in", self.folder.path(), error)
                })?;
            }
            self.segments.push((first, end));
        }
        (self.plan_bytes, self.written) = (plan_bytes, recalled.seen);
        Ok(recalled)
    }

    /// Appends changes. What cannot be written completely is taken back.
    pub(super) fn append(&mut self, changes: &[Arc<Change>]) -> Result<()> {
        let mut lines = Vec::new();
        for (number, change) in (self.written + 1..).zip(changes) {
            let entry = Entry { number, change };
            serde_json::to_writer(&mut lines, &entry)
                .map_err(|error| Error::io("write a change of the history", error))?;
            lines.push(b'\n');
        }
        let fault =
            |folder: &Folder, error| Error::path("write the history in", folder.path(), error);
        let is_full = self.segments.last().is_none_or(|(_, size)| *size >= SEGMENT);
        if is_full || self.last.is_none() {
            self.begin_segment(is_full).map_err(|error| fault(&self.folder, error))?;
        }
        let (Some(file), Some((_, size))) = (&mut self.last, self.segments.last_mut()) else {
            return Ok(());
        };
        if let Err(error) = file.write_all(&lines) {
            let _ = file.set_len(*size);
            self.last = None;
            return Err(fault(&self.folder, error));
        }
        *size += lines.len() as u64;
        self.written += changes.len() as u64;
        self.forget_oldest()
    }

    /// Replaces the plan by that of a snapshot that contains all changes that were appended. Returns its size.
    pub(super) fn commit(&mut self, snapshot: &Snapshot, at: SystemTime) -> Result<u64> {
        let Some(bytes) = plan_file::write(snapshot, self.written, at) else {
            self.folder.remove(PLAN)?;
            self.plan_bytes = 0;
            return Ok(0);
        };
        self.folder.replace(PLAN, &bytes)?;
        self.plan_bytes = bytes.len() as u64;
        self.forget_oldest()?;
        Ok(self.plan_bytes)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Size of all files, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.plan_bytes + self.segments.iter().map(|(_, size)| size).sum::<u64>()
    }

    fn begin_segment(&mut self, is_next: bool) -> io::Result<()> {
        let first = match self.segments.last() {
            Some((first, _)) if !is_next => *first,
            _ => self.written + 1,
        };
        let name = name_of(first);
        let file = match self.folder.create(&name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => self.folder.existing(&name),
            created => created,
        }?;
        if is_next {
            self.segments.push((first, file.metadata()?.len()));
        } else if let Some((_, size)) = self.segments.last() {
            // What was left of a line that could not be written.
            file.set_len(*size)?;
        }
        self.last = Some(file);
        Ok(())
    }

    fn forget_oldest(&mut self) -> Result<()> {
        while self.segments.len() > 1 && self.bytes() > MOST_BYTES {
            let (first, _) = self.segments.remove(0);
            self.folder.remove(&name_of(first))?;
        }
        Ok(())
    }
}

/// Makes a journal of a folder, unless it is one. Only the process that records does so.
fn begin(folder: &Folder, root: &Path) -> Result<()> {
    let is_one = bytes_of(folder, ID).and_then(|bytes| String::from_utf8(bytes).ok());
    if is_one.as_deref().and_then(id_of).is_some() {
        return Ok(());
    }
    let began = time::format(SystemTime::now());
    let id = format!("{:016x}\n{began}\n{}\n", random(), root.display());
    folder.replace(ID, id.as_bytes()).map(drop)
}

/// When recording began.
pub(super) fn began(folder: &Folder) -> Option<SystemTime> {
    let text = String::from_utf8(bytes_of(folder, ID)?).ok()?;
    let nanoseconds = time::parse(text.lines().nth(1)?, Edge::Start)?;
    Some(UNIX_EPOCH + Duration::from_nanos(u64::try_from(nanoseconds).ok()?))
}

/// All changes that are kept in a folder that another process may be writing, oldest first.
pub(super) fn each(folder: &Folder, visit: &mut dyn FnMut(Change)) -> Result<()> {
    let committed = bytes_of(folder, PLAN).and_then(|bytes| plan_file::number(&bytes));
    for mut segment in list(folder)? {
        for (_, change) in read_segment(folder, &mut segment, committed) {
            visit(change);
        }
    }
    Ok(())
}

/// What is kept in a folder that another process may be writing.
pub(super) fn peek(folder: &Folder, wanted: Wanted) -> Result<Recalled> {
    let text = bytes_of(folder, ID).and_then(|bytes| String::from_utf8(bytes).ok());
    let id = text.as_deref().and_then(id_of).unwrap_or_default();
    read(folder, id, wanted).map(|read| read.recalled)
}

/// What is read of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The changes.
    Changes,
    /// The changes, and the plan with at most so many records of a kind.
    Plan(usize),
}

/// What is read of a journal.
struct Read {
    recalled: Recalled,
    segments: Vec<Segment>,
    plan_bytes: u64,
}

/// A file of changes.
struct Segment {
    /// The number of its first change.
    first: u64,
    size: u64,
    /// Where the changes that count end.
    end: u64,
}

fn read(folder: &Folder, id: u64, wanted: Wanted) -> Result<Read> {
    let mut segments = list(folder)?;
    let plan = bytes_of(folder, PLAN).filter(|bytes| bytes.len() as u64 <= plan_file::MOST_BYTES);
    let plan_bytes = plan.as_ref().map_or(0, |bytes| bytes.len() as u64);
    let (committed, plan) = match (plan, wanted) {
        (None, _) => (None, None),
        (Some(bytes), Wanted::Changes) => (plan_file::number(&bytes), None),
        (Some(bytes), Wanted::Plan(most)) => {
            let plan = plan_file::read(&bytes, most);
            (plan.as_ref().map(|(number, ..)| *number), plan)
        }
    };
    let mut found: Vec<Vec<(u64, Change)>> = Vec::new();
    let (mut count, mut bytes) = (0, 0);
    for segment in segments.iter_mut().rev() {
        if count >= KEPT || bytes >= KEPT_BYTES {
            break;
        }
        let changes = read_segment(folder, segment, committed);
        count += changes.len();
        bytes += changes.iter().map(|(_, change)| change.plan.bytes()).sum::<usize>();
        found.push(changes);
    }
    let changes: Vec<(u64, Change)> = found.into_iter().rev().flatten().collect();
    // Without a plan, what was written last counts.
    let seen = committed.unwrap_or_default().max(changes.last().map_or(0, |(number, _)| *number));
    // Those before a gap cannot be counted.
    let gap = changes.windows(2).rposition(|pair| pair[0].0 + 1 != pair[1].0);
    let changes = changes.into_iter().skip(gap.map_or(0, |at| at + 1));
    let recalled = Recalled {
        id,
        seen,
        changes: changes.map(|(_, change)| Arc::new(change)).collect(),
        plan: plan.map(|(_, snapshot, at)| (snapshot, at)),
    };
    Ok(Read { recalled, segments, plan_bytes })
}

/// The changes of a file up to the last that counts; an unfinished line does not.
fn read_segment(
    folder: &Folder,
    segment: &mut Segment,
    committed: Option<u64>,
) -> Vec<(u64, Change)> {
    let bytes = bytes_of(folder, &name_of(segment.first)).unwrap_or_default();
    let mut changes = Vec::new();
    let mut end = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let read = entry::read(line);
        let counts = |number: u64| committed.is_none_or(|committed| number <= committed);
        let is_whole = line.ends_with(b"\n");
        if !is_whole || read.as_ref().is_some_and(|(number, _)| !counts(*number)) {
            break;
        }
        end += line.len() as u64;
        changes.extend(read);
    }
    segment.end = end;
    changes
}

pub(super) fn bytes_of(folder: &Folder, name: &str) -> Option<Vec<u8>> {
    let file = folder.readable(name).ok()?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn list(folder: &Folder) -> Result<Vec<Segment>> {
    let fault = |error| Error::path("read the history in", folder.path(), error);
    let mut found = Vec::new();
    for entry in folder.path().read_dir().map_err(fault)?.flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        let number = name.strip_suffix(LOG).and_then(|number| number.parse().ok());
        let size = entry.metadata().map_or(0, |found| found.len());
        // Those that are not read end where they end.
        found.extend(number.map(|first: u64| Segment { first, size, end: size }));
    }
    found.sort_unstable_by_key(|segment| segment.first);
    Ok(found)
}

/// The identifier in the text of the file.
fn id_of(text: &str) -> Option<u64> {
    u64::from_str_radix(text.get(..16)?, 16).ok()
}

fn name_of(first: u64) -> String {
    format!("{first:020}{LOG}")
}

fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(SystemTime::now())
}
