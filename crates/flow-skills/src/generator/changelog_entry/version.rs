//! The version of a section: given, or the one that the changes require.

use schemars::JsonSchema;
use semver::Version;
use serde::Deserialize;

use super::super::changes::{Bump, Entry, Group};
use super::Input;
use super::file::File;
use crate::input::values::Word;
use crate::output::{Result, bad_text};
use crate::project_state::Context;
use crate::runtime::git;

/// The release that changes require; its version if an earlier one is known.
pub(super) type Proposal = (Bump, Option<Version>);

/// The requested version of the section.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub(super) enum Wanted {
    Unreleased,
    Next,
    Stated(Version),
}

impl Wanted {
    pub(super) const fn stated(&self) -> Option<&Version> {
        match self {
            Self::Stated(version) => Some(version),
            Self::Unreleased | Self::Next => None,
        }
    }

    pub(super) const fn is_release(&self) -> bool {
        !matches!(self, Self::Unreleased)
    }
}

impl TryFrom<String> for Wanted {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let text = text.trim();
        match text.to_lowercase().as_str() {
            "next" => Ok(Self::Next),
            "unreleased" => Ok(Self::Unreleased),
            _ => Version::parse(text.strip_prefix('v').unwrap_or(text))
                .map(Self::Stated)
                .map_err(|_| "a semantic version such as 1.4.0, or \"next\""),
        }
    }
}

/// The newest version: of the file, or of the tags if commits are read.
pub(super) fn latest(
    file: Option<&File>,
    input: &Input,
    context: &Context,
) -> Result<Option<Version>> {
    let latest = file.and_then(File::latest);
    if latest.is_some() || input.range.is_none() {
        return Ok(latest);
    }
    Ok(git::versions(&context.folder)?.pop().map(|(version, _)| version))
}

/// The range of the commits since the newest version's tag, if there is one.
pub(super) fn since_last(context: &Context) -> Option<Word> {
    let (_, tag) = git::versions(&context.folder).ok()?.pop()?;
    Word::new(&format!("{tag}..HEAD")).ok()
}

/// The part of the version that increases, and the new version.
pub(super) fn proposal(latest: Option<&Version>, entries: &[Entry]) -> Option<Proposal> {
    let asks_for = |entry: &Entry| match entry.group {
        _ if entry.breaking => Bump::Major,
        Group::Removed => Bump::Major,
        Group::Added | Group::Changed | Group::Deprecated => Bump::Minor,
        Group::Fixed | Group::Security => Bump::Patch,
    };
    let bump = entries.iter().map(asks_for).max()?;
    // Before 1.0.0 a minor version may break, and a patch may add.
    let next = latest.map(|last| match (bump, last.major) {
        (Bump::Major, 1..) => Version::new(last.major + 1, 0, 0),
        (Bump::Major, 0) | (Bump::Minor, 1..) => Version::new(last.major, last.minor + 1, 0),
        _ if !last.pre.is_empty() => Version::new(last.major, last.minor, last.patch),
        _ => Version::new(last.major, last.minor, last.patch + 1),
    });
    Some((bump, next))
}

/// The version of the section; `None` for unreleased changes.
pub(super) fn version(
    input: &Input,
    proposed: Option<&Proposal>,
    notes: &mut Vec<String>,
) -> Result<Option<Version>> {
    match (&input.version, proposed) {
        (None, Some((bump, Some(version)))) => {
            notes.push(format!(
                "these changes ask for the {bump} release {version}; version=next enters it"
            ));
            Ok(None)
        }
        (None | Some(Wanted::Unreleased), _) => Ok(None),
        (Some(Wanted::Next), Some((_, Some(version)))) | (Some(Wanted::Stated(version)), _) => {
            Ok(Some(version.clone()))
        }
        (Some(Wanted::Next), _) => {
            let allowed = "a version such as 1.4.0, because no earlier one is known";
            Err(bad_text("version", "next", allowed))
        }
    }
}

/// Adds a note if the version is lower than the changes require.
pub(super) fn warn(
    version: Option<&Version>,
    latest: Option<&Version>,
    proposed: Option<&Proposal>,
    notes: &mut Vec<String>,
) {
    let (Some(version), Some(latest), Some((bump, Some(next)))) = (version, latest, proposed)
    else {
        return;
    };
    if version > latest && version < next {
        notes.push(format!(
            "{version} is less than {next}, the {bump} release that the changes ask for"
        ));
    }
}
