//! The transport with clients that are slow, many, silent or delay a stop, with limits short enough to test.

use std::net::TcpStream;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::http::StatusCode;
use bytes::Bytes;
use flow::web::Request;
use flow::web::reply::Reply as Answered;
use flow::web::serve::{Answer, Limits};
use serde_json::Map;

use crate::raw::{Client, Echo, Gate, PATIENCE, Served, alive, good};
use crate::support::wait_until;

/// More than the system buffers for a connection, in bytes.
const LARGE: usize = 64 << 20;

#[test]
fn slow_clients_are_dropped_and_disturb_nobody() {
    let limits = Limits { first_request: Duration::from_millis(300), ..Limits::default() };
    let served = Served::with(Echo, limits);
    let mut regular = served.client();
    assert_eq!(regular.send(good("/")).reply().status, 200);
    let begun = Instant::now();
    let heads = ["", "G", "GET / HTTP/1.1\r\nHost: localhost\r\nX"];
    let mut slow: Vec<Client> = (0..90).map(|_| served.client()).collect();
    for (client, head) in slow.iter_mut().zip(heads.into_iter().cycle()) {
        client.send(head);
    }
    alive(&served);
    for client in &mut slow {
        client.send("x").closed();
    }
    assert!(begun.elapsed() >= limits.first_request);
    // It has been idle for as long as the others were slow.
    assert_eq!(regular.send(good("/")).reply().status, 200);
}

#[test]
fn an_idle_connection_is_closed_in_the_end() {
    let limits = Limits { idle: Duration::from_millis(100), ..Limits::default() };
    let served = Served::with(Echo, limits);
    let mut client = served.client();
    assert_eq!(client.send(good("/")).reply().status, 200);
    client.closed();
}

#[test]
fn at_the_limit_the_oldest_that_has_not_asked_goes() {
    let served = Served::with(Echo, Limits { connections: 4, ..Limits::default() });
    let mut asked = served.client();
    assert_eq!(asked.send(good("/")).reply().status, 200);
    let mut waiting: Vec<Client> = (0..3).map(|_| served.client()).collect();
    let mut newest = served.client();
    assert_eq!(newest.send(good("/")).reply().status, 200);
    waiting[0].closed();
    for client in waiting[1..].iter_mut().chain([&mut asked, &mut newest]) {
        assert_eq!(client.send(good("/")).reply().status, 200);
    }
}

#[test]
fn where_all_have_asked_a_newcomer_is_turned_away_until_there_is_room() {
    let served = Served::with(Echo, Limits { connections: 3, ..Limits::default() });
    let mut asked: Vec<Client> = (0..3).map(|_| served.client()).collect();
    for client in &mut asked {
        assert_eq!(client.send(good("/")).reply().status, 200);
    }
    for _ in 0..30 {
        let mut newcomer = served.client();
        let mut head = newcomer.send(good("/")).head();
        assert_eq!((head.is_ours().status, head.header("retry-after")), (503, Some("1")));
        assert_eq!(head.header("connection"), Some("close"));
        let length: usize = head.header("content-length").unwrap().parse().unwrap();
        head.body = newcomer.rest();
        assert_eq!((head.body.len(), head.code().as_str()), (length, "too_many_connections"));
    }
    for client in &mut asked {
        assert_eq!(client.send(good("/")).reply().status, 200);
    }
    asked.pop();
    wait_until("a request gets the capacity that is free", || {
        served.client().send(good("/")).try_head().is_some_and(|head| head.status == 200)
    });
}

#[test]
fn those_who_are_turned_away_do_not_wait_for_each_other() {
    let served = Served::with(Echo, Limits { connections: 1, ..Limits::default() });
    let mut asked = served.client();
    assert_eq!(asked.send(good("/")).reply().status, 200);
    // They neither send requests nor close. All get an answer, and afterwards only a few are served.
    let mut silent: Vec<Client> = (0..40).map(|_| served.client()).collect();
    for client in &mut silent {
        assert_eq!(client.head().status, 503);
        client.rest();
    }
    // The system rejects the first byte to a closed socket, and the second shows that.
    let cut_off =
        silent.iter_mut().filter_map(|client| client.send("x").send("x").broken_off.then_some(()));
    assert!(cut_off.count() > 0);
    assert_eq!(asked.send(good("/")).reply().status, 200);
}

/// Answers when permitted.
struct Slow(Gate);

impl Answer for Slow {
    fn answer(&self, _: Request<'_>) -> Answered {
        self.0.pass();
        Answered::json(Bytes::from(vec![b'x'; LARGE]))
    }
}

#[test]
fn at_the_stop_answers_finish_and_nothing_new_is_taken() {
    let (gate, was_asked, may) = Gate::new();
    let mut served = Served::with(Slow(gate), Limits { grace: PATIENCE, ..Limits::default() });
    let (mut busy, mut silent) = (served.client(), served.client());
    busy.send(good("/"));
    was_asked.recv_timeout(PATIENCE).unwrap();
    served.stop.send(true).unwrap();
    silent.closed();
    wait_until("the listener is closed", || TcpStream::connect(served.address).is_err());
    may.send(()).unwrap();
    assert_eq!(busy.reply().body.len(), LARGE);
    busy.closed();
    assert!(served.ended() < PATIENCE / 2);
}

#[test]
fn at_the_stop_idle_connections_hold_nothing_up() {
    let mut served = Served::with(Echo, Limits { grace: PATIENCE, ..Limits::default() });
    let mut idle = served.client();
    assert_eq!(idle.send(good("/")).reply().status, 200);
    served.stop.send(true).unwrap();
    assert!(served.ended() < PATIENCE / 2);
    idle.closed();
}

#[test]
fn a_server_whose_owner_is_gone_stops() {
    let mut served = Served::with(Echo, Limits::default());
    alive(&served);
    served.stop = tokio::sync::watch::channel(false).0;
    served.ended();
}

/// An answer that reports when the server has dropped it.
struct Large(Mutex<Sender<()>>);

struct Held(Vec<u8>, Sender<()>);

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.1.send(());
    }
}

impl Answer for Large {
    fn answer(&self, _: Request<'_>) -> Answered {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Answered::json(Bytes::from_owner(Held(vec![b'x'; LARGE], sender)))
    }
}

#[test]
fn a_client_that_does_not_read_is_dropped() {
    let (sender, dropped) = channel();
    let limits = Limits { stall: Duration::from_millis(200), ..Limits::default() };
    let served = Served::with(Large(Mutex::new(sender)), limits);
    let mut client = served.client();
    client.send(good("/"));
    dropped.recv_timeout(PATIENCE).unwrap();
    assert!(client.rest().len() < LARGE);
    let mut reader = served.client();
    assert_eq!(reader.send(good("/")).reply().body.len(), LARGE);
}

#[test]
fn a_client_that_does_not_read_holds_up_a_stop_for_the_grace_at_most() {
    let (sender, dropped) = channel();
    let limits = Limits { grace: Duration::from_millis(200), ..Limits::default() };
    let mut served = Served::with(Large(Mutex::new(sender)), limits);
    let mut client = served.client();
    client.send(good("/"));
    assert_eq!(client.head().status, 200);
    served.stop.send(true).unwrap();
    assert!(served.ended() >= limits.grace);
    dropped.recv_timeout(PATIENCE).unwrap();
    assert!(client.rest().len() < LARGE);
}

/// Fails at one path.
struct Failing;

impl Answer for Failing {
    fn answer(&self, asked: Request<'_>) -> Answered {
        assert_ne!(asked.path, "/fails", "a secret");
        Answered::error(StatusCode::NOT_FOUND, "not_found", "no", Map::new())
    }
}

#[test]
fn a_failure_at_one_request_is_told_and_ends_nothing() {
    let served = Served::with(Failing, Limits::default());
    let mut client = served.client();
    for _ in 0..3 {
        let reply = client.send(good("/fails")).reply();
        assert_eq!((reply.is_ours().status, reply.code().as_str()), (500, "internal"));
        assert!(!String::from_utf8_lossy(&reply.body).contains("secret"));
        assert_eq!(client.send(good("/")).reply().status, 404);
    }
}
