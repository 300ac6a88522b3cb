//! Checks once a second that the running daemon can still be found, reads what its process uses, and registers it again
//! every minute. It stops the daemon when its runtime files have been removed.

use std::sync::Arc;
use std::time::Duration;

use flow_files::system;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use super::instance_guard::InstanceGuard;
use super::registry::Registration;
use crate::folder::Presence;
use crate::web::process_usage::ProcessUsage;

/// Time between two checks.
const CHECK: Duration = Duration::from_secs(1);
/// Number of consecutive checks that must find the files missing: a folder that is moved and put back stops nothing.
const CHECKS_TO_STOP: u32 = 3;
/// Number of checks after which the daemon registers itself again: cleaners of temporary files may remove the entry.
const CHECKS_TO_REGISTER: u32 = 60;

/// The result of the last checks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Finding {
    #[default]
    Present,
    /// This many consecutive checks found the files missing.
    Gone(u32),
    /// The check itself failed.
    Unknown,
}

impl Finding {
    /// The finding after one more check. A change of the finding is logged, a repetition is not.
    fn after(self, presence: Presence) -> Self {
        match (self, presence) {
            (Self::Present, Presence::Same) => Self::Present,
            (_, Presence::Same) => {
                tracing::info!("the runtime files are in place again");
                Self::Present
            }
            (Self::Gone(checks), Presence::Gone) => Self::Gone(checks + 1),
            (_, Presence::Gone) => {
                tracing::warn!("the runtime files are missing or were replaced; checking again");
                Self::Gone(1)
            }
            (Self::Unknown, Presence::Unknown(_)) => Self::Unknown,
            (_, Presence::Unknown(error)) => {
                tracing::warn!(%error, "could not check the runtime files; still serving");
                Self::Unknown
            }
        }
    }
}

impl Finding {
    /// A folder that was moved since the last check may be put back, so the count begins again.
    fn unless_moved(self, is_moved: bool) -> Self {
        match self {
            Self::Gone(_) if is_moved => Self::Gone(1),
            other => other,
        }
    }
}

/// What the task owns.
pub(crate) struct Housekeeping {
    pub(crate) guard: Arc<InstanceGuard>,
    pub(crate) registration: Registration,
    pub(crate) usage: Arc<ProcessUsage>,
    pub(crate) stop: watch::Sender<bool>,
}

impl Housekeeping {
    /// Returns when the runtime files have been removed, after it has requested the stop.
    pub(crate) async fn run(self) {
        let Self { guard, mut registration, usage, stop } = self;
        let mut ticks = interval(CHECK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut finding = Finding::default();
        let mut changed_at = guard.folder_changed_at();
        let mut checks = 0;
        loop {
            ticks.tick().await;
            usage.note(system::resident_bytes(), system::open_files());
            let before = std::mem::replace(&mut changed_at, guard.folder_changed_at());
            finding = finding.after(guard.presence()).unless_moved(before != changed_at);
            if finding == Finding::Gone(CHECKS_TO_STOP) {
                tracing::warn!("the runtime files are missing or were replaced; stopping");
                stop.send_replace(true);
                return;
            }
            checks += 1;
            if checks % CHECKS_TO_REGISTER == 0 {
                guard.touch();
                let _ = registration.renew();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nix::errno::Errno;

    use super::*;

    #[test]
    fn only_absence_in_a_row_counts_towards_the_stop() {
        let (gone, same) = (|| Presence::Gone, || Presence::Same);
        let failed = || Presence::Unknown(Errno::EIO);
        let after = |found: &[fn() -> Presence]| {
            found.iter().fold(Finding::default(), |finding, next| finding.after(next()))
        };
        assert_eq!(after(&[gone, gone, gone]), Finding::Gone(CHECKS_TO_STOP));
        assert_eq!(after(&[gone, gone, same, gone]), Finding::Gone(1));
        assert_eq!(after(&[gone, gone, failed, gone]), Finding::Gone(1));
        assert_eq!(after(&[failed as fn() -> Presence; 9]), Finding::Unknown);
        assert_eq!(after(&[gone, gone]).unless_moved(true), Finding::Gone(1));
        assert_eq!(after(&[gone, gone]).unless_moved(false), Finding::Gone(2));
    }
}
