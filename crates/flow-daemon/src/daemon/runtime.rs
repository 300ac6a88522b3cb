//! Where a daemon's runtime files lie: the project's `.flow`, and a private folder of the user for what `.flow`
//! cannot hold. It says where; it neither locks nor writes them.

use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::unistd::Uid;
use xxhash_rust::xxh3::xxh3_64;

use super::folder::{Folder, Presence, Privacy};
use super::lock::{self, Lock};
use crate::error::{Error, Result};

/// The folder of the runtime files, under the root.
const FLOW: &str = ".flow";
/// The process id, for people and scripts.
pub(crate) const PID: &str = "api-server.pid";
/// The control socket.
pub(crate) const SOCKET: &str = "api-server.sock";
/// The daemon's log.
pub(crate) const LOG: &str = "api-server.log";
/// What keeps `git status` clean.
const IGNORE: &str = ".gitignore";
const IGNORED: &[u8] = b"api-server.*\n.gitignore\n";
/// The longest socket path that works without a short name for it, in bytes.
const LONGEST_SOCKET: usize = 100;

/// Something that was done on the way to a start and that the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A folder was open to others.
    Tightened {
        /// Which.
        folder: PathBuf,
        /// Its mode before.
        mode: u32,
    },
    /// Lock and socket could not be kept private in `.flow`.
    Moved {
        /// Where they are.
        folder: PathBuf,
    },
    /// A daemon that did not stop in order had left files, which are gone.
    Cleaned {
        /// Their names.
        files: Vec<String>,
    },
    /// `.flow/.gitignore` could not be written.
    NotIgnored {
        /// The system's reason.
        reason: String,
    },
}

/// The folders of one project's runtime files.
#[derive(Debug)]
pub(crate) struct Place {
    flow: Folder,
    private: Option<Folder>,
    /// Whether `.flow` was made for this start.
    made: bool,
}

impl Place {
    /// Makes the folders, or makes them private.
    ///
    /// # Errors
    /// When `.flow` is a link or another user's, or there is no private folder at all.
    pub(crate) fn prepare(root: &Path) -> Result<(Self, Vec<Note>)> {
        base_path()?;
        let path = root.join(FLOW);
        let (flow, privacy) = Folder::private(&path)?;
        let mut notes = Vec::new();
        let too_long =
            cfg!(not(target_os = "linux")) && path.join(SOCKET).as_os_str().len() > LONGEST_SOCKET;
        let private = match privacy {
            Privacy::Open(_) => Some(private_folder(root)?),
            _ if too_long => Some(private_folder(root)?),
            Privacy::Tightened(mode) => {
                notes.push(Note::Tightened { folder: path, mode });
                None
            }
            Privacy::Made | Privacy::Kept => None,
        };
        if let Some(folder) = &private {
            notes.push(Note::Moved { folder: folder.path().into() });
        }
        Ok((Self { flow, private, made: privacy == Privacy::Made }, notes))
    }

    /// The folders as they are: those of the running daemon, else those that a start would use. `None` when the
    /// project has none.
    ///
    /// # Errors
    /// When `.flow` is a link or another user's.
    pub(crate) fn find(root: &Path) -> Result<Option<Self>> {
        Self::find_beside(root, &base_path()?)
    }

    fn find_beside(root: &Path, base: &Path) -> Result<Option<Self>> {
        let path = root.join(FLOW);
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let flow = Folder::open(&path)?;
        let private = Folder::open(&base.join(key(root)))
            .ok()
            .filter(|private| Lock::is_held(private) || !flow.is_private());
        let private = if Lock::is_held(&flow) { None } else { private };
        Ok(Some(Self { flow, private, made: false }))
    }

    /// The project's own folder: PID file and log.
    pub(crate) fn flow(&self) -> &Folder {
        &self.flow
    }

    /// The folder of lock and socket.
    pub(crate) fn home(&self) -> &Folder {
        self.private.as_ref().unwrap_or(&self.flow)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.home().path().join(SOCKET)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.flow.path().join(LOG)
    }

    /// Whether a daemon runs here.
    pub(crate) fn is_running(&self) -> bool {
        Lock::is_held(self.home())
    }

    /// Whether the folders are still the ones that their paths lead to.
    pub(crate) fn presence(&self) -> Presence {
        self.flow.presence().and(|| self.home().presence())
    }

    /// The runtime files that are there, by path.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let all = [(self.home(), lock::NAME), (self.home(), SOCKET), (&self.flow, PID)];
        all.into_iter()
            .filter(|(folder, name)| folder.identity(name).is_some())
            .map(|(folder, name)| folder.path().join(name))
            .collect()
    }

    /// Keeps `git status` clean, unless somebody else has decided about that.
    pub(crate) fn ignore(&self) -> Option<Note> {
        let mut file = match self.flow.create(IGNORE) {
            Ok(file) => file,
            Err(e) if e.kind() == ErrorKind::AlreadyExists => return None,
            Err(e) => return Some(Note::NotIgnored { reason: e.to_string() }),
        };
        let e = file.write_all(IGNORED).err()?;
        // Half a file would be taken for the user's own next time.
        let _ = self.flow.remove(IGNORE);
        Some(Note::NotIgnored { reason: e.to_string() })
    }

    /// Takes back the folder that a failed start has made. One that is not empty stays.
    pub(crate) fn unmake(&self) {
        if self.made {
            let _ = std::fs::remove_dir(self.flow.path());
        }
    }
}

/// A file name that stands for a project.
pub(crate) fn key(root: &Path) -> String {
    format!("{:016x}", xxh3_64(root.as_os_str().as_bytes()))
}

/// The user's private runtime folder, made where it is missing.
///
/// # Errors
/// When it is somebody else's, a link, or cannot be private.
pub(crate) fn base() -> Result<Folder> {
    only_private(&base_path()?)
}

fn private_folder(root: &Path) -> Result<Folder> {
    only_private(&base()?.path().join(key(root)))
}

fn only_private(path: &Path) -> Result<Folder> {
    match Folder::private(path)? {
        (_, Privacy::Open(mode)) => Err(Error::Refused(format!(
            "{} is open to others (mode {mode:o}) and cannot be made private; name another folder in FLOW_RUNTIME_DIR",
            path.display()
        ))),
        (folder, _) => Ok(folder),
    }
}

/// Where the private runtime folder is, whether it is there or not.
///
/// # Errors
/// When `FLOW_RUNTIME_DIR` is relative.
pub(crate) fn base_path() -> Result<PathBuf> {
    let named = std::env::var_os("FLOW_RUNTIME_DIR").filter(|named| named != OsStr::new(""));
    match named.map(PathBuf::from) {
        // The daemon's current folder is another one than the caller's.
        Some(path) if path.is_relative() => Err(Error::Usage(format!(
            "FLOW_RUNTIME_DIR is {}; it must be an absolute path",
            path.display()
        ))),
        Some(path) => Ok(path),
        None => Ok(PathBuf::from(format!("/tmp/flow-{}", Uid::effective()))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_link_in_place_of_the_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("elsewhere")).unwrap();
        symlink("elsewhere", dir.path().join(FLOW)).unwrap();
        let why = Place::prepare(dir.path()).unwrap_err().to_string();
        assert!(why.contains("symlink"), "{why}");
        assert!(Place::find(dir.path()).is_err());
    }

    #[test]
    fn a_daemon_is_found_wherever_its_lock_is() {
        let dir = tempfile::tempdir().unwrap();
        let (root, base) = (dir.path().join("project"), dir.path().join("base"));
        let private = base.join(key(&root));
        let find = || Place::find_beside(&root, &base).unwrap().unwrap();
        fs::create_dir_all(root.join(FLOW)).unwrap();
        fs::create_dir_all(&private).unwrap();
        // Open to others and with a private folder beside it: a start would use the private one.
        fs::set_permissions(root.join(FLOW), Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find().home().path(), private);
        let lock = Lock::take(&Folder::open(&root.join(FLOW)).unwrap()).unwrap().unwrap();
        assert_eq!(find().home().path(), root.join(FLOW));
        assert!(find().is_running());
        drop(lock);
        fs::set_permissions(root.join(FLOW), Permissions::from_mode(0o700)).unwrap();
        assert_eq!(find().home().path(), root.join(FLOW));
        let _lock = Lock::take(&Folder::open(&private).unwrap()).unwrap().unwrap();
        assert_eq!(find().home().path(), private);
        assert!(find().is_running());
    }

    #[test]
    fn an_ignore_file_of_the_user_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (place, _) = Place::prepare(dir.path()).unwrap();
        let file = dir.path().join(".flow/.gitignore");
        assert_eq!(place.ignore(), None);
        assert_eq!(fs::read(&file).unwrap(), IGNORED);
        fs::write(&file, "mine").unwrap();
        assert_eq!(place.ignore(), None);
        assert_eq!(fs::read(&file).unwrap(), b"mine");
    }

    #[test]
    fn a_failed_start_takes_back_only_what_it_made() {
        let dir = tempfile::tempdir().unwrap();
        let (place, _) = Place::prepare(dir.path()).unwrap();
        place.unmake();
        assert!(!dir.path().join(FLOW).exists());
        fs::create_dir(dir.path().join(FLOW)).unwrap();
        let (place, _) = Place::prepare(dir.path()).unwrap();
        place.unmake();
        assert!(dir.path().join(FLOW).exists());
    }
}
