//! The cost of a page of the log, by filter and by the log's length: `cargo bench --bench query`.
//!
//! Each is measured as a new query; with `--again` as one whose answer is cached.
//!
//! Options: `--messages 1000,1000000` or `--folder PROJECT`; `--only NAME` for one query; `--callgrind FILE` when it runs
//! under callgrind.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a benchmark")]

mod support;

use std::time::{Duration, SystemTime};

use flow::model::time;
use support::meter::Meter;
use support::{Scratch, get, open, option, sizes};

/// The queries and their names. All but the last two return a full page at 1,000 messages.
fn questions(total: u64) -> Vec<(&'static str, String)> {
    // The answer to a query with `_` is not cached.
    let first = if std::env::args().any(|argument| argument == "--again") { "" } else { "&_=1" };
    let page = |query: &str| format!("/api/bus/messages?limit=100&{query}{first}");
    // The log starts at 2026-01-01T01:00, with a message every two seconds.
    let begun = SystemTime::UNIX_EPOCH + Duration::from_hours(490_897);
    let at = |share: u64| time::format(begun + Duration::from_secs(total * 2 / 100 * share));
    vec![
        ("none", page("offset=0")),
        ("from", page("from=lead")),
        ("story_id", page("story_id=US-0001")),
        ("type", page("type=progress")),
        ("since", page(&format!("since={}", at(50)))),
        ("last", page("order=desc&from=lead")),
        ("three", page("from=lead&type=progress&story_id=US-0001")),
        ("three_since", page(&format!("from=lead&type=progress&since={}", at(50)))),
        // A full page of 20 where 25 of 1,000 messages match: five senders, four types, half of the time.
        (
            "two_since",
            format!("/api/bus/messages?limit=20&from=lead&type=progress&since={}{first}", at(50)),
        ),
        ("offset_90", page(&format!("offset={}", total / 10 * 9))),
        ("filter_offset", page(&format!("from=lead&offset={}", total / 10 * 4))),
        ("two_values", page("from=lead,api")),
        ("rare", page("story_id=US-0777")),
        ("nothing", page("from=nobody")),
    ]
}

fn main() {
    for size in sizes() {
        let scratch = Scratch::new(size);
        let (store, app) = open(&scratch.folder);
        let total = app.reader.snapshot().bus.log.len() as u64;
        let mut meter = Meter::new();
        println!("# {total} messages, {} a request", meter.unit());
        let only = option("--only");
        let is_asked = |name: &str| only.as_deref().is_none_or(|only| only == name);
        for (name, asked) in questions(total).into_iter().filter(|(name, _)| is_asked(name)) {
            let cost = meter.measure(40, || get(&app, &asked));
            println!("query {total} {name} {cost}");
        }
        store.stop();
    }
}
