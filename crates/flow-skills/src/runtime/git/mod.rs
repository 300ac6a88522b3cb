//! Queries to a git repository: the commits of a range, staged changes, tags. Read only.
//!
//! It runs the `git` program with fixed arguments and without a shell (`process`), on the repository of the folder if that
//! is its own (`repository`). A revision that could be taken for an option is refused before.

mod process;
mod repository;

use std::path::Path;

use process::DIFF;
pub use process::{Exchange, WORD, become_git, exchange, run};
pub use repository::{is_missing, of as worktree};

use crate::output::{Fault, Result, bad_text};

/// Largest number of commits that [`newest`] returns.
const NEWEST: usize = 1000;
/// The end of the year 2099, which every git can parse.
pub const LAST_SECOND: i64 = 4_102_444_799;
/// Arguments of each log.
const LOG: [&str; 6] =
    ["log", "--no-mailmap", "--no-patch", "--no-merges", "-z", "--format=%H%n%B"];

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its full id.
    pub id: String,
    /// Its message.
    pub message: String,
}

/// A staged file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// The letter of the change: `A` of a new file, `D` of a removed one.
    pub change: char,
    /// Its path, before the change if it was removed.
    pub path: String,
}

/// The commits of a range (`base..head`, or one revision and its ancestors), oldest first, without merges.
pub(crate) fn commits(folder: &Path, range: &str) -> Result<Vec<Commit>> {
    log(folder, range, &["--reverse"])
}

fn log(folder: &Path, range: &str, more: &[&str]) -> Result<Vec<Commit>> {
    check("range", range)?;
    let words = [&LOG[..], more, &["--end-of-options", range, "--"]].concat();
    match run(folder, &words) {
        Ok(text) => Ok(read_log(&text)),
        Err(fault) => Err(without_revision(folder, range).unwrap_or(fault)),
    }
}

/// The fault if an end of a range is no revision of the repository, with the names that there are.
fn without_revision(folder: &Path, range: &str) -> Option<Fault> {
    let ends = range.split("..").map(|end| end.trim_start_matches('.'));
    let end = ends.filter(|end| !end.is_empty()).find(|end| !is_revision(folder, end))?;
    let newest = ["for-each-ref", "--count=5", "--sort=-creatordate", "--format=%(refname:short)"];
    let names = run(folder, &[&newest[..], &["refs/tags", "refs/heads"]].concat()).ok()?;
    let names = names.lines().collect::<Vec<_>>().join(", ");
    Some(Fault::Refused(if names.is_empty() {
        format!("the repository has no revision {end:?}, since it has no commit")
    } else {
        format!("the repository has no revision {end:?}; its newest tags and branches are: {names}")
    }))
}

/// The day of the tag at which a range ends; `None` if it ends at another revision.
pub(crate) fn day_of_tag(folder: &Path, range: &str) -> Option<String> {
    let tag = format!("refs/tags/{}", range.rsplit("..").next()?.trim_start_matches('.'));
    let words = ["for-each-ref", "--count=1", "--format=%(creatordate:short)", &tag];
    let day = run(folder, &words).ok()?.trim().to_owned();
    Some(day).filter(|day| !day.is_empty())
}

/// The newest commits of a range, at most 1,000, without merges, between two times in seconds since 1970.
pub(crate) fn newest(
    folder: &Path,
    range: &str,
    [since, until]: [Option<i64>; 2],
) -> Result<Vec<Commit>> {
    let most = format!("--max-count={NEWEST}");
    // Git misreads a year of five digits, and ignores a time before 1970.
    let bound = |name: &str, time: Option<i64>| {
        time.map(|time| format!("--{name}=@{} +0000", time.clamp(0, LAST_SECOND)))
    };
    let bounds = [Some(most), bound("since", since), bound("until", until)];
    let more: Vec<&str> = bounds.iter().flatten().map(String::as_str).collect();
    log(folder, range, &more)
}

/// Parses a log in the format `-z --format=%H%n%B`.
pub fn read_log(text: &str) -> Vec<Commit> {
    let commit = |entry: &str| {
        let (id, message) = entry.split_once('\n').unwrap_or((entry, ""));
        Commit { id: id.to_owned(), message: message.trim_end().to_owned() }
    };
    text.split('\0').filter(|entry| !entry.is_empty()).map(commit).collect()
}

/// Names of default branches, the most common first.
const DEFAULT_BRANCHES: [&str; 4] = ["main", "master", "trunk", "develop"];

/// The current branch and its base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its name; `None` if no branch is checked out.
    pub name: Option<String>,
    /// Full name of the branch that it was created from.
    pub base: Option<String>,
}

impl Branch {
    /// Its commits, as a range.
    pub fn range(&self) -> Option<String> {
        self.base.as_ref().map(|base| format!("{base}..HEAD"))
    }
}

/// The current branch, with its upstream or else the default branch. An upstream of the same name is where the branch
/// is pushed to, so it counts only if there is no default branch.
pub(crate) fn branch(folder: &Path) -> Result<Branch> {
    let text = run(
        folder,
        &[
            "for-each-ref",
            "--format=%(HEAD)%00%(refname)%00%(upstream)%00%(symref)",
            "refs/heads",
            "refs/remotes/*/HEAD",
            "refs/remotes/*/main",
            "refs/remotes/*/master",
            "refs/remotes/*/trunk",
            "refs/remotes/*/develop",
        ],
    )?;
    let rows = text.lines().filter_map(|line| line.split('\0').collect::<Vec<_>>().try_into().ok());
    let rows: Vec<[&str; 4]> = rows.collect();
    let current = rows.iter().find(|[mark, ..]| *mark == "*");
    let name = current.and_then(|[_, name, ..]| name.strip_prefix("refs/heads/"));
    let is_other = |other: &&str| name.is_none_or(|name| !other.ends_with(&format!("/{name}")));
    // A remote's branch first: the local one may be outdated.
    let named = DEFAULT_BRANCHES.iter().flat_map(|wanted| {
        let names = || rows.iter().map(|[_, name, ..]| *name);
        let remote = names().filter(|name| name.starts_with("refs/remotes/"));
        let remote = remote.filter(move |name| name.rsplit('/').next() == Some(*wanted));
        remote.chain(names().filter(move |name| name.strip_prefix("refs/heads/") == Some(*wanted)))
    });
    let pointed = rows.iter().map(|[_, _, _, target]| *target).filter(|target| !target.is_empty());
    let default = pointed.chain(named).find(is_other);
    let upstream = current.map(|[_, _, upstream, _]| *upstream).filter(|name| !name.is_empty());
    let base = upstream.filter(|other| is_other(other)).or(default).or(upstream);
    Ok(Branch { name: name.map(str::to_owned), base: base.map(str::to_owned) })
}

/// Whether a word names a commit of the repository, such as a branch.
pub(crate) fn is_revision(folder: &Path, word: &str) -> bool {
    let name = format!("{word}^{{commit}}");
    let arguments = ["rev-parse", "--quiet", "--verify", &name];
    check("revision", word).is_ok() && run(folder, &arguments).is_ok()
}

/// The staged files, sorted by path.
pub(crate) fn staged(folder: &Path) -> Result<Vec<Staged>> {
    let arguments = ["--cached", "--name-status", "-z", "--no-renames", "--"];
    Ok(read_status(&run(folder, &[DIFF.as_slice(), &arguments].concat())?))
}

/// Parses a diff in the format `--name-status -z`, without renames. A status whose path is missing is omitted.
pub fn read_status(text: &str) -> Vec<Staged> {
    let mut fields = text.split('\0').filter(|field| !field.is_empty());
    let mut staged = Vec::new();
    while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
        let change = status.chars().next().unwrap_or_default();
        staged.push(Staged { change, path: path.to_owned() });
    }
    staged
}

/// The files at or below a path that git tracks or would track, sorted, without those that the repository ignores.
pub(crate) fn files(folder: &Path, path: &str) -> Result<Vec<String>> {
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

/// The tags that are reachable from a revision and name a version, the newest version last.
pub(crate) fn versions(folder: &Path) -> Result<Vec<(semver::Version, String)>> {
    let text = run(folder, &["tag", "--list", "--no-column", "--merged", "HEAD"])?;
    let version = |tag: &str| {
        let version = semver::Version::parse(tag.strip_prefix('v').unwrap_or(tag)).ok()?;
        Some((version, tag.to_owned()))
    };
    let mut versions: Vec<_> = text.lines().filter_map(version).collect();
    versions.sort();
    Ok(versions)
}

/// Refuses text that git could take for an option, or that is not a revision or a range of two.
///
/// # Errors
/// When it is not a revision or a range.
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
    Err(bad_text(field, revision, "a revision or a range of two, such as v1.2.0..HEAD"))
}

#[cfg(test)]
mod tests {
    use super::check;

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
