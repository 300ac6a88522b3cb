//! The folder of a demo, which goes with it.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process;

use crate::error::{Error, Result};

/// How many names are tried.
const ATTEMPTS: u32 = 100;
/// Mode of the folder: nobody else may read or write there.
const PRIVATE: u32 = 0o700;
/// The name of the project.
const PROJECT: &str = "bookshop";

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct DemoFolder(PathBuf);

impl DemoFolder {
    /// Makes a folder that did not exist.
    ///
    /// # Errors
    /// When the system's folder for temporary files cannot be written.
    pub(super) fn make() -> Result<Self> {
        let base = std::env::temp_dir();
        let base = base.canonicalize().map_err(|error| Error::path("use", &base, error))?;
        for attempt in 0..ATTEMPTS {
            let path = base.join(format!("flow-demo-{}-{attempt}", process::id()));
            match DirBuilder::new().mode(PRIVATE).create(&path) {
                Ok(()) => {
                    let folder = Self(path);
                    let project = folder.project();
                    fs::create_dir(&project)
                        .map_err(|error| Error::path("create", &project, error))?;
                    return Ok(folder);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::path("create", &path, error)),
            }
        }
        Err(Error::Refused(format!("{} is full of folders of demos; remove them", base.display())))
    }

    /// The project in it.
    pub(super) fn project(&self) -> PathBuf {
        self.0.join(PROJECT)
    }

    /// The folder itself.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for DemoFolder {
    fn drop(&mut self) {
        // What is left is in a folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
