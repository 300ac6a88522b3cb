//! The input of a daemon: everything that was opened before the fork.

use std::net::TcpListener;
use std::os::unix::net::UnixListener;

use super::instance_guard::InstanceGuard;
use crate::project::Project;
use crate::store::common_plan::CommonPlan;

/// Whether the daemon detaches from the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It forks, and the caller's process returns.
    Background,
    /// The caller's process becomes the daemon.
    Foreground,
}

/// Everything that was opened before the fork.
pub(crate) struct Job {
    pub(crate) project: Project,
    pub(crate) mode: Mode,
    pub(crate) guard: InstanceGuard,
    pub(crate) http: TcpListener,
    pub(crate) control: UnixListener,
    /// Finds what two worktrees have in common.
    pub(crate) common: Option<Box<dyn CommonPlan>>,
}
