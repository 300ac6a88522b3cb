//! The project: its absolute root, its settings, and every path under it.
//!
//! It finds the root and reads the settings. It neither reads nor watches the state files (that is [`crate::store`])
//! and creates nothing.

pub mod small_file;
mod source;
pub mod worktree;
mod manifest;
pub mod config;
mod root;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Result;
pub use root::Surroundings;
use small_file::Links;
pub use source::{Limits, Source};
use worktree::{GitFiles, Worktree};

/// The port where none is given.
pub const DEFAULT_PORT: u16 = 3456;
/// The documents' folder, in which two of the sources lie.
const DOCUMENTS: &str = "docs";

/// Whose files are served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ServedFrom {
    /// The project's own.
    #[default]
    Root,
    /// Those of the repository's main worktree, since this linked one has none.
    MainWorktree,
}

/// A project folder and what was decided about it.
#[derive(Debug, Clone)]
pub struct Project {
    root: PathBuf,
    /// The folder in the main worktree whose files are served, where that is not the root.
    main_worktree: Option<PathBuf>,
    port: Option<u16>,
    files: [Vec<PathBuf>; 4],
    /// The sources whose path the settings name.
    named: Vec<Source>,
    limits: Limits,
}

impl Project {
    /// Opens the project that the user named, or finds the one that the current folder lies in.
    ///
    /// # Errors
    /// When the folder does not exist or is another user's, when only the home folder or `/` could be meant, or when the
    /// settings cannot be used.
    pub fn open(at: &Surroundings<'_>) -> Result<Self> {
        let root = Self::find(at)?;
        let ceiling = config::of_user(at.settings)?;
        let settings = config::of_project(&root, &ceiling, at.settings)?;
        let mut project = Self {
            files: files(&root, &settings.files)?,
            named: named(&settings.files),
            port: settings.port,
            limits: settings.limits,
            main_worktree: None,
            root,
        };
        if !project.has_files()
            && let Some(main) = in_main_worktree(&project.root)
        {
            let settings = config::of_project(&main, &ceiling, at.settings)?;
            let files = files(&main, &settings.files)?;
            let named = named(&settings.files);
            let other = Self { files, named, main_worktree: Some(main), ..project.clone() };
            if other.has_files() {
                project = Self { limits: settings.limits.lower_of(project.limits), ..other };
            }
        }
        Ok(project)
    }

    /// Opens the project in a folder, without settings of the user.
    ///
    /// # Errors
    /// As [`Project::open`].
    pub fn at(folder: &Path) -> Result<Self> {
        Self::open(&Surroundings { named: Some(folder), from: folder, home: None, settings: None })
    }

    /// The root alone, for those who must not depend on the settings: a daemon can be stopped whatever they say.
    ///
    /// # Errors
    /// When the folder does not exist or is another user's, or only the home folder or `/` could be meant.
    pub fn find(at: &Surroundings<'_>) -> Result<PathBuf> {
        root::find(at)
    }

    /// A project without settings. Nothing is looked up: what lies at the root may be in memory alone.
    pub fn plain(root: PathBuf) -> Self {
        let files = Source::ALL.map(|source| source.default_paths(Path::new(DOCUMENTS)));
        let limits = Limits::default();
        Self { root, main_worktree: None, port: None, files, named: Vec::new(), limits }
    }

    /// The root: absolute, without links. The daemon's own files lie in it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that the served files lie in: the root, or its like in the main worktree.
    pub fn state_root(&self) -> &Path {
        self.main_worktree.as_deref().unwrap_or(&self.root)
    }

    /// Whose files are served. Decided when the project is opened.
    pub fn served_from(&self) -> ServedFrom {
        if self.main_worktree.is_some() { ServedFrom::MainWorktree } else { ServedFrom::Root }
    }

    /// The port that the settings name.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// How much of a file is read.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Where a source may lie, relative to [`Project::state_root`]: the first that exists is served.
    pub fn files(&self, source: Source) -> &[PathBuf] {
        &self.files[source.index()]
    }

    /// Whether the settings name the path of a source.
    pub fn names_file(&self, source: Source) -> bool {
        self.named.contains(&source)
    }

    /// Whether there is anything where a source may lie.
    pub fn has_file(&self, source: Source) -> bool {
        let root = self.state_root();
        self.files(source).iter().any(|file| root.join(file).exists())
    }

    fn has_files(&self) -> bool {
        Source::ALL.into_iter().any(|source| self.has_file(source))
    }
}

/// The sources whose path is given.
fn named(files: &[Option<PathBuf>; 4]) -> Vec<Source> {
    Source::ALL.into_iter().filter(|source| files[source.index()].is_some()).collect()
}

/// The candidates for each source: the path that the settings name, else the default ones.
fn files(root: &Path, named: &[Option<PathBuf>; 4]) -> Result<[Vec<PathBuf>; 4]> {
    let documents = manifest::documents(root)?.unwrap_or_else(|| DOCUMENTS.into());
    Ok(Source::ALL.map(|source| match &named[source.index()] {
        Some(path) => vec![path.clone()],
        None => source.default_paths(&documents),
    }))
}

/// The folder in the main worktree that a root in a linked one corresponds to, where it is this user's.
fn in_main_worktree(root: &Path) -> Option<PathBuf> {
    let worktree = Worktree::of(&RealFiles, root)?;
    let main = worktree.main()?.join(root.strip_prefix(&worktree.top).ok()?);
    let main = fs::canonicalize(&main).ok().filter(|real| *real == main)?;
    root::is_own(&main).then_some(main)
}

/// The file system as it is.
struct RealFiles;

impl GitFiles for RealFiles {
    fn is_folder(&self, path: &Path) -> io::Result<bool> {
        Ok(fs::metadata(path)?.is_dir())
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn read_small(&self, path: &Path) -> io::Result<String> {
        let bytes = small_file::read(path, worktree::MOST_BYTES, Links::Refused)?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }
}
