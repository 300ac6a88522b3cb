//! A server in this process and a client that writes bytes, not requests: the test determines content and timing.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::http::{Method, StatusCode};
use flow::error::Result;
use flow::project;
use flow::store::{Options, Store};
use flow::web::serve::{Answer, Limits, run_with};
use flow::web::{About, App, Request};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The time limit for expected events. Much longer than necessary, so that no test fails on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A server and what it runs on.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) stop: watch::Sender<bool>,
    task: Option<JoinHandle<Result<()>>>,
    runtime: Runtime,
}

impl Served {
    /// Serves with the given `answer`.
    pub(crate) fn with<A: Answer>(answer: A, limits: Limits) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(3)
            .enable_all()
            .build()
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = watch::channel(false);
        let task = runtime.spawn(run_with(listener, Arc::new(answer), stopped, limits));
        Self { address, stop, task: Some(task), runtime }
    }

    /// Waits until the server has stopped, and returns the duration.
    pub(crate) fn ended(&mut self) -> Duration {
        let begun = Instant::now();
        let task = self.task.take().unwrap();
        let ended = self.runtime.block_on(async { tokio::time::timeout(PATIENCE, task).await });
        ended.expect("the server does not stop").unwrap().unwrap();
        begun.elapsed()
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// Sends a request with these further lines in its head, each with its line break. The answer to HEAD has no body.
    pub(crate) fn request(&self, method: &str, path: &str, lines: &str) -> Reply {
        let mut client = self.client();
        client.send(format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n"));
        if method == "HEAD" { client.head() } else { client.reply() }
    }

    /// Sends a request with a valid head.
    pub(crate) fn get(&self, path: &str) -> Reply {
        self.request("GET", path, "")
    }
}

/// The real application over an empty project.
pub(crate) struct Project {
    pub(crate) served: Served,
    store: Option<Store>,
    _folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn open(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = project::Project::at(folder.path()).unwrap();
        let store = Store::open(&project, &Options::default()).unwrap();
        let about = About::new("p");
        let served = Served::with(App { reader: store.reader(), about }, limits);
        Self { served, store: Some(store), _folder: folder }
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        self.store.take().into_iter().for_each(Store::stop);
    }
}

/// A connection.
pub(crate) struct Client {
    stream: TcpStream,
    read: Vec<u8>,
    /// Whether the server reset the connection instead of closing it.
    pub(crate) broken_off: bool,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { stream, read: Vec::new(), broken_off: false }
    }

    /// Sends bytes. If the server has closed the connection, the next read shows it.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        if let Err(error) = self.stream.write_all(bytes.as_ref()) {
            assert!(is_hung_up(error.kind()), "could not send: {error}");
            self.broken_off = true;
        }
        self
    }

    /// Closes the sending side.
    pub(crate) fn finish(&mut self) -> &mut Self {
        self.stream.shutdown(Shutdown::Write).unwrap();
        self
    }

    /// The next answer, with its body.
    pub(crate) fn reply(&mut self) -> Reply {
        let mut reply = self.head();
        self.read_body(&mut reply);
        reply
    }

    /// The body of an answer whose head was read.
    pub(crate) fn read_body(&mut self, reply: &mut Reply) {
        let length = reply.header("content-length").map_or(0, |text| text.parse().unwrap());
        while self.read.len() < length {
            assert!(self.fill(), "the body is cut: {reply:?}");
        }
        let rest = self.read.split_off(length);
        reply.body = std::mem::replace(&mut self.read, rest);
    }

    /// The next answer up to its body.
    pub(crate) fn head(&mut self) -> Reply {
        self.try_head().expect("the connection is closed without an answer")
    }

    /// The next answer up to its body, if the connection is not closed before it.
    pub(crate) fn try_head(&mut self) -> Option<Reply> {
        loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                let head: Vec<u8> = self.read.drain(..end + 4).collect();
                return Some(Reply::parse(&String::from_utf8(head).unwrap()));
            }
            if !self.fill() {
                assert!(self.read.is_empty(), "half an answer: {:?}", self.read);
                return None;
            }
        }
    }

    /// Asserts that the server closes the connection without sending anything before.
    pub(crate) fn closed(&mut self) {
        while self.fill() {}
        assert!(
            self.read.is_empty(),
            "one answer too many: {:?}",
            String::from_utf8_lossy(&self.read)
        );
    }

    /// Everything up to the end of the connection.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while self.fill() {}
        std::mem::take(&mut self.read)
    }

    /// Reads until a text has arrived.
    pub(crate) fn reads(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.read).contains(text) {
            assert!(self.fill(), "the connection is closed before {text:?}");
        }
    }

    fn fill(&mut self) -> bool {
        let mut bytes = [0; 16 * 1024];
        match self.stream.read(&mut bytes) {
            Ok(0) => false,
            Ok(count) => {
                self.read.extend_from_slice(&bytes[..count]);
                true
            }
            Err(error) if is_hung_up(error.kind()) => {
                self.broken_off = true;
                false
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => self.fill(),
            Err(error) => panic!("the server neither answers nor hangs up: {error}"),
        }
    }
}

fn is_hung_up(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted
    )
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    fn parse(head: &str) -> Self {
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let split = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        };
        Self { status, headers: lines.map(split).collect(), body: Vec::new() }
    }

    /// A header; a duplicate one is an error.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let name = name.to_ascii_lowercase();
        let mut values = self.headers.iter().filter(|(found, _)| *found == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is there twice: {self:?}");
        value
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(
            self.header("content-type"),
            Some("application/json; charset=utf-8"),
            "{self:?}"
        );
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// Asserts the common headers of every answer.
    pub(crate) fn is_ours(&self) -> &Self {
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"), "{self:?}");
        for policy in ["cross-origin-resource-policy", "cross-origin-opener-policy"] {
            assert_eq!(self.header(policy), Some("same-origin"), "{self:?}");
        }
        assert_eq!(self.header("cache-control"), Some("no-cache"), "{self:?}");
        assert_eq!(self.header("vary"), Some("Origin, Accept-Encoding"), "{self:?}");
        assert_eq!(
            self.header("content-security-policy"),
            Some("default-src 'none'; frame-ancestors 'none'"),
            "{self:?}"
        );
        self
    }
}

/// Answers with the request that it received.
pub(crate) struct Echo;

impl Answer for Echo {
    fn answer(&self, asked: Request<'_>) -> flow::web::reply::Reply {
        if asked.method == Method::OPTIONS {
            return flow::web::reply::Reply::empty(StatusCode::NO_CONTENT);
        }
        let body = json!({
            "method": asked.method.as_str(),
            "path": asked.path,
            "query": asked.query,
            "if_none_match": asked.if_none_match,
        });
        flow::web::reply::Reply::json(body.to_string().into())
    }
}

/// Reports when a request arrives, and lets it pass when permitted.
pub(crate) struct Gate {
    asked: Mutex<Sender<()>>,
    may: Mutex<Receiver<()>>,
}

impl Gate {
    /// With what receives the reports and what permits.
    pub(crate) fn new() -> (Self, Receiver<()>, Sender<()>) {
        let (asked, was_asked) = channel();
        let (may, may_pass) = channel();
        (Self { asked: Mutex::new(asked), may: Mutex::new(may_pass) }, was_asked, may)
    }

    pub(crate) fn pass(&self) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).send(()).unwrap();
        self.may.lock().unwrap_or_else(PoisonError::into_inner).recv().unwrap();
    }
}

pub(crate) fn echo() -> Served {
    Served::with(Echo, Limits::default())
}

pub(crate) fn good(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

/// Asserts that the server still answers.
pub(crate) fn alive(served: &Served) {
    assert_eq!(served.get("/api").status, 200);
}
