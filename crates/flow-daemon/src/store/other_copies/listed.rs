//! Which worktrees of a repository are read: those that were written last, within limits.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flow_files::worktree::Worktree;
use flow_plans::FORMATS;
use nix::unistd::Uid;

use crate::project::{Project, Source};

use super::super::disk::{Disk, Stat};
use super::super::locate;
use super::super::plan_tree;

/// Largest number of other worktrees that are read.
pub(super) const MOST: usize = 32;
/// Largest size of their plans together, in bytes.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// The worktrees to read, and how many are left out.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) read: Vec<(Worktree, Project)>,
    pub(super) left_out: usize,
}

/// Chooses among other worktrees of the repository of a project.
pub(super) fn choose(
    others: Vec<Worktree>,
    ours: &Worktree,
    project: &Project,
    formats: &[String],
    disk: &dyn Disk,
) -> Listed {
    let below = project.state_root().strip_prefix(&ours.top).unwrap_or(Path::new(""));
    let surveyed = others.into_iter().filter(|other| is_own(&other.top)).map(|worktree| {
        let root = worktree.top.join(below);
        let project = project.in_worktree(root, formats.to_vec());
        let survey = Survey::of(disk, &project, formats);
        (survey, worktree, project)
    });
    let mut surveyed: Vec<(Survey, Worktree, Project)> = surveyed.collect();
    surveyed.sort_by(|(one, a, _), (other, b, _)| {
        other.written.cmp(&one.written).then_with(|| a.top.cmp(&b.top))
    });
    let (mut read, mut bytes, mut left_out) = (Vec::new(), 0, 0);
    for (survey, worktree, project) in surveyed {
        if read.len() < MOST && bytes + survey.bytes <= MOST_BYTES {
            bytes += survey.bytes;
            read.push((worktree, project));
        } else {
            left_out += 1;
        }
    }
    Listed { read, left_out }
}

/// Whether a folder belongs to this user.
fn is_own(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|found| found.uid() == Uid::effective().as_raw())
}

/// How large a plan is, and when it was written; nothing is read but the names in its folders.
#[derive(Debug, Default)]
struct Survey {
    bytes: u64,
    written: Option<SystemTime>,
}

impl Survey {
    fn of(disk: &dyn Disk, project: &Project, formats: &[String]) -> Self {
        let root = project.state_root();
        let own = [Source::Status, Source::Tasks]
            .into_iter()
            .filter_map(|source| locate::find(disk, root, project.files(source)).ok().flatten());
        let own = own.map(|located| located.stat);
        let known = FORMATS.iter().copied();
        let read = known.filter(|format| formats.iter().any(|name| name == format.name()));
        let read = read.chain(project.formats().checklists.map(|checklists| checklists as _));
        let files = read.flat_map(|format| plan_tree::find(disk, root, format).files);
        let paths: Vec<PathBuf> = files.map(|file| root.join(file)).collect();
        let of_formats = paths.iter().filter_map(|path| disk.stat(path).ok());
        own.chain(of_formats).fold(Self::default(), Self::with)
    }

    fn with(self, stat: Stat) -> Self {
        let written = self.written.max(Some(stat.modified_at()));
        Self { bytes: self.bytes + stat.size, written }
    }
}
