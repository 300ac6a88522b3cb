//! Text that tries to be executed, to move a cursor or to forge a line, in the real program.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Project, Ran};
use crate::tools::figure;

/// Texts that must not appear unescaped in a page, a template, a terminal or a log.
const HOSTILE: [&str; 9] = [
    "{{7*7}}",
    "{% for i in range(1000000) %}x{% endfor %}",
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31mred",
    "\u{9b}31m\u{85}\u{7f}",
    "\u{202e}txt.exe\u{2066}\u{200f}",
    "line\r\n{\"level\":\"ERROR\",\"message\":\"forged\"}\u{2028}",
    "'; DROP TABLE stories; --\\\"",
];

/// Asserts that a text cannot affect a terminal, and that a log's lines are the program's own.
#[track_caller]
fn is_harmless(text: &str) {
    let bad = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(text.find(bad), None, "{text:?}");
}

#[test]
fn hostile_text_is_verbatim_in_json() {
    let project = Project::new();
    let stories: serde_json::Map<String, Value> = HOSTILE
        .iter()
        .enumerate()
        .map(|(n, text)| (format!("US-{n}"), json!({"title": text, "owner": text, "status": text})))
        .collect();
    project.write("docs/09-agents/status.json", &json!({ "stories": stories }).to_string());
    let lines = HOSTILE.map(|text| json!({"from": text, "text": text}).to_string()).join("\n");
    project.write("docs/09-agents/bus/log.jsonl", &lines);
    let server = project.start();
    for (n, text) in HOSTILE.into_iter().enumerate() {
        let response = server.get(&format!("/api/stories/US-{n}"));
        assert_eq!(response.json()["title"], text);
        let raw = Value::from(text).to_string();
        let body = String::from_utf8(response.body.clone()).unwrap();
        assert!(body.contains(&raw), "{raw} is not in {body}");
        assert_eq!(response.header("content-type"), Some("application/json; charset=utf-8"));
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        let page = server.get(&format!("/api/bus/messages?offset={n}&limit=1")).json();
        assert_eq!(page["messages"][0]["text"], text);
    }
    let tally = server.get("/api/metrics").json();
    assert!(HOSTILE.iter().all(|text| tally["bus"]["by_sender"][text] == 1), "{tally}");
    figure("hostile_texts", HOSTILE.len());
}

#[test]
fn hostile_text_is_escaped_on_the_terminal_and_in_the_log() {
    for text in HOSTILE {
        let name: String = text.chars().filter(|c| *c != '/' && *c != '\0').collect();
        let project = Project::named(&name);
        let key = Value::from(text).to_string();
        // A document with an error right at the hostile text, so that the message may quote it.
        project.write("docs/09-agents/status.json", &format!("{{{key}:{key} {key}}}"));
        project.write("docs/09-agents/bus/log.jsonl", &format!("{{{key}:}}\n{text}\n"));
        let started = project.flow(&["api", "start", "PORT=0"]).expect(0);
        let server = crate::support::Server::from(&project.status().json());
        server.get(&format!("/api/stories/{}", "%1b%5b31m"));
        for ran in [
            started,
            project.flow(&["api", "status"]).expect(0),
            project.flow(&["api", "list"]).expect(0),
            project.flow(&["api", text, name.as_str()]).expect(2),
            project.flow(&["api", "stop"]).expect(0),
            with_setting(&project, &key),
        ] {
            is_harmless(&ran.out);
            is_harmless(&ran.err);
        }
        let log = fs::read_to_string(project.file("api-server.log")).unwrap();
        is_harmless(&log);
        for line in log.lines() {
            let said: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            assert!(said["timestamp"].is_string() && said["level"] != "ERROR", "{line}");
        }
    }
}

/// A start with an unknown setting.
fn with_setting(project: &Project, key: &str) -> Ran {
    project.write(".flow/config.json", &format!("{{{key}:1}}"));
    let ran = project.flow(&["api", "start", "PORT=0"]).expect(2);
    assert!(ran.err.contains("config.json"), "{ran:?}");
    ran
}
