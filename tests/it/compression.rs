//! Compressed answers: the same content by an independent reader, with a validator of their own, only where it is accepted and
//! worthwhile.

use std::fmt::Write as _;
use std::process::Command;

use flow::web::gzip::LEAST;

use crate::raw::{Client, Reply};
use crate::support::{Project, Server, fed};

const GZIP: &str = "Accept-Encoding: br, gzip\r\n";

/// Sends a request with these further lines.
fn request(server: Server, method: &str, path: &str, lines: &str) -> Reply {
    let mut client = Client::new(([127, 0, 0, 1], server.port).into());
    client.send(format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n"));
    if method == "HEAD" { client.head() } else { client.reply() }
}

/// A project with a log of this number of messages.
fn project(messages: usize) -> Project {
    let project = Project::new();
    let mut log = String::new();
    for number in 0..messages {
        writeln!(log, r#"{{"timestamp":"2026-03-01T00:00:00Z","from":"a{number}","text":"ü"}}"#)
            .unwrap();
    }
    project.write("docs/09-agents/bus/log.jsonl", &log);
    project
}

/// What the program gzip makes of a body.
fn unpacked(reply: &Reply) -> Vec<u8> {
    let output = fed(Command::new("gzip").arg("-dc"), &reply.body);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn large_answers_are_compressed_for_those_who_accept_it() {
    let project = project(20_000);
    let server = project.start();
    let ask = |method: &str, path: &str, lines: &str| request(server, method, path, lines);
    // One that is kept with its answer, one that is not, one above the limit of large answers.
    for path in [
        "/api/bus/messages",
        "/api/bus/messages?limit=700&order=desc",
        "/api/bus/messages?limit=10000&_=1",
        "/api/openapi.json",
    ] {
        let plain = ask("GET", path, "");
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None), "{path}");
        let is_large = plain.body.len() > LEAST;
        for _ in 0..2 {
            let packed = ask("GET", path, GZIP);
            packed.is_ours();
            assert_eq!(packed.header("content-encoding"), is_large.then_some("gzip"), "{path}");
            assert_eq!(packed.header("content-type"), plain.header("content-type"));
            let tag = plain.header("etag").unwrap();
            if !is_large {
                assert_eq!((&packed.body, packed.header("etag")), (&plain.body, Some(tag)));
                continue;
            }
            assert!(packed.body.len() * 4 < plain.body.len(), "{path}");
            assert_eq!(unpacked(&packed), plain.body, "{path}");
            let own = format!("{}-gzip\"", tag.strip_suffix('"').unwrap());
            assert_eq!(packed.header("etag"), Some(&*own), "{path}");
            // Each is unchanged by either validator; the answer names the one that was meant.
            for (named, lines) in [(tag, ""), (tag, GZIP), (&*own, ""), (&*own, GZIP)] {
                let lines = format!("{lines}If-None-Match: {named}\r\n");
                let unchanged = ask("GET", path, &lines);
                assert_eq!((unchanged.status, unchanged.body.len()), (304, 0), "{path} {lines}");
                assert_eq!(unchanged.header("etag"), Some(named), "{path} {lines}");
                assert_eq!(unchanged.header("content-encoding"), None);
            }
            let head = ask("HEAD", path, GZIP);
            assert_eq!((head.status, head.header("etag")), (200, Some(&*own)), "{path}");
            assert_eq!(head.header("content-encoding"), Some("gzip"));
        }
    }
}

#[test]
fn what_is_small_an_error_or_not_accepted_is_sent_as_it_is() {
    let project = project(1_000);
    let server = project.start();
    let path = "/api/bus/messages?limit=1000";
    for lines in ["", "Accept-Encoding: br\r\n", "Accept-Encoding: gzip;q=0\r\n"] {
        let plain = request(server, "GET", path, lines);
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None), "{lines}");
        assert!(plain.body.len() > LEAST);
    }
    for path in ["/api/bus/messages?limit=3", "/api/health", "/nowhere", "/", "/web/app.js"] {
        assert_eq!(request(server, "GET", path, GZIP).header("content-encoding"), None);
    }
}

#[test]
fn many_at_once_get_the_same() {
    let project = project(20_000);
    let server = project.start();
    let path = "/api/bus/messages?limit=10000";
    let plain = request(server, "GET", path, "");
    std::thread::scope(|scope| {
        let ask = || {
            for _ in 0..3 {
                // Where all threads are busy it is sent as it is.
                let reply = request(server, "GET", path, GZIP);
                assert_eq!(reply.status, 200);
                let is_packed = reply.header("content-encoding").is_some();
                let body = if is_packed { unpacked(&reply) } else { reply.body.clone() };
                assert_eq!(body, plain.body);
            }
        };
        for _ in 0..8 {
            scope.spawn(ask);
        }
    });
}
