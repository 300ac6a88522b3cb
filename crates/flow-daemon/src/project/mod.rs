//! The project: its absolute root, its settings, and every path under it.
//!
//! It finds the root and reads the settings. It neither reads nor watches the state files ([`crate::store`] does) and
//! creates nothing.

mod source;
mod misfit;
mod formats;
mod history;
mod read_from;
mod manifest;
pub mod config;
mod root;

use std::fs;
use std::path::{Path, PathBuf};

use flow_files::worktree::{RealFiles, Worktree};

use crate::error::Result;
pub use config::CONFIG;
pub use formats::{FormatChoice, FormatList};
pub use history::History;
pub use read_from::ReadFrom;
pub use root::{Surroundings, user_name};
pub use source::{Limits, Source};

/// The port if none is given.
pub const DEFAULT_PORT: u16 = 3456;
/// The documents folder, which contains two of the sources.
const DOCUMENTS: &str = "docs";

/// Whose files are served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ServedFrom {
    /// The project's own.
    #[default]
    Root,
    /// Those of the repository's main worktree, because this linked worktree has none.
    MainWorktree,
}

/// A project folder and its settings.
#[derive(Debug, Clone)]
pub struct Project {
    root: PathBuf,
    /// The folder in the main worktree whose files are served, if that is not the root.
    main_worktree: Option<PathBuf>,
    port: Option<u16>,
    files: [Vec<PathBuf>; 4],
    /// The sources whose path is set in the settings.
    named: Vec<Source>,
    limits: Limits,
    read_from: ReadFrom,
    formats: FormatChoice,
    history: History,
}

impl Project {
    /// Opens the project that the user named, or finds the one that contains the current folder.
    ///
    /// # Errors
    /// When the folder does not exist or belongs to another user, when only the home folder or `/` qualifies, or when
    /// the settings are invalid.
    pub fn open(at: &Surroundings<'_>) -> Result<Self> {
        let root = Self::find(at)?;
        let ceiling = config::of_user(at.settings)?;
        let settings = config::of_project(&root, &ceiling, at.settings)?;
        let mut project = Self {
            files: files(&root, &settings.files)?,
            named: named(&settings.files),
            port: settings.port,
            limits: settings.limits,
            read_from: settings.read_from,
            formats: FormatChoice {
                project: settings.formats,
                user: ceiling.formats.clone(),
                checklists: formats::checklists(settings.checklists),
                ..FormatChoice::default()
            },
            main_worktree: None,
            history: ceiling.history,
            root,
        };
        if !project.has_files()
            && !root::has_plans(&project.root)
            && let Some(main) = in_main_worktree(&project.root)
        {
            let settings = config::of_project(&main, &ceiling, at.settings)?;
            let files = files(&main, &settings.files)?;
            let named = named(&settings.files);
            let other = Self { files, named, main_worktree: Some(main), ..project.clone() };
            if other.has_files() {
                let limits = settings.limits.lower_of(project.limits);
                let read_from = settings.read_from.and(&project.read_from);
                project = Self { limits, read_from, ..other };
            }
        }
        project.formats.has_files = project.has_files();
        Ok(project)
    }

    /// Opens the project in a folder, without the user's settings.
    ///
    /// # Errors
    /// As [`Project::open`].
    pub fn at(folder: &Path) -> Result<Self> {
        Self::open(&Surroundings { named: Some(folder), from: folder, home: None, settings: None })
    }

    /// Finds the root only, for commands that must not depend on the settings: a daemon can be stopped whatever they
    /// are.
    ///
    /// # Errors
    /// When the folder does not exist or belongs to another user, or only the home folder or `/` qualifies.
    pub fn find(at: &Surroundings<'_>) -> Result<PathBuf> {
        root::find(at)
    }

    /// A project without settings. No file is accessed: its files may exist in memory only.
    pub fn plain(root: PathBuf) -> Self {
        let files = Source::ALL.map(|source| source.default_paths(Path::new(DOCUMENTS)));
        Self {
            root,
            main_worktree: None,
            port: None,
            files,
            named: Vec::new(),
            limits: Limits::default(),
            read_from: ReadFrom::Any,
            formats: FormatChoice { has_files: true, ..FormatChoice::default() },
            history: History::Kept,
        }
    }

    /// The same project where one of the four files exists, or none does: that decides which formats are read.
    #[must_use]
    pub fn with_files(mut self, exist: bool) -> Self {
        self.formats.has_files = exist;
        self
    }

    /// The same project with exactly these formats, whether or not they have files.
    #[must_use]
    pub fn with_formats(mut self, names: Vec<String>) -> Self {
        self.formats.user = Some(FormatList::Named(names));
        self
    }

    /// The plan of this project as the corresponding folder of another worktree has it: with these settings and formats, and
    /// neither sessions nor messages, which tell of work and not of the plan.
    #[must_use]
    pub fn in_worktree(&self, root: PathBuf, formats: Vec<String>) -> Self {
        let mut other = self.clone().with_formats(formats).without_history();
        (other.root, other.main_worktree) = (root, None);
        for source in [Source::Sessions, Source::Bus] {
            other.files[source.index()].clear();
        }
        other
    }

    /// What decides which plans of other tools are read.
    pub fn formats(&self) -> &FormatChoice {
        &self.formats
    }

    /// The root: absolute, without links. It contains the daemon's own files.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that contains the served files: the root, or the corresponding folder of the main worktree.
    pub fn state_root(&self) -> &Path {
        self.main_worktree.as_deref().unwrap_or(&self.root)
    }

    /// Whose files are served, as decided when the project was opened.
    pub fn served_from(&self) -> ServedFrom {
        if self.main_worktree.is_some() { ServedFrom::MainWorktree } else { ServedFrom::Root }
    }

    /// The port of the settings.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether changes are kept beyond a run of the server.
    pub fn history(&self) -> History {
        self.history
    }

    /// The same project, whose changes are not kept.
    #[must_use]
    pub fn without_history(mut self) -> Self {
        self.history = History::Off;
        self
    }

    /// The limits for the files.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Which pages of this machine may read the answers.
    pub fn read_from(&self) -> &ReadFrom {
        &self.read_from
    }

    /// The possible paths of a source, relative to [`Project::state_root`]: the first that exists is served.
    pub fn files(&self, source: Source) -> &[PathBuf] {
        &self.files[source.index()]
    }

    /// The path of a source, relative to [`Project::state_root`]: the first that exists, else the first.
    pub fn file(&self, source: Source) -> &Path {
        let files = self.files(source);
        let there = files.iter().find(|file| self.state_root().join(file).exists());
        there.or(files.first()).map_or(Path::new(""), PathBuf::as_path)
    }

    /// Whether the settings set the path of a source.
    pub fn names_file(&self, source: Source) -> bool {
        self.named.contains(&source)
    }

    /// Whether one of the possible paths of a source exists.
    pub fn has_file(&self, source: Source) -> bool {
        let root = self.state_root();
        self.files(source).iter().any(|file| root.join(file).exists())
    }

    fn has_files(&self) -> bool {
        Source::ALL.into_iter().any(|source| self.has_file(source))
    }
}

/// The sources whose path is set.
fn named(files: &[Option<PathBuf>; 4]) -> Vec<Source> {
    Source::ALL.into_iter().filter(|source| files[source.index()].is_some()).collect()
}

/// The possible paths of each source: the path in the settings, else the defaults.
fn files(root: &Path, named: &[Option<PathBuf>; 4]) -> Result<[Vec<PathBuf>; 4]> {
    let documents = manifest::documents(root)?.unwrap_or_else(|| DOCUMENTS.into());
    Ok(Source::ALL.map(|source| match &named[source.index()] {
        Some(path) => vec![path.clone()],
        None => source.default_paths(&documents),
    }))
}

/// The folder of the main worktree that corresponds to a root in a linked one, if it belongs to this user.
fn in_main_worktree(root: &Path) -> Option<PathBuf> {
    let worktree = Worktree::of(&RealFiles, root)?;
    let main = worktree.main()?.join(root.strip_prefix(&worktree.top).ok()?);
    let main = fs::canonicalize(&main).ok().filter(|real| *real == main)?;
    root::is_own(&main).then_some(main)
}
