//! Places in the project: a path below the current folder, optionally with a line, such as `src/pay.rs:40`.

use std::path::Path;

use crate::output::{Result, bad_text};
use crate::runtime::files::{self, Folder};
use crate::text::is_number;

/// Largest file whose lines are counted, in bytes.
const LARGEST: u64 = 1 << 26;

/// The place that a word probably is, without the marks around it: it has a line number, is a path to a file or from a
/// root, or exists.
pub(super) fn of_word<'w>(folder: &Folder, word: &'w str) -> Option<&'w str> {
    let place = word.trim_end_matches(':').trim_matches('`').trim_end_matches(':');
    let (path, line) = path_and_line(place);
    let is_path = path.rsplit_once('/').is_some_and(|(_, file)| file.contains('.'))
        || ["/", "./", "../"].iter().any(|root| path.starts_with(root));
    let is_there = || path.contains(['/', '.']) && folder.kind(Path::new(path)).is_ok();
    (!path.is_empty() && (line.is_some() || is_path || is_there())).then_some(place)
}

/// A path, and the line after its last colon.
fn path_and_line(given: &str) -> (&str, Option<&str>) {
    match given.rsplit_once(':') {
        Some((path, line)) if is_number(line) => (path, Some(line)),
        _ => (given, None),
    }
}

/// Checks that a place exists, with its line.
pub(super) fn check(folder: &Folder, field: &str, given: &str) -> Result<()> {
    let (path, line) = path_and_line(given);
    let bad = |why: &str| bad_text(field, given, why);
    inside(folder, field, path)?;
    let Some(line) = line else { return Ok(()) };
    let content = folder.read(Path::new(path), LARGEST);
    let bytes = content.map_err(|error| bad(&format!("a line of a file; {error}")))?.bytes;
    let lines = bytes.split(|byte| *byte == b'\n').count() - usize::from(bytes.ends_with(b"\n"));
    let is_there = line.parse().is_ok_and(|line: usize| (1..=lines).contains(&line));
    if is_there { Ok(()) } else { Err(bad(&format!("a line from 1 to {lines}"))) }
}

/// Refuses a path that is neither a file nor a folder in the project.
pub(super) fn inside(folder: &Folder, field: &str, path: &str) -> Result<()> {
    let why = match folder.kind(Path::new(path)) {
        Ok(files::Kind::Other) => "is a link or no file".to_owned(),
        Ok(_) => return Ok(()),
        Err(error) => error.problem.to_string(),
    };
    Err(bad_text(field, path, &format!("a file or a folder in the project; it {why}")))
}
