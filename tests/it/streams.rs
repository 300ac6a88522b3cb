//! The log with very many messages, through the real program: none is lost, duplicated or out of order.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::raw::{Client, good};
use crate::support::{LOG, Project, wait_until};
use crate::tools::{figure, milliseconds, percentile, scaled};

/// Messages on the largest page.
const PAGE: u32 = 10_000;

fn append_to(path: &Path) -> File {
    OpenOptions::new().append(true).open(path).unwrap()
}

fn total(client: &mut Client) -> u32 {
    let reply = client.send(good("/api/bus/messages?limit=0")).reply();
    u32::try_from(reply.json()["total"].as_u64().unwrap()).unwrap()
}

fn numbers(client: &mut Client, offset: u32) -> Vec<Value> {
    let path = format!("/api/bus/messages?limit={PAGE}&offset={offset}");
    let page = client.send(good(&path)).reply().json();
    page["messages"].as_array().unwrap().iter().map(|message| message["n"].clone()).collect()
}

#[test]
fn ten_thousand_lines_a_second_are_all_served() {
    const A_SECOND: u32 = 10_000;
    let count = A_SECOND * scaled(1, 12);
    let project = Project::new();
    project.write(LOG, "");
    let server = project.start();
    let mut client = Client::new(server.address());
    let mut file = append_to(&project.root.join(LOG));
    let (begun, mut last) = (Instant::now(), 0);
    for n in 0..count {
        writeln!(file, "{{\"n\":{n},\"story_id\":\"US-{}\",\"text\":\"some text\"}}", n % 300)
            .unwrap();
        if n % 100 == 99 {
            let due = Duration::from_secs(1) * (n + 1) / A_SECOND;
            std::thread::sleep(due.saturating_sub(begun.elapsed()));
        }
        if n % 2_000 == 0 {
            let now = total(&mut client);
            assert!(now >= last && now <= n + 1, "{now} after {last}, when {n} were written");
            last = now;
        }
    }
    let written = Instant::now();
    wait_until("all lines are served", || total(&mut client) == count);
    figure("quick_log_lines", count);
    let wrote_for = written.saturating_duration_since(begun);
    figure("quick_log_seconds_of_writing", format!("{:.1}", wrote_for.as_secs_f64()));
    figure("quick_log_served_after_ms", milliseconds(written.elapsed()));
    for offset in (0..count).step_by(PAGE as usize) {
        let wanted: Vec<Value> = (offset..(offset + PAGE).min(count)).map(Value::from).collect();
        assert_eq!(numbers(&mut client, offset), wanted, "from {offset} on");
    }
    assert_eq!(server.get("/api/health").json()["sources"]["bus"]["skipped"], 0);
}

#[test]
fn an_appended_line_is_served_soon() {
    let project = Project::new();
    project.write(LOG, "");
    let server = project.start();
    let mut client = Client::new(server.address());
    let mut file = append_to(&project.root.join(LOG));
    let mut lags = Vec::new();
    for n in 0..scaled(50, 500) {
        let written = Instant::now();
        file.write_all(format!("{{\"n\":{n}}}\n").as_bytes()).unwrap();
        wait_until("the line is served", || total(&mut client) == n + 1);
        lags.push(written.elapsed());
    }
    figure("append_lines", lags.len());
    figure("append_lag_p50_ms", milliseconds(percentile(&mut lags, 50)));
    figure("append_lag_p99_ms", milliseconds(percentile(&mut lags, 99)));
}
