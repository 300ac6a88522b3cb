//! Clients that send what is no message, too much, or nothing, and that go away.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use nix::sys::signal::Signal;
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Client, Revision, hello, request};
use crate::support::{Project, Ran, fed, send, wait_until};
use crate::tools::Usage;
use crate::transcript::demo;

/// The limit of a line.
const LONGEST_LINE: usize = 32 << 20;
/// Far more requests than pipes and the program can hold, with answers of 300 MB, more than it may use.
const REQUESTS: u64 = 1_500;

/// An answer, of which only the id is kept.
#[derive(Deserialize)]
struct Answer {
    id: u64,
}

#[test]
fn what_is_no_message_is_passed_over_or_refused_and_the_next_one_is_answered() {
    let project = demo();
    for revision in [Revision::Handshake, Revision::Inline] {
        let mut client = Client::start(&project, revision);
        client.value("list_skills", json!({}));
        for line in [
            &b"no json"[..],
            b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"",
            b"\xff\xfe",
            b"",
            b"   ",
            b"\xef\xbb\xbf",
            b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/of/nobody\"}",
            b"{\"jsonrpc\": \"2.0\", \"id\": 99, \"result\": {}}",
        ] {
            client.line(line);
        }
        // JSON that is no message has no id that an answer could name.
        for line in [
            &b"[]"[..],
            b"17",
            b"{\"id\": 5}",
            b"{\"jsonrpc\": \"1.0\", \"id\": 5, \"method\": \"ping\"}",
        ] {
            client.line(line);
            let refused = client.find(|message| message["error"].is_object());
            assert_eq!(refused["error"]["code"], -32600, "{line:?}: {refused}");
            assert!(refused["id"].is_null(), "{refused}");
        }
        client.value("list_skills", json!({}));
        let unknown = client.ask("tools/destroy", json!({}));
        assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
        for params in
            [json!({}), json!({"name": 5}), json!({"name": "list_skills", "arguments": [1]})]
        {
            let wrong = client.ask("tools/call", params.clone());
            assert!(wrong["error"]["code"].as_i64().unwrap() < 0, "{params}: {wrong}");
        }
        let ended = client.close();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(ended.rest, Vec::<Value>::new());
    }
}

#[test]
fn a_line_over_the_limit_is_dropped_and_the_next_one_is_answered() {
    let project = demo();
    let mut client = Client::start(&project, Revision::Handshake);
    let frame = request(
        Revision::Handshake,
        7,
        "tools/call",
        json!({"name": "run_skill", "arguments": {"name": "status-report", "text": ""}}),
    );
    let long = frame
        .to_string()
        .replace("\"text\":\"\"", &format!("\"text\":\"{}\"", "x".repeat(LONGEST_LINE)));
    client.line(long.as_bytes());
    client.value("list_skills", json!({}));
    let ended = client.close();
    assert_eq!((ended.code, ended.rest.len()), (Some(0), 0), "{ended:?}");
    // It is said on standard error, in a JSON line.
    let warning: Value = serde_json::from_str(ended.err.lines().next().unwrap()).unwrap();
    assert!(
        warning["fields"]["message"].as_str().unwrap().contains("maximum line length"),
        "{warning}"
    );
}

#[test]
fn an_input_over_the_limit_of_skills_is_refused_by_its_size() {
    let project = demo();
    let mut client = Client::start(&project, Revision::Handshake);
    let text = "x".repeat((4 << 20) + 1);
    let sentence = client.fault("run_skill", json!({"name": "type-definitions", "text": text}));
    assert_eq!(sentence, "the input has 4194305 bytes, over the limit of 4194304");
    client.close().in_order();
}

#[test]
fn an_answer_over_the_limit_says_what_to_ask_instead() {
    let project = Project::new();
    let long = "x".repeat(40_000);
    let stories: Value = (0..60)
        .map(|at| (format!("US-{at}"), json!({"text": long})))
        .collect::<serde_json::Map<_, _>>()
        .into();
    project.write("docs/09-agents/status.json", &json!({"stories": stories}).to_string());
    let mut client = Client::start(&project, Revision::Inline);
    let sentence = client.fault("list_records", json!({"collection": "stories", "fields": "all"}));
    assert!(sentence.ends_with("over the limit of 1048576; request less: a smaller limit, a filter, or only some fields"), "{sentence}");
    let few = client.value("list_records", json!({"collection": "stories", "fields": "id"}));
    assert_eq!(
        (&few["count"], &few["total"], &few["next_offset"]),
        (&json!(50), &json!(60), &json!(50))
    );
    let answer = client.ask("resources/read", json!({"uri": "flow://status"}));
    assert!(answer["error"]["message"].as_str().unwrap().contains("over the limit"), "{answer}");
    client.close().in_order();
}

#[test]
fn a_client_that_does_not_read_is_not_read_from() {
    let project = Project::new();
    let long = "x".repeat(100_000);
    project.write(
        "docs/09-agents/status.json",
        &json!({"stories": {"US-1": {"text": long}}}).to_string(),
    );
    let mut command = project.command();
    command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let sent = Arc::new(AtomicU64::new(0));
    let written = Arc::clone(&sent);
    let writer = thread::spawn(move || {
        writeln!(input, "{}", request(Revision::Handshake, 0, "initialize", hello())).unwrap();
        for id in 1..=REQUESTS {
            let read = request(
                Revision::Handshake,
                id,
                "resources/read",
                json!({"uri": "flow://stories/US-1"}),
            );
            writeln!(input, "{read}").unwrap();
            written.store(id, Ordering::Relaxed);
        }
    });
    // Nobody reads the answers: the program stops reading, and the writer waits for it.
    let mut before = 0;
    let mut rounds = 0;
    wait_until("the writer is held up", || {
        let now = sent.load(Ordering::Relaxed);
        rounds = if now == before && now > 0 { rounds + 1 } else { 0 };
        before = now;
        rounds > 200
    });
    assert!(!writer.is_finished(), "{REQUESTS} requests were taken whose answers nobody had read");
    assert!(Usage::of(child.id()).memory < 200 << 10, "{:?}", Usage::of(child.id()));
    let output = BufReader::new(child.stdout.take().unwrap());
    let answers =
        output.lines().map(|line| serde_json::from_str::<Answer>(&line.unwrap()).unwrap());
    let mut ids: Vec<u64> = answers.map(|answer| answer.id).collect();
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    ids.sort_unstable();
    assert_eq!(ids, (0..=REQUESTS).collect::<Vec<_>>());
}

#[test]
fn a_cancelled_request_gets_no_answer() {
    let project = demo();
    for revision in [Revision::Handshake, Revision::Inline] {
        let mut client = Client::start(&project, revision);
        let ids: Vec<u64> = (0..50)
            .map(|_| {
                client.request(
                    "tools/call",
                    json!({"name": "run_skill", "arguments": {"name": "status-report"}}),
                )
            })
            .collect();
        for id in &ids {
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
        }
        // What was not there when the cancellation came has been answered before; nothing is answered twice.
        client.value("list_skills", json!({}));
        let ended = client.close().in_order();
        let answered: Vec<&Value> = ended.rest.iter().map(|message| &message["id"]).collect();
        assert!(answered.len() < ids.len(), "none of {} requests was cancelled", ids.len());
        let mut once = answered.clone();
        once.dedup();
        assert_eq!(once, answered);
    }
}

#[test]
fn a_second_request_with_an_id_in_use_is_refused() {
    let project = demo();
    let mut client = Client::start(&project, Revision::Inline);
    let watched = json!({"notifications": {"resourceSubscriptions": ["flow://stories"]}});
    let id = client.request("subscriptions/listen", watched.clone());
    client.find(|message| message["method"].is_string());
    client.send(&request(Revision::Inline, id, "subscriptions/listen", watched));
    let refused = client.answer(id);
    assert_eq!(refused["error"]["message"], "another request with this id is not answered yet");
    assert_eq!(client.close().in_order().rest.len(), 1);
}

#[test]
fn it_ends_when_its_input_ends_and_answers_what_it_has_read() {
    let project = demo();
    let hello = request(Revision::Handshake, 1, "initialize", hello()).to_string();
    let list = request(Revision::Handshake, 2, "tools/list", json!({})).to_string();
    for (input, answers) in [
        (String::new(), 0),
        (hello[..20].to_owned(), 0),
        (format!("{hello}\n"), 1),
        (format!("{hello}\n{}", &list[..30]), 1),
        (format!("{hello}\n{list}\n"), 2),
    ] {
        let mut command = project.command();
        let ran = Ran::from(fed(command.arg("mcp"), input.as_bytes())).expect(0);
        assert_eq!((ran.out.lines().count(), ran.err.as_str()), (answers, ""), "{input}");
    }
}

#[test]
fn a_signal_ends_it_before_and_after_the_handshake() {
    let project = demo();
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let mut client = Client::start(&project, Revision::Handshake);
        client.value("list_skills", json!({}));
        send(client.pid(), signal);
        client.ended().in_order();
    }
    let mut client = Client::silent(&project, Revision::Handshake);
    // An answer to a ping says that it listens.
    client.ask("ping", json!({}));
    send(client.pid(), Signal::SIGTERM);
    client.ended().in_order();
}

#[test]
fn a_client_of_another_protocol_is_told_so() {
    let project = demo();
    let mut command = project.command();
    let line = b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}\n";
    let ran = Ran::from(fed(command.arg("mcp"), line)).expect(1);
    assert_eq!(ran.out, "");
    assert!(
        ran.err
            .contains("the client's first message is not a request of the Model Context Protocol"),
        "{ran:?}"
    );
    let json = project.flow(&["mcp", "--json"]).expect(2);
    assert!(json.out.contains("mcp writes JSON-RPC"), "{json:?}");
}
