//! A place in the project: a path with a line or without. Nothing outside of the folder is ever looked at.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::fields;
use crate::output::{Fault, Result};

/// Largest file whose lines are counted or scanned, in bytes.
pub(super) const LARGEST: u64 = 1 << 20;

/// A place that is there.
#[derive(Debug)]
pub(super) struct Place {
    /// The path under the folder, and its line.
    pub(super) shown: String,
    /// What could not be checked.
    pub(super) note: Option<String>,
}

/// Whether a word is meant for a place: it names a line, leads up or down from a root, is a path to a file, or is there.
/// A bare word such as `docs` may begin a sentence, so it counts only where it is marked: `docs:`.
pub(super) fn is_like(folder: &Path, word: &str) -> bool {
    let is_marked = word.ends_with([':', '`']);
    let (path, line) = parts(bare(word));
    let file = path.rsplit_once('/').map(|(_, file)| file);
    let is_rooted = ["/", "./", "../"].iter().any(|root| path.starts_with(root));
    let may_be = is_marked || path.contains(['/', '.']);
    let is_there = || folder.join(path).exists();
    let is_file = file.is_some_and(|file| file.contains('.'));
    !path.is_empty() && (line.is_some() || is_rooted || is_file || (may_be && is_there()))
}

/// Checks that a place is there.
///
/// # Errors
/// When it is outside of the folder, not there, neither file nor folder, or has no such line.
pub(super) fn check(folder: &Path, field: &str, given: &str) -> Result<Place> {
    let bad = |why: &str| fields::bad_text(field, given, why);
    let (path, line) = parts(given);
    let found = inside(folder, path).map_err(bad)?;
    let about = fs::metadata(&found).map_err(|_| bad("a path that can be read"))?;
    let mut place = Place { shown: given.to_owned(), note: None };
    let Some(line) = line else { return Ok(place) };
    if !about.is_file() {
        return Err(bad("a line of a file; this is a folder"));
    }
    if about.len() > LARGEST {
        place.note = Some(format!(
            "The line of {given} was not looked up: the file is over {LARGEST} bytes."
        ));
        return Ok(place);
    }
    let bytes = fs::read(&found).map_err(|_| bad("a file that can be read"))?;
    let lines = bytes.split(|byte| *byte == b'\n').count() - usize::from(bytes.ends_with(b"\n"));
    let is_there = line.parse().is_ok_and(|line: usize| (1..=lines).contains(&line));
    is_there.then_some(place).ok_or_else(|| bad(&format!("a line from 1 to {lines}")))
}

/// Where a path leads, links resolved; else what it should have been.
pub(super) fn inside(folder: &Path, path: &str) -> Result<PathBuf, &'static str> {
    const WITHIN: &str = "a path under the folder, without .. and not absolute";
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || path.contains('\0') || !Path::new(path).components().all(is_plain) {
        return Err(WITHIN);
    }
    let root = folder.canonicalize().map_err(|_| "a path under a folder that is there")?;
    let found = root.join(path).canonicalize().map_err(|_| "a path that is there")?;
    if !found.starts_with(&root) {
        return Err("a path under the folder; this one leads out of it through a link");
    }
    let about = fs::metadata(&found).map_err(|_| "a path that can be read")?;
    if about.is_file() || about.is_dir() { Ok(found) } else { Err("a file or a folder") }
}

/// A path that is there and that no link is on the way to.
pub(super) fn unlinked(folder: &Path, path: &str) -> Option<PathBuf> {
    let found = inside(folder, path).ok()?;
    (found == folder.canonicalize().ok()?.join(path)).then_some(found)
}

/// [`inside`] for a path that is to be scanned.
pub(super) fn scanned(folder: &Path, field: &str, path: &str) -> Result<PathBuf, Fault> {
    inside(folder, path).map_err(|why| fields::bad_text(field, path, why))
}

/// A place without what marks it in a sentence.
pub(super) fn bare(word: &str) -> &str {
    word.trim_end_matches(':').trim_matches('`').trim_end_matches(':')
}

/// A path, and the line after its last colon.
fn parts(given: &str) -> (&str, Option<&str>) {
    let is_number =
        |line: &&str| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    match given.rsplit_once(':') {
        Some((path, line)) if is_number(&line) => (path, Some(line)),
        _ => (given, None),
    }
}
