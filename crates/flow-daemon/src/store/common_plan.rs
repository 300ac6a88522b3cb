//! What two commits have in common. The store only knows that there is such a thing: it runs no program.

use std::fmt;
use std::sync::Arc;

use crate::project::Project;

use super::snapshot::Snapshot;

/// Finds what two commits have in common.
pub trait CommonPlan: Send + fmt::Debug {
    /// The id of the commit from which two others went on; `None` if there is none, or it cannot be found.
    fn base(&mut self, project: &Project, one: &str, other: &str) -> Option<String>;

    /// The plan of a commit; `None` if it cannot be read.
    fn plan(&mut self, project: &Project, commit: &str) -> Option<Arc<Snapshot>>;
}
