//! The transport with requests that are broken, hostile or unusual. `tests/cases/transport` shows hosts, origins and
//! the limits of a head, `tests/cases/http` what else a browser sends.

use flow::web::serve::Limits;

use crate::raw::{Project, alive, echo, good};

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
    let project = Project::open(Limits::default());
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
