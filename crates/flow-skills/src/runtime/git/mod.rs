//! What skills ask of a git repository: the commits of a range, what is staged, the tags. Read only.
//!
//! It runs the `git` program with fixed arguments and without a shell (`process`). A revision that could be taken for
//! an option is refused first.

mod process;

use std::path::Path;

use serde_json::Value;

use process::{DIFF, run};

use crate::output::{Fault, Result};

/// Most commits that `newest` gives.
const NEWEST: usize = 1000;
/// The end of the year 2099, which every git can read.
const LAST_SECOND: i64 = 4_102_444_799;
/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its full id.
    pub id: String,
    /// Its message.
    pub message: String,
}

/// How a staged file differs from the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Change {
    Added,
    Removed,
    Renamed,
    Modified,
}

/// A staged file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// What happened to it.
    pub change: Change,
    /// Its path now, or before it was removed.
    pub path: String,
    /// Its path before it was renamed.
    pub before: Option<String>,
}

/// The commits of a range (`base..head`, or one revision and all before it), the oldest first, merges left out.
///
/// # Errors
/// When the range is no range, or git cannot tell.
pub fn commits(folder: &Path, field: &str, range: &str) -> Result<Vec<Commit>> {
    check(field, range)?;
    let text = run(
        folder,
        &[
            "log",
            "--no-mailmap",
            "--no-patch",
            "--no-merges",
            "--reverse",
            "-z",
            "--format=%H%n%B",
            "--end-of-options",
            range,
            "--",
        ],
    )?;
    Ok(read_log(&text))
}

/// The newest commits, at most 1,000, merges left out; since a time in seconds since 1970, where one is given.
///
/// # Errors
/// When git cannot tell.
pub fn newest(folder: &Path, since: Option<i64>) -> Result<Vec<Commit>> {
    let most = format!("--max-count={NEWEST}");
    // Git reads a year of five digits as something else, and a time before 1970 as none.
    let since = since.map(|since| format!("--since=@{} +0000", since.clamp(0, LAST_SECOND)));
    let mut arguments =
        vec!["log", "--no-mailmap", "--no-patch", "--no-merges", "-z", "--format=%H%n%B", &most];
    arguments.extend(since.as_deref());
    arguments.push("--");
    Ok(read_log(&run(folder, &arguments)?))
}

/// Reads the commits of a log that was written with `-z --format=%H%n%B`.
pub fn read_log(text: &str) -> Vec<Commit> {
    let commit = |entry: &str| {
        let (id, message) = entry.split_once('\n').unwrap_or((entry, ""));
        Commit { id: id.to_owned(), message: message.trim_end().to_owned() }
    };
    text.split('\0').filter(|entry| !entry.is_empty()).map(commit).collect()
}

/// What is staged, in order of the paths.
///
/// # Errors
/// When git cannot tell.
pub fn staged(folder: &Path) -> Result<Vec<Staged>> {
    Ok(read_status(&diff(folder, &["--name-status", "-z", "--find-renames", "--"])?))
}

/// Reads the files of a difference that was written with `--name-status -z`. A status whose path is missing is left out.
pub fn read_status(text: &str) -> Vec<Staged> {
    let mut fields = text.split('\0').filter(|field| !field.is_empty());
    let mut staged = Vec::new();
    while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
        let path = path.to_owned();
        // A letter, for renamed and copied files followed by how alike they are, in percent.
        let file = match status.as_bytes().first() {
            Some(b'A') => Staged { change: Change::Added, path, before: None },
            Some(b'D') => Staged { change: Change::Removed, path, before: None },
            Some(letter @ (b'R' | b'C')) => {
                let Some(now) = fields.next() else { break };
                let change = if *letter == b'R' { Change::Renamed } else { Change::Added };
                Staged { change, path: now.to_owned(), before: Some(path) }
            }
            _ => Staged { change: Change::Modified, path, before: None },
        };
        staged.push(file);
    }
    staged
}

/// The lines that a staged change takes from and gives to one file: `-…` and `+…`, without context.
///
/// # Errors
/// When git cannot tell.
pub fn staged_lines(folder: &Path, path: &str) -> Result<Vec<String>> {
    let path = format!(":(top,literal){path}");
    let text = diff(folder, &["--unified=0", "--no-color", "--", &path])?;
    let body = text.lines().skip_while(|line| !line.starts_with("@@"));
    Ok(body.filter(|line| line.starts_with(['-', '+'])).map(str::to_owned).collect())
}

/// The files at or below a path that git tracks or would track, sorted; what it ignores is not among them.
///
/// # Errors
/// When git cannot tell, as where there is no repository.
pub fn files(folder: &Path, path: &str) -> Result<Vec<String>> {
    let path = format!(":(literal){path}");
    let arguments =
        ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", path.as_str()];
    let text = run(folder, &arguments)?;
    let mut files: Vec<String> =
        text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    files.sort_unstable();
    files.dedup();
    Ok(files)
}

/// Whether the staged change is of white space only.
///
/// # Errors
/// When git cannot tell.
pub fn is_white_space(folder: &Path) -> Result<bool> {
    Ok(diff(folder, &["-w", "--ignore-blank-lines", "--"])?.is_empty())
}

/// The staged change, by some more arguments.
fn diff(folder: &Path, arguments: &[&str]) -> Result<String> {
    // Outside of a repository `git diff` compares two paths, and explains its options instead of the reason.
    run(folder, &["rev-parse", "--git-dir"])?;
    run(folder, &[DIFF.as_slice(), &["--cached"], arguments].concat())
}

/// The tags that a revision reaches and that name a version, the newest version last.
///
/// # Errors
/// When git cannot tell.
pub fn versions(folder: &Path) -> Result<Vec<(semver::Version, String)>> {
    let text = run(folder, &["tag", "--list", "--no-column", "--merged", "HEAD"])?;
    let version = |tag: &str| {
        let version = semver::Version::parse(tag.strip_prefix('v').unwrap_or(tag)).ok()?;
        Some((version, tag.to_owned()))
    };
    let mut versions: Vec<_> = text.lines().filter_map(version).collect();
    versions.sort();
    Ok(versions)
}

/// Refuses what git could take for an option, or for anything but a revision or a range of two.
///
/// # Errors
/// When it is neither.
pub fn check(field: &str, revision: &str) -> Result<()> {
    let is_plain = |c: char| c.is_alphanumeric() || "._/~^@{}-+#".contains(c);
    let is_revision = !revision.is_empty()
        && revision.len() <= 300
        && !revision.starts_with(['-', '.', '^'])
        && revision.split("..").all(|end| !end.starts_with('-'))
        && revision.chars().all(is_plain);
    if is_revision {
        return Ok(());
    }
    Err(Fault::Bad {
        field: field.to_owned(),
        given: Value::from(revision.chars().take(80).collect::<String>()).to_string(),
        allowed: "a revision or a range of two, such as v1.2.0..HEAD".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Change, Staged, check, read_status};

    #[test]
    fn a_status_without_its_paths_is_left_out() {
        let whole = "M\0a\0R100\0old\0new\0";
        let modified = Staged { change: Change::Modified, path: "a".into(), before: None };
        let renamed =
            Staged { change: Change::Renamed, path: "new".into(), before: Some("old".into()) };
        assert_eq!(read_status(whole), [modified.clone(), renamed]);
        for cut in ["M\0a\0R100\0old\0", "M\0a\0R100\0"] {
            assert_eq!(read_status(cut), std::slice::from_ref(&modified), "{cut:?}");
        }
    }

    #[test]
    fn a_revision_is_never_an_option() {
        for good in ["HEAD", "v1.2.0..HEAD", "main...feature/a-b", "HEAD~3", "stash@{0}", "a^..b"] {
            assert!(check("range", good).is_ok(), "{good}");
        }
        for bad in
            ["", "-p", "--output=x", "a..--output=x", "a b", "$(id)", "a;b", "a\nb", ":x", "^a"]
        {
            assert!(check("range", bad).is_err(), "{bad}");
        }
    }
}
