//! The branch and the commit of a worktree, from git's own files.

use std::path::{Component, Path};

use flow_files::worktree::{MOST_BYTES, Worktree};

use super::super::disk::{Disk, Stat, read_exact_at};

/// The end of the log of `HEAD` that is read, in bytes.
const MOST_LOG: u64 = 4 << 10;
/// How `HEAD` names a branch.
const BRANCH: &str = "ref: refs/heads/";

/// Where a worktree is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// The name of its branch; `None` if no branch is checked out.
    pub(super) branch: Option<String>,
    /// The full id of its commit, if that is known.
    pub(super) commit: Option<String>,
    /// The stats of the files from which that follows.
    read: [Option<Stat>; 3],
}

impl Head {
    /// Reads it again if one of its files has changed.
    pub(super) fn renew(&mut self, disk: &dyn Disk, worktree: &Worktree) {
        let head = worktree.git.join("HEAD");
        let log = worktree.git.join("logs/HEAD");
        let of_branch = |branch: &str| worktree.repository.join("refs/heads").join(branch);
        let stats = |branch: Option<&str>| {
            let file = branch.and_then(|branch| disk.stat(&of_branch(branch)).ok());
            [disk.stat(&head).ok(), file, disk.stat(&log).ok()]
        };
        if self.read[0].is_some() && stats(self.branch.as_deref()) == self.read {
            return;
        }
        let text = disk.read_small(&head, MOST_BYTES).unwrap_or_default();
        let branch = text.trim().strip_prefix(BRANCH).filter(|name| is_name(name));
        let read = stats(branch);
        let in_file = |branch: &str| disk.read_small(&of_branch(branch), MOST_BYTES).ok();
        let stated = match branch {
            Some(branch) => in_file(branch).and_then(|text| commit(text.trim())),
            None => commit(text.trim()),
        };
        // The file of a branch is gone once git has packed it.
        let commit = stated.or_else(|| last_of_log(disk, &log));
        *self = Self { branch: branch.map(str::to_owned), commit, read };
    }
}

/// Whether the name of a branch leads to a file below the folder of branches.
fn is_name(name: &str) -> bool {
    // git allows none that begins with a dot, and writes such a one where branches are not files.
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(part) => !part.as_encoded_bytes().starts_with(b"."),
        _ => false,
    };
    !name.is_empty() && Path::new(name).components().all(is_plain)
}

fn commit(text: &str) -> Option<String> {
    let is_id = matches!(text.len(), 40 | 64) && text.bytes().all(|c| c.is_ascii_hexdigit());
    is_id.then(|| text.to_owned())
}

/// The commit to which the last entry of a log leads: `OLD NEW Name <mail> ...`.
fn last_of_log(disk: &dyn Disk, path: &Path) -> Option<String> {
    let file = disk.open(path).ok()?;
    let size = file.stat().ok()?.size;
    let start = size.saturating_sub(MOST_LOG);
    let mut bytes = vec![0; usize::try_from(size - start).ok()?];
    read_exact_at(file.as_ref(), &mut bytes, start).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    commit(text.lines().next_back()?.split(' ').nth(1)?)
}

#[cfg(test)]
mod tests {
    use super::{commit, is_name};

    #[test]
    fn a_branch_leads_to_no_other_folder_and_a_commit_is_an_id() {
        for (name, is) in [
            ("main", true),
            ("feature/a-b", true),
            ("", false),
            ("../config", false),
            ("/x", false),
            (".invalid", false),
        ] {
            assert_eq!(is_name(name), is, "{name}");
        }
        assert!(commit(&"0a".repeat(20)).is_some() && commit(&"0a".repeat(32)).is_some());
        assert!(commit("0a1b").is_none() && commit(&"0g".repeat(20)).is_none());
    }
}
