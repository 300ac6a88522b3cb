//! Writes artifacts: each whole or not at all, and none over a file that is in the way.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::super::answer::Answer;
use super::super::args::Existing;
use super::text;
use crate::error::{Error, Result};
use crate::skill::output::Artifact;

/// Skills whose artifact takes the place of the file that it was made from.
const IN_PLACE: [&str; 2] = ["adr-template", "changelog-entry"];

/// Writes the artifacts of a skill to a file, or under a folder.
pub(super) fn write_all(
    mut answer: Answer,
    skill: &str,
    (artifacts, out): (&[Artifact], &Path),
    existing: Existing,
) -> Result<Answer> {
    let is_file =
        artifacts.len() == 1 && !out.is_dir() && !out.as_os_str().to_string_lossy().ends_with('/');
    let target =
        |artifact: &Artifact| if is_file { out.to_path_buf() } else { out.join(&artifact.path) };
    let targets: Vec<PathBuf> = artifacts.iter().map(target).collect();
    let may_replace = existing == Existing::Replaced || IN_PLACE.contains(&skill);
    if let Some(taken) = targets.iter().find(|target| !may_replace && is_there(target)) {
        return Err(Error::Refused(text::exists(taken)));
    }
    for (artifact, target) in artifacts.iter().zip(&targets) {
        write(target, &artifact.text)?;
        answer.result.push_str(&text::wrote(target));
    }
    Ok(answer)
}

/// Whether anything has this name, be it a link that leads nowhere.
fn is_there(target: &Path) -> bool {
    target.symlink_metadata().is_ok()
}

/// Writes a file whole or not at all.
pub(super) fn write(target: &Path, text: &str) -> Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder)
            .map_err(|error| Error::path("make the folder", folder, error))?;
    }
    let mut name = target.as_os_str().to_owned();
    name.push(".flow-new");
    let aside = PathBuf::from(name);
    let fresh = || match OpenOptions::new().write(true).create_new(true).open(&aside) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(&aside)?;
            OpenOptions::new().write(true).create_new(true).open(&aside)
        }
        opened => opened,
    };
    fresh()
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&aside, target))
        .map_err(|error| {
            // Half of a file is of no use to anybody; where it cannot be removed either, the first error says more.
            let _ = fs::remove_file(&aside);
            Error::path("write", target, error)
        })
}
