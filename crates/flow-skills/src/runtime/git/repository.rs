//! The repository that git is run on, or the error that says why it is not.

use std::path::Path;

use flow_files::repository::{self, Distrust};
use flow_files::worktree::Worktree;

use crate::output::{Fault, Result};

/// The worktree that contains a folder.
///
/// # Errors
/// When there is none, or its `.git` leads to what is not its own.
pub fn of(folder: &Path) -> Result<Worktree> {
    repository::of(folder).map_err(|distrust| Fault::Refused(sentence(&distrust)))
}

/// Whether a folder is in no repository at all.
pub fn is_missing(folder: &Path) -> bool {
    matches!(repository::of(folder), Err(Distrust::NoRepository))
}

fn sentence(distrust: &Distrust) -> String {
    match distrust {
        Distrust::NoRepository => "the folder is not in a git repository".to_owned(),
        Distrust::NotItsOwn(top) => format!(
            "{}/.git is a link, or names a repository that does not refer back to this folder, so git was not run; if you \
             moved a worktree, run: git worktree repair",
            top.display()
        ),
        Distrust::Link(link) => format!(
            "{} is a link, which may lead to another repository, so git was not run; replace it by what it leads to",
            link.display()
        ),
        Distrust::Alternates(file) => format!(
            "{} names objects of another repository, so git was not run; to copy them, run: git repack -a -d, then remove \
             that file",
            file.display()
        ),
        Distrust::OtherUser(path, owner) => format!(
            "{} belongs to another user (uid {owner}), so git was not run; run flow as that user, or change the owner",
            path.display()
        ),
    }
}
