//! What careless writers do to the files while a store follows them. Each test says which rows of the fault list it
//! is about; most run three times: asked for what is on disk, told of it by the system, and looking by itself.

mod documents;
mod folders;
mod hidden;
mod log;
mod overwrites;
mod strange;

use std::time::Duration;

use flow::store::{Environment, Options, Scope};

use crate::live::Live;
use crate::oracle::Files;
use crate::support::wait_until;

/// How the store learns of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It is asked for what is on disk.
    Asked,
    /// As it usually does.
    Followed,
    /// Nothing is reported; it looks now and then.
    Swept,
}

impl Way {
    pub(crate) fn options(self) -> Options {
        match self {
            Self::Asked | Self::Followed => Options::default(),
            Self::Swept => Options {
                sweep: Some(Duration::from_millis(20)),
                scope: Scope::Nothing,
                ..Options::default()
            },
        }
    }
}

/// A store and what it must serve by now.
struct Case {
    live: Live,
    way: Way,
    good: Files,
}

impl Case {
    fn new(way: Way) -> Self {
        Self::of(way, tempfile::tempdir().unwrap())
    }

    fn of(way: Way, folder: tempfile::TempDir) -> Self {
        Self {
            live: Live::open(folder, &way.options(), Environment::default()),
            way,
            good: Files::default(),
        }
    }

    /// Asserts that what was just done comes to be served.
    #[track_caller]
    fn settles(&mut self) {
        self.live.remember(&mut self.good);
        if self.way == Way::Asked {
            self.live.sync();
            self.live.serves(&self.good);
        } else {
            wait_until(&format!("{:?}: agreement with the disk", self.way), || {
                self.live.difference(&self.good).is_none()
            });
        }
    }
}

/// Runs a test in each way.
fn in_each_way(test: impl Fn(&mut Case)) {
    for way in [Way::Asked, Way::Followed, Way::Swept] {
        test(&mut Case::new(way));
    }
}

/// A status file with a story of this title.
fn status(title: &str) -> String {
    format!(
        r#"{{"epics":{{"EP-1":{{"title":"e"}}}},"stories":{{"US-1":{{"title":"{title}","epic":"EP-1"}}}}}}"#
    )
}

/// A status file of many records, some 20 KiB.
fn long_status(title: &str) -> String {
    let record = |n: usize| format!(r#""US-{n}":{{"title":"{title}","status":"done"}}"#);
    let records: Vec<String> = (0..500).map(record).collect();
    format!(r#"{{"stories":{{{}}}}}"#, records.join(",\n"))
}
