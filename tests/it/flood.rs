//! The real program with many, slow or unusual clients, at its real limits.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::raw::{Client, good};
use crate::support::{Project, Server, get, halt, send, wait_until};
use crate::tools::{Usage, figure, milliseconds, percentile, raise_file_limit, scaled};

/// A client that sends one byte of its head per second, endlessly.
struct Slow {
    stream: TcpStream,
    since: Instant,
    bytes: u64,
}

impl Slow {
    fn open(address: SocketAddr) -> Self {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_nonblocking(true).unwrap();
        stream.write_all(b"GET /api HTTP/1.1\r\nHost: localhost\r\nX: ").unwrap();
        Self { stream, since: Instant::now(), bytes: 0 }
    }

    /// How long it was connected, once the server has closed it.
    fn ended(&mut self) -> Option<Duration> {
        if self.since.elapsed().as_secs() > self.bytes {
            self.bytes += 1;
            // If it is closed already, the reading shows that.
            let _ = self.stream.write(b"x");
        }
        match self.stream.read(&mut [0; 64]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => None,
            _ => Some(self.since.elapsed()),
        }
    }
}

/// The scaled version, with a limit of 0.3 s, is in `limits`.
#[test]
#[ignore = "waits for the real limits of time; tests/reliability runs it"]
fn slow_heads_are_closed_and_disturb_nobody() {
    raise_file_limit();
    let project = Project::new();
    let server = project.start();
    let address = server.address();
    let (count, time, every) = (scaled(100, 1000), scaled(8, 45), Duration::from_secs(15));
    let mut regular = Client::new(address);
    let mut slow: Vec<Slow> = (0..count).map(|_| Slow::open(address)).collect();
    let (mut lives, mut answers) = (Vec::new(), Vec::new());
    let (begun, mut polled) = (Instant::now(), 0);
    while begun.elapsed() < Duration::from_secs(time) {
        if begun.elapsed() >= every * polled {
            polled += 1;
            assert_eq!(regular.send(good("/api/health")).reply().status, 200, "poll {polled}");
        }
        let asked = Instant::now();
        assert_eq!(get(server.port, "/api/health").status, 200);
        answers.push(asked.elapsed());
        for one in &mut slow {
            if let Some(life) = one.ended() {
                lives.push(life);
                *one = Slow::open(address);
            }
        }
    }
    wait_until("all slow connections are closed", || {
        slow.retain_mut(|one| {
            let life = one.ended();
            lives.extend(life);
            life.is_none()
        });
        slow.is_empty()
    });
    figure("slow_connections_closed", lives.len());
    figure("slow_connection_longest_life_ms", milliseconds(percentile(&mut lives, 100)));
    figure("health_p99_ms_beside_slow_connections", milliseconds(percentile(&mut answers, 99)));
}

#[test]
fn with_64_open_files_idle_connections_give_way() {
    raise_file_limit();
    let project = Project::new();
    let server = project.start_by("ulimit -n 64; exec \"$0\" api start PORT=0 --json");
    let silent: Vec<Client> = (0..300).map(|_| Client::new(server.address())).collect();
    assert_eq!(server.get("/api/health").status, 200, "the oldest silent connection was closed");
    drop(silent);
    let mut asked = take_every_place(server);
    for _ in 0..100 {
        let head = Client::new(server.address()).send(good("/api")).try_head();
        assert!(head.is_none_or(|head| head.status == 503));
    }
    for client in &mut asked {
        assert_eq!(client.send(good("/api")).reply().status, 200);
    }
    project.write("docs/09-agents/status.json", "{\"stories\":{\"US-1\":{}}}");
    wait_until("the change is served", || {
        let reply = asked[0].send(good("/api/stories")).reply();
        reply.json()["count"] == 1
    });
    assert_eq!(project.status().code, 0, "the control socket has a file left");
    drop(asked);
    wait_until("it recovers by itself", || {
        let head = Client::new(server.address()).send(good("/api")).try_head();
        head.is_some_and(|head| head.status == 200)
    });
}

/// Connections that have each sent a request, until one is refused.
fn take_every_place(server: Server) -> Vec<Client> {
    let mut asked = Vec::new();
    wait_until("one is turned away", || {
        let mut client = Client::new(server.address());
        let head = client.send(good("/api")).try_head();
        let Some(mut head) = head.filter(|head| head.status == 200) else { return true };
        client.read_body(&mut head);
        asked.push(client);
        false
    });
    assert!((8..64).contains(&asked.len()), "{} places", asked.len());
    asked
}

#[test]
fn different_queries_leave_no_memory_behind() {
    let project = Project::new();
    let line = |n: u32| format!("{{\"n\":{n},\"story_id\":\"US-{}\",\"from\":\"a\"}}\n", n % 50);
    project.write("docs/09-agents/bus/log.jsonl", &(0..200).map(line).collect::<String>());
    let server = project.start();
    let mut client = Client::new(server.address());
    let queries = scaled(4_000, 100_000);
    ask_differently(&mut client, 0..2_000);
    let before = Usage::of(server.pid).memory;
    ask_differently(&mut client, 2_000..2_000 + queries);
    let growth = Usage::of(server.pid).memory.saturating_sub(before);
    figure("different_queries", queries);
    figure("different_queries_memory_growth_kib", growth);
    assert!(growth < 5 * 1024, "{growth} KiB more");
}

/// Sends a different request for each number, a few at a time.
fn ask_differently(client: &mut Client, numbers: std::ops::Range<usize>) {
    for start in numbers.clone().step_by(50) {
        let some = start..(start + 50).min(numbers.end);
        let requests: String = some.clone().map(|n| good(&different(n))).collect();
        client.send(requests);
        for n in some {
            let status = client.reply().status;
            assert!([200, 400, 404].contains(&status), "{status} for {}", different(n));
        }
    }
}

fn different(n: usize) -> String {
    match n % 8 {
        0 => format!("/api/bus/messages?story_id=US-{n}"),
        1 => format!("/api/bus/messages?from=a&offset={n}&limit=3"),
        2 => format!("/api/stories?owner=o{n},p{n}"),
        3 => format!("/api/stories/US-{n}"),
        4 => format!("/api/bus/messages?since=2026-01-01T00:00:00.{n:09}Z"),
        5 => format!("/api/tasks?story_id={n}&subagent_type={n}&_={n}"),
        6 => format!("/api/bus/messages?unknown{n}=1"),
        _ => format!("/nowhere/{n}"),
    }
}

/// Linux delays a client for a second or more if the accept queue is full.
#[test]
fn a_burst_of_clients_waits_in_line() {
    raise_file_limit();
    let project = Project::new();
    let server = project.start();
    halt(server.pid);
    let connect = |_| TcpStream::connect_timeout(&server.address(), Duration::from_millis(900));
    let burst: Result<Vec<_>, _> = (0..600).map(connect).collect();
    send(server.pid, Signal::SIGCONT);
    assert!(burst.is_ok(), "there was no place in the queue: {burst:?}");
    assert_eq!(server.get("/api/health").status, 200);
}
