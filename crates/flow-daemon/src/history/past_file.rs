//! The changes of the commits before recording began, as a file: a line that says where they are from, then one change a line.

use std::io::Read as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::entry::{self, Entry};
use crate::error::{Error, Result};
use crate::folder::{Folder, Version};
use crate::store::activity::{Change, Past};

/// The name of the file.
const NAME: &str = "past";
/// Largest file, in bytes.
const MOST_BYTES: usize = 8 << 20;
/// Largest line that says where they are from, in bytes.
const MOST_OF_ORIGIN: u64 = 1 << 10;
/// The time between two looks whether it was replaced.
const LOOK: Duration = Duration::from_secs(1);
/// The version of the form.
const VERSION: u32 = 1;

/// Where the changes are from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    version: u32,
    /// The newest commit that was looked at.
    pub head: String,
    /// Number of commits that were compared.
    pub commits: usize,
    /// Whether there are none before them.
    pub is_whole: bool,
    /// Whether recording had begun, so that they end where it begins.
    #[serde(default)]
    pub is_final: bool,
}

impl Origin {
    /// That of commits from `head` back.
    pub fn new(head: String, commits: usize, is_whole: bool, is_final: bool) -> Self {
        Self { version: VERSION, head, commits, is_whole, is_final }
    }
}

/// Replaces the file. Changes are given oldest first; of those that do not fit, the newest are kept.
pub(super) fn replace(folder: &Folder, origin: &Origin, changes: &[Change]) -> Result<()> {
    let fault = |error: serde_json::Error| Error::io("write a change of the past", error);
    let (mut lines, mut size) = (Vec::new(), 0);
    for (at, change) in changes.iter().enumerate().rev() {
        let number = at as u64 + 1;
        let line = serde_json::to_vec(&Entry { number, change }).map_err(fault)?;
        size += line.len() + 1;
        if size > MOST_BYTES {
            break;
        }
        lines.push(line);
    }
    let is_whole = origin.is_whole && lines.len() == changes.len();
    let origin = Origin { is_whole, ..origin.clone() };
    let mut bytes = serde_json::to_vec(&origin).map_err(fault)?;
    for line in lines.into_iter().rev() {
        bytes.push(b'\n');
        bytes.extend(line);
    }
    bytes.push(b'\n');
    folder.replace(NAME, &bytes).map(drop)
}

/// Where the changes are from; `None` if there is no such file of this version.
pub(super) fn origin(folder: &Folder) -> Option<Origin> {
    let mut bytes = Vec::new();
    folder.readable(NAME).ok()?.take(MOST_OF_ORIGIN).read_to_end(&mut bytes).ok()?;
    read_origin(bytes.split(|byte| *byte == b'\n').next()?)
}

fn read_origin(line: &[u8]) -> Option<Origin> {
    let origin: Origin = serde_json::from_slice(line).ok()?;
    (origin.version == VERSION).then_some(origin)
}

/// Where the changes are from, and the changes, oldest first; `None` if there is no such file of this version.
pub(super) fn read(folder: &Folder) -> Option<(Origin, Vec<Change>)> {
    let mut bytes = Vec::new();
    let most = MOST_BYTES as u64 + MOST_OF_ORIGIN;
    folder.readable(NAME).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let origin = read_origin(lines.next()?)?;
    Some((origin, lines.filter_map(|line| Some(entry::read(line)?.1)).collect()))
}

/// Looks whether the file is there or was replaced.
#[derive(Debug)]
pub(super) struct PastReader {
    folder: Folder,
    seen: Option<Version>,
    due: Option<Instant>,
}

impl PastReader {
    pub(super) fn new(folder: Folder) -> Self {
        Self { folder, seen: None, due: None }
    }

    /// The changes, if they are new since the last call.
    pub(super) fn look(&mut self) -> Option<Past> {
        let now = Instant::now();
        if self.due.is_some_and(|due| now < due) {
            return None;
        }
        self.due = Some(now + LOOK);
        let version = self.folder.version(NAME);
        if version == self.seen {
            return None;
        }
        self.seen = version;
        let (Origin { is_whole, .. }, changes) = read(&self.folder)?;
        Some(Past { changes: changes.into_iter().map(Arc::new).collect(), is_whole })
    }
}
