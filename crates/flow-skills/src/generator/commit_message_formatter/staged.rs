//! Derives a commit's type, scope and, for a few simple changes, its description from staged files.

use super::super::conventional::Message;
use crate::output::{Fault, Output, Result};
use crate::project_state::Context;
use crate::project_state::say::counted;
use crate::runtime::git::{self, Change, Staged};

/// Files that contain a project's version.
const MANIFESTS: [&str; 6] =
    ["Cargo.toml", "package.json", "pyproject.toml", "VERSION", "version.txt", "setup.cfg"];
/// Files that change together with a manifest.
const FOLLOWERS: [&str; 5] =
    ["Cargo.lock", "package-lock.json", "uv.lock", "poetry.lock", "CHANGELOG.md"];
/// Folder names that do not describe their content.
const PLAIN: [&str; 10] =
    ["src", "lib", "tests", "test", "crates", "packages", "apps", "docs", "it", "assets"];

/// Largest number of files that a description names.
const NAMED: usize = 3;

/// Fills in what the fields leave open.
pub(super) fn complete(
    message: &mut Message,
    context: &Context,
    output: &mut Output,
) -> Result<()> {
    let staged = git::staged(&context.folder)?;
    if staged.is_empty() {
        return Err(Fault::Refused(
            "nothing is staged and no description is given; git add the change, or write flow skill commit-message-formatter \"add a login form\""
                .to_owned(),
        ));
    }
    let version = version(&staged, context)?;
    if message.kind.is_empty() {
        let kind = if version.is_some() { Some("chore") } else { kind(&staged, context)? };
        if kind.is_none() {
            output.open.push("type: the staged files do not say it, so that it is chore (add type=fix, type=feat …)".to_owned());
        }
        kind.unwrap_or("chore").clone_into(&mut message.kind);
    }
    if message.scope.is_none() && version.is_none() {
        message.scope = scope(&staged);
    }
    if message.description.is_empty() {
        let what = version.map(|version| format!("bump the version to {version}"));
        message.description = what.or_else(|| one_file(&staged)).unwrap_or_else(|| {
            output
                .open
                .push("description: names the files alone (add description=\"…\")".to_owned());
            format!("update {}", files(&staged))
        });
    }
    Ok(())
}

/// The names of the files, or their number.
fn files(staged: &[Staged]) -> String {
    let names: Vec<&str> = staged.iter().map(|file| name(&file.path)).collect();
    let is_plain = |name: &&str| !name.contains(char::is_control);
    match names.as_slice() {
        names if names.len() > NAMED || !names.iter().all(is_plain) => {
            counted(names.len(), "file", "files")
        }
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        names => names.join(", "),
    }
}

type Test = fn(&Staged) -> bool;

/// The type that the files imply; `None` if code was modified, which may be any change.
fn kind(staged: &[Staged], context: &Context) -> Result<Option<&'static str>> {
    let kinds: [(&str, Test); 5] = [
        ("test", |file| is_test(&file.path)),
        ("docs", |file| is_document(&file.path)),
        ("ci", |file| is_pipeline(&file.path)),
        ("chore", |file| is_settings(&file.path)),
        ("refactor", |file| matches!(file.change, Change::Renamed | Change::Removed)),
    ];
    let of_all = kinds.into_iter().find(|(_, is)| staged.iter().all(is));
    Ok(if let Some((kind, _)) = of_all {
        Some(kind)
    } else if git::is_white_space(&context.folder)? {
        Some("style")
    } else if staged.iter().any(|file| file.change == Change::Added && is_code(&file.path)) {
        Some("feat")
    } else {
        None
    })
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn has_folder(path: &str, names: &[&str]) -> bool {
    folders(path).any(|part| names.contains(&part))
}

fn is_test(path: &str) -> bool {
    let stem = name(path).split('.').next().unwrap_or_default();
    has_folder(path, &["test", "tests", "__tests__", "spec"])
        || name(path).contains(".test.")
        || name(path).contains(".spec.")
        || stem.ends_with("_test")
        || stem.starts_with("test_")
}

/// Whether a file is part of the program rather than of its tests, documents or settings.
fn is_code(path: &str) -> bool {
    !is_test(path) && !is_document(path) && !is_settings(path)
}

fn is_document(path: &str) -> bool {
    let file = name(path);
    let text = [".md", ".rst", ".adoc", ".txt"].iter().any(|end| file.ends_with(end));
    text || has_folder(path, &["docs", "doc"]) || file.starts_with("LICENSE")
}

fn is_pipeline(path: &str) -> bool {
    has_folder(path, &[".github", ".ci", ".gitlab", ".circleci"]) || name(path) == ".gitlab-ci.yml"
}

fn is_settings(path: &str) -> bool {
    let file = name(path);
    let ends = [".toml", ".lock", ".yml", ".yaml", ".json", ".cfg", ".ini"];
    path.starts_with('.')
        || is_pipeline(path)
        || ends.iter().any(|end| file.ends_with(end))
        || ["Dockerfile", "Makefile", "VERSION"].contains(&file)
}

/// The deepest folder that contains all files and has a descriptive name.
fn scope(staged: &[Staged]) -> Option<String> {
    let mut common: Vec<&str> = folders(&staged.first()?.path).collect();
    for file in staged {
        let same = common.iter().zip(folders(&file.path)).take_while(|(a, b)| *a == b).count();
        common.truncate(same);
    }
    let says = |part: &&str| {
        !PLAIN.contains(part)
            && !part.is_empty()
            && part.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
    };
    let mut plain = common.iter().rev().map(|part| part.trim_start_matches('.'));
    plain.find(says).map(str::to_owned)
}

fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit_once('/').into_iter().flat_map(|(folder, _)| folder.split('/'))
}

/// The description of adding, renaming or removing one file.
fn one_file(staged: &[Staged]) -> Option<String> {
    let [file] = staged else { return None };
    let now = name(&file.path);
    if now.contains(char::is_control) {
        return None;
    }
    match (file.change, file.before.as_deref()) {
        (Change::Added, _) => Some(format!("add {now}")),
        (Change::Removed, _) => Some(format!("remove {now}")),
        (Change::Renamed, Some(before)) if name(before) == now => {
            let folder = file.path.rsplit_once('/').map_or("the root", |(folder, _)| folder);
            Some(format!("move {now} to {folder}"))
        }
        (Change::Renamed, Some(before)) => Some(format!("rename {} to {now}", name(before))),
        _ => None,
    }
}

/// The new version, if only versions of manifests changed.
fn version(staged: &[Staged], context: &Context) -> Result<Option<String>> {
    let is = |names: &[&str], file: &Staged| {
        file.change == Change::Modified && names.contains(&name(&file.path))
    };
    if !staged.iter().all(|file| is(&MANIFESTS, file) || is(&FOLLOWERS, file)) {
        return Ok(None);
    }
    let mut found: Option<String> = None;
    for file in staged.iter().filter(|file| is(&MANIFESTS, file)) {
        let lines = git::staged_lines(&context.folder, &file.path)?;
        let versions: Vec<_> = lines.iter().map(|line| version_in(line)).collect();
        match versions.as_slice() {
            [Some(before), Some(after)]
                if before != after && found.as_ref().is_none_or(|found| found == after) =>
            {
                found = Some(after.clone());
            }
            _ => return Ok(None),
        }
    }
    Ok(found)
}

/// The version in a line such as `+version = "1.2.0"`, or in a line that contains only a version.
fn version_in(line: &str) -> Option<String> {
    let line = line.get(1..)?.trim().trim_end_matches(',');
    let value = match line.split_once(['=', ':']) {
        Some((key, value)) if key.trim().trim_matches('"') == "version" => value,
        Some(_) => return None,
        None => line,
    };
    let value = value.trim().trim_matches(['"', '\'']);
    semver::Version::parse(value.trim_start_matches('v')).ok()?;
    Some(value.to_owned())
}
