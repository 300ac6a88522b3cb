//! A project's own skills on disk: the templates in `.claude/skills/`, and the registry that says which may run.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::super::Here;
use super::super::answer::{Answer, Exit};
use super::super::args::{SkillCall, Which};
use super::find::Skill;
use super::text;
use super::write::write;
use crate::error::{Error, Result};
use crate::skill::output::Fault;
use crate::skill::runtime::custom::{self, Custom, LARGEST_TEMPLATE};
use crate::skill::runtime::registry::{LARGEST_REGISTRY, Registered, Registry, fingerprint};
use crate::skill::runtime::{catalog, manifest};

/// Where a project's own skills lie.
const FOLDER: &str = ".claude/skills";
/// Most entries of that folder that are looked at.
const MOST: usize = 1000;

/// A template in the folder.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) path: PathBuf,
    ending: String,
    text: String,
}

/// What lies in the folder.
#[derive(Default)]
pub(super) struct Folder {
    pub(super) templates: Vec<Found>,
    /// Folders and files that are not flow's.
    pub(super) foreign: Vec<String>,
}

/// Looks through the folder.
pub(super) fn folder(here: &Here) -> Result<Folder> {
    let mut found = Folder::default();
    let folder = here.root()?.join(FOLDER);
    let Ok(entries) = fs::read_dir(&folder) else { return Ok(found) };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).take(MOST).collect();
    paths.sort();
    for path in paths {
        match template(&path)? {
            Some(template) => found.templates.push(template),
            None => found.foreign.push(file_name(&path)),
        }
    }
    Ok(found)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The template of a path: a `<name>.<ext>.tera` file, or a folder whose SKILL.md names one.
fn template(path: &Path) -> Result<Option<Found>> {
    let file = file_name(path);
    let (name, path) = if path.is_dir() {
        let Ok(page) = read(&path.join("SKILL.md"), LARGEST_TEMPLATE as u64) else {
            return Ok(None);
        };
        let Ok(manifest) = manifest::read(&page) else { return Ok(None) };
        let Some(template) = manifest.metadata.get("flow-template") else { return Ok(None) };
        // A folder that `flow skill install` has laid there is a built-in one.
        if catalog::file(&manifest.name, "SKILL.md") == Some(page.as_str()) {
            return Ok(None);
        }
        (manifest.name, path.join(template))
    } else {
        let Some((name, _)) = custom::names(&file) else { return Ok(None) };
        (name.to_owned(), path.to_path_buf())
    };
    let ending = custom::names(&file_name(&path)).map_or("txt", |(_, ending)| ending).to_owned();
    let text =
        read(&path, LARGEST_TEMPLATE as u64).map_err(|error| Error::path("read", &path, error))?;
    Ok(Some(Found { name, path, ending, text }))
}

/// A small text file. A link is not followed: it may lead out of the project.
fn read(path: &Path, most: u64) -> std::io::Result<String> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(std::io::Error::new(
            ErrorKind::InvalidInput,
            "it is a link, which is not followed",
        ));
    }
    let mut text = String::new();
    File::open(path)?.take(most + 1).read_to_string(&mut text)?;
    Ok(text)
}

pub(super) fn registry(here: &Here) -> Result<Registry> {
    let path = here.root()?.join(".flow/skills.json");
    match read(&path, LARGEST_REGISTRY) {
        Ok(text) => Registry::read(&text).map_err(|fault| super::usage(&fault)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Registry::default()),
        Err(error) => Err(Error::path("read", &path, error)),
    }
}

/// The registered skill of a name; an error where it is there and may not run.
pub(super) fn find(here: &Here, name: &str) -> Result<Option<Skill>> {
    let Some(found) = folder(here)?.templates.into_iter().find(|found| found.name == name) else {
        return Ok(None);
    };
    let registry = registry(here)?;
    if !registry.allows(name, &found.text) {
        let was_known = registry.skills.contains_key(name);
        return Err(Error::Refused(text::not_registered(name, &found.path, was_known)));
    }
    own(found).map(Some)
}

/// A template that its author names by path; it need not be registered.
pub(super) fn explicit(name: &str, path: &Path) -> Result<Skill> {
    let text =
        read(path, LARGEST_TEMPLATE as u64).map_err(|error| Error::path("read", path, error))?;
    let ending = custom::names(&file_name(path)).map_or("txt", |(_, ending)| ending).to_owned();
    own(Found { name: name.to_owned(), path: path.to_path_buf(), ending, text })
}

fn own(found: Found) -> Result<Skill> {
    let custom: Custom = custom::read(&found.text).map_err(|fault| named(&found.path, &fault))?;
    Ok(Skill::Own { name: found.name, ending: found.ending, custom: Box::new(custom) })
}

fn named(path: &Path, fault: &Fault) -> Error {
    Error::Usage(format!("{}: {fault}", path.display()))
}

/// `flow skill add PATH`, or `add --all --yes`.
pub(super) fn add(here: &Here, call: &SkillCall, words: &[String]) -> Result<Answer> {
    let chosen = match (call.which, words) {
        (Which::All, _) => folder(here)?.templates,
        (Which::Unconfirmed, _) => return Err(Error::Usage(text::needs_yes().to_owned())),
        (Which::Named, []) => return Err(Error::Usage(text::name_missing("add"))),
        (Which::Named, paths) => paths.iter().map(|path| at(here, path)).collect::<Result<_>>()?,
    };
    let mut registry = registry(here)?;
    let mut result = String::new();
    for found in &chosen {
        result.push_str(&register(here, &mut registry, found)?);
    }
    let root = here.root()?;
    write(&root.join(".flow/skills.json"), &registry.text())?;
    let names: Vec<&str> = chosen.iter().map(|found| found.name.as_str()).collect();
    Ok(Answer { facts: json!({"added": names}), ..Answer::shown(result) })
}

fn at(here: &Here, word: &str) -> Result<Found> {
    let path = here.current.join(word);
    let inside = path.canonicalize().map_err(|error| Error::path("read", &path, error))?;
    if !inside.starts_with(here.root()?.join(FOLDER)) {
        return Err(Error::Usage(format!(
            "{} does not lie in the project's {FOLDER}",
            path.display()
        )));
    }
    template(&inside)?.ok_or_else(|| Error::Usage(text::no_template(&path)))
}

fn register(here: &Here, registry: &mut Registry, found: &Found) -> Result<String> {
    if catalog::names().any(|name| name == found.name) {
        return Err(Error::Usage(text::name_is_taken(&found.name, &found.path)));
    }
    let custom = custom::read(&found.text).map_err(|fault| named(&found.path, &fault))?;
    let root = here.root()?;
    let path = found.path.strip_prefix(&root).unwrap_or(&found.path).display().to_string();
    registry.skills.insert(found.name.clone(), Registered { path, hash: fingerprint(&found.text) });
    Ok(text::added(&found.name, &custom.schema))
}

/// `flow skill remove NAME`: it may no longer run; its template stays.
pub(super) fn remove(here: &Here, name: &str) -> Result<Answer> {
    let mut registry = registry(here)?;
    if registry.skills.remove(name).is_none() {
        let known = registry.skills.keys().map(String::as_str);
        return Err(Error::Usage(text::not_to_remove(name, &known.collect::<Vec<_>>())));
    }
    write(&here.root()?.join(".flow/skills.json"), &registry.text())?;
    Ok(Answer {
        exit: Exit::Fine,
        facts: json!({"removed": name}),
        ..Answer::shown(format!("removed {name}\n"))
    })
}
