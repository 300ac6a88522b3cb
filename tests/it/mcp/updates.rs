//! Update notifications after writes to disk.

use serde_json::{Value, json};

use super::client::{Client, Revision};
use crate::support::{Project, STATUS};

/// A status file in which two stories have these statuses.
fn write(project: &Project, first: &str, second: &str) {
    let status = json!({"stories": {"US-1": {"status": first}, "US-2": {"status": second}}});
    project.replace(STATUS, status.to_string());
}

fn is_update(message: &Value, uri: &str) -> bool {
    message["method"] == "notifications/resources/updated" && message["params"]["uri"] == uri
}

#[test]
fn a_write_to_disk_is_told_to_those_who_watch_it() {
    let all = [
        "flow://stories",
        "flow://stories/US-1",
        "flow://stories/US-2",
        "flow://tasks",
        "flow://stories/US-3",
    ];
    for revision in [Revision::Handshake, Revision::Inline] {
        let project = Project::new();
        write(&project, "ready", "ready");
        let mut client = Client::start(&project, revision);
        match revision {
            Revision::Handshake => {
                for uri in all {
                    let answer = client.ask("resources/subscribe", json!({"uri": uri}));
                    assert!(answer["error"].is_null(), "{answer}");
                }
            }
            Revision::Inline => {
                client.request(
                    "subscriptions/listen",
                    json!({"notifications": {"resourceSubscriptions": all}}),
                );
                let told = client.find(|message| message["method"].is_string());
                assert_eq!(told["params"]["notifications"]["resourceSubscriptions"], json!(all));
            }
        }
        write(&project, "done", "ready");
        client.find(|message| is_update(message, "flow://stories"));
        client.find(|message| is_update(message, "flow://stories/US-1"));
        // It can be read at once.
        let read = client.ask("resources/read", json!({"uri": "flow://stories/US-1"}));
        let text = read["result"]["contents"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap()["status"], "done");
        // A later change is told after everything about the earlier one.
        write(&project, "done", "blocked");
        client.find(|message| is_update(message, "flow://stories/US-2"));
        for untouched in ["flow://tasks", "flow://stories/US-3"] {
            assert!(!client.has_read(|message| is_update(message, untouched)), "{untouched}");
        }
        assert!(!client.has_read(|message| is_update(message, "flow://stories/US-1")));
        client.close().in_order();
    }
}

#[test]
fn who_no_longer_watches_is_told_nothing() {
    let project = Project::new();
    write(&project, "ready", "ready");
    let mut client = Client::start(&project, Revision::Handshake);
    for uri in ["flow://stories/US-1", "flow://stories/US-2"] {
        client.ask("resources/subscribe", json!({"uri": uri}));
    }
    client.ask("resources/unsubscribe", json!({"uri": "flow://stories/US-1"}));
    write(&project, "done", "done");
    client.find(|message| is_update(message, "flow://stories/US-2"));
    write(&project, "blocked", "blocked");
    client.find(|message| is_update(message, "flow://stories/US-2"));
    assert!(!client.has_read(|message| is_update(message, "flow://stories/US-1")));
    client.close().in_order();

    let mut client = Client::start(&project, Revision::Inline);
    let watched = json!({"notifications": {"resourceSubscriptions": ["flow://stories"]}});
    let first = client.request("subscriptions/listen", watched.clone());
    client.find(|message| message["method"].is_string());
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": first}}));
    // What was cancelled is over once a later request is answered and the same id can be used again.
    let second = client.request("subscriptions/listen", watched);
    client.find(|message| message["method"].is_string());
    write(&project, "ready", "ready");
    let told = client.find(|message| is_update(message, "flow://stories"));
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], second);
    let ended = client.close().in_order();
    assert!(ended.rest.iter().all(|message| message["id"] != first), "{ended:?}");
}

#[test]
fn the_number_of_subscriptions_is_bounded() {
    let project = Project::new();
    write(&project, "ready", "ready");
    let mut client = Client::start(&project, Revision::Handshake);
    for at in 0..64 {
        let answer =
            client.ask("resources/subscribe", json!({"uri": format!("flow://stories/{at}")}));
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    // One that is watched already is no further one.
    let again = client.ask("resources/subscribe", json!({"uri": "flow://stories/1"}));
    assert_eq!(again["result"], json!({}));
    let refused = client.ask("resources/subscribe", json!({"uri": "flow://stories/64"}));
    let sentence = "the limit of 64 watched resources is reached; unsubscribe from one first";
    assert_eq!(refused["error"]["message"], sentence);
    let unknown = client.ask("resources/subscribe", json!({"uri": "flow://nonsense"}));
    assert_eq!(unknown["error"]["code"], -32002);
    client.close().in_order();

    let mut client = Client::start(&project, Revision::Inline);
    let many: Vec<String> = (0..100).map(|at| format!("flow://stories/{at}")).collect();
    let watched = json!({"notifications": {"resourceSubscriptions": many}});
    for _ in 0..16 {
        client.request("subscriptions/listen", watched.clone());
        let told = client.find(|message| message["method"].is_string());
        let accepted = &told["params"]["notifications"]["resourceSubscriptions"];
        assert_eq!(accepted.as_array().unwrap().len(), 64);
    }
    let refused = client.ask("subscriptions/listen", watched);
    let sentence = "the limit of 16 open subscriptions is reached; cancel one first";
    assert_eq!(refused["error"]["message"], sentence);
    // Other requests are answered all the same, and the end of the client ends each subscription.
    client.value("list_skills", json!({}));
    let ended = client.close().in_order();
    assert_eq!(ended.rest.iter().filter(|message| message["result"].is_object()).count(), 16);
}

#[test]
fn what_does_not_depend_on_the_files_is_answered_while_they_are_read() {
    let project = Project::new();
    let boxes: Vec<String> = (0..60_000).map(|n| format!("- [ ] T{n:05} Write part {n}")).collect();
    project.write("specs/001-login/spec.md", "# Feature Specification: Login\n");
    project.write("specs/001-login/tasks.md", &boxes.join("\n"));
    let mut client = Client::start(&project, Revision::Handshake);
    let arguments = json!({"collection": "tasks", "limit": 1});
    let records =
        client.request("tools/call", json!({"name": "list_records", "arguments": arguments}));
    // Five answers take a small part of the time in which the files are read, and more than one from a snapshot.
    for _ in 0..5 {
        client.value("list_skills", json!({}));
    }
    assert!(!client.has_read(|message| message["id"] == records), "nothing was left to be read");
    let answer = client.answer(records);
    assert_eq!(answer["result"]["structuredContent"]["total"], 60_000, "{answer}");
}
