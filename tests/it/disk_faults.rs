//! The n-th call of the disk fails, for every n. For each file the complete old or the complete new content
//! is served, health states the reason, and in the end it is the new content.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flow::project::Source;
use flow::store::disk::Disk;
use flow::store::snapshot::State;
use flow::store::{Environment, Options, RealClock};

use crate::hooked::Hooked;
use crate::live::{self, Live};
use crate::oracle::Files;
use crate::support::wait_until;

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    Io,
    Interrupted,
    NotFound,
    Denied,
    /// A reading returns one byte; everything else succeeds.
    Short,
}

const ALL: [Failure; 5] =
    [Failure::Io, Failure::Interrupted, Failure::NotFound, Failure::Denied, Failure::Short];

impl Failure {
    fn error(self) -> Option<io::Error> {
        let code = match self {
            Self::Io => 5,
            Self::Interrupted => 4,
            Self::NotFound => 2,
            Self::Denied => 13,
            Self::Short => return None,
        };
        Some(io::Error::from_raw_os_error(code))
    }
}

/// Which calls fail.
#[derive(Debug, Clone, Copy)]
struct Plan {
    /// Counted from 1; 0 is none.
    first: u64,
    last: u64,
    failure: Failure,
}

/// What the test and the disk share.
#[derive(Debug)]
struct Switch {
    calls: AtomicU64,
    plan: Mutex<Plan>,
}

impl Switch {
    fn new() -> Arc<Self> {
        let plan = Mutex::new(Plan { first: 0, last: 0, failure: Failure::Io });
        Arc::new(Self { calls: AtomicU64::new(0), plan })
    }

    fn arm(&self, first: u64, last: u64, failure: Failure) {
        let mut plan = self.plan.lock().unwrap();
        self.calls.store(0, Ordering::SeqCst);
        *plan = Plan { first, last, failure };
    }

    fn disarm(&self) {
        self.arm(0, 0, Failure::Io);
    }

    /// How the current call fails.
    fn call(&self) -> Option<Failure> {
        let plan = self.plan.lock().unwrap();
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        (plan.first <= call && call <= plan.last).then_some(plan.failure)
    }

    /// The real disk, except for the calls of the plan.
    fn disk(self: &Arc<Self>) -> Box<dyn Disk> {
        let switch = Arc::clone(self);
        Box::new(Hooked::new(move |_, _| match switch.call() {
            Some(failure) => failure.error().map_or(Ok(1), Err),
            None => Ok(usize::MAX),
        }))
    }
}

fn live(switch: &Arc<Switch>, sweep: Duration) -> Live {
    let folder = tempfile::tempdir().unwrap();
    let environment = Environment {
        disk: Some(switch.disk()),
        clock: Box::new(RealClock),
        ..Environment::default()
    };
    let options = Options { sweep: Some(sweep), ..Options::default() };
    Live::open(folder, &options, environment)
}

/// The four files in their n-th state: each document is another, the log has a line more.
fn write_all(live: &Live, n: u64) {
    let records = |name: &str| format!("{{\"{name}\":{{\"a\":{{\"n\":{n}}},\"b{n}\":{{}}}}}}");
    live::replace(&live.file(Source::Status), records("stories"));
    live::replace(&live.file(Source::Sessions), records("sessions"));
    live::replace(&live.file(Source::Tasks), records("tasks"));
    let lines: Vec<String> = (0..=n).map(|line| format!("{{\"n\":{line}}}\n")).collect();
    let path = live.file(Source::Bus);
    if n.is_multiple_of(3) {
        live::replace(&path, lines.concat());
    } else {
        live::append(&path, lines.last().unwrap());
    }
}

/// Properties that depend on one source only.
const OF_EACH: [&str; 4] =
    ["/api/status", "/api/sessions?active=all", "/api/tasks", live::MESSAGES];

/// Asserts that each source is served as one of the two, or as nothing if the disk reported that nothing exists.
fn each_is_whole(live: &Live, [old, new]: [&Files; 2], failure: Failure, at: u64) {
    let snapshot = live.app.reader.snapshot();
    for (source, asked) in Source::ALL.into_iter().zip(OF_EACH) {
        let body = live.get(asked);
        let is = |files: &Files| live::answers(&body, files, asked);
        let state = snapshot.health[source.index()].state;
        let is_gone = failure == Failure::NotFound && is(&Files::default());
        let context = format!("{source:?} at call {at}, {failure:?}, {state:?}: {body:?}");
        // A file that exists and was never read is not a missing one.
        let status = Some((Vec::new(), std::time::UNIX_EPOCH));
        let is_unread = old.status.is_none() && is(&Files { status, ..old.clone() });
        assert!(is(old) || is(new) || is_gone || is_unread, "{context}");
        let health = live.health(source);
        if !is(new) && !is_gone && matches!(failure, Failure::Io | Failure::Denied) {
            // By now it may have been probed again, and be new.
            assert!(
                health.state != State::Present || live::answers(&live.get(asked), new, asked),
                "{context}"
            );
        }
        if health.state == State::Unreadable {
            let reason = health.last_error.unwrap_or_default();
            let root = live.project.root().to_str().unwrap();
            assert!(!reason.is_empty() && !reason.contains(root), "{reason}");
        }
    }
}

fn fails_at_each_call(failure: Failure) {
    let switch = Switch::new();
    let live = live(&switch, Duration::from_millis(10));
    write_all(&live, 0);
    live.agrees();
    for at in 1.. {
        let old = live.files();
        switch.arm(at, at, failure);
        write_all(&live, at);
        let new = live.files();
        live.sync();
        let calls = switch.calls.load(Ordering::SeqCst);
        each_is_whole(&live, [&old, &new], failure, at);
        wait_until("the new is served", || live.difference(&new).is_none());
        wait_until("all is well", || Source::ALL.iter().all(|s| live.state(*s) == State::Present));
        if calls < at {
            assert!(at > 20, "only {at} calls");
            return;
        }
    }
}

each! {
    io_errors_at_each_call: fails_at_each_call(Failure::Io);
    interruptions_at_each_call: fails_at_each_call(Failure::Interrupted);
    absence_at_each_call: fails_at_each_call(Failure::NotFound);
    refusals_at_each_call: fails_at_each_call(Failure::Denied);
    short_reads_at_each_call: fails_at_each_call(Failure::Short);
}

#[test]
fn the_first_load_fails_at_each_call() {
    for failure in ALL {
        for at in 1..40 {
            let folder = tempfile::tempdir().unwrap();
            let status = folder.path().join("docs/09-agents/status.json");
            live::write(&status, r#"{"stories":{"a":{}}}"#);
            live::write(
                &folder.path().join("docs/09-agents/bus/log.jsonl"),
                "{\"n\":1}\n{\"n\":2}",
            );
            let switch = Switch::new();
            switch.arm(at, at, failure);
            let environment = Environment {
                disk: Some(switch.disk()),
                clock: Box::new(RealClock),
                ..Environment::default()
            };
            let options = Options { sweep: Some(Duration::from_millis(10)), ..Options::default() };
            let live = Live::open(folder, &options, environment);
            let calls = switch.calls.load(Ordering::SeqCst);
            each_is_whole(&live, [&Files::default(), &live.files()], failure, at);
            live.comes_to_agree();
            if calls < at {
                break;
            }
        }
    }
}

#[test]
fn a_disk_that_fails_for_long_leaves_the_last_good_and_says_why() {
    for failure in [Failure::Io, Failure::Denied, Failure::Interrupted] {
        let switch = Switch::new();
        let live = live(&switch, Duration::from_millis(10));
        write_all(&live, 0);
        live.agrees();
        let old = live.files();
        // Interrupted reads are retried indefinitely; every other error is reported immediately.
        let last = if failure == Failure::Interrupted { 200 } else { u64::MAX };
        switch.arm(1, last, failure);
        write_all(&live, 1);
        live.sync();
        if failure != Failure::Interrupted {
            live.serves(&old);
            for source in Source::ALL {
                let health = live.health(source);
                assert_eq!(health.state, State::Unreadable, "{source:?}");
                let reason = failure.error().unwrap().to_string();
                assert_eq!(health.last_error, Some(reason));
            }
            assert!(!live.is_ok());
            switch.disarm();
        }
        live.comes_to_agree();
        wait_until("all is well", || live.is_ok());
    }
}

#[test]
fn a_disk_that_cannot_be_looked_at_is_not_looked_at_all_the_time() {
    let switch = Switch::new();
    let live = live(&switch, Duration::from_hours(1));
    write_all(&live, 0);
    live.sync();
    // Just written, so each file is due for a second probe, which fails.
    switch.arm(1, u64::MAX, Failure::Io);
    live.sync();
    assert_eq!(live.state(Source::Bus), State::Unreadable);
    let before = switch.calls.load(Ordering::SeqCst);
    live::comes_true(Duration::from_millis(300), || false);
    let calls = switch.calls.load(Ordering::SeqCst) - before;
    assert!(calls < 40, "{calls} calls while nothing happened");
}
