//! Changes that hide: in a tick of the clock, behind a store that stands still, between two looks at one file. The
//! disk is the real one, but for what a test does in the middle of a call.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flow::project::Source;
use flow::store::Now;
use flow::store::snapshot::State;
use flow::store::{Clock, Environment, Options, RealClock, Scope};

use super::status;
use crate::hooked::{Call, Hooked};
use crate::live::{self, Live, append};
use crate::support::wait_until;

/// What a test does when a file of this name is looked at, opened or read.
type Hook = Box<dyn FnMut(Call, &Path) + Send>;

/// The most that one reading gives.
const PIECE: usize = 1000;

/// A disk whose hook a test sets later.
#[derive(Clone)]
struct Watched {
    hook: Arc<Mutex<Option<Hook>>>,
    tick: Duration,
}

impl Watched {
    fn new(tick: Duration) -> Self {
        Self { hook: Arc::default(), tick }
    }

    fn environment(&self, clock: impl Clock + 'static) -> Environment {
        let hook = Arc::clone(&self.hook);
        let call = move |call, path: &Path| {
            hook.lock().unwrap().iter_mut().for_each(|hook| hook(call, path));
            Ok(PIECE)
        };
        let tick = i128::try_from(self.tick.as_nanos()).unwrap();
        let disk = Hooked::coarse(tick, call);
        Environment { disk: Some(Box::new(disk)), clock: Box::new(clock), ..Environment::default() }
    }

    fn live(&self, options: &Options) -> Live {
        Live::open(tempfile::tempdir().unwrap(), options, self.environment(RealClock))
    }

    fn on(&self, hook: impl FnMut(Call, &Path) + Send + 'static) {
        *self.hook.lock().unwrap() = Some(Box::new(hook));
    }
}

/// What is served is what the files hold, whatever their time: a coarse clock makes it another.
#[track_caller]
fn holds(live: &Live, asked: &str, part: &str) {
    wait_until(&format!("{asked} has {part}"), || live.text(asked).contains(part));
}

#[test]
fn a_write_in_the_tick_of_the_one_that_was_read() {
    let disk = Watched::new(Duration::from_millis(10));
    for scope in [Scope::Nothing, Scope::Folders] {
        let live = disk.live(&Options {
            sweep: Some(Duration::from_millis(50)),
            scope,
            ..Options::default()
        });
        for n in 100..116 {
            live.write(Source::Status, status(&n.to_string()));
            live.write(Source::Bus, format!("{{\"n\":{n}}}\n"));
            live.sync();
            assert!(live.text("/api/status").contains(&n.to_string()));
            live.write(Source::Status, status(&(n + 500).to_string()));
            live.write(Source::Bus, format!("{{\"n\":{}}}\n", n + 500));
            if n % 4 == 0 {
                holds(&live, "/api/status", &(n + 500).to_string());
                holds(&live, live::MESSAGES, &(n + 500).to_string());
            } else {
                live.sync();
                assert!(live.text("/api/status").contains(&(n + 500).to_string()), "{n}");
                assert!(live.text(live::MESSAGES).contains(&(n + 500).to_string()), "{n}");
            }
        }
    }
}

#[test]
fn a_store_that_stood_still_during_twenty_thousand_writes() {
    let disk = Watched::new(Duration::from_nanos(1));
    let live = disk.live(&Options::default());
    let path = live.file(Source::Bus);
    live::write(&path, "");
    live.agrees();
    let gate = Arc::new(Mutex::new(()));
    let passed = Arc::clone(&gate);
    disk.on(move |call, _| drop((call == Call::Stat).then(|| passed.lock().unwrap())));
    let still = gate.lock().unwrap();
    let mut log = File::options().append(true).open(&path).unwrap();
    for n in 0..20_000 {
        io::Write::write_all(&mut log, format!("{{\"n\":{n}}}\n").as_bytes()).unwrap();
        if n % 5000 == 0 {
            live::replace(&live.file(Source::Status), status(&n.to_string()));
        }
    }
    drop(still);
    wait_until("all of them", || live.app.reader.snapshot().bus.log.len() == 20_000);
    let last = live.text("/api/bus/messages?offset=19999");
    assert!(last.starts_with(r#"{"messages":[{"n":19999}],"count":1,"total":20000"#), "{last}");
    holds(&live, "/api/status", "15000");
}

#[test]
fn a_log_that_shrinks_while_it_is_opened_is_not_served_as_empty() {
    let disk = Watched::new(Duration::from_nanos(1));
    let live = disk.live(&Options { sweep: None, scope: Scope::Nothing, ..Options::default() });
    let path = live.file(Source::Bus);
    live::write(&path, "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
    live.agrees();
    append(&path, "{\"n\":4}\n");
    let (log, reader) = (path.clone(), live.app.reader.clone());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let lengths = Arc::clone(&seen);
    let mut step = 0;
    disk.on(move |call, asked| match (call, step) {
        // The writer rotates: it empties the log …
        (Call::Open, 0) if asked == log => {
            fs::write(&log, "").unwrap();
            step = 1;
        }
        // … and has written what it keeps before anybody looks again.
        (Call::Stat, 1) if asked == log => {
            lengths.lock().unwrap().push(reader.snapshot().bus.log.len());
            fs::write(&log, "{\"n\":3}\n{\"n\":4}\n").unwrap();
            step = 2;
        }
        _ => {}
    });
    live.agrees();
    assert_eq!(*seen.lock().unwrap(), [3], "messages while it was being rotated");
}

#[test]
fn a_log_written_over_while_it_is_read_is_not_mixed() {
    let disk = Watched::new(Duration::from_nanos(1));
    let live = disk.live(&Options { sweep: None, scope: Scope::Nothing, ..Options::default() });
    let lines = |word: &str| format!("{{\"from\":\"{word}\"}}\n").repeat(300);
    let path = live.file(Source::Bus);
    live::write(&path, lines("one"));
    let mut reads = 0;
    disk.on(move |call, asked| {
        if call == Call::Read && asked == path {
            reads += 1;
            if reads == 3 {
                fs::write(asked, lines("two")).unwrap();
            }
        }
    });
    live.agrees();
}

/// A clock that stands still until it is moved.
#[derive(Clone)]
struct Still(Arc<Mutex<Now>>);

impl Clock for Still {
    fn now(&self) -> Now {
        *self.0.lock().unwrap()
    }
}

#[test]
fn a_log_that_shrank_is_not_served_before_its_size_has_held() {
    let clock = Still(Arc::new(Mutex::new(RealClock.now())));
    let disk = Watched::new(Duration::from_nanos(1));
    let options = Options { sweep: None, scope: Scope::Nothing, ..Options::default() };
    let environment = disk.environment(clock.clone());
    let live = Live::open(tempfile::tempdir().unwrap(), &options, environment);
    let path = live.file(Source::Bus);
    let length = || live.app.reader.snapshot().bus.log.len();
    live::write(&path, "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
    live.agrees();
    let looks = Arc::new(AtomicUsize::new(0));
    let (counted, log) = (Arc::clone(&looks), path.clone());
    disk.on(move |call, asked| {
        counted.fetch_add(usize::from(call == Call::Stat && asked == log), Ordering::SeqCst);
    });
    fs::write(&path, "").unwrap();
    for more in ["", "{\"n\":2}\n", "{\"n\":3}\n"] {
        append(&path, more);
        let before = looks.load(Ordering::SeqCst);
        let mut waiting = live.ask();
        // The second look begins when the first one is over.
        wait_until("two looks", || looks.load(Ordering::SeqCst) > before + 1);
        assert_eq!((live.state(Source::Bus), length()), (State::Changing, 3), "after {more:?}");
        assert!(waiting.try_recv().is_err());
        clock.0.lock().unwrap().instant += Duration::from_millis(40);
    }
    let mut waiting = live.ask();
    wait_until("the end", || {
        clock.0.lock().unwrap().instant += Duration::from_millis(10);
        waiting.try_recv().is_ok()
    });
    live.serves(&live.files());
}

#[test]
fn a_sync_waits_for_a_file_that_was_replaced_while_it_was_read() {
    let disk = Watched::new(Duration::from_nanos(1));
    let live = disk.live(&Options { sweep: None, scope: Scope::Nothing, ..Options::default() });
    live.write(Source::Status, status("first"));
    live.agrees();
    let path = live.file(Source::Status);
    live::replace(&path, status("second"));
    let mut times = 0;
    disk.on(move |call, asked| {
        if call == Call::Read && asked == path && times < 3 {
            times += 1;
            live::replace(asked, status("third"));
        }
    });
    live.agrees();
}

#[test]
fn a_sync_does_not_wait_for_ever_for_a_file_that_is_replaced_all_the_time() {
    let disk = Watched::new(Duration::from_nanos(1));
    let live = disk.live(&Options { sweep: None, scope: Scope::Nothing, ..Options::default() });
    live.write(Source::Status, status("first"));
    live.agrees();
    let path = live.file(Source::Status);
    live::replace(&path, status("second"));
    disk.on(move |call, asked| {
        if call == Call::Read && asked == path {
            live::replace(asked, status("never still"));
        }
    });
    live.sync();
    assert!(live.text("/api/status").contains("first"));
}
