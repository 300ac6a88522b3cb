//! A place in the project: a path, optionally with a line. Paths outside of the folder are refused.

use std::path::Path;

use crate::output::{Result, bad_text};
use crate::runtime::files::{Folder, Kind, Problem};

/// Largest file whose lines are counted or scanned, in bytes.
pub(super) const LARGEST: u64 = 1 << 20;

/// Whether a word is probably a place: it has a line number, begins at a root, is a path to a file, or exists. A plain
/// word such as `docs` may begin a sentence, so it counts only if marked: `docs:`.
pub(super) fn is_like(folder: &Folder, word: &str) -> bool {
    let is_marked = word.ends_with([':', '`']);
    let (path, line) = parts(bare(word));
    let file = path.rsplit_once('/').map(|(_, file)| file);
    let is_rooted = ["/", "./", "../"].iter().any(|root| path.starts_with(root));
    let may_be = is_marked || path.contains(['/', '.']);
    let is_there = || folder.kind(Path::new(path)).is_ok();
    let is_file = file.is_some_and(|file| file.contains('.'));
    !path.is_empty() && (line.is_some() || is_rooted || is_file || (may_be && is_there()))
}

/// Checks that a place exists, with its line. The result is a note on what could not be checked.
pub(super) fn check(folder: &Folder, field: &str, given: &str) -> Result<Option<String>> {
    let bad = |why: &str| bad_text(field, given, why);
    let (path, line) = parts(given);
    let kind = inside(folder, path).map_err(bad)?;
    let Some(line) = line else { return Ok(None) };
    if kind == Kind::Folder {
        return Err(bad("a line of a file; this is a folder"));
    }
    let bytes = match folder.read(Path::new(path), LARGEST) {
        Ok(content) => content.bytes,
        Err(error) if matches!(error.problem, Problem::TooLarge(_)) => {
            let why = format!("the file is over {LARGEST} bytes");
            return Ok(Some(format!("The line of {given} was not looked up: {why}.")));
        }
        Err(_) => return Err(bad("a file that can be read")),
    };
    let lines = bytes.split(|byte| *byte == b'\n').count() - usize::from(bytes.ends_with(b"\n"));
    let is_there = line.parse().is_ok_and(|line: usize| (1..=lines).contains(&line));
    is_there.then_some(None).ok_or_else(|| bad(&format!("a line from 1 to {lines}")))
}

/// Whether a path is a file or a folder in the project; else the requirement for the error.
pub(super) fn inside(folder: &Folder, path: &str) -> Result<Kind, &'static str> {
    if path.is_empty() {
        return Err("a path in the project");
    }
    match folder.kind(Path::new(path)) {
        Ok(Kind::Other) => Err("a file or a folder; links are not followed"),
        Ok(kind) => Ok(kind),
        Err(error) => Err(match error.problem {
            Problem::Outside => "a path in the project: not absolute, and without .. out of it",
            Problem::Missing => "an existing path",
            Problem::Link => "a path without links; links are not followed",
            _ => "a path that can be read",
        }),
    }
}

/// A place without surrounding marks.
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
