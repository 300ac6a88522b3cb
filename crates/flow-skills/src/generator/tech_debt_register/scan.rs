//! Finds comments that begin with TODO, FIXME, HACK or XXX in the text files below some paths.

use std::path::Path;

use super::place::{self, LARGEST};
use crate::input::values::Line;
use crate::output::{Result, bad_text};
use crate::project_state::Context;
use crate::project_state::say::counted;
use crate::runtime::files::{Folder, Kind, Problem};
use crate::runtime::git;
use crate::text::line;

/// Largest number of files that are read.
const MOST_FILES: usize = 5_000;
/// Largest number of given paths.
const MOST_PATHS: usize = 100;
/// Deepest nesting of folders.
const DEEPEST: usize = 64;
/// Longest comment text that is shown, in characters.
const SHOWN: usize = 120;
/// Folders that are always skipped.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// The beginnings of comments.
const SIGNS: [&str; 8] = ["<!--", "//", "/*", "--", "#", "*", ";", "%"];
/// The marks that are searched for.
const MARKS: [&str; 4] = ["FIXME", "HACK", "TODO", "XXX"];

#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Whether any path was given.
    pub(super) is_asked: bool,
    /// Number of files that were read.
    pub(super) files: usize,
    pub(super) comments: Vec<Comment>,
    pub(super) notes: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Comment {
    pub(super) place: String,
    pub(super) mark: &'static str,
    pub(super) text: String,
}

impl Scan {
    /// Scans the paths of the field `scan`.
    pub(super) fn read(paths: &[Line], context: &Context, folder: &Folder) -> Result<Self> {
        if paths.len() > MOST_PATHS {
            let count = paths.len().to_string();
            return Err(bad_text("scan", &count, &format!("at most {MOST_PATHS} paths")));
        }
        let mut scan = Self { is_asked: !paths.is_empty(), ..Self::default() };
        let mut files = Vec::new();
        for (at, path) in paths.iter().enumerate() {
            place::inside(folder, path)
                .map_err(|why| bad_text(&format!("scan[{at}]"), path, why))?;
            scan.list(context, folder, path, &mut files);
        }
        files.sort_unstable();
        files.dedup();
        if files.len() > MOST_FILES {
            scan.notes.push(format!(
                "There are more than {MOST_FILES} files to scan; only the first {MOST_FILES} by name were read."
            ));
            files.truncate(MOST_FILES);
        }
        scan.all(folder, &files);
        Ok(scan)
    }

    /// Lists the files at or below a path, as git sees them, else as they are on disk.
    fn list(&mut self, context: &Context, folder: &Folder, path: &str, files: &mut Vec<String>) {
        if let Ok(known) = git::files(&context.folder, path) {
            files.extend(known.into_iter().filter(|file| !is_skipped(file)));
            return;
        }
        let note = "Git could not say which files it ignores, so none were left out for that.";
        if !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
        }
        let start = path.trim_start_matches("./").trim_end_matches('/');
        list_below(folder, if start == "." { "" } else { start }, files);
    }

    fn all(&mut self, folder: &Folder, files: &[String]) {
        let (mut large, mut strange) = (0, 0);
        for file in files {
            let read = folder.read(Path::new(file), LARGEST);
            match read
                .map(|content| String::from_utf8(content.bytes))
                .map_err(|error| error.problem)
            {
                Ok(Ok(text)) if !text.contains('\0') => {
                    self.files += 1;
                    self.text(file, &text);
                }
                Err(Problem::TooLarge(_)) => large += 1,
                Ok(_) | Err(Problem::Io(_)) => strange += 1,
                // Git also lists links that it tracks.
                Err(_) => {}
            }
        }
        let left = [(large, format!("over {LARGEST} bytes")), (strange, "without text".to_owned())];
        for (count, why) in left.iter().filter(|(count, _)| *count > 0) {
            self.notes.push(format!("Not scanned: {} {why}.", counted(*count, "file", "files")));
        }
    }

    fn text(&mut self, file: &str, text: &str) {
        let comments = text.lines().enumerate().filter_map(|(at, raw)| {
            let (mark, text) = comment(raw)?;
            Some(Comment { place: format!("{file}:{}", at + 1), mark, text })
        });
        self.comments.extend(comments);
    }
}

/// The first comment with a mark, and its text after the mark.
fn comment(raw: &str) -> Option<(&'static str, String)> {
    let mut marks: Vec<(usize, &'static str)> = MARKS
        .iter()
        .flat_map(|mark| raw.match_indices(mark).map(|(at, _)| (at, *mark)))
        .filter(|(at, mark)| is_comment(&raw[..*at], &raw[at + mark.len()..]))
        .collect();
    marks.sort_unstable();
    let (at, mark) = *marks.first()?;
    let after = raw[at + mark.len()..].trim_end().trim_end_matches("*/").trim_end_matches("-->");
    let start = |text: &str| text.trim_start_matches([':', ' ', '-']).to_owned();
    // `TODO(ada): …`
    let text = match after.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((who, rest)) => format!("{} ({who})", start(rest)),
        None => start(after),
    };
    Some((mark, line(&text).chars().take(SHOWN).collect()))
}

/// Whether a mark between two texts is a word at the beginning of a comment.
fn is_comment(before: &str, after: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = before.trim_end();
    let Some(sign) = SIGNS.iter().find(|sign| before.ends_with(**sign)) else { return false };
    let code = &before[..before.len() - sign.len()];
    // An odd number of quotes: what looks like a comment is in a text.
    let is_quoted = ['"', '`'].iter().any(|quote| code.matches(*quote).count() % 2 == 1);
    !after.starts_with(is_word) && !is_quoted
}

/// Files at or below a path; one more than the limit shows that there are more.
fn list_below(folder: &Folder, start: &str, files: &mut Vec<String>) {
    if folder.kind(Path::new(start)) == Ok(Kind::File) {
        files.push(start.to_owned());
        return;
    }
    let mut waiting = vec![(start.to_owned(), 0)];
    while let Some((path, depth)) = waiting.pop() {
        let entries = folder.entries(Path::new(&path)).unwrap_or_default();
        // The last is processed first.
        for entry in entries.into_iter().rev().filter(|entry| !is_skipped(&entry.name)) {
            let below = if path.is_empty() { entry.name } else { format!("{path}/{}", entry.name) };
            if entry.kind == Kind::File {
                files.push(below);
            } else if entry.kind == Kind::Folder && depth < DEEPEST {
                waiting.push((below, depth + 1));
            }
        }
        if files.len() > MOST_FILES {
            return;
        }
    }
}

fn is_skipped(path: &str) -> bool {
    path.split('/').any(|part| SKIPPED.contains(&part))
}
