//! What two worktrees have in common: the commit from which their branches parted, and the plan in it, by git.

use std::sync::Arc;

use crate::git::revision::{Revision, merge_base};
use crate::project::Project;
use crate::revision::{self, Contents, Part, Tree};
use crate::store::Snapshot;
use crate::store::common_plan::CommonPlan;

/// Asks git.
#[derive(Debug)]
pub(crate) struct GitPlans;

impl CommonPlan for GitPlans {
    fn base(&mut self, project: &Project, one: &str, other: &str) -> Option<String> {
        let base = merge_base(project.state_root(), &named(one), &named(other));
        base.map(|base| base.id).ok()
    }

    fn plan(&mut self, project: &Project, commit: &str) -> Option<Arc<Snapshot>> {
        let tree = Tree::read(project, &named(commit), Part::Plan).ok()?;
        let plan = revision::read(project, &Arc::new(tree), &mut Contents::default()).ok()?;
        Some(plan.snapshot())
    }
}

/// A commit of which only the id matters.
fn named(commit: &str) -> Revision {
    Revision { id: commit.to_owned(), seconds: 0 }
}
