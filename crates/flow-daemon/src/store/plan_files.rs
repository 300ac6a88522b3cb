//! Follows the files of the formats that are read: which there are, what each contains, and which cannot be read.
//!
//! A file is read again only when its stat has changed, and only once that stat has stayed the same for [`SETTLED`]:
//! unlike JSON, half of a Markdown file is valid. An empty file, or an absent one, is believed after [`GONE`]; one that
//! looks like the beginning of what it was, or is invalid, after [`CUT`], since its writer may pause. One that cannot be read
//! keeps its last valid content and is reported by its path; the others go on.
//!
//! ```text
//!     0 ms  a writer truncates a file of 400 boxes and writes 100 of them
//!    50 ms  the stat has settled: the 100 records are the first of the 400, so they are not served yet
//!    80 ms  the writer goes on: another stat, which must settle again
//!   130 ms  the 400 boxes are read and served; without the writer, the 100 would be at 1,000 ms
//! ```

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use flow_plans::size::{MOST_MEMORY, MOST_RECORDS};
use flow_plans::{FileRecords, Format, Issue, Part};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::clock::Now;
use super::disk::{Disk, Stat};
use super::locate;
use super::plan_tree::{self, Tree, Unsearched};
use super::reading;
use super::source_state::State;
use crate::project::Limits;

/// How long a file's stat must have stayed the same before it is read.
pub const SETTLED: Duration = Duration::from_millis(50);
/// How long a file must have been absent or empty before its records are dropped.
pub const GONE: Duration = Duration::from_millis(300);
/// How long content must have stayed the same that is invalid, or that ends where the last valid content went on.
pub const CUT: Duration = Duration::from_secs(1);
/// How often the stat of every folder is compared where the system reports events.
const FOLDERS: Duration = Duration::from_secs(1);
/// How often the stat of every file is compared where no event is reported.
const SWEEP: Duration = Duration::from_secs(2);
/// Largest file, in bytes.
const MOST_OF_FILE: u64 = 16 << 20;
/// Largest total size of the files of all formats, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The files of all formats that are read.
#[derive(Debug)]
pub struct PlanFiles {
    root: PathBuf,
    formats: Vec<FormatFiles>,
    /// When the stat of every folder was compared, and that of every file.
    looked: Option<Instant>,
    swept: Option<Instant>,
    /// Whether a folder has changed since this was asked.
    is_searched: bool,
    /// Whether all files that existed at the start have been read, or cannot be.
    is_complete: bool,
    /// What the files of all formats may contain together.
    most: Contents,
    /// What those contain that are served.
    served: Contents,
}

/// What files contain.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Contents {
    bytes: u64,
    /// Records and reports.
    records: usize,
    /// What the records take in memory, in bytes.
    memory: usize,
}

impl Contents {
    /// Of a file with a size.
    fn of(read: &FileRecords, bytes: u64) -> Self {
        Self { bytes, records: read.count(), memory: read.parts.iter().map(Part::memory).sum() }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            records: self.records + other.records,
            memory: self.memory + other.memory,
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(other.bytes),
            records: self.records.saturating_sub(other.records),
            memory: self.memory.saturating_sub(other.memory),
        }
    }

    /// The limit that is exceeded, as a phrase.
    fn excess(self, most: Self) -> Option<String> {
        if self.bytes > most.bytes {
            Some(format!("more than {} MiB", most.bytes >> 20))
        } else if self.records > most.records {
            Some(format!("more than {} records and reports", most.records))
        } else if self.memory > most.memory {
            Some(format!("more than {} MiB in memory", most.memory >> 20))
        } else {
            None
        }
    }
}

/// The files of one format.
pub struct FormatFiles {
    /// The format.
    pub format: &'static dyn Format,
    tree: Tree,
    files: BTreeMap<String, Box<PlanFile>>,
    /// Whether a file or a folder has changed since the records were taken.
    is_changed: bool,
    /// Whether some file was never read because it may be half written.
    is_loading: bool,
}

impl std::fmt::Debug for FormatFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FormatFiles").field("format", &self.format.name()).finish_non_exhaustive()
    }
}

/// One file.
#[derive(Debug, Default)]
pub struct PlanFile {
    /// The stat of the content that is served.
    stat: Option<Stat>,
    /// A hash of the content that is served.
    pub hash: u64,
    /// What it contains; of a file that cannot be read, the last valid content.
    pub records: FileRecords,
    /// Why it cannot be read, if it cannot.
    pub error: Option<FileError>,
    /// Whether the content that is served ends with a line end.
    ends_line: bool,
    /// Content that is not served yet.
    pending: Option<Wait>,
    /// The stat for which `error` holds.
    failed: Option<Stat>,
    /// What `records` are, for the limits.
    contents: Contents,
}

/// Content that may be half of what is being written.
#[derive(Debug, Clone, Copy)]
struct Wait {
    /// Its stat; `None` if the file is absent.
    stat: Option<Stat>,
    /// Since when it is so.
    since: Instant,
    /// How long it must stay so.
    patience: Duration,
}

impl Wait {
    /// How long the content has been the same.
    fn held(&self, now: Now) -> Duration {
        let age = self.stat.and_then(|stat| now.wall.duration_since(stat.modified_at()).ok());
        now.instant.duration_since(self.since).max(age.unwrap_or_default())
    }
}

/// Why a file is not served as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The state of its source that results.
    pub state: State,
    /// One sentence, without a path.
    pub reason: String,
    /// The line, from 1, if it is known.
    pub line: Option<u64>,
}

/// How thoroughly the files are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// Files that are not settled; folders and files only if that is due.
    Unsettled,
    /// Folders, and files that are not settled.
    Folders,
    /// Every file.
    Files,
}

impl PlanFiles {
    /// Follows the files of these formats below a root.
    pub fn new(root: &Path, formats: &[&'static dyn Format], limits: Limits) -> Self {
        let of = |format: &&'static dyn Format| FormatFiles {
            format: *format,
            tree: Tree::default(),
            files: BTreeMap::new(),
            is_changed: true,
            is_loading: false,
        };
        Self {
            root: root.to_path_buf(),
            formats: formats.iter().map(of).collect(),
            looked: None,
            swept: None,
            is_searched: false,
            is_complete: false,
            most: Contents {
                bytes: limits.json_bytes.min(MOST_BYTES),
                records: usize::try_from(limits.records).unwrap_or(MOST_RECORDS).min(MOST_RECORDS),
                memory: MOST_MEMORY,
            },
            served: Contents::default(),
        }
    }

    /// The folder below which the files are.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The formats.
    pub fn formats(&self) -> &[FormatFiles] {
        &self.formats
    }

    /// The folders that contain the files, absolute.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let folders = self.formats.iter().flat_map(|format| format.tree.folders.iter());
        folders.filter(|(_, stat)| stat.is_some()).map(|(folder, _)| self.root.join(folder))
    }

    /// Whether some content is not read yet because it may be half of what is being written.
    pub fn is_settling(&self) -> bool {
        self.due().is_some()
    }

    /// When a file that is not settled must be looked at again.
    pub fn due(&self) -> Option<Instant> {
        let files = self.formats.iter().flat_map(|format| format.files.values());
        files.filter_map(|file| file.due()).min()
    }

    /// Looks at the files. Returns whether what they contain, or whether they can be read, has changed.
    pub fn probe(&mut self, disk: &dyn Disk, now: Now, look: Look) -> bool {
        let is_due = |last: Option<Instant>, every| {
            last.is_none_or(|last| now.instant.duration_since(last) >= every)
        };
        let due = match () {
            () if is_due(self.swept, SWEEP) => Look::Files,
            () if is_due(self.looked, FOLDERS) => Look::Folders,
            () => Look::Unsettled,
        };
        let look = look.max(due);
        if look >= Look::Folders {
            self.looked = Some(now.instant);
        }
        if look == Look::Files {
            self.swept = Some(now.instant);
        }
        let root = &self.root;
        let mut changed = false;
        let before = self.served;
        for format in &mut self.formats {
            if look >= Look::Folders {
                self.is_searched |= format.find(disk, root);
            }
            let mut budget = Budget { most: self.most, served: &mut self.served };
            format.probe(disk, root, now, look, &mut budget);
            changed |= mem::take(&mut format.is_changed);
        }
        // Files that were refused may fit now.
        if before.excess(self.served).is_some() {
            let files = self.formats.iter_mut().flat_map(|format| format.files.values_mut());
            files.for_each(|file| file.retry_too_large());
        }
        self.is_complete |= self.formats.iter().all(|format| !format.is_loading);
        changed
    }

    /// Whether a folder has changed since the last call.
    pub fn take_searched(&mut self) -> bool {
        mem::take(&mut self.is_searched)
    }

    /// Whether the first load has ended: what is read later is a change.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl FormatFiles {
    /// The files in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &PlanFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), &**file))
    }

    /// Number of files and folders that were left out because there are too many, or too large ones.
    pub fn left_out(&self) -> usize {
        self.tree.left_out
    }

    /// Files that could stand in place of one that is read.
    pub fn beside(&self) -> &[String] {
        &self.tree.beside
    }

    /// What is at the place of files or of a folder and cannot be searched.
    pub fn unsearched(&self) -> &[Unsearched] {
        &self.tree.unsearched
    }

    /// Whether some file was never read because it may be half written.
    pub fn is_loading(&self) -> bool {
        self.is_loading
    }

    /// The total size of the content that is served, in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.values().filter_map(|file| file.stat).map(|stat| stat.size).sum()
    }

    /// When the newest content was written.
    pub fn modified(&self) -> Option<SystemTime> {
        self.files.values().filter_map(|file| file.stat).map(|stat| stat.modified_at()).max()
    }

    /// A hash of what is served and of what cannot be read.
    pub fn hash(&self) -> u64 {
        let mut hash = xxh3_64(self.format.name().as_bytes());
        for (path, file) in &self.files {
            hash = xxh3_64_with_seed(path.as_bytes(), hash ^ file.hash);
            if let Some(error) = &file.error {
                hash = xxh3_64_with_seed(error.reason.as_bytes(), hash);
            }
        }
        for Unsearched { path, reason } in self.unsearched() {
            hash = xxh3_64_with_seed(reason.as_bytes(), xxh3_64_with_seed(path.as_bytes(), hash));
        }
        hash
    }

    /// Searches the folders again if one of them has changed. Returns whether one has.
    fn find(&mut self, disk: &dyn Disk, root: &Path) -> bool {
        let is_same = |(folder, before): (&String, &Option<Stat>)| {
            let now = disk.stat(&root.join(folder)).ok();
            let key = |stat: &Stat| (stat.identity, stat.modified, stat.changed);
            now.as_ref().map(key) == before.as_ref().map(key)
        };
        if !self.tree.folders.is_empty() && self.tree.folders.iter().all(is_same) {
            return false;
        }
        let before = mem::replace(&mut self.tree, plan_tree::find(disk, root, self.format));
        self.is_changed |= before.unsearched != self.tree.unsearched;
        for path in &self.tree.files {
            if !self.files.contains_key(path) {
                self.files.insert(path.clone(), Box::default());
            }
        }
        true
    }

    fn probe(
        &mut self,
        disk: &dyn Disk,
        root: &Path,
        now: Now,
        look: Look,
        budget: &mut Budget<'_>,
    ) {
        let mut gone: Vec<String> = Vec::new();
        let mut moved: HashMap<(u64, u64), Stat> = HashMap::new();
        for (path, file) in &mut self.files {
            let is_listed = self.tree.files.binary_search(path).is_ok();
            if look < Look::Files && file.is_settled() && is_listed {
                continue;
            }
            let stat = if is_listed { disk.stat(&root.join(path)).ok() } else { None };
            if let Some(stat) = stat {
                moved.insert(stat.identity, stat);
            }
            let step = file.step(stat, now);
            match step {
                Step::Nothing => {}
                Step::Gone => gone.push(path.clone()),
                Step::Read(stat, wait) => match budget
                    .check(file.contents, Contents { bytes: stat.size, ..Contents::default() })
                    .and_then(|()| load(disk, root, path, &stat))
                {
                    Ok(content) => {
                        self.is_changed |=
                            file.take(path, self.format, &content, wait, now, budget);
                    }
                    // It is being written or replaced; the next look sees another stat.
                    Err(error) if error.state == State::Changing => {}
                    Err(error) => self.is_changed |= file.refuse(stat, error),
                },
            }
        }
        // A file that is elsewhere now was moved: its records must not be served twice, nor be absent for a moment.
        let is_elsewhere = |file: &PlanFile| {
            file.pending.is_some_and(|wait| wait.stat.is_none())
                && file.stat.is_some_and(|stat| moved.contains_key(&stat.identity))
        };
        let vanished = self.files.iter().filter(|(_, file)| is_elsewhere(file));
        gone.extend(vanished.map(|(path, _)| path.clone()));
        for path in gone {
            let removed = self.files.remove(&path);
            self.is_changed |= removed.is_some();
            budget.free(removed.map(|file| file.contents).unwrap_or_default());
        }
        let is_loading =
            self.files.values().any(|file| file.stat.is_none() && file.pending.is_some());
        self.is_changed |= is_loading != self.is_loading;
        self.is_loading = is_loading;
    }
}

/// What the files of all formats may contain, and what of it is taken.
struct Budget<'a> {
    most: Contents,
    served: &'a mut Contents,
}

impl Budget<'_> {
    /// Whether new contents may be served in place of those that a file had.
    fn check(&self, before: Contents, new: Contents) -> Result<(), FileError> {
        let error = |reason| FileError { state: State::TooLarge, reason, line: None };
        if new.bytes > MOST_OF_FILE {
            return Err(error(format!("too large: more than {} MiB", MOST_OF_FILE >> 20)));
        }
        match self.served.without(before).plus(new).excess(self.most) {
            Some(excess) => Err(error(format!("left out: with it, the plans have {excess}"))),
            None => Ok(()),
        }
    }

    fn replace(&mut self, before: Contents, new: Contents) {
        *self.served = self.served.without(before).plus(new);
    }

    fn free(&mut self, contents: Contents) {
        *self.served = self.served.without(contents);
    }
}

/// What must be done about a file.
enum Step {
    Nothing,
    /// Its content is settled and must be read.
    Read(Stat, Wait),
    /// It no longer exists.
    Gone,
}

impl PlanFile {
    fn is_settled(&self) -> bool {
        self.pending.is_none() && (self.stat.is_some() || self.failed.is_some())
    }

    fn due(&self) -> Option<Instant> {
        self.pending.map(|wait| wait.since + wait.patience)
    }

    /// Decides by the stat, which is `None` where there is no file.
    fn step(&mut self, stat: Option<Stat>, now: Now) -> Step {
        if stat.is_some() && (stat == self.stat && self.error.is_none() || stat == self.failed) {
            self.pending = None;
            return Step::Nothing;
        }
        let patience = match &stat {
            Some(stat) if stat.size > 0 => SETTLED,
            _ => GONE,
        };
        let new = Wait { stat, since: now.instant, patience };
        let wait = self.pending.filter(|wait| wait.stat == stat).unwrap_or(new);
        if wait.held(now) < wait.patience {
            self.pending = Some(wait);
            return Step::Nothing;
        }
        self.pending = None;
        stat.map_or(Step::Gone, |stat| Step::Read(stat, wait))
    }

    /// Takes settled content. Returns whether what is served has changed.
    fn take(
        &mut self,
        path: &str,
        format: &dyn Format,
        content: &(Bytes, Stat),
        wait: Wait,
        now: Now,
        budget: &mut Budget<'_>,
    ) -> bool {
        let (bytes, stat) = content;
        let hash = xxh3_64(bytes);
        let is_new = self.stat.is_none() || hash != self.hash;
        let ends_line = bytes.ends_with(b"\n");
        if is_new {
            let read = records(format, path, bytes);
            let is_cut = match &read {
                Ok(read) => self.is_cut(read, stat.size, ends_line),
                Err(_) => true,
            };
            if is_cut && wait.held(now) < CUT {
                self.pending = Some(Wait { patience: CUT, ..wait });
                return false;
            }
            let fits = read.and_then(|read| {
                let contents = Contents::of(&read, stat.size);
                budget.check(self.contents, contents)?;
                Ok((read, contents))
            });
            match fits {
                Ok((read, contents)) => {
                    budget.replace(self.contents, contents);
                    (self.records, self.contents) = (read, contents);
                }
                Err(error) => return self.refuse(*stat, error),
            }
        }
        let was_error = self.error.take().is_some();
        let is_touched = self.stat.is_none_or(|before| before.modified != stat.modified);
        (self.stat, self.hash, self.failed) = (Some(*stat), hash, None);
        self.ends_line = ends_line;
        is_new || was_error || is_touched
    }

    /// Whether content may be the beginning of what is served: it has its first records only, or ends within a line.
    fn is_cut(&self, read: &FileRecords, size: u64, ends_line: bool) -> bool {
        let (now, before) = (&read.parts, &self.records.parts);
        let is_same =
            |(now, before): (&Part, &Part)| now.kind == before.kind && now.id == before.id;
        let has_fewer = now.len() < before.len() && now.iter().zip(before).all(is_same);
        let is_shorter = self.stat.is_some_and(|before| size < before.size);
        has_fewer || is_shorter && self.ends_line && !ends_line
    }

    /// Reads the file again if it was refused because it is too large.
    fn retry_too_large(&mut self) {
        if self.error.as_ref().is_some_and(|error| error.state == State::TooLarge) {
            self.failed = None;
        }
    }

    /// Records why the content is not served; the last valid one stays. Returns whether that is news.
    fn refuse(&mut self, stat: Stat, error: FileError) -> bool {
        let error = Some(error);
        let is_new = self.error != error;
        (self.error, self.failed) = (error, Some(stat));
        is_new
    }
}

/// The content of a file, and its stat.
fn load(disk: &dyn Disk, root: &Path, path: &str, stat: &Stat) -> Result<(Bytes, Stat), FileError> {
    let target = locate::resolve(disk, root, Path::new(path)).map_err(|error| FileError {
        state: State::Unreadable,
        reason: reading::reason(&error),
        line: None,
    })?;
    let content = reading::open(disk, stat, target.as_deref())
        .and_then(|file| reading::document(file.as_ref(), MOST_OF_FILE));
    content.map_err(|error| FileError { state: error.state, reason: error.reason, line: None })
}

/// What a content contains.
fn records(format: &dyn Format, path: &str, bytes: &[u8]) -> Result<FileRecords, FileError> {
    let text = std::str::from_utf8(bytes).map_err(|error| FileError {
        state: State::Invalid,
        reason: format!("not UTF-8 at byte {}", error.valid_up_to() + 1),
        line: None,
    })?;
    let mut records = format.read(path, text);
    if records.is_too_large() {
        let reason = format!(
            "too large: more than {MOST_RECORDS} records and reports, or {} MiB in memory",
            MOST_MEMORY >> 20
        );
        return Err(FileError { state: State::TooLarge, reason, line: None });
    }
    if let Some(Issue { line, reason, .. }) = records.fault.take() {
        return Err(FileError { state: State::Invalid, reason, line: Some(line) });
    }
    // They are kept until the file changes.
    records.shrink_to_fit();
    Ok(records)
}
