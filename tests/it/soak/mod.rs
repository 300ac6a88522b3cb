//! Minutes of load with a random fault each second, against the real program: its resource usage does not grow, and in
//! the end it serves the content on disk.
//!
//! `FLOW_SOAK_SECONDS` is the duration (by default 60), `FLOW_SOAK_SEED` repeats a run.

mod faults;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::raw::{Client, good};
use crate::support::{Project, Server, wait_until};
use crate::tools::{Usage, figure, setting};
use faults::Faults;

/// Clients that send requests all the time.
const CLIENTS: usize = 3;
/// The pause between two requests, so that the machine has time for others.
const BREATH: Duration = Duration::from_millis(4);
/// How much resident memory may grow after the first fifth (minute one of five), in KiB.
const GROWTH: u64 = 10 * 1024;
/// Most threads of an idle server: the main thread, two workers of the runtime, notify's, the store's, and those for
/// blocking work. The latter end after ten idle seconds; a task runs on one of them each second, which keeps at most ten.
const MOST_THREADS: u64 = 5 + 10;
/// How many more files may be open.
const MORE_FILES: usize = 2;
const PATHS: [&str; 10] = [
    "/api/bus/messages",
    "/api/bus/messages?limit=1000&order=desc&from=a",
    "/api/status",
    "/api/stories?status=done",
    "/api/metrics",
    "/api/epics",
    "/api/tasks",
    "/api/sessions?active=all",
    "/api/problems",
    "/api/health",
];

/// The control of the clients, and their counts.
#[derive(Debug, Default)]
struct Load {
    stop: AtomicBool,
    pause: AtomicBool,
    paused: AtomicUsize,
    answers: AtomicUsize,
}

impl Load {
    /// Sends varying requests, and checks that every answer is valid.
    fn ask(&self, server: Server) {
        let mut turn = 0;
        while !self.stop.load(Ordering::Relaxed) {
            if self.pause.load(Ordering::Relaxed) {
                self.paused.fetch_add(1, Ordering::Relaxed);
                while self.pause.load(Ordering::Relaxed) {
                    thread::sleep(BREATH);
                }
                self.paused.fetch_sub(1, Ordering::Relaxed);
            }
            let mut client = Client::new(server.address());
            for _ in 0..50 {
                turn += 1;
                let Some(mut reply) = client.send(good(PATHS[turn % PATHS.len()])).try_head()
                else {
                    break;
                };
                client.read_body(&mut reply);
                assert!([200, 404, 503].contains(&reply.status), "{reply:?}");
                reply.json();
                self.answers.fetch_add(1, Ordering::Relaxed);
                thread::sleep(BREATH);
            }
        }
    }
}

/// Stops the clients at the end of the test, even if it panics.
struct Ends<'a>(&'a Load);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
        self.0.pause.store(false, Ordering::Relaxed);
    }
}

/// The program's resource usage without requests.
fn calm(server: Server, load: &Load, floor: Usage) -> Usage {
    load.pause.store(true, Ordering::Relaxed);
    wait_until("the clients pause", || load.paused.load(Ordering::Relaxed) == CLIENTS);
    wait_until("files and threads are given back", || {
        let now = Usage::of(server.pid);
        now.files <= floor.files + MORE_FILES && now.threads <= MOST_THREADS
    });
    let usage = Usage::of(server.pid);
    load.pause.store(false, Ordering::Relaxed);
    usage
}

#[test]
#[ignore = "takes a minute or more; .ci/run and tests/reliability run it"]
fn load_and_a_fault_each_second() {
    let time = Duration::from_secs(setting("FLOW_SOAK_SECONDS").unwrap_or(60));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let seed = setting("FLOW_SOAK_SEED").unwrap_or(now);
    figure("soak_seed", seed);
    let project = Project::new();
    let mut faults = Faults::new(&project, seed);
    let server = project.start();
    wait_until("it is well", || server.get("/api/health").json()["status"] == "ok");
    let floor = Usage::of(server.pid);
    let load = Load::default();
    let after_the_first = thread::scope(|scope| {
        let _ends = Ends(&load);
        for _ in 0..CLIENTS {
            scope.spawn(|| load.ask(server));
        }
        let first = faults_for(time / 5, &mut faults, server);
        // Clients of a fault that is not undone would hold their connections.
        faults.heal();
        let after_the_first = calm(server, &load, floor);
        let rest = faults_for(time / 5 * 4, &mut faults, server);
        figure("soak_faults", first + rest);
        faults.heal();
        after_the_first
    });
    wait_until("what is served is what is on disk", || faults.are_served(server));
    wait_until("files and threads are given back", || {
        let now = Usage::of(server.pid);
        now.files <= floor.files + MORE_FILES && now.threads <= MOST_THREADS
    });
    let last = Usage::of(server.pid);
    let growth = last.memory.saturating_sub(after_the_first.memory);
    figure("soak_seconds", time.as_secs());
    figure("soak_answers", load.answers.load(Ordering::Relaxed));
    figure("soak_memory_kib", last.memory);
    figure("soak_memory_growth_kib", growth);
    figure("soak_more_files", last.files.saturating_sub(floor.files));
    figure("soak_threads", last.threads);
    assert!(growth < GROWTH, "{growth} KiB more than after the first fifth");
}

/// Writers at work and a fault each second; returns the number of faults.
fn faults_for(time: Duration, faults: &mut Faults<'_>, server: Server) -> u32 {
    let begun = Instant::now();
    let mut count = 0;
    while begun.elapsed() < time {
        if begun.elapsed() >= Duration::from_secs(1) * count {
            count += 1;
            faults.next(server);
        }
        faults.write_a_line();
        thread::sleep(BREATH);
    }
    count
}
