//! Whether the kernel denies `flow` the files outside of the project. Where it does not, that is not a fault of the project,
//! so it is a note and no finding.

use crate::cli::status;
use crate::daemon::Probe;
use crate::store::Restriction;

/// How the files are accessed, as in `file_access` of `/api/health`.
#[derive(Debug)]
pub(super) struct FileAccess(String);

impl FileAccess {
    /// That of the running server; without one, of this program.
    pub(super) fn of_server(look: &Probe) -> Self {
        let Probe::Running { socket, .. } = look else { return Self::of_this_program() };
        match status::health(socket)["file_access"].as_str() {
            Some(name) => Self(name.to_owned()),
            None => Self::of_this_program(),
        }
    }

    /// That of this program.
    pub(super) fn of_this_program() -> Self {
        Self(Restriction::of_kernel().name().to_owned())
    }

    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// What is not restricted, and the remedy.
    pub(super) fn note(&self) -> Option<&'static str> {
        if self.0 == Restriction::Missing.name() {
            Some(
                "this kernel does not restrict which files flow can open (it has no Landlock, or it is not enabled), so \
                 only flow's own checks keep it inside the project; Linux 5.13 or later with lsm=landlock enforces them",
            )
        } else if self.0 == Restriction::Partial.name() {
            Some(
                "this kernel restricts which files flow can open, but not which it can truncate, which flow never does; \
                 Linux 6.2 or later restricts both",
            )
        } else {
            None
        }
    }
}
