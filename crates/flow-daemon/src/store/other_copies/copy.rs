//! The copy of the plan in one worktree: what it has, and what differs from the served copy.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use flow_files::worktree::Worktree;
use indexmap::IndexMap;

use crate::model::change::Standing;
use crate::model::time;
use crate::project::{Project, Source};

use super::super::collection::Collection;
use super::super::owner::Owner;
use super::super::plan_change::NotCompared;
use super::super::plan_changes::{self, LeftOut, PlanChanges};
use super::super::plan_rows::Label;
use super::super::postings::count_u32;
use super::super::snapshot::{Snapshot, Stamp, State};
use super::super::worktrees::{CopyState, Progress, Row};
use super::head::Head;
use super::shared_disk::SharedDisk;
use super::taken::{self, Taken};

/// Characters of a commit's id that are shown.
const SHORT: usize = 10;
/// The sources that contain the plan.
pub(super) const PLAN: [Source; 2] = [Source::Status, Source::Tasks];

/// A worktree, and its copy of the plan.
pub(super) struct Copy {
    pub(super) worktree: Worktree,
    disk: SharedDisk,
    owner: Owner,
    pub(super) head: Head,
    compared: Option<Compared>,
}

/// What was found when the copy was compared with the served one.
struct Compared {
    of: [Stamp; 2],
    generation: u64,
    found: Found,
}

/// What differs.
#[derive(Debug, Default)]
pub(super) struct Found {
    changes: Option<IndexMap<&'static str, usize>>,
    state: Option<CopyState>,
    reason: Option<String>,
    /// What was begun or completed here and not in the served copy.
    pub(super) taken: Vec<Taken>,
}

impl Copy {
    /// Begins to read the plan of a project in another worktree.
    pub(super) fn new(worktree: Worktree, project: &Project, disk: &SharedDisk) -> Self {
        let mut owner = Owner::of_copy(project, Box::new(disk.clone()));
        owner.begin();
        let (disk, head) = (disk.clone(), Head::default());
        Self { worktree, disk, owner, head, compared: None }
    }

    /// Looks at its files, and compares it with the served copy if one of the two has changed.
    pub(super) fn look(&mut self, served: &Snapshot) {
        self.head.renew(&self.disk, &self.worktree);
        self.owner.look();
        let snapshot = Arc::clone(&self.owner.publisher.current());
        let of = PLAN.map(|source| served.stamp(source));
        let is_same = |known: &Compared| known.of == of && known.generation == snapshot.generation;
        if !self.compared.as_ref().is_some_and(is_same) {
            let found = compare(served, &snapshot);
            // What is being written keeps what was found before.
            let keeps = found.state == Some(CopyState::Changing) && self.compared.is_some();
            if !keeps {
                let generation = snapshot.generation;
                self.compared = Some(Compared { of, generation, found });
            }
        }
    }

    /// The ids of its records.
    pub(super) fn ids(&self, collection: Collection) -> Vec<String> {
        self.owner.publisher.current().records(collection).ids().map(str::to_owned).collect()
    }

    /// When it must be looked at again because a file is being written.
    pub(super) fn due(&self) -> Option<Instant> {
        self.owner.due()
    }

    /// The size of its files that are held, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let snapshot = self.owner.publisher.current();
        let own: u64 = PLAN.map(|source| snapshot.health[source.index()].bytes).iter().sum();
        own + snapshot.plans.bytes()
    }

    /// When the newest of its files was written.
    pub(super) fn modified(&self) -> Option<SystemTime> {
        self.owner.publisher.current().modified(&PLAN)
    }

    /// What was begun or completed here and not in the served copy.
    pub(super) fn taken(&self) -> &[Taken] {
        self.compared.as_ref().map_or(&[], |compared| &compared.found.taken)
    }

    /// What people call it: its branch, else its folder.
    pub(super) fn called(&self) -> String {
        self.head.branch.clone().unwrap_or_else(|| name(&self.worktree.top))
    }

    /// Its row, without what it shares with others.
    pub(super) fn row(&self, main: &Path) -> Row {
        let snapshot = self.owner.publisher.current();
        let mut row = row(&self.worktree.top, main, &self.head, &snapshot);
        if let Some(Compared { found, .. }) = &self.compared {
            row.changes.clone_from(&found.changes);
            row.reason.clone_from(&found.reason);
            row.state = found.state.unwrap_or(CopyState::Read);
        }
        if row.state == CopyState::Missing {
            row.progress = None;
        }
        row
    }
}

/// The row of a worktree with this state of the plan.
pub(super) fn row(top: &Path, main: &Path, head: &Head, snapshot: &Snapshot) -> Row {
    let short = |id: &String| id.chars().take(SHORT).collect();
    Row {
        path: shown(top, main),
        name: name(top),
        branch: head.branch.clone(),
        commit: head.commit.as_ref().map(short),
        served: false,
        last_write: snapshot.modified(&PLAN).map(time::format),
        progress: progress(snapshot, head.branch.as_deref()),
        changes: None,
        overlap: Vec::new(),
        state: CopyState::Read,
        reason: None,
    }
}

fn name(top: &Path) -> String {
    top.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A folder as seen from the repository's main folder. Of one that is neither below it nor beside it only the name is shown,
/// since the way to it would tell where both are.
fn shown(top: &Path, main: &Path) -> String {
    let beside = main.parent().filter(|parent| parent.parent().is_some());
    match (top.strip_prefix(main), beside.map(|parent| top.strip_prefix(parent))) {
        (Ok(below), _) if below.as_os_str().is_empty() => ".".to_owned(),
        (Ok(below), _) => below.to_string_lossy().into_owned(),
        (_, Some(Ok(below))) => format!("../{}", below.to_string_lossy()),
        _ => format!("…/{}", name(top)),
    }
}

/// How many tasks are done, of the story that the branch is named after if there is one, else of all; without tasks, stories.
fn progress(snapshot: &Snapshot, branch: Option<&str>) -> Option<Progress> {
    let tasks = snapshot.records(Collection::Tasks);
    let collection = if tasks.is_empty() { Collection::Stories } else { Collection::Tasks };
    let records = snapshot.records(collection);
    let story = branch.and_then(|branch| branch.rsplit('/').next());
    let of_story = story.and_then(|story| Some((story, tasks.terms("story_id")?.get(story)?)));
    let positions = match of_story {
        Some((_, set)) => records.positions(Some(set)),
        None => (0..count_u32(records.len())).collect(),
    };
    let standing: Vec<Standing> = positions.into_iter().map(|at| records.standing(at)).collect();
    let count = |is: &dyn Fn(Standing) -> bool| standing.iter().filter(|one| is(**one)).count();
    let total = count(&|one| one != Standing::GivenUp);
    (total > 0).then(|| Progress {
        of: collection.name(),
        story_id: of_story.map(|(story, _)| story.to_owned()),
        done: count(&|one| one == Standing::Done),
        total,
    })
}

/// What differs between the served copy and another one.
fn compare(served: &Snapshot, copy: &Snapshot) -> Found {
    let state_of = |snapshot: &Snapshot, source: Source| snapshot.health[source.index()].state;
    let is_missing = |source: &Source| state_of(copy, *source) == State::Missing;
    let has_plan = copy.plans.formats.iter().any(|format| format.files > 0);
    if PLAN.iter().all(is_missing) && !has_plan && !copy.plans.is_incomplete {
        let reason = Some("none of the plan's files is in it".to_owned());
        return Found { state: Some(CopyState::Missing), reason, ..Found::default() };
    }
    let is_loading = |source: &Source| {
        let health = &copy.health[source.index()];
        health.state == State::Changing && health.loaded_at.is_none()
    };
    if copy.plans.is_incomplete || PLAN.iter().any(is_loading) {
        return Found { state: Some(CopyState::Changing), ..Found::default() };
    }
    let (mut files, unread) = plan_changes::unread(served, copy);
    files.extend(plan_changes::of_one_side(served, copy));
    // A file that git does not have is in the copy of its writer alone.
    let is_of_one = |source: &Source| {
        (state_of(served, *source) == State::Missing) != (state_of(copy, *source) == State::Missing)
    };
    let sources: Vec<Source> = PLAN.into_iter().filter(is_of_one).collect();
    let absent = sources.first().map(|source| {
        let side = if is_missing(source) { "in it" } else { "in the served copy" };
        let name = [served, copy].map(|side| side.health[source.index()].path.as_str());
        format!("{} is not {side}", if is_missing(source) { name[0] } else { name[1] })
    });
    let PlanChanges { changes, not_compared } =
        plan_changes::compare(served, copy, &LeftOut { sources, files });
    let sentence = |one: &NotCompared| format!("{}: {}", one.file, one.reason);
    let reason = absent.or_else(|| unread.iter().chain(&not_compared).map(sentence).next());
    let state = if reason.is_some() { CopyState::PartlyRead } else { CopyState::Read };
    let mut counts: IndexMap<&'static str, usize> =
        Label::ALL.into_iter().map(|label| (label.key(), 0)).collect();
    for change in &changes {
        *counts.entry(Label::of(change).key()).or_default() += 1;
    }
    let taken = taken::taken(served, copy, &changes);
    Found { changes: Some(counts), state: Some(state), reason, taken }
}

/// The ids of what a worktree shares with others, in order.
pub(super) fn named(ids: impl Iterator<Item = String>, most: usize) -> Vec<String> {
    ids.collect::<BTreeSet<_>>().into_iter().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_is_named_as_seen_from_the_main_folder() {
        let main = Path::new("/home/ann/shop");
        for (top, expect) in [
            ("/home/ann/shop", "."),
            ("/home/ann/shop/.worktrees/a", ".worktrees/a"),
            ("/home/ann/shop-a", "../shop-a"),
            ("/home/ann/trees/shop/a", "../trees/shop/a"),
            ("/tmp/a", "…/a"),
        ] {
            assert_eq!(shown(Path::new(top), main), expect, "{top}");
        }
        assert_eq!(shown(Path::new("/b/c"), Path::new("/a")), "…/c");
    }
}
