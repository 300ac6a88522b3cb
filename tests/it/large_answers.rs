//! Clients that request large answers and do not read them: their total memory is bounded, other clients are not
//! affected, and all memory is released.

use bytes::Bytes;
use flow::project::Source;
use flow::store::prepared::InFlight;
use flow::web::Request;
use flow::web::reply::Reply as Answered;
use flow::web::serve::{Answer, Limits};

use crate::live::{self, Live};
use crate::raw::{Client, Reply, Served, good};
use crate::support::wait_until;

/// More than the system buffers for a connection, in bytes.
const LARGE: usize = 16 << 20;

/// Answers with a separate large body, with a shared one, or with a small one.
struct Bodies {
    body: Bytes,
    in_flight: InFlight,
}

impl Bodies {
    fn served(in_flight: usize) -> Served {
        let bodies = Self { body: vec![b'x'; LARGE].into(), in_flight: InFlight::default() };
        Served::with(bodies, Limits { in_flight, ..Limits::default() })
    }
}

impl Answer for Bodies {
    fn answer(&self, asked: Request<'_>) -> Answered {
        match asked.path {
            "/own" => Answered::json(self.body.to_vec().into()),
            "/shared" => Answered::json(self.body.clone()).shared_with(&self.in_flight, LARGE),
            _ => Answered::json(self.body.slice(..100)),
        }
    }
}

/// A client that has requested a large answer, received its head and reads no further. It retries until the limit on large
/// answers admits it, since the memory of the previous client is released shortly after its last byte.
#[track_caller]
fn holding(served: &Served, path: &str) -> (Client, Reply) {
    let mut slow = None;
    wait_until("capacity is free", || {
        let mut client = served.client();
        let head = client.send(good(path)).head();
        slow = (head.is_ours().status == 200).then_some((client, head));
        slow.is_some()
    });
    slow.unwrap()
}

/// Asserts that a large answer is refused for now, but nothing else on the same connection.
#[track_caller]
fn is_refused(served: &Served, path: &str, small: &str) {
    let mut client = served.client();
    for _ in 0..3 {
        let refusal = client.send(good(path)).reply();
        assert_eq!((refusal.is_ours().status, refusal.header("retry-after")), (503, Some("1")));
        assert_eq!(
            (refusal.code().as_str(), refusal.header("etag")),
            ("too_many_large_answers", None)
        );
        assert_eq!(client.send(good(small)).reply().status, 200);
    }
}

#[test]
fn what_nobody_reads_is_bounded_and_comes_back() {
    let served = Bodies::served(2 * LARGE);
    let slow = holding(&served, "/own");
    let gone = holding(&served, "/own");
    is_refused(&served, "/own", "/small");
    is_refused(&served, "/shared", "/small");
    drop(gone);
    wait_until("what is not read any more comes back", || served.get("/own").status == 200);
    let second = holding(&served, "/own");
    is_refused(&served, "/own", "/small");
    for (mut client, mut head) in [slow, second] {
        client.read_body(&mut head);
        assert_eq!(head.body.len(), LARGE);
    }
    wait_until("what was read comes back", || {
        let both = [(); 2].map(|()| {
            let mut client = served.client();
            (client.send(good("/own")).head().status, client)
        });
        both.iter().all(|(status, _)| *status == 200)
    });
}

#[test]
fn one_that_is_larger_than_the_bound_is_answered_alone() {
    let served = Bodies::served(LARGE / 2);
    let slow = holding(&served, "/own");
    is_refused(&served, "/own", "/small");
    drop(slow);
    wait_until("capacity is free", || served.get("/own").body.len() == LARGE);
}

#[test]
fn many_who_share_one_body_take_it_once() {
    let served = Bodies::served(LARGE);
    let slow: Vec<_> = (0..20).map(|_| holding(&served, "/shared")).collect();
    is_refused(&served, "/own", "/small");
    assert_eq!(served.get("/shared").body.len(), LARGE);
    drop(slow);
    wait_until("capacity is free", || served.get("/own").status == 200);
}

#[test]
fn the_text_of_a_file_and_its_records_are_there_once() {
    let live = Live::new();
    let title = "x".repeat(LARGE);
    live.write(Source::Status, format!("{{\"stories\":{{\"US-1\":{{\"title\":\"{title}\"}}}}}}"));
    live.sync();
    let app = live::app(live.app.reader.clone());
    let limits = Limits { in_flight: LARGE + LARGE / 2, ..Limits::default() };
    let served = Served::with(app, limits);
    for (path, other) in [
        ("/api/status", "/api/stories/US-1"),
        ("/api/stories/US-1", "/api/stories"),
        ("/api/stories", "/api/status"),
    ] {
        let slow: Vec<_> = (0..5).map(|_| holding(&served, path)).collect();
        is_refused(&served, other, "/api/health");
        // A list with a filter is rendered for each request.
        is_refused(&served, "/api/stories?epic_id=none", "/api/health");
        drop(slow);
        wait_until("capacity is free", || served.get(other).status == 200);
    }
}
