//! The paths of a daemon's runtime files: the project's `.flow`, and a private folder of the user for files that
//! `.flow` cannot contain. It neither locks nor writes them.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use flow_files::system;

use super::lock::{self, Lock};
use super::pid;
use super::private;
use crate::control::address::Address;
use crate::error::{Error, Result};
use crate::folder::{Folder, Presence, Privacy};

/// The folder of the runtime files, under the root.
const FLOW: &str = ".flow";
/// The control socket.
pub(crate) const SOCKET: &str = "api-server.sock";
/// The daemon's log.
pub(crate) const LOG: &str = "api-server.log";
/// Name of the file that keeps the runtime files out of `git status`.
const IGNORE: &str = ".gitignore";
const IGNORED: &[u8] = b"api-server.*\n.gitignore\n";

/// Something about a start that the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Other users can write to `.flow`, so lock, socket and log are elsewhere.
    Shared {
        /// The folder that contains them.
        folder: PathBuf,
        /// The mode of `.flow`.
        mode: u32,
    },
    /// The path of `.flow` is too long for a socket, so lock, socket and log are elsewhere.
    TooLong {
        /// The folder that contains them.
        folder: PathBuf,
    },
    /// The daemon cannot be registered, so `flow api list` does not show it.
    NotListed {
        /// Why, with the remedy.
        reason: String,
    },
    /// Files of a crashed daemon were removed.
    Cleaned {
        /// Their names.
        files: Vec<String>,
    },
    /// `.flow/.gitignore` could not be written.
    NotIgnored {
        /// The error of the system.
        reason: String,
    },
}

/// The folders of one project's runtime files.
#[derive(Debug)]
pub(crate) struct RuntimeFolders {
    flow: Folder,
    private: Option<Folder>,
    /// The folders created for this start, the innermost first.
    made: Vec<PathBuf>,
}

impl RuntimeFolders {
    /// Creates the folders that are missing.
    ///
    /// # Errors
    /// When `.flow` is a link or another user's, or a private folder is needed and unusable.
    pub(crate) fn prepare(root: &Path) -> Result<(Self, Vec<Note>)> {
        private::path()?;
        let path = root.join(FLOW);
        let (flow, privacy) = Folder::make_or_open(&path)?;
        let is_new = privacy == Privacy::Made;
        let mut folders =
            Self { flow, private: None, made: is_new.then_some(path).into_iter().collect() };
        let too_long = Address::is_too_long(&folders.socket());
        let note = match privacy {
            Privacy::Shared(mode) => Note::Shared { folder: folders.use_private(root)?, mode },
            _ if too_long => Note::TooLong { folder: folders.use_private(root)? },
            Privacy::Made | Privacy::Kept => return Ok((folders, Vec::new())),
        };
        Ok((folders, vec![note]))
    }

    fn use_private(&mut self, root: &Path) -> Result<PathBuf> {
        let (folder, is_new) = private::of_project(root)?;
        let path = folder.path().to_path_buf();
        if is_new {
            self.made.insert(0, path.clone());
        }
        self.private = Some(folder);
        Ok(path)
    }

    /// The existing folders: those of the running daemon, else those that a start would use. `None` if the project has
    /// none.
    ///
    /// # Errors
    /// When `.flow` is a link or another user's.
    pub(crate) fn find(root: &Path) -> Result<Option<Self>> {
        Self::find_beside(root, &private::candidates()?)
    }

    fn find_beside(root: &Path, bases: &[PathBuf]) -> Result<Option<Self>> {
        let path = root.join(FLOW);
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::path("open", &path, error)),
            Ok(_) => {}
        }
        let flow = Folder::open(&path)?;
        if Lock::is_held(&flow) {
            return Ok(Some(Self { flow, private: None, made: Vec::new() }));
        }
        let open = |base: &PathBuf| Folder::open(&base.join(private::key(root))).ok();
        let mut folders: Vec<Folder> = bases.iter().filter_map(open).collect();
        let at = match folders.iter().position(Lock::is_held) {
            None if flow.is_shared() && !folders.is_empty() => Some(0),
            held => held,
        };
        Ok(Some(Self { private: at.map(|at| folders.swap_remove(at)), flow, made: Vec::new() }))
    }

    /// The project's own folder, which contains the PID file.
    pub(crate) fn flow(&self) -> &Folder {
        &self.flow
    }

    /// The folder of lock, socket and log.
    pub(crate) fn home(&self) -> &Folder {
        self.private.as_ref().unwrap_or(&self.flow)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.home().path().join(SOCKET)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.home().path().join(LOG)
    }

    /// Whether a daemon holds the lock.
    pub(crate) fn is_running(&self) -> bool {
        Lock::is_held(self.home())
    }

    /// The process in the PID file, if it has the lock file open. For messages only.
    pub(crate) fn holder(&self) -> Option<u32> {
        let pid = pid::read(&self.flow)?;
        system::has_open(pid, &self.home().path().join(lock::NAME)).then_some(pid)
    }

    /// Whether the paths still lead to these folders.
    pub(crate) fn presence(&self) -> Presence {
        self.flow.presence().and(|| self.home().presence())
    }

    /// The paths of the existing runtime files.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let all = [(self.home(), lock::NAME), (self.home(), SOCKET), (&self.flow, pid::NAME)];
        all.into_iter()
            .filter(|(folder, name)| folder.identity(name).is_some())
            .map(|(folder, name)| folder.path().join(name))
            .collect()
    }

    /// Writes `.flow/.gitignore`, unless there is one.
    pub(crate) fn ignore(&self) -> Option<Note> {
        let mut file = match self.flow.create(IGNORE) {
            Ok(file) => file,
            Err(e) if e.kind() == ErrorKind::AlreadyExists => return None,
            Err(e) => return Some(Note::NotIgnored { reason: e.to_string() }),
        };
        let e = file.write_all(IGNORED).err()?;
        // A partial file would be taken for the user's own next time.
        let _ = self.flow.remove(IGNORE);
        Some(Note::NotIgnored { reason: e.to_string() })
    }

    /// Removes the folders that a failed start created, unless they are not empty.
    pub(crate) fn unmake(&self) {
        for folder in &self.made {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_daemon_is_found_wherever_its_lock_is() {
        let dir = tempfile::tempdir().unwrap();
        let (root, base) = (dir.path().join("project"), dir.path().join("base"));
        let private_folder = base.join(private::key(&root));
        let find =
            || RuntimeFolders::find_beside(&root, std::slice::from_ref(&base)).unwrap().unwrap();
        fs::create_dir_all(root.join(FLOW)).unwrap();
        fs::create_dir_all(&private_folder).unwrap();
        // Accessible to others and with a private folder as well: a start would use the private one.
        fs::set_permissions(root.join(FLOW), Permissions::from_mode(0o775)).unwrap();
        assert_eq!(find().home().path(), private_folder);
        let lock = Lock::take(&Folder::open(&root.join(FLOW)).unwrap()).unwrap().unwrap();
        assert_eq!(find().home().path(), root.join(FLOW));
        assert!(find().is_running());
        drop(lock);
        fs::set_permissions(root.join(FLOW), Permissions::from_mode(0o700)).unwrap();
        assert_eq!(find().home().path(), root.join(FLOW));
        let _lock = Lock::take(&Folder::open(&private_folder).unwrap()).unwrap().unwrap();
        assert_eq!(find().home().path(), private_folder);
        assert!(find().is_running());
    }

    #[test]
    fn an_ignore_file_of_the_user_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (folders, _) = RuntimeFolders::prepare(dir.path()).unwrap();
        let file = dir.path().join(".flow/.gitignore");
        assert_eq!(folders.ignore(), None);
        assert_eq!(fs::read(&file).unwrap(), IGNORED);
        fs::write(&file, "mine").unwrap();
        assert_eq!(folders.ignore(), None);
        assert_eq!(fs::read(&file).unwrap(), b"mine");
    }

    #[test]
    fn a_failed_start_takes_back_only_what_it_made() {
        let dir = tempfile::tempdir().unwrap();
        let (folders, _) = RuntimeFolders::prepare(dir.path()).unwrap();
        folders.unmake();
        assert!(!dir.path().join(FLOW).exists());
        fs::create_dir(dir.path().join(FLOW)).unwrap();
        let (folders, _) = RuntimeFolders::prepare(dir.path()).unwrap();
        folders.unmake();
        assert!(dir.path().join(FLOW).exists());
    }
}
