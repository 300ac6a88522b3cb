//! The environment of a command, and the project that it names.

use std::ffi::OsString;
use std::path::PathBuf;

use super::text;
use crate::error::{Error, Result};
use crate::project::{Project, Surroundings};

/// The environment of a command, and the project that it names.
#[derive(Debug)]
pub(super) struct Invocation {
    /// The program as it was called, for commands in messages.
    program: PathBuf,
    named: Option<PathBuf>,
    /// The current folder.
    pub(super) current: PathBuf,
    pub(super) home: Option<PathBuf>,
    /// Path of the user's own settings.
    pub(super) settings: Option<PathBuf>,
}

impl Invocation {
    pub(super) fn new(named: Option<PathBuf>, program: Option<OsString>) -> Result<Self> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = std::env::home_dir();
        // A relative path must be ignored (XDG Base Directory Specification).
        let config =
            variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let config = config.or_else(|| home.as_ref().map(|home| home.join(".config")));
        Ok(Self {
            program: program.map_or_else(|| PathBuf::from("flow"), PathBuf::from),
            named: named.or_else(|| variable("FLOW_PROJECT").map(PathBuf::from)),
            current: std::env::current_dir()
                .map_err(|e| Error::Refused(text::no_current_folder(&e)))?,
            home,
            settings: config.map(|folder| folder.join("flow/config.json")),
        })
    }

    pub(super) fn project(&self) -> Result<Project> {
        Project::open(&self.surroundings())
    }

    pub(super) fn root(&self) -> Result<PathBuf> {
        Project::find(&self.surroundings())
    }

    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            named: self.named.as_deref(),
            from: &self.current,
            home: self.home.as_deref(),
            settings: self.settings.as_deref(),
        }
    }

    /// Path of the program, valid in another folder: a plain name is looked up in `PATH`.
    pub(super) fn program_path(&self) -> PathBuf {
        let is_name = self.program.components().count() == 1;
        if is_name { self.program.clone() } else { self.current.join(&self.program) }
    }

    /// The program as it was called, as a word of a shell.
    pub(super) fn program(&self) -> String {
        text::quoted(&self.program)
    }

    /// A command of `flow api` on the same project, for messages.
    pub(super) fn command(&self, words: &str) -> String {
        let named = self.named.as_ref().and_then(|_| self.root().ok());
        text::command(&self.program, words, named.as_deref())
    }
}
