//! The cost of each route after its body was rendered, without the connection: `cargo bench --bench routes`.
//!
//! Options: `--folder PROJECT`; `--callgrind FILE` when it runs under callgrind.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark")]

mod support;

use support::meter::Meter;
use support::{Scratch, get, open};

const PATHS: [&str; 17] = [
    "/api",
    "/api/health",
    "/api/sessions",
    "/api/sessions/1",
    "/api/sessions?active=all",
    "/api/status",
    "/api/tasks",
    "/api/bus/messages",
    "/api/metrics",
    "/api/epics",
    "/api/epics/EP-0001",
    "/api/stories",
    "/api/stories/US-0001",
    "/api/stories?status=done",
    "/api/stories?status=done&owner!=api&sort=-id&fields=id,title&facets=owner&limit=20",
    "/api/bus/messages?limit=20&order=desc",
    // Not cached, since `_` bypasses caches: the cost of rendering a page.
    "/api/bus/messages?limit=20&order=desc&_=1",
];

fn main() {
    let scratch = Scratch::new(1_000);
    let (store, app) = open(&scratch.folder);
    let mut meter = Meter::new();
    println!("# {} a request, after the first", meter.unit());
    for path in PATHS {
        let bytes = get(&app, path).len();
        let cost = meter.measure(1_000, || get(&app, path));
        println!("route {path} {cost} {bytes}");
    }
    store.stop();
}
