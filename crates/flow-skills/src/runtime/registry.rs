//! The registry of custom templates that this user trusts on this machine: `trusted-templates.json` in the user's state
//! folder, keyed by project root, path and the SHA-256 of the content.
//!
//! It is outside of every project, so that a cloned repository cannot contain one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::files::{Existing, FileId, Folder};
use crate::output::{Fault, Result};

/// Largest registry, in bytes.
pub const LARGEST_REGISTRY: u64 = 1 << 20;
/// Name of the registry in flow's state folder.
const FILE: &str = "trusted-templates.json";

/// The trusted templates of all projects, and the file that they were read from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    /// By project root, then by path below it.
    roots: BTreeMap<PathBuf, BTreeMap<PathBuf, Trusted>>,
    #[serde(skip)]
    file: Option<FileId>,
}

/// A trusted template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trusted {
    /// Name of the skill.
    pub name: String,
    /// [`sha256`] of the trusted content.
    pub sha256: String,
}

/// The trust in a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// It may run.
    Trusted,
    /// It was trusted with different content.
    Changed,
    /// The user has never added it.
    Unknown,
}

impl Registry {
    /// Parses a registry; an empty text is an empty one.
    ///
    /// # Errors
    /// When it is invalid.
    pub fn read(text: &str) -> Result<Self> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_str(text).map_err(|error| {
            Fault::Unreadable(format!("not a valid list of trusted templates: {error}"))
        })
    }

    /// Loads the registry from a state folder; without a file, nothing is trusted.
    ///
    /// # Errors
    /// When it belongs to another user, is not a regular file, or is invalid.
    pub fn load(state: &Path) -> Result<Self> {
        let folder = match Folder::open(state) {
            Err(error) if error.is_missing() => return Ok(Self::default()),
            folder => folder?,
        };
        folder.require_own(Path::new(""))?;
        folder.require_own(Path::new(FILE))?;
        match folder.read_text(Path::new(FILE), LARGEST_REGISTRY) {
            Err(error) if error.is_missing() => Ok(Self::default()),
            read => {
                let (text, id) = read?;
                let registry = Self::read(&text).map_err(|fault| {
                    let path = folder.path().join(FILE);
                    let next = "correct it, or remove it and add the templates again";
                    Fault::Unreadable(format!("{}: {fault}; {next}", path.display()))
                })?;
                Ok(Self { file: Some(id), ..registry })
            }
        }
    }

    /// Writes it back, unless another command has changed it.
    ///
    /// # Errors
    /// When it has changed since it was read, or cannot be written.
    pub fn save(&self, state: &Path) -> Result<()> {
        let folder = Folder::make(state, 0o700)?;
        folder.require_own(Path::new(""))?;
        let existing = self.file.map_or(Existing::Kept, Existing::Replaced);
        Ok(folder.write(Path::new(FILE), self.text()?.as_bytes(), existing)?)
    }

    /// The registry as text.
    ///
    /// # Errors
    /// When a path is not UTF-8, or the text exceeds the limit.
    pub fn text(&self) -> Result<String> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| Fault::Refused(format!("could not write {FILE}: {error}")))?;
        text.push('\n');
        if text.len() as u64 > LARGEST_REGISTRY {
            return Err(Fault::Refused(format!(
                "{FILE} would have more than {LARGEST_REGISTRY} bytes; remove projects that no longer exist from it"
            )));
        }
        Ok(text)
    }

    /// The trust in a template of a project, by its path below the root.
    pub fn trust(&self, root: &Path, path: &Path, template: &str) -> Trust {
        match self.roots.get(root).and_then(|paths| paths.get(path)) {
            Some(known) if known.sha256 == sha256(template) => Trust::Trusted,
            Some(_) => Trust::Changed,
            None => Trust::Unknown,
        }
    }

    /// Trusts a template with its current content.
    pub fn add(&mut self, root: &Path, path: &Path, trusted: Trusted) {
        self.roots.entry(root.to_owned()).or_default().insert(path.to_owned(), trusted);
    }

    /// Removes the trust in a project's templates of a name. Returns whether there were any.
    pub fn remove(&mut self, root: &Path, name: &str) -> bool {
        let Some(paths) = self.roots.get_mut(root) else { return false };
        let before = paths.len();
        paths.retain(|_, known| known.name != name);
        let is_removed = paths.len() < before;
        if paths.is_empty() {
            self.roots.remove(root);
        }
        is_removed
    }

    /// The names of a project's trusted templates, sorted.
    pub fn names(&self, root: &Path) -> Vec<&str> {
        let paths = self.roots.get(root).into_iter().flat_map(BTreeMap::values);
        let mut names: Vec<&str> = paths.map(|known| known.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &str) -> String {
    format!("{:x}", Sha256::digest(text.as_bytes()))
}

/// This user's state folder of flow: `$XDG_STATE_HOME/flow`, else `~/.local/state/flow`. A relative variable counts as
/// unset, as the XDG specification requires.
///
/// # Errors
/// When neither is set.
pub fn state_folder(state_home: Option<PathBuf>, home: Option<&Path>) -> Result<PathBuf> {
    let base = state_home.filter(|path| path.is_absolute());
    let base = base.or_else(|| home.map(|home| home.join(".local/state")));
    base.map(|base| base.join("flow")).ok_or_else(|| {
        Fault::Refused(
            "no home folder for the list of trusted templates; set XDG_STATE_HOME".to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_state_home_is_none() {
        let home = Path::new("/home/a");
        let folder = |state: &str| state_folder(Some(state.into()), Some(home)).unwrap();
        assert_eq!(folder("/s"), Path::new("/s/flow"));
        assert_eq!(folder("s"), Path::new("/home/a/.local/state/flow"));
        assert!(state_folder(None, None).is_err());
    }
}
