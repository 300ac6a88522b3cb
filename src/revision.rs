//! The files of a project as they are in a commit: a disk that the store reads like the real one.
//!
//! Which files the store opens is known only once it has read others (a format's settings name folders). So it reads until it
//! asks for no content that was not fetched, and each round fetches what the one before asked for, in one run of git:
//!
//! ```text
//! round 1  status.json, specs/1/tasks.md asked for, none there   git cat-file --batch: both
//! round 2  both read, nothing else asked for                     done
//! ```

use std::collections::{BTreeMap, HashMap};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use crate::error::{Error, Result};
use crate::git::revision::{self, Revision, TreeFile};
use crate::project::{Project, Source};
use crate::skill::output::Fault;
use crate::store::disk::{Disk, FILE, FOLDER, Listed, Open, Stat};
use crate::store::{Clock, Environment, Now, Reader, Store};

/// Largest number of rounds. Each follows a reference from a file that the round before has read.
const MOST_ROUNDS: usize = 8;
/// How long before the time of reading the files were written, so that none counts as being written.
const AGE: Duration = Duration::from_hours(24);

/// What was fetched so far, by the ids of the contents. Commits share what is equal in them.
pub(crate) type Contents = Arc<HashMap<String, Content>>;

/// A content.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Read(Arc<[u8]>),
    /// It is larger than any file that is read; its size.
    TooLarge(u64),
}

impl Content {
    fn size(&self) -> u64 {
        match self {
            Self::Read(bytes) => bytes.len() as u64,
            Self::TooLarge(size) => *size,
        }
    }
}

/// Which files of a commit are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All.
    All,
    /// Those with stories, epics and tasks: neither sessions nor messages.
    Plan,
}

/// The files of a commit below a project's root.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    root: PathBuf,
    /// Each with a number in place of an inode.
    files: BTreeMap<PathBuf, (u64, TreeFile)>,
    folders: BTreeMap<PathBuf, BTreeMap<String, bool>>,
    written: SystemTime,
    /// The sources whose file exists, whether or not it is read.
    sources: Vec<Source>,
}

impl Tree {
    /// Lists the files.
    ///
    /// # Errors
    /// When the project is in no repository of its own, or git fails.
    pub(crate) fn read(project: &Project, revision: &Revision, part: Part) -> Result<Self> {
        let root = project.state_root();
        let listed = revision::tree(root, revision).map_err(|fault| git_error(&fault))?;
        let mut tree = Self::empty(root, revision.time());
        let source = |path: &str| {
            let is_of =
                |source: &Source| project.files(*source).iter().any(|file| file == Path::new(path));
            Source::ALL.into_iter().find(is_of)
        };
        for file in listed {
            let source = source(&file.path);
            tree.sources.extend(source);
            if part == Part::All || !matches!(source, Some(Source::Sessions | Source::Bus)) {
                tree.add(file);
            }
        }
        Ok(tree)
    }

    /// A tree without files.
    pub(crate) fn empty(root: &Path, written: SystemTime) -> Self {
        Self {
            root: root.to_owned(),
            files: BTreeMap::new(),
            folders: BTreeMap::from([(root.to_owned(), BTreeMap::new())]),
            written,
            sources: Vec::new(),
        }
    }

    /// Whether the file of a source exists.
    pub(crate) fn has(&self, source: Source) -> bool {
        self.sources.contains(&source)
    }

    /// Whether one of the four files exists, which decides whether plans of other tools are read without a setting.
    pub(crate) fn has_files(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Adds a file, or replaces the one at its path.
    pub(crate) fn add(&mut self, file: TreeFile) {
        let path = self.root.join(&file.path);
        let mut is_folder = false;
        for at in path.ancestors().take_while(|at| *at != self.root) {
            let (Some(name), Some(folder)) = (at.file_name(), at.parent()) else { break };
            let name = name.to_string_lossy().into_owned();
            let is_known = self.folders.contains_key(folder);
            self.folders.entry(folder.to_owned()).or_default().insert(name, is_folder);
            if is_known {
                break;
            }
            is_folder = true;
        }
        self.files.insert(path, (self.files.len() as u64, file));
    }

    /// Removes a file, and folders without any. Returns what it was.
    pub(crate) fn remove(&mut self, path: &str) -> Option<TreeFile> {
        let path = self.root.join(path);
        let (_, file) = self.files.remove(&path)?;
        for at in path.ancestors().take_while(|at| *at != self.root) {
            let (Some(name), Some(folder)) = (at.file_name(), at.parent()) else { break };
            let Some(listed) = self.folders.get_mut(folder) else { break };
            listed.remove(name.to_string_lossy().as_ref());
            if !listed.is_empty() || folder == self.root {
                break;
            }
            self.folders.remove(folder);
        }
        Some(file)
    }

    /// The ids of the contents of its files.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = &str> {
        self.files.values().map(|(_, file)| file.blob.as_str())
    }

    /// Its files were written at this time.
    pub(crate) fn set_time(&mut self, written: SystemTime) {
        self.written = written;
    }

    fn stat(&self, path: &Path, contents: &Contents) -> io::Result<Stat> {
        let (mode, size, number) = match self.files.get(path) {
            // An empty file would not be read.
            Some((number, file)) => {
                (FILE, contents.get(&file.blob).map_or(1, Content::size), *number)
            }
            None if self.folders.contains_key(path) => (FOLDER, 0, 0),
            None => return Err(ErrorKind::NotFound.into()),
        };
        let written = self.written.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let written = i128::try_from(written.as_nanos()).unwrap_or(i128::MAX);
        let (modified, changed) = (written, written);
        Ok(Stat { identity: (0, number), size, modified, changed, mode })
    }
}

/// Reads the files of a commit as the store reads a checkout of it.
///
/// # Errors
/// When git fails, or a content cannot be had.
pub(crate) fn read(project: &Project, tree: &Arc<Tree>, contents: &mut Contents) -> Result<Reader> {
    for _ in 0..MOST_ROUNDS {
        let (asked, wanted) = channel();
        let disk = RevisionDisk { tree: Arc::clone(tree), contents: Arc::clone(contents), asked };
        let clock = Box::new(Fixed(tree.written + AGE));
        let reader = Store::read_once(
            project,
            Environment { disk: Some(Box::new(disk)), clock, ..Environment::default() },
        );
        let wanted: Vec<TreeFile> = wanted.try_iter().collect();
        if !fetch(project, wanted, contents)? {
            return Ok(reader);
        }
    }
    Err(Error::Refused("the files of the plan refer to each other too often".to_owned()))
}

/// Fetches the contents of files that are not there. Returns whether that was anything.
///
/// # Errors
/// When git fails, or a content cannot be had.
pub(crate) fn fetch(
    project: &Project,
    wanted: impl IntoIterator<Item = TreeFile>,
    contents: &mut Contents,
) -> Result<bool> {
    let root = project.state_root();
    let wanted: BTreeMap<String, TreeFile> = wanted
        .into_iter()
        .filter(|file| !contents.contains_key(&file.blob))
        .map(|file| (file.blob.clone(), file))
        .collect();
    if wanted.is_empty() {
        return Ok(false);
    }
    let wanted: Vec<TreeFile> = wanted.into_values().collect();
    let sizes = revision::sizes(root, &wanted).map_err(|fault| git_error(&fault))?;
    let known = Arc::make_mut(contents);
    let limits = project.limits();
    let most = limits.json_bytes.max(limits.bus_bytes);
    let (mut read, mut total) = (Vec::new(), 0);
    for (file, size) in wanted.into_iter().zip(sizes) {
        if size > most {
            known.insert(file.blob, Content::TooLarge(size));
        } else {
            total += size;
            read.push(file);
        }
    }
    let fetched = revision::contents(root, &read, total).map_err(|fault| git_error(&fault))?;
    let fetched = fetched.into_iter().map(|(blob, bytes)| (blob, Content::Read(bytes.into())));
    known.extend(fetched);
    Ok(true)
}

/// The error of a command for a fault of git.
pub(crate) fn git_error(fault: &Fault) -> Error {
    Error::Usage(fault.to_string())
}

/// A tree with the contents that were fetched, which reports what is asked for beyond them.
struct RevisionDisk {
    tree: Arc<Tree>,
    contents: Contents,
    asked: Sender<TreeFile>,
}

impl RevisionDisk {
    fn find(&self, path: &Path) -> io::Result<Opened> {
        let stat = self.tree.stat(path, &self.contents)?;
        let (_, file) = self.tree.files.get(path).ok_or(ErrorKind::IsADirectory)?;
        match self.contents.get(&file.blob) {
            Some(Content::Read(content)) => Ok(Opened { content: Arc::clone(content), stat }),
            Some(Content::TooLarge(_)) => Err(ErrorKind::FileTooLarge.into()),
            None => {
                // The receiver lives until the files are read.
                let _ = self.asked.send(file.clone());
                Err(ErrorKind::WouldBlock.into())
            }
        }
    }
}

impl Disk for RevisionDisk {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.tree.stat(path, &self.contents)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.tree.stat(path, &self.contents).map(|_| path.to_owned())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Open>> {
        Ok(Box::new(self.find(path)?))
    }

    fn read_small(&self, path: &Path, _most: u64) -> io::Result<String> {
        String::from_utf8(self.find(path)?.content.to_vec()).map_err(io::Error::other)
    }

    fn list(&self, folder: &Path, most: usize) -> io::Result<Vec<Listed>> {
        let listed = self.tree.folders.get(folder).ok_or(ErrorKind::NotFound)?;
        if listed.len() > most {
            return Err(ErrorKind::FileTooLarge.into());
        }
        let listed = listed.iter();
        Ok(listed
            .map(|(name, is_folder)| Listed { name: name.clone(), is_folder: *is_folder })
            .collect())
    }
}

struct Opened {
    content: Arc<[u8]>,
    stat: Stat,
}

impl Open for Opened {
    fn stat(&self) -> io::Result<Stat> {
        Ok(self.stat)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(self.content.len());
        let rest = &self.content[from..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// A clock that stands still.
struct Fixed(SystemTime);

impl Clock for Fixed {
    fn now(&self) -> Now {
        Now { instant: Instant::now(), wall: self.0 }
    }
}
