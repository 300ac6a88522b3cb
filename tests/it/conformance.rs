//! The transport with requests that are broken, hostile or unusual. The answers of the routes do not matter here.

use flow::web::serve::Limits;
use serde_json::json;

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
fn foreign_hosts_are_refused_on_every_path() {
    let project = real();
    let hosts = "evil evil:3456 localhost.evil.com localhost. evil.localhost 127.0.0.1@evil evil@127.0.0.1 \
        127.0.0.2 127.1 127.0.0.1: 127.0.0.1:+1 localhost:65536 localhost:99999 127.0.0.1:000080 \
        localhost:80:80 localhost,evil [::1 ::1 [::2] 0.0.0.0 2130706433 localhost\u{e9}";
    for path in PATHS {
        for host in hosts.split_whitespace().chain([""]) {
            let mut client = project.served.client();
            let reply = client.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")).reply();
            assert_eq!((reply.status, reply.code().as_str()), (403, "host_not_allowed"), "{host}");
            assert_eq!(reply.is_ours().json()["host"], host);
            assert_eq!(reply.header("etag"), None);
            assert_ne!(client.send(good(path)).reply().status, 403);
        }
        for (target, host, named) in [
            ("evil", "localhost", "evil"),
            ("127.0.0.1@evil", "localhost", "127.0.0.1@evil"),
            ("evil@127.0.0.1", "localhost", "evil@127.0.0.1"),
            ("localhost", "evil", "evil"),
        ] {
            let absolute = format!("GET http://{target}{path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
            let reply = project.served.ask(absolute);
            assert_eq!((reply.status, reply.code().as_str()), (403, "host_not_allowed"), "{path}");
            assert_eq!(reply.json()["host"], named);
        }
    }
}

#[test]
fn loopback_hosts_are_answered() {
    let served = echo();
    let port = served.address.port();
    let hosts = ["localhost", "127.0.0.1:65535", "[::1]", "[::1]:80"].map(str::to_owned);
    for host in hosts.into_iter().chain([format!("LOCALHOST:{port}"), format!("127.0.0.1:{port}")])
    {
        let reply = served.ask(format!("GET /a HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!((reply.status, &reply.json()["path"]), (200, &json!("/a")), "{host}");
        reply.is_ours();
    }
    let absolute = format!("GET http://localhost:{port}/a?b=c HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let reply = served.ask(absolute).json();
    assert_eq!((&reply["path"], &reply["query"]), (&json!("/a"), &json!("b=c")));
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
fn foreign_origins_are_refused_and_get_no_permission() {
    let project = real();
    for path in PATHS {
        for (lines, seen) in [
            ("Origin: http://evil", "http://evil"),
            ("Origin: null", "null"),
            ("Origin: http://localhost.evil.com", "http://localhost.evil.com"),
            ("Origin: ", ""),
            ("Origin: localhost", "localhost"),
            ("Origin: http:localhost", "http:localhost"),
            ("Origin: ftp://localhost", "ftp://localhost"),
            ("Origin: file://", "file://"),
            ("Origin: http://localhost@evil", "http://localhost@evil"),
            ("Origin: http://localhost http://evil", "http://localhost http://evil"),
            ("Origin: http://localhost/", "http://localhost/"),
            ("Origin: http://lo\u{e9}", "http://lo\u{e9}"),
            ("Origin: http://localhost\r\nOrigin: http://localhost", "more than one"),
        ] {
            for method in ["GET", "OPTIONS", "POST"] {
                let request =
                    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n\r\n");
                let reply = project.served.ask(request);
                assert_eq!(
                    (reply.status, reply.code().as_str()),
                    (403, "origin_not_allowed"),
                    "{lines}"
                );
                assert_eq!(reply.is_ours().json()["origin"], seen);
                assert_eq!(reply.header("access-control-allow-origin"), None);
            }
        }
    }
}

#[test]
fn pages_of_this_machine_may_read_every_answer() {
    let project = real();
    let long = format!("/{}", "a".repeat(10_000));
    for path in PATHS.into_iter().chain([long.as_str()]) {
        for origin in
            ["http://localhost:5173", "HTTP://localhost", "https://127.0.0.1", "http://[::1]:80"]
        {
            let request =
                format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\n\r\n");
            let reply = project.served.ask(request);
            assert_eq!(reply.is_ours().header("access-control-allow-origin"), Some(origin));
            assert_eq!(reply.header("access-control-expose-headers"), Some("ETag, Link"));
        }
    }
    assert_eq!(project.served.get("/api").header("access-control-allow-origin"), None);
}

#[test]
fn a_preflight_tells_what_is_allowed() {
    let served = echo();
    let head = "OPTIONS /api HTTP/1.1\r\nHost: localhost\r\n";
    let asks =
        "Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: if-none-match\r\n";
    let mut client = served.client();
    let reply = client.send(format!("{head}Origin: http://localhost:1\r\n{asks}\r\n")).reply();
    assert_eq!(reply.is_ours().status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("http://localhost:1"));
    assert_eq!(reply.header("access-control-allow-methods"), Some("GET, HEAD, OPTIONS"));
    assert_eq!(reply.header("access-control-allow-headers"), Some("If-None-Match"));
    assert_eq!(reply.header("access-control-max-age"), Some("600"));
    let reply = client.send(format!("{head}\r\n")).reply();
    assert_eq!((reply.status, reply.header("access-control-allow-methods")), (204, None));
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
fn head_is_get_without_a_body() {
    let served = echo();
    let mut client = served.client();
    let head = client.send(good("/x").replace("GET", "HEAD")).head();
    assert_eq!(
        (head.is_ours().status, head.header("content-type")),
        (200, Some("application/json; charset=utf-8"))
    );
    // `HEAD` has a letter more than `GET`, and the echo names it.
    let reply = client.send(good("/x")).reply();
    assert_eq!(head.header("content-length"), Some((reply.body.len() + 1).to_string().as_str()));
    let refused = client.send("HEAD / HTTP/1.1\r\nHost: evil\r\n\r\n").head();
    assert_eq!(refused.status, 403);
    assert_eq!(client.send(good("/y")).reply().json()["path"], "/y");
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
fn an_answer_gets_the_query_and_all_validators() {
    let served = echo();
    let asked = |path: &str, lines: &str| {
        served.ask(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n")).json()
    };
    for (path, query) in [("/a", json!(null)), ("/a?", json!("")), ("/a?b=%2F&c", json!("b=%2F&c"))]
    {
        let said = asked(path, "");
        assert_eq!(
            (&said["path"], &said["query"], &said["if_none_match"]),
            (&json!("/a"), &query, &json!(null))
        );
    }
    for (lines, validators) in [
        ("If-None-Match: \"1\"\r\n", "\"1\""),
        ("If-None-Match: \"1\"\r\nX: y\r\nif-none-match: W/\"2\"\r\n", "\"1\", W/\"2\""),
        ("If-None-Match: \"\u{e9}\", \"1\"\r\n", "\"??\", \"1\""),
        ("If-None-Match: *\r\n", "*"),
    ] {
        assert_eq!(asked("/a", lines)["if_none_match"], validators);
        assert_eq!(asked("/a?b", lines)["query"], "b");
    }
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
