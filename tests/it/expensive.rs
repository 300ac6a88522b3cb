//! Queries that examine large collections: what one may examine, how many run at a time, and that nothing else waits for
//! them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use flow::project::Source;
use flow::store::{Environment, Options};
use flow::web::Request;
use flow::web::reply::Reply as Answered;
use flow::web::serve::{Answer, Limits};
use serde_json::json;

use crate::live::{Live, ask};
use crate::raw::{Client, Gate, PATIENCE, Served, good};
use crate::support::Project;
use crate::tools::{figure, milliseconds, percentile, scaled};

/// Answers `/expensive` when permitted, and everything else at once.
struct Slow(Gate);

impl Answer for Slow {
    fn answer(&self, request: Request<'_>) -> Answered {
        if request.path == "/expensive" {
            self.0.pass();
        }
        Answered::json(Bytes::from_static(b"{}"))
    }

    fn is_expensive(&self, path: &str, _: Option<&str>) -> bool {
        path == "/expensive"
    }
}

#[test]
fn two_expensive_queries_run_at_a_time_and_nothing_else_waits() {
    let (gate, was_asked, may) = Gate::new();
    let served = Served::with(Slow(gate), Limits::default());
    let mut running: Vec<Client> = (0..2).map(|_| served.client()).collect();
    for client in &mut running {
        client.send(good("/expensive"));
        was_asked.recv_timeout(PATIENCE).unwrap();
    }
    let mut third = served.client();
    third.send(good("/expensive"));
    for _ in 0..20 {
        assert_eq!(served.get("/other").status, 200);
    }
    let refusal = third.reply();
    assert_eq!((refusal.is_ours().status, refusal.header("retry-after")), (503, Some("1")));
    assert_eq!(refusal.code(), "busy");
    assert!(was_asked.try_recv().is_err(), "a third one runs");
    // Where one ends, the next begins.
    may.send(()).unwrap();
    third.send(good("/expensive"));
    was_asked.recv_timeout(PATIENCE).unwrap();
    for _ in 0..2 {
        may.send(()).unwrap();
    }
    for client in running.iter_mut().chain([&mut third]) {
        assert_eq!(client.reply().status, 200);
    }
}

/// A registry of tasks of this many bytes, at least.
fn tasks(bytes: usize) -> String {
    let note = "x".repeat(900);
    let task = |at: usize| {
        let state = if at.is_multiple_of(100) { "queued" } else { "completed" };
        format!(r#""t{at}":{{"title":"task {at:07}","state":"{state}","note":"{note}"}}"#)
    };
    let all: Vec<String> = (0..bytes / 960).map(task).collect();
    format!("{{\"tasks\":{{{}}}}}", all.join(",\n"))
}

#[test]
fn what_a_query_examines_is_limited_by_amount() {
    let live = Live::new();
    live.write(Source::Tasks, tasks(40 << 20));
    live.sync();
    let status = |asked: &str| ask(&live.app, asked).status.as_u16();
    assert_eq!(status("/api/tasks?limit=1&q=0000007"), 200);
    assert_eq!(status("/api/tasks?limit=1&sort=-title"), 200);
    let both = "/api/tasks?limit=1&q=task&sort=-title&fields=id";
    let refusals = [(); 3].map(|()| {
        let refusal = ask(&live.app, both);
        assert_eq!(refusal.status.as_u16(), 503);
        serde_json::from_slice::<serde_json::Value>(&refusal.body).unwrap()
    });
    for refusal in &refusals {
        assert_eq!(refusal["code"], "too_expensive", "{refusal}");
        assert_eq!(refusal["most_bytes"], 64 << 20, "{refusal}");
        assert_eq!(refusal["parameters"], json!(["q", "sort", "fields"]), "{refusal}");
    }
    // A filter by an index, or a name that is given twice, costs nothing.
    assert_eq!(status(&format!("{both}&state=queued")), 200);
    assert_eq!(status("/api/tasks?limit=1&sort=-title,-title,title"), 200);
}

#[test]
fn a_filter_by_a_name_without_an_index_examines_as_much_as_a_query_may() {
    let options = Options { names: 1, ..Options::default() };
    let live = Live::open(tempfile::tempdir().unwrap(), &options, Environment::default());
    let text = "x".repeat(1 << 20);
    let message = |n: usize| {
        let second = n % 60;
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:{second:02}Z","from":"n{n}","story":"s","text":"{text}"}}"#
        )
    };
    let log: Vec<String> = (0..60).map(message).collect();
    live.write(Source::Bus, log.join("\n") + "\n");
    live.sync();
    let ask = |query: &str| ask(&live.app, &format!("/api/bus/messages?limit=0&{query}"));
    let total = |query: &str| {
        let reply = ask(query);
        assert_eq!(reply.status.as_u16(), 200, "{query}");
        serde_json::from_slice::<serde_json::Value>(&reply.body).unwrap()["total"].clone()
    };
    assert_eq!(total("from=n59"), 1);
    live.write(Source::Bus, (0..72).map(message).collect::<Vec<_>>().join("\n") + "\n");
    live.sync();
    for query in ["from=n59", "from!=n59", "from=nobody&story_id=s"] {
        let refusal = ask(query);
        assert_eq!(refusal.status.as_u16(), 503, "{query}");
        let refusal: serde_json::Value = serde_json::from_slice(&refusal.body).unwrap();
        assert_eq!(refusal["code"], "too_expensive", "{refusal}");
        let parameters = refusal["parameters"].as_array().unwrap();
        assert!(parameters.contains(&"from".into()), "{refusal}");
    }
    // Values with an index cost nothing, and other filters narrow what is examined.
    assert_eq!(total("from=n0"), 1);
    assert_eq!(total("from=none"), 0);
    assert_eq!(total("story_id=s"), 72);
    assert_eq!(total("from=n59&story_id=other"), 0);
    assert_eq!(total("from=n59&since=2026-01-01T00:00:50Z"), 1);
    assert_eq!(total("from!=n59&since=2026-01-01T00:00:50Z"), 9);
    // Such queries of a long log run apart from the others.
    let text = "x".repeat(250);
    let padded = |n: usize| format!("{{\"from\":{n},\"text\":\"{text}\"}}\n");
    live.write(Source::Bus, (0..5_000).map(padded).collect::<String>());
    live.sync();
    let is_expensive = |query: &str| live.app.is_expensive("/api/bus/messages", Some(query));
    assert!(is_expensive("from=7") && is_expensive("limit=1&to!=x"));
    assert!(!is_expensive("limit=1"));
    live.write(Source::Bus, padded(1).repeat(5_000));
    live.sync();
    assert!(!is_expensive("from=7"));
}

#[test]
#[ignore = "a load; tests/reliability runs it"]
fn health_and_the_control_socket_answer_under_the_worst_queries() {
    let project = Project::new();
    project.write(".agileflow/state/task-dependencies.json", &tasks(58 << 20));
    let server = project.start();
    let end = Instant::now() + Duration::from_secs(scaled(10, 60));
    let (done, sent, answered) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let (mut times, mut statuses) = (Vec::new(), 0);
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let mut client = Client::new(server.address());
                while !done.load(Ordering::Relaxed) {
                    let offset = sent.fetch_add(1, Ordering::Relaxed);
                    let worst =
                        format!("/api/tasks?limit=1&offset={offset}&q=task&fields=id,title,note");
                    let reply = client.send(good(&worst)).reply();
                    assert!([200, 503].contains(&reply.status), "{}", reply.status);
                    if reply.status == 200 {
                        assert_ne!(reply.json()["total"], 0, "no task is read");
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        while Instant::now() < end {
            let asked = Instant::now();
            assert_eq!(server.get("/api/health").status, 200);
            times.push(asked.elapsed());
            if times.len().is_multiple_of(20) {
                project.status().expect(0);
                statuses += 1;
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_ne!(answered.load(Ordering::Relaxed), 0, "no query was answered");
    figure("expensive_queries", sent.load(Ordering::Relaxed));
    figure("commands_beside_expensive_queries", statuses);
    figure("health_p99_ms_beside_expensive_queries", milliseconds(percentile(&mut times, 99)));
    project.flow(&["api", "stop"]).expect(0);
}
