//! A poller with a simulated disk and clock: the content that it serves, and when it is due again.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use flow::model::fault::Fault;
use flow::project::{Project, Source};
use flow::store::Now;
use flow::store::disk::RealDisk;
use flow::store::names::MOST_NAMES;
use flow::store::poller::SourcePoller;
use flow::store::probe::{Content, Counts, Probe, Urgency};
use flow::store::writers::Writers;
use nix::errno::Errno;

use crate::hooked::Hooked;

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
    let project = Project::at(folder.path()).unwrap();
    let mut poller = SourcePoller::new(&project, Source::Status, MOST_NAMES);
    // Nothing is between the write and its reading, so that the file is a new one on a busy machine as well.
    std::fs::write(&file, "{}").unwrap();
    let start = now();
    let probe = poller.probe(&RealDisk, &mut Writers::default(), start, Urgency::Hint);
    let Some(Probe { unjudged, .. }) = probe else { panic!("nothing was read") };
    poller.accept(unjudged, Some(Counts::default()), start.instant);
    assert!(poller.due().is_some(), "a file that was just written is read once more");
    let after = later(start, Duration::from_secs(5));
    let denied = Hooked::new(|_, _| Err(Errno::EACCES.into()));
    let probe = poller.probe(&denied, &mut Writers::default(), after, Urgency::Hint);
    assert!(probe.is_none(), "{probe:?}");
    assert!(
        poller.due().is_none_or(|due| due > after.instant),
        "it would be probed without a pause"
    );
}

/// A poller of a project's status.json, without events about its writers.
struct Unreported {
    folder: tempfile::TempDir,
    poller: SourcePoller,
    now: Now,
}

impl Unreported {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("docs/09-agents")).unwrap();
        let project = Project::at(folder.path()).unwrap();
        let poller = SourcePoller::new(&project, Source::Status, MOST_NAMES);
        let mut case = Self { folder, poller, now: now() };
        std::fs::write(case.path(), text).unwrap();
        assert_eq!(case.served_after(0).as_deref(), Some(text));
        case
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("docs/09-agents/status.json")
    }

    /// Overwrites the file from its beginning without truncating it.
    fn overwrite(&self, text: &str) {
        let file = std::fs::File::options().write(true).open(self.path()).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, text.as_bytes(), 0).unwrap();
    }

    /// The content after a probe, some milliseconds after the previous one.
    fn served_after(&mut self, ms: u64) -> Option<String> {
        self.now = later(self.now, Duration::from_millis(ms));
        let probe = self.poller.probe(&RealDisk, &mut Writers::default(), self.now, Urgency::Hint);
        let Probe { content: Content::Document(text, _), unjudged } = probe? else { return None };
        let finished = self.now.instant;
        match serde_json::from_slice::<serde_json::Value>(&text) {
            Ok(_) => self.poller.accept(unjudged, Some(Counts::default()), finished),
            Err(e) => self.poller.reject(unjudged, &Fault::Bad(e.to_string()), finished),
        }
        Some(String::from_utf8(text.to_vec()).unwrap())
    }
}

#[test]
fn a_document_that_was_overwritten_in_place_is_read_twice() {
    let mut case = Unreported::new("{\"n\":1}");
    case.overwrite("{\"n\":2}");
    assert_eq!(case.served_after(100), None);
    assert!(
        case.poller.due().is_some_and(|due| due <= case.now.instant + Duration::from_millis(20))
    );
    assert!(case.poller.is_settling(case.now));
    assert_eq!(case.served_after(19), None);
    case.overwrite("{\"n\":3}");
    assert_eq!(case.served_after(1), None);
    assert_eq!(case.served_after(19), None);
    assert_eq!(case.served_after(1).as_deref(), Some("{\"n\":3}"));
    assert!(!case.poller.is_settling(case.now));
}

#[test]
fn a_document_that_was_renamed_or_truncated_is_served_at_once() {
    let mut case = Unreported::new("{\"n\":1}");
    let new = case.folder.path().join("new");
    std::fs::write(&new, "{\"n\":2}").unwrap();
    std::fs::rename(&new, case.path()).unwrap();
    assert_eq!(case.served_after(100).as_deref(), Some("{\"n\":2}"));
    std::fs::write(case.path(), "{\"n\"").unwrap();
    assert_eq!(case.served_after(100).as_deref(), Some("{\"n\""));
    case.overwrite("{\"n\":3}");
    assert_eq!(case.served_after(1).as_deref(), Some("{\"n\":3}"));
}
