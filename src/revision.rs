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
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use nix::sys::stat::SFlag;

use crate::error::{Error, Result};
use crate::project::{Project, Source};
use crate::skill::output::Fault;
use crate::skill::runtime::git::revision::{self, Revision, TreeFile};
use crate::store::disk::{Disk, Listed, Open, Stat};
use crate::store::{Clock, Environment, Now, Reader, Store};

/// Largest number of rounds. Each follows a reference from a file that the round before has read.
const MOST_ROUNDS: usize = 8;
/// How long before the time of reading the files were written, so that none counts as being written.
const AGE: Duration = Duration::from_hours(24);

/// What was fetched so far, by the ids of the contents. Commits share what is equal in them.
pub(crate) type Contents = HashMap<String, Arc<[u8]>>;

/// Which files of a commit are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All.
    All,
    /// Those with stories, epics and tasks: neither sessions nor messages.
    Plan,
}

/// The files of a commit below a project's root.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Each with a number in place of an inode.
    files: BTreeMap<PathBuf, (u64, TreeFile)>,
    folders: BTreeMap<PathBuf, Vec<Listed>>,
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
        let mut tree = Self {
            files: BTreeMap::new(),
            folders: BTreeMap::from([(root.to_path_buf(), Vec::new())]),
            written: revision.time(),
            sources: Vec::new(),
        };
        let source = |path: &str| {
            let is_of =
                |source: &Source| project.files(*source).iter().any(|file| file == Path::new(path));
            Source::ALL.into_iter().find(is_of)
        };
        for file in listed {
            let source = source(&file.path);
            tree.sources.extend(source);
            if part == Part::All || !matches!(source, Some(Source::Sessions | Source::Bus)) {
                tree.add(root, file);
            }
        }
        Ok(tree)
    }

    /// Whether the file of a source exists.
    pub(crate) fn has(&self, source: Source) -> bool {
        self.sources.contains(&source)
    }

    /// Whether one of the four files exists, which decides whether plans of other tools are read without a setting.
    pub(crate) fn has_files(&self) -> bool {
        !self.sources.is_empty()
    }

    fn add(&mut self, root: &Path, file: TreeFile) {
        let path = root.join(&file.path);
        let mut is_folder = false;
        for at in path.ancestors() {
            let (Some(name), Some(folder)) = (at.file_name(), at.parent()) else { break };
            if at == root {
                break;
            }
            let name = name.to_string_lossy().into_owned();
            let is_known = self.folders.contains_key(folder);
            self.folders.entry(folder.to_owned()).or_default().push(Listed { name, is_folder });
            if is_known {
                break;
            }
            is_folder = true;
        }
        self.files.insert(path, (self.files.len() as u64, file));
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let (mode, size, number) = match self.files.get(path) {
            // An empty file would not be read, and what is missing must be reported.
            Some((number, file)) => (SFlag::S_IFREG, file.size.unwrap_or(1), *number),
            None if self.folders.contains_key(path) => (SFlag::S_IFDIR, 0, 0),
            None => return Err(ErrorKind::NotFound.into()),
        };
        let written = self.written.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let written = i128::try_from(written.as_nanos()).unwrap_or(i128::MAX);
        let (modified, changed) = (written, written);
        Ok(Stat { identity: (0, number), size, modified, changed, mode: mode.bits() })
    }
}

/// Reads the files of a commit as the store reads a checkout of it.
///
/// # Errors
/// When git fails, or a content cannot be had.
pub(crate) fn read(project: &Project, tree: Tree, contents: &mut Contents) -> Result<Reader> {
    let tree = Arc::new(tree);
    for _ in 0..MOST_ROUNDS {
        let (asked, wanted) = channel();
        let disk = RevisionDisk { tree: Arc::clone(&tree), contents: contents.clone(), asked };
        let clock = Box::new(Fixed(tree.written + AGE));
        let reader = Store::read_once(
            project,
            Environment { disk: Some(Box::new(disk)), clock, ..Environment::default() },
        );
        if !fetch(project.state_root(), &wanted, contents)? {
            return Ok(reader);
        }
    }
    Err(Error::Refused("the files of the plan refer to each other too often".to_owned()))
}

/// Fetches what was asked for and is not there. Returns whether that was anything.
fn fetch(root: &Path, wanted: &Receiver<TreeFile>, contents: &mut Contents) -> Result<bool> {
    let mut files: BTreeMap<String, TreeFile> = BTreeMap::new();
    files.extend(wanted.try_iter().map(|file| (file.blob.clone(), file)));
    let files: Vec<TreeFile> = files.into_values().collect();
    if files.is_empty() {
        return Ok(false);
    }
    let fetched = revision::contents(root, &files).map_err(|fault| git_error(&fault))?;
    contents.extend(fetched.into_iter().map(|(blob, content)| (blob, content.into())));
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
        let stat = self.tree.stat(path)?;
        let (_, file) = self.tree.files.get(path).ok_or(ErrorKind::IsADirectory)?;
        if let Some(content) = self.contents.get(&file.blob) {
            return Ok(Opened { content: Arc::clone(content), stat });
        }
        // The receiver lives until the files are read.
        let _ = self.asked.send(file.clone());
        Err(ErrorKind::WouldBlock.into())
    }
}

impl Disk for RevisionDisk {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.tree.stat(path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.tree.stat(path).map(|_| path.to_owned())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Open>> {
        Ok(Box::new(self.find(path)?))
    }

    fn read_small(&self, path: &Path, _most: u64) -> io::Result<String> {
        String::from_utf8(self.find(path)?.content.to_vec()).map_err(io::Error::other)
    }

    fn list(&self, folder: &Path, most: usize) -> io::Result<Vec<Listed>> {
        let mut listed = self.tree.folders.get(folder).cloned().ok_or(ErrorKind::NotFound)?;
        if listed.len() > most {
            return Err(ErrorKind::FileTooLarge.into());
        }
        listed.sort();
        Ok(listed)
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
