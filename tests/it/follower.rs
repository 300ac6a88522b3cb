//! One follower over a disk and a clock of the test's own: when it wants to be looked at again.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use flow::project::{Project, Source};
use flow::store::Now;
use flow::store::disk::{Disk, Open, RealDisk, Stat};
use flow::store::follow::{Follower, Urgency};
use nix::errno::Errno;

/// The real disk, or one that denies everything.
struct Guarded {
    denies: bool,
}

impl Guarded {
    fn pass<T>(&self, give: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.denies { Err(Errno::EACCES.into()) } else { give() }
    }
}

impl Disk for Guarded {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.pass(|| RealDisk.stat(path))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.pass(|| RealDisk.resolve(path))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Open>> {
        self.pass(|| RealDisk.open(path))
    }

    fn read_small(&self, path: &Path, most: u64) -> io::Result<String> {
        self.pass(|| RealDisk.read_small(path, most))
    }
}

fn now() -> Now {
    Now { instant: Instant::now(), wall: SystemTime::now() }
}

fn later(now: Now, by: Duration) -> Now {
    Now { instant: now.instant + by, wall: now.wall + by }
}

#[test]
fn a_file_that_is_denied_does_not_keep_the_owner_busy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("docs/09-agents/status.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{}").unwrap();
    let project = Project::open(Some(folder.path()), folder.path(), None).unwrap();
    let mut follower = Follower::new(&project, Source::Status);
    let start = now();
    assert!(follower.look(&Guarded { denies: false }, start, Urgency::Hint).is_some());
    follower.loaded(start, Ok([0, 0, 0]));
    assert!(follower.due().is_some(), "a file that was just written is read once more");
    let after = later(start, Duration::from_secs(5));
    assert!(follower.look(&Guarded { denies: true }, after, Urgency::Hint).is_none());
    assert!(
        follower.due().is_none_or(|due| due > after.instant),
        "it would be looked at without a pause"
    );
}
