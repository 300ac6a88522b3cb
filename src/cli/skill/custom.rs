//! A project's custom skills on disk: the templates in `.claude/skills/`, and the user's trust in them.

use std::path::{Component, Path, PathBuf};

use serde_json::json;

use super::super::command_output::CommandOutput;
use super::super::invocation::Invocation;
use super::runnable::Skill;
use super::text;
use super::write::refused;
use crate::error::{Error, Result};
use crate::skill::output::Fault;
use crate::skill::runtime::custom::{self, Custom, LARGEST_TEMPLATE};
use crate::skill::runtime::files::{self, FileError, Folder, Kind, Problem};
use crate::skill::runtime::registry::{self, Registry, Trust};
use crate::skill::runtime::{catalog, manifest, sandbox};

/// The folder of a project's custom skills.
pub(super) const FOLDER: &str = ".claude/skills";
/// Largest number of entries of that folder that are read.
const ENTRIES_LIMIT: usize = 1000;

/// A template in the folder.
pub(super) struct Found {
    pub(super) name: String,
    /// Relative to the project's root.
    pub(super) path: PathBuf,
    /// Its text, or why it cannot be read.
    pub(super) text: files::Result<String>,
}

/// The content of the folder.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) templates: Vec<Found>,
    /// Folders and files that are not templates.
    pub(super) foreign: Vec<String>,
}

/// Opens the project's root; it, its `.flow` and its `.claude` must belong to this user.
pub(super) fn project(invocation: &Invocation) -> Result<Folder> {
    let project = Folder::open(&invocation.root()?).map_err(refused)?;
    for path in ["", ".flow", ".claude", FOLDER] {
        project.require_own(Path::new(path)).map_err(refused)?;
    }
    Ok(project)
}

/// Lists the folder.
pub(super) fn contents(invocation: &Invocation) -> Result<Contents> {
    let mut contents = Contents::default();
    let project = Folder::open(&invocation.root()?).map_err(refused)?;
    let entries = match project.entries(Path::new(FOLDER)) {
        Err(error) if error.is_missing() => return Ok(contents),
        entries => entries.map_err(refused)?,
    };
    let project = self::project(invocation)?;
    for entry in entries.into_iter().take(ENTRIES_LIMIT) {
        let path = Path::new(FOLDER).join(&entry.name);
        match template(&project, &path, entry.kind == Kind::Folder) {
            Some(template) => contents.templates.push(template),
            None if is_installed(&project, &path, &entry.name) => {}
            None => contents.foreign.push(entry.name),
        }
    }
    Ok(contents)
}

/// Whether a folder is a copy of a built-in skill, as `flow skill install` makes it.
fn is_installed(project: &Folder, path: &Path, name: &str) -> bool {
    let page = project.read_text(&path.join("SKILL.md"), LARGEST_TEMPLATE as u64);
    let manifest = page.ok().and_then(|(page, _)| manifest::read(&page));
    manifest.is_some_and(|manifest| is_copy(name, &manifest.name))
}

/// Whether a folder and the skill in it have the name of a built-in skill: an installed copy, which may have been edited.
fn is_copy(folder: &str, name: &str) -> bool {
    folder == name && catalog::names().any(|known| known == name)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The template at a path: a `<name>.<ext>.tera` file, or a folder whose SKILL.md names one.
pub(super) fn template(project: &Folder, path: &Path, is_folder: bool) -> Option<Found> {
    let limit = LARGEST_TEMPLATE as u64;
    let read = |path: &Path| project.read_text(path, limit).map(|(text, _)| text);
    if !is_folder {
        let file = file_name(path);
        let (name, _) = custom::names(&file)?;
        return Some(Found { name: name.to_owned(), text: read(path), path: path.to_owned() });
    }
    let page = read(&path.join("SKILL.md")).ok()?;
    let manifest = manifest::read(&page)?;
    let named = Path::new(manifest.metadata.get("flow-template")?);
    // A folder that `flow skill install` has created is a built-in skill.
    if is_copy(&file_name(path), &manifest.name) {
        return None;
    }
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    let text = if named.components().all(is_plain) {
        read(&path.join(named))
    } else {
        Err(FileError { path: named.to_owned(), problem: Problem::Outside })
    };
    Some(Found { name: manifest.name, path: path.join(named), text })
}

/// This user's state folder of flow.
pub(super) fn state_folder(invocation: &Invocation) -> Result<PathBuf> {
    let state_home = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    registry::state_folder(state_home, invocation.home.as_deref()).map_err(|fault| failed(&fault))
}

pub(super) fn failed(fault: &Fault) -> Error {
    Error::Refused(fault.to_string())
}

pub(super) fn stored(invocation: &Invocation) -> Result<Registry> {
    Registry::load(&state_folder(invocation)?).map_err(|fault| failed(&fault))
}

/// The trust in each of a project's templates.
pub(super) fn trust(invocation: &Invocation, templates: &[Found]) -> Result<Vec<Trust>> {
    if templates.is_empty() {
        return Ok(Vec::new());
    }
    let (stored, root) = (stored(invocation)?, invocation.root()?);
    let trust = |found: &Found| match &found.text {
        Ok(text) => stored.trust(&root, &found.path, text),
        Err(_) => Trust::Unknown,
    };
    Ok(templates.iter().map(trust).collect())
}

/// The trusted skill with this name; an error if it exists and must not run.
pub(super) fn find(invocation: &Invocation, name: &str) -> Result<Option<Skill>> {
    let templates = contents(invocation)?.templates;
    let Some(found) = templates.into_iter().find(|found| found.name == name) else {
        return Ok(None);
    };
    let text = found.text.clone().map_err(refused)?;
    let path = invocation.root()?.join(&found.path);
    match stored(invocation)?.trust(&invocation.root()?, &found.path, &text) {
        Trust::Trusted => skill(&found.name, &found.path, &text).map(Some),
        trust => Err(Error::Refused(text::not_trusted(name, &path, trust))),
    }
}

/// The name of a template file: `note` for `note.md`.
pub(super) fn name_of(path: &Path) -> String {
    file_name(path).split('.').next().unwrap_or_default().to_owned()
}

/// A template that the user named by its path; it need not be trusted.
pub(super) fn explicit(name: &str, path: &Path) -> Result<Skill> {
    let content = files::read_named(path, LARGEST_TEMPLATE as u64);
    let (text, _) = content
        .and_then(|content| content.text(path))
        .map_err(|error| Error::Usage(format!("the template {error}")))?;
    skill(name, path, &text)
}

fn skill(name: &str, path: &Path, text: &str) -> Result<Skill> {
    let custom = parse(path, text)?;
    let file = file_name(path);
    let ending = custom::names(&file).map_or("txt", |(_, ending)| ending).to_owned();
    Ok(Skill::Custom { name: name.to_owned(), ending, custom: Box::new(custom) })
}

pub(super) fn parse(path: &Path, text: &str) -> Result<Custom> {
    custom::read(text, sandbox::placeholders)
        .map_err(|fault| Error::Usage(format!("{}: {fault}", path.display())))
}

/// `flow skill remove NAME`: removes the trust; the template is kept.
pub(super) fn remove(invocation: &Invocation, name: &str) -> Result<CommandOutput> {
    let (mut stored, root) = (stored(invocation)?, invocation.root()?);
    if !stored.remove(&root, name) {
        return Err(Error::Usage(text::not_to_remove(name, &stored.names(&root))));
    }
    stored.save(&state_folder(invocation)?).map_err(|fault| failed(&fault))?;
    Ok(CommandOutput {
        facts: json!({"removed": name}),
        ..CommandOutput::shown(format!("removed {name}\n"))
    })
}
