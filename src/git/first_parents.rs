//! The commits of a branch along their first parents, each with the files that it changed.

use std::path::Path;

use super::revision::{Revision, TreeFile, below, is_file, path_below};
use crate::skill::output::Result;
use crate::skill::runtime::git::{Exchange, exchange};

/// Largest list of commits with their files, in bytes.
const MOST_OUTPUT: u64 = 128 << 20;
/// What the line of a commit begins with.
const COMMIT: char = '\u{1}';

/// A commit, and what it changed against its first parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// The commit.
    pub(crate) revision: Revision,
    /// The id of its first parent.
    pub(crate) parent: Option<String>,
    /// The files that have another content.
    pub(crate) changed: Vec<Changed>,
}

/// A file that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Changed {
    /// It has this content.
    Written(TreeFile),
    /// There is no regular file at this path.
    Gone(String),
}

impl Changed {
    /// The path.
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Written(file) => &file.path,
            Self::Gone(path) => path,
        }
    }

    /// The file, if there is one.
    pub(crate) fn written(&self) -> Option<&TreeFile> {
        match self {
            Self::Written(file) => Some(file),
            Self::Gone(_) => None,
        }
    }
}

/// The newest commits that changed something at some places, newest first: `start`, its first parent, and so on. Places and
/// paths are below the folder; no place means all.
///
/// # Errors
/// When git fails, or the list is too long.
pub(crate) fn steps(folder: &Path, start: &str, most: usize, places: &[&str]) -> Result<Vec<Step>> {
    let below = below(folder)?;
    let count = format!("--max-count={most}");
    let mut arguments = vec![
        "--literal-pathspecs",
        "log",
        "--first-parent",
        // The files of a merge are those that differ from its first parent.
        "-m",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--no-mailmap",
        "--ignore-submodules=all",
        "-O/dev/null",
        "--format=%x01%H %ct %P",
        &count,
        "--end-of-options",
        start,
        "--",
    ];
    arguments.extend(places);
    let nothing = Exchange { input: Vec::new(), most: MOST_OUTPUT };
    let answer = exchange(folder, &arguments, nothing)?;
    Ok(read(&String::from_utf8_lossy(&answer), &below))
}

/// Parses `\u{1}<id> <seconds> <parents>` and pairs of `:<modes> <ids> <letter>` and a path, each ended by a zero byte.
fn read(text: &str, below: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut parts = text.split('\0');
    while let Some(part) = parts.next() {
        let part = part.trim_start_matches('\n');
        if let Some(line) = part.strip_prefix(COMMIT) {
            steps.extend(commit(line));
        } else if let (Some(facts), Some(step)) = (part.strip_prefix(':'), steps.last_mut()) {
            let path = parts.next().and_then(|path| path_below(path, below));
            step.changed.extend(path.and_then(|path| changed(facts, path)));
        }
    }
    steps
}

fn commit(line: &str) -> Option<Step> {
    let mut words = line.split(' ');
    // One that git cannot read as a number is as good as none.
    let (id, seconds) = (words.next()?.to_owned(), words.next()?.parse().unwrap_or_default());
    let parent = words.next().filter(|id| !id.is_empty()).map(str::to_owned);
    Some(Step { revision: Revision { id, seconds }, parent, changed: Vec::new() })
}

fn changed(facts: &str, path: &str) -> Option<Changed> {
    let mut words = facts.split(' ').skip(1);
    let (mode, _, blob) = (words.next()?, words.next()?, words.next()?);
    let path = path.to_owned();
    Some(if is_file(mode) {
        Changed::Written(TreeFile { path, blob: blob.to_owned() })
    } else {
        Changed::Gone(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_and_their_files_are_parsed() {
        let text = "\u{1}c3 30 c2 x\0\n:100644 000000 11 00 D\0a/b c.md\0:100644 120000 11 12 T\0a/link\0\u{1}c2 20 \0\n\
                    :000000 100644 00 11 A\0a/b c.md\0:000000 100644 00 11 A\0other.md\0";
        let steps = read(text, "a");
        let step = |id: &str, seconds, parent: Option<&str>, changed| Step {
            revision: Revision { id: id.to_owned(), seconds },
            parent: parent.map(str::to_owned),
            changed,
        };
        let gone = |path: &str| Changed::Gone(path.to_owned());
        let written = Changed::Written(TreeFile { path: "b c.md".into(), blob: "11".into() });
        assert_eq!(
            steps,
            [
                step("c3", 30, Some("c2"), vec![gone("b c.md"), gone("link")]),
                step("c2", 20, None, vec![written])
            ]
        );
    }
}
