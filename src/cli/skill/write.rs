//! Writes artifacts: each completely or not at all, and never over a file that the skill did not read.

use std::path::{Component, Path, PathBuf};

use super::super::command_output::CommandOutput;
use super::super::invocation::Invocation;
use super::text;
use crate::error::{Error, Result};
use crate::skill::output::Artifact;
use crate::skill::runtime::files::{Existing, FileError, Folder};
use crate::skill::text::fence::fenced;
use crate::skill::text::lists;

/// The path for artifacts.
pub(super) struct Destination<'a> {
    pub(super) out: &'a Path,
    /// Whether existing files are replaced.
    pub(super) force: bool,
}

/// A folder that files are written below.
pub(super) struct Target {
    folder: Folder,
    /// The base of the files' paths in the folder.
    base: PathBuf,
    /// The same path as the user named it, for messages.
    shown: PathBuf,
}

impl Target {
    /// Opens a folder that the user named. Inside the project no link is followed, since a checkout may contain links;
    /// elsewhere the user's path counts.
    pub(super) fn open(invocation: &Invocation, named: &Path) -> Result<Self> {
        let absolute = normal(&invocation.current.join(named));
        let shown = named.to_owned();
        if let Ok(root) = invocation.root()
            && let Ok(base) = absolute.strip_prefix(&root)
        {
            let folder = Folder::open(&root).map_err(refused)?;
            return Ok(Self { folder, base: base.to_owned(), shown });
        }
        let folder = Folder::make(&absolute, 0o777).map_err(refused)?;
        Ok(Self { folder, base: PathBuf::new(), shown })
    }

    /// The current content of a file; `None` if it does not exist.
    pub(super) fn read(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
        match self.folder.read(&self.base.join(path), limit) {
            Ok(content) => Ok(Some(content.bytes)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(self.named(path, error)),
        }
    }

    pub(super) fn check(&self, path: &Path, existing: Existing) -> Result<()> {
        let checked = self.below(path)?;
        self.folder.check(&checked, existing).map_err(|error| self.named(path, error))
    }

    pub(super) fn write(&self, path: &Path, text: &str, existing: Existing) -> Result<()> {
        let below = self.below(path)?;
        let written = self.folder.write(&below, text.as_bytes(), existing);
        written.map_err(|error| self.named(path, error))
    }

    /// The path of an artifact, which must stay below the folder that the user named.
    fn below(&self, path: &Path) -> Result<PathBuf> {
        let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if path.components().all(is_plain) {
            return Ok(self.base.join(path));
        }
        Err(Error::Refused(text::leads_out(path, &self.shown)))
    }

    fn named(&self, path: &Path, error: FileError) -> Error {
        refused(FileError { path: self.shown.join(path), ..error })
    }
}

/// A file that could not be read or written, as the command's error.
#[allow(clippy::needless_pass_by_value, reason = "it is given to map_err")]
pub(super) fn refused(error: FileError) -> Error {
    Error::Refused(error.to_string())
}

/// An absolute path without `.` and `..`, resolved lexically.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = parts.pop(),
            Component::CurDir => {}
            part => parts.push(part),
        }
    }
    parts
}

/// Whether `--out` names a file rather than a folder. A name that does not exist is a file's if it has an extension, or
/// capitals as `COMMIT_EDITMSG`.
pub(super) fn is_file(current: &Path, out: &Path) -> bool {
    let path = current.join(out);
    if path.is_dir() || out.as_os_str().to_string_lossy().ends_with('/') {
        return false;
    }
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    path.exists() || name.contains('.') || name.contains(char::is_uppercase)
}

/// The kinds of artifacts that have files of their own, each with the extensions of these.
const EXTENSIONS: [(&str, &str); 9] = [
    ("markdown", "md markdown"),
    ("typescript", "ts tsx mts cts"),
    // TypeScript contains JavaScript.
    ("javascript", "js mjs cjs jsx ts mts cts"),
    ("python", "py pyi"),
    ("rust", "rs"),
    ("sql", "sql"),
    // YAML contains JSON.
    ("json", "json yaml yml"),
    ("yaml", "yaml yml"),
    ("gherkin", "feature"),
];

/// Fits an artifact to the name of its file: in Markdown a diagram is a block of code. A file of another kind is refused.
fn fit(artifact: &mut Artifact, out: &Path) -> Result<()> {
    let extension = out.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let has_extension = |(_, names): &&(&str, &str)| lists(names, &extension);
    let kinds: Vec<&str> = EXTENSIONS.iter().filter(has_extension).map(|(kind, _)| *kind).collect();
    if artifact.kind == "mermaid" && kinds == ["markdown"] {
        artifact.text = fenced("mermaid", &artifact.text) + "\n";
        return Ok(());
    }
    let has_files =
        artifact.kind == "mermaid" || EXTENSIONS.iter().any(|(kind, _)| *kind == artifact.kind);
    if has_files && !kinds.is_empty() && !kinds.contains(&artifact.kind) {
        return Err(Error::Refused(text::other_kind(out, artifact)));
    }
    Ok(())
}

/// Writes the artifacts of a skill to a file, or to a folder.
pub(super) fn write_all(
    invocation: &Invocation,
    mut answer: CommandOutput,
    artifacts: &[Artifact],
    destination: &Destination<'_>,
) -> Result<CommandOutput> {
    let out = destination.out;
    let file = out.file_name().filter(|_| is_file(&invocation.current, out));
    if file.is_some() && artifacts.len() > 1 {
        return Err(Error::Refused(text::several_files(out, artifacts)));
    }
    let parent = out.parent().unwrap_or(Path::new(""));
    let target = Target::open(invocation, if file.is_some() { parent } else { out })?;
    let mut artifacts = artifacts.to_vec();
    if let (Some(_), [artifact]) = (file, artifacts.as_mut_slice()) {
        fit(artifact, out)?;
    }
    let place = |artifact: &Artifact| {
        let path = file.map_or_else(|| PathBuf::from(&artifact.path), PathBuf::from);
        let existing = match artifact.replaces {
            _ if destination.force => Existing::Forced,
            Some(subject) => Existing::Replaced(subject),
            None => Existing::Kept,
        };
        (path, existing)
    };
    for artifact in &artifacts {
        let (path, existing) = place(artifact);
        target.check(&path, existing)?;
    }
    for artifact in &artifacts {
        let (path, existing) = place(artifact);
        target.write(&path, &artifact.text, existing)?;
        answer.result.push_str(&text::wrote(&target.shown.join(path)));
    }
    Ok(answer)
}
