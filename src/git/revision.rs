//! A commit that a person names, the files of its tree, and their content.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use flow_model::time::{self, Edge};

use crate::skill::output::{Fault, Result};
use crate::skill::project_state::when::{ALLOWED, When};
use crate::skill::runtime::git::{Exchange, LAST_SECOND, check, exchange, run, worktree};

/// Largest list of the files of a commit, in bytes: about a million paths.
const MOST_OF_TREE: u64 = 128 << 20;
/// Largest content of all files that are read of a commit, in bytes.
pub(crate) const MOST_CONTENT: u64 = 256 << 20;
/// What git says of each file besides its content, in bytes.
const MOST_OF_LINE: u64 = 128;
/// Largest answer about single objects, in bytes.
const MOST_OF_NAMES: u64 = 64 << 10;
/// What helps where commits are missing.
const SHALLOW: &str = "a shallow clone; fetch its history: git fetch --unshallow, or in a workflow, \
    actions/checkout with fetch-depth: 0";

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Revision {
    /// Its full id.
    pub(crate) id: String,
    /// When it was made, in seconds since 1970.
    pub(crate) seconds: i64,
}

impl Revision {
    /// When it was made; not before 1970, nor after 2099.
    pub(crate) fn time(&self) -> SystemTime {
        let seconds = self.seconds.clamp(0, LAST_SECOND);
        SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
    }
}

/// A regular file in the tree of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeFile {
    /// Its path below the folder that was asked for.
    pub(crate) path: String,
    /// The id of its content.
    pub(crate) blob: String,
}

/// The commit that a word names: a name or an id that git knows, else the last first-parent commit of `HEAD` up to a time. A word
/// that begins with `@` and does not go on as git's own notation is a time. `now` is RFC 3339.
///
/// # Errors
/// When the word names none, or git fails.
pub(crate) fn named(folder: &Path, word: &str, now: &str) -> Result<Revision> {
    let time = word.strip_prefix('@').filter(|rest| rest.starts_with(char::is_alphanumeric));
    let mut unsafe_name = None;
    if time.is_none() {
        match check("revision", word) {
            Ok(()) => {
                if let Some(revision) = commit(folder, word)? {
                    return Ok(revision);
                }
            }
            Err(fault) => unsafe_name = Some(fault),
        }
    }
    if word == "HEAD" {
        return Err(no_commit());
    }
    let Some(When { last, .. }) = When::read(time.unwrap_or(word), now) else {
        if is_shallow(folder)? {
            return Err(Fault::Refused(format!(
                "{word:?} is not known in this repository, which is {SHALLOW}"
            )));
        }
        return Err(unsafe_name.unwrap_or_else(|| {
            Fault::Refused(format!(
                "{word:?} is neither a commit, branch or tag of this repository nor {ALLOWED}"
            ))
        }));
    };
    let nanoseconds = time::parse(&last, Edge::End).unwrap_or(i64::MAX);
    before(folder, nanoseconds.div_euclid(1_000_000_000))?
        .ok_or_else(|| Fault::Refused(format!("no commit of HEAD is as old as {last}")))
}

/// The commit that both have in common, or why there is none.
///
/// # Errors
/// When there is none, or git fails.
pub(crate) fn merge_base(folder: &Path, one: &Revision, other: &Revision) -> Result<Revision> {
    // Unlike `merge-base`, this succeeds where there is none.
    let symmetric = format!("{}...{}", one.id, other.id);
    let text = run(folder, &["rev-parse", "--revs-only", &symmetric])?;
    if let Some(id) = text.lines().find_map(|line| line.strip_prefix('^')) {
        return described(folder, id);
    }
    let reason = if is_shallow(folder)? {
        format!("this repository is {SHALLOW}")
    } else {
        "their histories are unrelated; to compare the two, give both: flow diff A B".to_owned()
    };
    Err(Fault::Refused(format!(
        "{} and {} have no common commit: {reason}",
        short(&one.id),
        short(&other.id)
    )))
}

/// The first characters of an id, as git shows it.
pub(crate) fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}

/// Whether a folder is in a repository that git is run on.
pub(crate) fn is_repository(folder: &Path) -> bool {
    worktree(folder).is_ok()
}

/// Whether the repository lacks commits before some of its own.
///
/// # Errors
/// When git fails.
pub(crate) fn is_shallow(folder: &Path) -> Result<bool> {
    Ok(run(folder, &["rev-parse", "--is-shallow-repository"])?.trim() == "true")
}

/// The commit that a revision names; `None` if there is none.
fn commit(folder: &Path, word: &str) -> Result<Option<Revision>> {
    let input = format!("{word}^{{commit}}\n").into_bytes();
    let names = Exchange { input, most: MOST_OF_NAMES };
    let answer = exchange(folder, &["cat-file", "--batch-check"], names)?;
    let answer = String::from_utf8_lossy(&answer);
    match answer.split_whitespace().collect::<Vec<_>>().as_slice() {
        [id, "commit", _] => described(folder, id).map(Some),
        [.., "ambiguous"] => Err(Fault::Refused(format!(
            "{word:?} is the beginning of several ids; give more of its characters"
        ))),
        _ => Ok(None),
    }
}

/// The arguments that show a commit as [`read_described`] parses it.
const DESCRIBED: [&str; 4] = ["log", "--max-count=1", "--no-mailmap", "--format=%H %ct"];

fn described(folder: &Path, id: &str) -> Result<Revision> {
    let arguments = [&DESCRIBED[..], &["--end-of-options", id, "--"]].concat();
    read_described(&run(folder, &arguments)?)
        .ok_or_else(|| Fault::Refused(format!("git does not show the commit {id}")))
}

/// What `HEAD` was at a moment.
#[derive(Debug)]
pub(crate) struct HeadAt {
    /// The commit.
    pub(crate) revision: Revision,
    /// Whether that is certain; else it may have been another one.
    pub(crate) is_logged: bool,
}

/// The commit that `HEAD` was at a moment, as far as its log goes back; without a log, what it is now.
///
/// # Errors
/// When there is no commit, or git fails.
pub(crate) fn head_at(folder: &Path, moment: SystemTime) -> Result<HeadAt> {
    let log = worktree(folder)?.git.join("logs/HEAD").metadata();
    // The times in the log are seconds; that of the file is exact.
    let has_moved = !log.and_then(|log| log.modified()).is_ok_and(|moved| moved < moment);
    let then = time::format(moment - Duration::from_secs(1));
    let at = Some(format!("HEAD@{{{then}}}")).filter(|_| has_moved);
    if let Some(revision) = at.and_then(|name| commit(folder, &name).ok().flatten()) {
        return Ok(HeadAt { revision, is_logged: true });
    }
    let revision = commit(folder, "HEAD")?.ok_or_else(no_commit)?;
    Ok(HeadAt { revision, is_logged: !has_moved })
}

/// Whether the repository has a commit.
///
/// # Errors
/// When git fails.
pub(crate) fn has_commit(folder: &Path, id: &str) -> Result<bool> {
    check("revision", id)?;
    Ok(commit(folder, id)?.is_some())
}

fn no_commit() -> Fault {
    Fault::Refused("this repository has no commit yet; commit the plan first".to_owned())
}

/// The last first-parent commit of `HEAD` up to a moment; `None` if all are newer.
fn before(folder: &Path, seconds: i64) -> Result<Option<Revision>> {
    let before = format!("--before=@{} +0000", seconds.clamp(0, LAST_SECOND));
    let end = ["--first-parent", before.as_str(), "--end-of-options", "HEAD", "--"];
    Ok(read_described(&run(folder, &[&DESCRIBED[..], &end].concat())?))
}

fn read_described(text: &str) -> Option<Revision> {
    let mut words = text.split_whitespace();
    let id = words.next()?.to_owned();
    // Of a date that is none, git says nothing.
    let seconds = words.next().and_then(|seconds| seconds.parse().ok());
    Some(Revision { id, seconds: seconds.unwrap_or_default() })
}

/// The regular files that a commit has below a folder, in order. Paths that are not UTF-8, links and submodules are left out.
///
/// # Errors
/// When git fails or the list is too long.
pub(crate) fn tree(folder: &Path, revision: &Revision) -> Result<Vec<TreeFile>> {
    let below = &below(folder)?;
    let mut arguments =
        vec!["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", &revision.id];
    arguments.extend(Some(below.as_str()).filter(|below| !below.is_empty()));
    let nothing = Exchange { input: Vec::new(), most: MOST_OF_TREE };
    let list = exchange(folder, &arguments, nothing)?;
    let paths = list.split(|byte| *byte == 0);
    Ok(paths.filter_map(|entry| read_entry(std::str::from_utf8(entry).ok()?, below)).collect())
}

/// The path of a folder from the top of its repository.
pub(super) fn below(folder: &Path) -> Result<String> {
    let top = worktree(folder)?.top;
    let below = folder.strip_prefix(top).ok().and_then(Path::to_str).map(str::to_owned);
    below.ok_or_else(|| Fault::Refused("the folder's path is not UTF-8".to_owned()))
}

/// A path from the top of a repository as one below a folder; `None` if it is not there.
pub(super) fn path_below<'a>(path: &'a str, below: &str) -> Option<&'a str> {
    if below.is_empty() { Some(path) } else { path.strip_prefix(below)?.strip_prefix('/') }
}

/// Whether a mode is that of a regular file.
pub(super) fn is_file(mode: &str) -> bool {
    mode.starts_with("100")
}

/// An entry in the format `<mode> <type> <id>\t<path>`.
fn read_entry(entry: &str, below: &str) -> Option<TreeFile> {
    let (facts, path) = entry.split_once('\t')?;
    let path = path_below(path, below)?.to_owned();
    let mut facts = facts.split_whitespace();
    let (mode, _, blob) = (facts.next()?, facts.next()?, facts.next()?);
    is_file(mode).then(|| TreeFile { path, blob: blob.to_owned() })
}

/// The sizes of the contents of files, in bytes and in their order.
///
/// # Errors
/// When git fails, or one is not in the repository.
pub(crate) fn sizes(folder: &Path, files: &[TreeFile]) -> Result<Vec<u64>> {
    let names = Exchange { input: names(files), most: MOST_OF_LINE * files.len() as u64 };
    let answer = exchange(folder, &["cat-file", "--batch-check"], names)?;
    let answer = String::from_utf8_lossy(&answer);
    let mut lines = answer.lines();
    files.iter().map(|file| header(file, lines.next()).ok_or_else(|| missing(file))).collect()
}

/// The contents of files, by the ids of the contents; `size` is that of all of them.
///
/// # Errors
/// When git fails, they are too large together, or one is not in the repository.
pub(crate) fn contents(
    folder: &Path,
    files: &[TreeFile],
    size: u64,
) -> Result<HashMap<String, Vec<u8>>> {
    if size > MOST_CONTENT {
        return Err(Fault::Refused(format!(
            "the files of the plan have {size} bytes in that commit; at most {MOST_CONTENT} are read"
        )));
    }
    let names = Exchange { input: names(files), most: size + MOST_OF_LINE * files.len() as u64 };
    let answer = exchange(folder, &["cat-file", "--batch"], names)?;
    read_batch(&answer, files)
}

fn names(files: &[TreeFile]) -> Vec<u8> {
    files.iter().flat_map(|file| [file.blob.as_str(), "\n"]).collect::<String>().into_bytes()
}

fn missing(file: &TreeFile) -> Fault {
    Fault::Refused(format!(
        "the content of {} is not in this repository, which may be a partial clone; fetch it with: git fetch --refetch --no-filter",
        file.path
    ))
}

/// The size in `<id> blob <size>`.
fn header(file: &TreeFile, line: Option<&str>) -> Option<u64> {
    line?.strip_prefix(&file.blob)?.strip_prefix(" blob ")?.parse().ok()
}

/// Parses `<id> blob <size>\n<content>\n` for each file.
fn read_batch(mut answer: &[u8], files: &[TreeFile]) -> Result<HashMap<String, Vec<u8>>> {
    let mut contents = HashMap::with_capacity(files.len());
    for file in files {
        let missing = || missing(file);
        let end = answer.iter().position(|byte| *byte == b'\n').ok_or_else(missing)?;
        let (line, rest) = answer.split_at(end);
        let size = header(file, std::str::from_utf8(line).ok()).ok_or_else(missing)?;
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let content = rest.get(1..).and_then(|rest| rest.get(..size)).ok_or_else(missing)?;
        contents.insert(file.blob.clone(), content.to_vec());
        answer = rest.get(size + 2..).unwrap_or_default();
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_files_is_parsed() {
        let entry = |text| read_entry(text, "a").map(|file| (file.path, file.blob));
        assert_eq!(
            entry("100644 blob 0123\ta/b c.md"),
            Some(("b c.md".to_owned(), "0123".to_owned()))
        );
        for other in [
            "120000 blob 0123\ta/link",
            "160000 commit 0123\ta/module",
            "100644 blob 0123\tab/c.md",
            "",
        ] {
            assert_eq!(entry(other), None, "{other}");
        }
    }

    #[test]
    fn contents_are_separated_by_their_sizes() {
        let file = |blob: &str| TreeFile { path: "a".into(), blob: blob.into() };
        let files = [file("1"), file("2")];
        let found = read_batch(b"1 blob 3\na\nb\n2 blob 0\n\n", &files).unwrap();
        assert_eq!(found["1"], b"a\nb");
        assert_eq!(found["2"], b"");
        for cut in ["1 missing\n2 blob 0\n\n", "1 blob 3\na", "", "1 blob 4\nab", "1 tree 3\nabc\n"]
        {
            assert!(read_batch(cut.as_bytes(), &files).is_err(), "{cut:?}");
        }
    }
}
