//! A commit that a person names, the files of its tree, and their content.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use flow_model::time::{self, Edge};

use super::check;
use super::process::{Exchange, exchange, run};
use super::repository;
use crate::output::{Fault, Result};
use crate::project_state::when::{ALLOWED, When};

/// Largest list of the files of a commit, in bytes: about a million paths.
const MOST_OF_TREE: u64 = 128 << 20;
/// Largest content of all files that are read of a commit, in bytes.
pub const MOST_CONTENT: u64 = 256 << 20;
/// What git adds to the content of each file, in bytes.
const HEADER: u64 = 128;
/// Largest answer about single objects, in bytes.
const MOST_OF_NAMES: u64 = 64 << 10;

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// Its full id.
    pub id: String,
    /// When it was made, in seconds since 1970.
    pub seconds: i64,
}

impl Revision {
    /// When it was made; not before 1970.
    pub fn time(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
            + Duration::from_secs(u64::try_from(self.seconds).unwrap_or_default())
    }
}

/// A regular file in the tree of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Its path below the folder that was asked for.
    pub path: String,
    /// The id of its content.
    pub blob: String,
    /// The size of its content, in bytes; `None` if the repository does not have it, as in a partial clone.
    pub size: Option<u64>,
}

/// The commit that a word names: a name or an id that git knows, else the last first-parent commit of `HEAD` up to a time. A word
/// that begins with `@` and does not go on as git's own notation is a time. `now` is RFC 3339.
///
/// # Errors
/// When the word names none, or git fails.
pub fn named(folder: &Path, word: &str, now: &str) -> Result<Revision> {
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
        return Err(Fault::Refused(
            "this repository has no commit yet; commit the plan, and compare then".to_owned(),
        ));
    }
    let Some(When { last, .. }) = When::read(time.unwrap_or(word), now) else {
        if is_shallow(folder)? {
            return Err(Fault::Refused(format!(
                "{word:?} is not known in this repository, which is a shallow clone; fetch its history: git fetch --unshallow, or \
                 in a workflow, actions/checkout with fetch-depth: 0"
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
pub fn merge_base(folder: &Path, one: &Revision, other: &Revision) -> Result<Revision> {
    // Unlike `merge-base`, this succeeds where there is none.
    let symmetric = format!("{}...{}", one.id, other.id);
    let text = run(folder, &["rev-parse", "--revs-only", &symmetric])?;
    if let Some(id) = text.lines().find_map(|line| line.strip_prefix('^')) {
        return described(folder, id);
    }
    let reason = if is_shallow(folder)? {
        "this repository is a shallow clone; fetch its history: git fetch --unshallow, or in a workflow, actions/checkout with \
         fetch-depth: 0"
    } else {
        "their histories are unrelated; to compare the two, give both: flow diff A B"
    };
    Err(Fault::Refused(format!(
        "{} and {} have no common commit: {reason}",
        short(&one.id),
        short(&other.id)
    )))
}

/// The first characters of an id, as git shows it.
pub fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}

fn is_shallow(folder: &Path) -> Result<bool> {
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

/// The last first-parent commit of `HEAD` up to a moment; `None` if all are newer.
fn before(folder: &Path, seconds: i64) -> Result<Option<Revision>> {
    let before = format!("--before=@{} +0000", seconds.clamp(0, super::LAST_SECOND));
    let end = ["--first-parent", before.as_str(), "--end-of-options", "HEAD", "--"];
    Ok(read_described(&run(folder, &[&DESCRIBED[..], &end].concat())?))
}

fn read_described(text: &str) -> Option<Revision> {
    let (id, seconds) = text.trim().split_once(' ')?;
    Some(Revision { id: id.to_owned(), seconds: seconds.parse().ok()? })
}

/// The regular files that a commit has below a folder, in order. Paths that are not UTF-8, links and submodules are left out.
///
/// # Errors
/// When git fails or the list is too long.
pub fn tree(folder: &Path, revision: &Revision) -> Result<Vec<TreeFile>> {
    let top = repository::of(folder)?.top;
    let below = folder.strip_prefix(top).ok().and_then(Path::to_str);
    let below = below.ok_or_else(|| Fault::Refused("the folder's path is not UTF-8".to_owned()))?;
    let mut arguments =
        vec!["ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", &revision.id];
    arguments.extend(Some(below).filter(|below| !below.is_empty()));
    let nothing = Exchange { input: Vec::new(), most: MOST_OF_TREE };
    let list = exchange(folder, &arguments, nothing)?;
    let paths = list.split(|byte| *byte == 0);
    Ok(paths.filter_map(|entry| read_entry(std::str::from_utf8(entry).ok()?, below)).collect())
}

/// An entry in the format `<mode> <type> <id> <size>\t<path>`.
fn read_entry(entry: &str, below: &str) -> Option<TreeFile> {
    let (facts, path) = entry.split_once('\t')?;
    let path = match below {
        "" => path,
        below => path.strip_prefix(below)?.strip_prefix('/')?,
    };
    let mut facts = facts.split_whitespace();
    let (mode, _, blob, size) = (facts.next()?, facts.next()?, facts.next()?, facts.next()?);
    let is_file = mode.starts_with("100");
    is_file.then(|| TreeFile {
        path: path.to_owned(),
        blob: blob.to_owned(),
        size: size.parse().ok(),
    })
}

/// The contents of files, by the ids of the contents.
///
/// # Errors
/// When git fails, they are too large together, or one is not in the repository.
pub fn contents(folder: &Path, files: &[TreeFile]) -> Result<HashMap<String, Vec<u8>>> {
    let size: u64 = files.iter().filter_map(|file| file.size).sum();
    if size > MOST_CONTENT {
        return Err(Fault::Refused(format!(
            "the files of the plan have {size} bytes in that commit; at most {MOST_CONTENT} are read"
        )));
    }
    let input = files.iter().flat_map(|file| [file.blob.as_str(), "\n"]).collect::<String>();
    let most = size + HEADER * files.len() as u64;
    let names = Exchange { input: input.into_bytes(), most };
    let answer = exchange(folder, &["cat-file", "--batch"], names)?;
    read_batch(&answer, files)
}

/// Parses `<id> blob <size>\n<content>\n` for each file.
fn read_batch(mut answer: &[u8], files: &[TreeFile]) -> Result<HashMap<String, Vec<u8>>> {
    let mut contents = HashMap::with_capacity(files.len());
    for file in files {
        let missing = || {
            Fault::Refused(format!(
                "the content of {} is not in this repository, which may be a partial clone; fetch it with: git fetch --refetch --no-filter",
                file.path
            ))
        };
        let end = answer.iter().position(|byte| *byte == b'\n').ok_or_else(missing)?;
        let (header, rest) = answer.split_at(end);
        let size = file.size.ok_or_else(missing)?;
        let expected = format!("{} blob {size}", file.blob);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let content = rest.get(1..).and_then(|rest| rest.get(..size));
        let content = content.filter(|_| header == expected.as_bytes()).ok_or_else(missing)?;
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
        let entry = |text| read_entry(text, "a").map(|file| (file.path, file.blob, file.size));
        assert_eq!(
            entry("100644 blob 0123      17\ta/b c.md"),
            Some(("b c.md".to_owned(), "0123".to_owned(), Some(17)))
        );
        assert_eq!(entry("100644 blob 0123 BAD\ta/c.md").map(|(.., size)| size), Some(None));
        for other in [
            "120000 blob 0123 17\ta/link",
            "160000 commit 0123 -\ta/module",
            "100644 blob 0123 17\tab/c.md",
            "",
        ] {
            assert_eq!(entry(other), None, "{other}");
        }
    }

    #[test]
    fn contents_are_separated_by_their_sizes() {
        let file = |blob: &str, size| TreeFile { path: "a".into(), blob: blob.into(), size };
        let files = [file("1", Some(3)), file("2", Some(0))];
        let found = read_batch(b"1 blob 3\na\nb\n2 blob 0\n\n", &files).unwrap();
        assert_eq!(found["1"], b"a\nb");
        assert_eq!(found["2"], b"");
        for cut in ["1 missing\n2 blob 0\n\n", "1 blob 3\na", "", "1 blob 4\nabcd\n2 blob 0\n\n"] {
            assert!(read_batch(cut.as_bytes(), &files).is_err(), "{cut:?}");
        }
        assert!(read_batch(b"1 blob 3\nabc\n", &[file("1", None)]).is_err());
    }
}
