//! The transport with requests that are broken, hostile or unusual. `tests/cases/transport` shows the hosts and
//! origins of requests, `tests/cases/http` what else a browser sends.

use flow::web::serve::Limits;

use crate::raw::{Project, alive, echo, good};

/// Paths that lead to every kind of answer, 404 among them.
const PATHS: [&str; 8] = [
    "/api",
    "/api/health",
    "/api/tasks?limit=no",
    "/api/tasks/1",
    "/api/status",
    "/nowhere",
    "//",
    "/%ff",
];

fn real() -> Project {
    Project::open(Limits::default())
}

#[test]
fn a_missing_or_doubled_host_is_refused_and_the_connection_closed() {
    let project = real();
    for path in PATHS {
        for head in [
            format!("GET {path} HTTP/1.1\r\n"),
            format!("GET {path} HTTP/1.0\r\n"),
            format!("GET http://localhost{path} HTTP/1.1\r\n"),
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n"),
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nX: y\r\nhost: evil\r\n"),
        ] {
            let mut client = project.served.client();
            let reply = client.send(format!("{head}\r\n{}", good(path))).reply();
            assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{head}");
            reply.is_ours();
            client.closed();
        }
    }
}

#[test]
fn connect_is_refused_and_closed() {
    let served = echo();
    for target in ["evil:443", "localhost:80", "/api", "http://localhost/"] {
        let mut client = served.client();
        let reply = client
            .send(format!("CONNECT {target} HTTP/1.1\r\nHost: localhost\r\n\r\n{}", good("/")))
            .reply();
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{target}");
        client.closed();
    }
    let mut client = served.client();
    let reply = client.send("GET localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n").reply();
    assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"));
    client.closed();
    alive(&served);
}

#[test]
fn too_much_head_is_refused_and_the_connection_closed() {
    let served = echo();
    let head = |line: &str| format!("GET {line} HTTP/1.1\r\nHost: localhost\r\n");
    let many =
        |count: usize| (0..count).fold(head("/"), |text, n| format!("{text}H{n}: v\r\n")) + "\r\n";
    assert_eq!(served.ask(many(63)).status, 200);
    let long = |bytes: usize| format!("{}X: {}\r\n\r\n", head("/"), "x".repeat(bytes));
    assert_eq!(served.ask(long(30 * 1024)).status, 200);
    let uri = |bytes: usize| head(&format!("/{}", "u".repeat(bytes - 1))) + "\r\n";
    assert_eq!(served.ask(uri(8 * 1024)).status, 200);
    for (request, status) in [
        (many(64), 431),
        (many(1000), 431),
        (long(40 * 1024), 431),
        (long(4 * 1024 * 1024), 431),
        (uri(8 * 1024 + 1), 414),
        (head(&format!("/?{}", "u".repeat(8 * 1024))) + "\r\n", 414),
        (uri(10 * 1024), 414),
        (uri(40 * 1024), 431),
    ] {
        let mut client = served.client();
        let reply = client.send(&request).reply();
        assert_eq!(reply.status, status, "{} bytes", request.len());
        client.closed();
    }
    let reply = served.ask(uri(10 * 1024));
    assert_eq!(reply.is_ours().code(), "uri_too_long");
}

/// Requests whose beginning or end two parsers could locate differently, each followed by another.
pub(crate) fn attacks() -> Vec<(&'static str, Vec<u8>)> {
    let host = "Host: localhost\r\n";
    let smuggled = good("/smuggled");
    vec![
        ("CL+TE", format!("GET /api HTTP/1.1\r\n{host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}").into()),
        ("TE+CL", format!("POST /api HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\nContent-Length: 60\r\n\r\n0\r\n\r\n{smuggled}").into()),
        ("TE xchunked", format!("GET /api HTTP/1.1\r\n{host}Transfer-Encoding: xchunked\r\n\r\n{smuggled}").into()),
        ("TE on 1.0", format!("GET /api HTTP/1.0\r\n{host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}").into()),
        ("two CLs", format!("GET /api HTTP/1.1\r\n{host}Content-Length: 0\r\nContent-Length: 5\r\n\r\n{smuggled}").into()),
        ("CL list", format!("GET /api HTTP/1.1\r\n{host}Content-Length: 0, 5\r\n\r\n{smuggled}").into()),
        ("CL signed", format!("GET /api HTTP/1.1\r\n{host}Content-Length: +0\r\n\r\n{smuggled}").into()),
        ("CL huge", format!("GET /api HTTP/1.1\r\n{host}Content-Length: 99999999999999999999\r\n\r\n{smuggled}").into()),
        ("obs-fold", format!("GET /api HTTP/1.1\r\n{host}X: a\r\n b\r\n\r\n{smuggled}").into()),
        ("space before colon", format!("GET /api HTTP/1.1\r\n{host}X : a\r\n\r\n{smuggled}").into()),
        ("NUL in value", format!("GET /api HTTP/1.1\r\n{host}X: a\0b\r\n\r\n{smuggled}").into()),
        ("NUL in target", format!("GET /a\0pi HTTP/1.1\r\n{host}\r\n{smuggled}").into()),
        ("CR in value", format!("GET /api HTTP/1.1\r\n{host}X: a\rb\r\n\r\n{smuggled}").into()),
        ("TLS hello", [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", &[7; 500][..]].concat()),
        ("h2c preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\x04\0\0\0\0\0".to_vec()),
        ("HTTP/2 line", format!("GET /api HTTP/2.0\r\n{host}\r\n{smuggled}").into()),
        ("HTTP/0.9", b"GET /api\r\n".to_vec()),
        ("spaces", format!("GET  /api  HTTP/1.1\r\n{host}\r\n{smuggled}").into()),
        ("body", format!("GET /api HTTP/1.1\r\n{host}Content-Length: 5\r\n\r\nhello{smuggled}").into()),
        ("chunked body", format!("GET /api HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n{smuggled}").into()),
        ("bad chunk", format!("GET /api HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nzz\r\n{smuggled}").into()),
    ]
}

#[test]
fn broken_framing_gets_one_answer_at_most_and_the_connection_is_closed() {
    let project = real();
    let served = &project.served;
    for (name, bytes) in attacks() {
        let mut client = served.client();
        if let Some(head) = client.send(&bytes).try_head() {
            let length = head.header("content-length").map_or(0, |text| text.parse().unwrap());
            assert_eq!(client.rest().len(), length, "{name}: more than one answer, after {head:?}");
        }
        alive(served);
    }
}

#[test]
fn a_body_is_never_waited_for() {
    let served = echo();
    for (line, method) in
        [("Content-Length: 1073741824", "GET"), ("Transfer-Encoding: chunked", "POST")]
    {
        for expect in ["", "Expect: 100-continue\r\n"] {
            let mut client = served.client();
            client
                .send(format!("{method} / HTTP/1.1\r\nHost: localhost\r\n{line}\r\n{expect}\r\n"));
            let reply = client.reply();
            assert_eq!((reply.status, reply.header("connection")), (200, Some("close")));
            client.closed();
        }
    }
}

#[test]
fn a_client_that_goes_on_sending_still_gets_its_answer() {
    let served = echo();
    let mut client = served.client();
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1073741824\r\n\r\n");
    assert_eq!(client.reply().status, 200);
    client.closed();
    for _ in 0..200 {
        client.send([b'x'; 4096]);
    }
    assert!(!client.broken_off, "a client that stops at the first error would not see its answer");
}

#[test]
fn old_and_odd_clients_are_answered() {
    let served = echo();
    let mut old = served.client();
    let reply = old.send("GET /a HTTP/1.0\r\nHost: localhost\r\n\r\n").reply();
    assert_eq!(reply.json()["path"], "/a");
    old.closed();
    let mut kept = served.client();
    for _ in 0..2 {
        kept.send("GET /a HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
        assert_eq!(kept.reply().header("connection"), Some("keep-alive"));
    }
    let reply = served.ask("GET /a HTTP/1.1\nHost: localhost\n\n");
    assert_eq!(reply.json()["path"], "/a");
    let upgrade =
        "GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    let mut client = served.client();
    assert_eq!(client.send(upgrade).reply().status, 200);
    assert_eq!(client.send(good("/b")).reply().json()["path"], "/b");
    let mut closing = served.client();
    closing.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!(closing.reply().header("connection"), Some("close"));
    closing.closed();
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let served = echo();
    let mut client = served.client();
    let requests: String = (0..200).map(|number| good(&format!("/{number}"))).collect();
    client.send(requests);
    for number in 0..200 {
        assert_eq!(client.reply().json()["path"], format!("/{number}"));
    }
}

#[test]
fn a_client_that_closes_its_side_after_asking_is_answered() {
    let served = echo();
    for _ in 0..200 {
        let mut client = served.client();
        client.send(good("/a") + &good("/b")).finish();
        assert_eq!(client.reply().json()["path"], "/a");
        assert_eq!(client.reply().json()["path"], "/b");
        client.closed();
    }
    for part in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\n"] {
        served.client().send(part).finish().closed();
    }
    alive(&served);
}
