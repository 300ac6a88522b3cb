//! `/api/events` and `/api/changes`: how many streams there may be, and when they end. `tests/cases/transport` shows what they say.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use flow::project::Source;
use flow::web::serve::Limits;
use serde_json::Value;

use crate::live::{self, Live};
use crate::raw::{Served, good};
use crate::support::{Project, wait_until};
use crate::tools::{Usage, figure, milliseconds, percentile, raise_file_limit, scaled};

const LOG: &str = "docs/09-agents/bus/log.jsonl";

/// An event as received by a client.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    id: String,
    name: String,
    data: Value,
}

impl Event {
    fn generation(&self) -> u64 {
        self.data["generation"].as_u64().unwrap()
    }
}

/// An open stream, read without waiting.
struct Stream {
    socket: TcpStream,
    text: String,
    is_closed: bool,
}

impl Stream {
    fn open(address: SocketAddr, path: &str, header: &str) -> Self {
        let mut socket = TcpStream::connect(address).unwrap();
        write!(socket, "GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n").unwrap();
        socket.set_nonblocking(true).unwrap();
        Self { socket, text: String::new(), is_closed: false }
    }

    fn fill(&mut self) {
        let mut bytes = [0; 4096];
        loop {
            match self.socket.read(&mut bytes) {
                Ok(0) => return self.is_closed = true,
                Ok(count) => self.text.push_str(std::str::from_utf8(&bytes[..count]).unwrap()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// All events up to now. Chunk sizes are lines like any other, and are ignored.
    fn events(&mut self) -> Vec<Event> {
        self.fill();
        let blocks = self.text.split("id: ").skip(1).filter(|block| block.contains("\n\n"));
        let event = |block: &str| {
            let line = |name: &str| {
                let line = block.lines().find_map(|line| line.strip_prefix(name));
                line.unwrap_or_else(|| panic!("{name} is missing in {block:?}")).to_owned()
            };
            let data = serde_json::from_str(&line("data: ")).unwrap();
            Event { id: block.lines().next().unwrap().to_owned(), name: line("event: "), data }
        };
        blocks.map(event).collect()
    }

    #[track_caller]
    fn wait(&mut self, count: usize) -> Vec<Event> {
        wait_until("events come", || self.events().len() >= count);
        self.events()
    }

    #[track_caller]
    fn ended(&mut self) {
        wait_until("the stream ends", || {
            self.fill();
            self.is_closed
        });
    }

    fn status(&mut self) -> u16 {
        wait_until("an answer comes", || {
            self.fill();
            self.text.contains("\r\n\r\n")
        });
        self.text.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

#[test]
fn a_stop_ends_streams_and_polls() {
    let project = Project::new();
    let server = project.start();
    let id = server.get("/api/changes").json()["id"].as_str().unwrap().to_owned();
    let mut stream = Stream::open(server.address(), "/api/events", "");
    stream.wait(1);
    let poll = format!("/api/changes?since={id}&wait=60");
    let mut poll = Stream::open(server.address(), &poll, "");
    assert_eq!(poll.status(), 200);
    let begun = Instant::now();
    project.flow(&["api", "stop"]).expect(0);
    figure("change_stream_stop_ms", milliseconds(begun.elapsed()));
    stream.ended();
    poll.ended();
    assert!(poll.text.contains("\"event\":\"state\""), "{}", poll.text);
    assert!(stream.text.ends_with("0\r\n\r\n"), "the body is finished: {:?}", stream.text);
    let log = std::fs::read_to_string(project.file("api-server.log")).unwrap();
    assert!(!log.contains("connections were cut"), "{log}");
}

#[test]
fn streams_have_a_limit_of_their_own() {
    let live = Live::new();
    let limits = Limits { connections: 8, ..Limits::default() };
    let served = Served::with(live::app(live.app.reader.clone()), limits);
    let mut open: Vec<Stream> =
        (0..2).map(|_| Stream::open(served.address, "/api/events", "")).collect();
    for stream in &mut open {
        assert_eq!(stream.status(), 200);
    }
    let refused = served.get("/api/events");
    assert_eq!((refused.status, refused.code().as_str()), (503, "too_many_streams"));
    assert_eq!(refused.is_ours().header("retry-after"), Some("1"));
    let id = served.get("/api/changes").json()["id"].as_str().unwrap().to_owned();
    assert_eq!(served.get(&format!("/api/changes?since={id}&wait=5")).code(), "too_many_streams");
    assert_eq!(served.get("/api/stories").status, 200, "other requests are answered");
    open.pop();
    let mut count = 0;
    wait_until("the place of the closed stream is free", || {
        count += 1;
        // The server notices when it has something to send.
        live.write(Source::Bus, "{}\n".repeat(count));
        let mut next = Stream::open(served.address, "/api/events", "");
        next.status() == 200
    });
    let client = served.client().send(good("/api")).reply().status;
    assert_eq!(client, 200);
}

/// The latencies of requests under the current load.
fn latencies(address: SocketAddr, during: Duration) -> Vec<Duration> {
    let mut client = crate::raw::Client::new(address);
    let (begun, mut times) = (Instant::now(), Vec::new());
    while begun.elapsed() < during {
        let asked = Instant::now();
        assert_eq!(client.send(good("/api/metrics")).reply().status, 200);
        times.push(asked.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    times
}

/// Appends messages at a rate for some seconds, and collects the events of the streams during that time.
fn append(project: &Project, a_second: u32, seconds: u32, streams: &mut [Stream]) {
    let mut log = std::fs::OpenOptions::new().append(true).open(project.root.join(LOG)).unwrap();
    let begun = Instant::now();
    for n in 0..a_second * seconds {
        writeln!(log, "{{\"n\":{n}}}").unwrap();
        if n % 100 == 0 {
            streams.iter_mut().for_each(Stream::fill);
        }
        let due = Duration::from_secs(1) * (n + 1) / a_second;
        std::thread::sleep(due.saturating_sub(begun.elapsed()));
    }
}

/// Changes a second while latencies are measured.
const A_SECOND: u32 = 1_000;

/// The latencies of requests while messages are appended and the streams read.
fn latencies_while_appending(
    project: &Project,
    address: SocketAddr,
    seconds: u32,
    streams: &mut [Stream],
) -> Vec<Duration> {
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| latencies(address, Duration::from_secs(seconds.into())));
        append(project, A_SECOND, seconds, streams);
        asking.join().unwrap()
    })
}

#[test]
fn many_streams_miss_no_last_state_under_a_thousand_changes_a_second() {
    const STREAMS: usize = 256;
    raise_file_limit();
    let seconds = scaled(2, 30);
    let project = Project::new();
    project.write(LOG, "");
    let server = project.start();
    let address = server.address();
    let mut without = latencies_while_appending(&project, address, seconds / 2, &mut []);
    let mut streams: Vec<Stream> =
        (0..STREAMS).map(|_| Stream::open(address, "/api/events", "")).collect();
    for stream in &mut streams {
        stream.wait(1);
    }
    let before = Usage::of(server.pid);
    let mut with = latencies_while_appending(&project, address, seconds, &mut streams);
    let total = A_SECOND * (seconds / 2 + seconds);
    wait_until("all is served", || {
        server.get("/api/bus/messages?limit=0").json()["total"] == total
    });
    let last = server.get("/api/health").json()["generation"].as_u64().unwrap();
    for stream in &mut streams {
        wait_until("the last state is told", || {
            stream.events().last().is_some_and(|event| event.generation() >= last)
        });
    }
    let after = Usage::of(server.pid);
    let events: usize = streams.iter_mut().map(|stream| stream.events().len()).sum();
    for stream in &mut streams {
        let told = stream.events();
        assert!(told.is_sorted_by_key(Event::generation) && told[0].name == "state");
        assert!(told[1..].iter().all(|event| event.name == "change"), "{told:?}");
    }
    figure("change_stream_generations", last);
    figure("change_stream_events_of_each", events / STREAMS);
    figure("change_stream_memory_before_kib", before.memory);
    figure("change_stream_memory_after_kib", after.memory);
    figure("change_stream_memory_growth_kib", after.memory.saturating_sub(before.memory));
    let (without, with) = (percentile(&mut without, 99), percentile(&mut with, 99));
    figure("change_stream_p99_without_ms", milliseconds(without));
    figure("change_stream_p99_with_ms", milliseconds(with));
    figure("change_stream_p99_times", format!("{:.2}", with.as_secs_f64() / without.as_secs_f64()));
    // At most one event per 100 ms, however many changes there are.
    let most = usize::try_from(seconds).unwrap() * 10 + 40;
    assert!(events / STREAMS <= most, "{events} events for {STREAMS} streams");
}
