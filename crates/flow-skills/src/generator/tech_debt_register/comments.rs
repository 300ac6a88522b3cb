//! The marks such as TODO in the comments of files.

use std::path::Path;

use super::place::inside;
use crate::input::values::Line;
use crate::output::{Result, bad_text};
use crate::project_state::Context;
use crate::project_state::say::counted;
use crate::runtime::files::{Folder, Kind, Problem};
use crate::runtime::git;
use crate::text::line;

const MOST_FILES: usize = 5_000;
/// Largest file that is scanned, in bytes.
const LARGEST: u64 = 1 << 20;
/// Longest comment text that is shown, in characters.
const SHOWN: usize = 120;
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// The beginnings of comments.
const SIGNS: [&str; 8] = ["<!--", "//", "/*", "--", "#", "*", ";", "%"];
/// The marks that are searched for.
const MARKS: [&str; 4] = ["FIXME", "HACK", "TODO", "XXX"];

#[derive(Debug, Default)]
pub(super) struct Scan {
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
        let mut scan = Self::default();
        let mut files = Vec::new();
        let is_outside = !paths.is_empty() && git::is_missing(&context.folder);
        if is_outside {
            let note = "Outside of a git repository hidden files are left out, and those that it would ignore are scanned.";
            scan.notes.push(note.to_owned());
        }
        for (at, path) in paths.iter().enumerate() {
            inside(folder, &format!("scan[{at}]"), path)?;
            if is_outside {
                files.extend(below(path, folder)?);
            } else {
                files.extend(git::files(&context.folder, path)?);
            }
        }
        files.retain(|file| !file.split('/').any(|part| SKIPPED.contains(&part)));
        files.sort_unstable();
        files.dedup();
        if files.len() > MOST_FILES {
            scan.notes.push(format!(
                "There are more than {MOST_FILES} files to scan; only the first {MOST_FILES} by name were read."
            ));
            files.truncate(MOST_FILES);
        }
        let mut left = 0;
        for file in &files {
            match folder.read_text(Path::new(file), LARGEST) {
                Ok((text, _)) if !text.contains('\0') => {
                    scan.files += 1;
                    scan.comments.extend(comments(file, &text));
                }
                // Git also lists links that it tracks.
                Err(error) if matches!(error.problem, Problem::Link | Problem::Missing) => {}
                _ => left += 1,
            }
        }
        if left > 0 {
            let files = counted(left, "file", "files");
            scan.notes.push(format!("Not scanned: {files} over {LARGEST} bytes or without text."));
        }
        Ok(scan)
    }
}

/// The files at and below a path, without hidden ones; what is there is limited, folders included.
fn below(root: &str, folder: &Folder) -> Result<Vec<String>> {
    let mut open = vec![root.trim_end_matches('/').to_owned()];
    let (mut files, mut seen) = (Vec::new(), 0);
    while let Some(path) = open.pop() {
        seen += 1;
        if seen + open.len() > MOST_FILES {
            let allowed = format!(
                "a path with at most {MOST_FILES} files and folders outside of a git repository"
            );
            return Err(bad_text("scan", root, &allowed));
        }
        match folder.kind(Path::new(&path))? {
            Kind::File => files.push(path.trim_start_matches("./").to_owned()),
            Kind::Folder => {
                let entries = folder.entries(Path::new(&path))?.into_iter();
                let entries = entries.filter(|entry| !entry.name.starts_with('.'));
                let entries = entries.filter(|entry| !SKIPPED.contains(&entry.name.as_str()));
                open.extend(entries.map(|entry| format!("{path}/{}", entry.name)));
            }
            Kind::Other => {}
        }
    }
    Ok(files)
}

fn comments(file: &str, text: &str) -> Vec<Comment> {
    let comments = text.lines().enumerate().filter_map(|(at, raw)| {
        let (mark, text) = comment(raw)?;
        Some(Comment { place: format!("{file}:{}", at + 1), mark, text })
    });
    comments.collect()
}

/// The first comment with a mark, and its text after the mark.
fn comment(raw: &str) -> Option<(&'static str, String)> {
    let marks = MARKS.iter().flat_map(|mark| {
        raw.match_indices(mark).map(|(at, _)| (at, *mark, &raw[at + mark.len()..]))
    });
    let (_, mark, after) = marks
        .filter(|(at, _, after)| is_comment(&raw[..*at], after))
        .min_by_key(|found| found.0)?;
    let after = after.trim_end().trim_end_matches("*/").trim_end_matches("-->");
    let text = line(after.trim_start_matches([':', ' ', '-']));
    let is_cut = text.chars().nth(SHOWN).is_some();
    let shown = text.chars().take(SHOWN);
    Some((mark, shown.chain(is_cut.then_some('…')).collect()))
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
