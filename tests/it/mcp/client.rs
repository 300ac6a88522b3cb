//! A client that writes and reads lines: what is sent and when is up to the test.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{GENEROUS, Project};

/// The time limit for a message. The first one comes after the files were read, which may be large.
const PATIENCE: Duration = GENEROUS.saturating_mul(4);

/// The revision of the protocol that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Revision {
    /// 2025-11-25: a handshake first.
    Handshake,
    /// 2026-07-28: each request says all about itself.
    Inline,
}

/// A client and the program that it talks to.
pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Messages that were read while another one was waited for.
    waiting: VecDeque<Value>,
    revision: Revision,
    last: u64,
}

/// How the program ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) err: String,
    /// Messages that nobody had read.
    pub(super) rest: Vec<Value>,
}

impl Client {
    /// Starts the program in a project; in the earlier revision it shakes hands.
    #[track_caller]
    pub(super) fn start(project: &Project, revision: Revision) -> Self {
        Self::run(project.command(), revision)
    }

    /// The same with the program and its environment.
    #[track_caller]
    pub(super) fn run(program: Command, revision: Revision) -> Self {
        let mut client = Self::spawn(program, revision);
        if revision == Revision::Handshake {
            let answer = client.ask("initialize", hello());
            assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        client
    }

    /// Starts the program and says nothing.
    pub(super) fn silent(project: &Project, revision: Revision) -> Self {
        Self::spawn(project.command(), revision)
    }

    fn spawn(mut command: Command, revision: Revision) -> Self {
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, waiting: VecDeque::new(), revision, last: 0 }
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line.
    pub(super) fn line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).and_then(|()| input.write_all(b"\n")).unwrap();
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.line(message.to_string().as_bytes());
    }

    /// Sends a request and gives its id.
    pub(super) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let message = request(self.revision, self.last, method, params);
        self.send(&message);
        self.last
    }

    /// Sends a request and gives its answer.
    #[track_caller]
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// The answer to a request.
    #[track_caller]
    pub(super) fn answer(&mut self, id: u64) -> Value {
        self.find(|message| message["id"] == id && message.get("method").is_none())
    }

    /// What a tool gives.
    #[track_caller]
    pub(super) fn call(&mut self, tool: &str, mut arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments.take()}));
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// What a tool gives where it does not fail: the same as text and as a value.
    #[track_caller]
    pub(super) fn value(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
        result["structuredContent"].clone()
    }

    /// The sentence of a tool that fails.
    #[track_caller]
    pub(super) fn fault(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The first message that is so; the others stay.
    #[track_caller]
    pub(super) fn find(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&is_it) {
            return self.waiting.remove(at).unwrap();
        }
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|e| panic!("no such message: {e}: {:?}", self.waiting));
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e} on stdout: {line}"));
            if is_it(&message) {
                return message;
            }
            self.waiting.push_back(message);
        }
    }

    /// Whether a message that is so was read and not asked for.
    pub(super) fn has_read(&self, is_it: impl Fn(&Value) -> bool) -> bool {
        self.waiting.iter().any(is_it)
    }

    /// Closes the program's standard input and waits for its end.
    #[track_caller]
    pub(super) fn close(mut self) -> Ended {
        drop(self.input.take());
        self.ended()
    }

    /// Waits for the program's end.
    #[track_caller]
    pub(super) fn ended(mut self) -> Ended {
        let mut rest: Vec<Value> = self.waiting.drain(..).collect();
        // The channel closes when the program closes its standard output.
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        Ended { code: self.child.wait().unwrap().code(), err, rest }
    }
}

/// What a client says of itself in the handshake.
pub(super) fn hello() -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}

/// A request of a revision.
pub(super) fn request(revision: Revision, id: u64, method: &str, mut params: Value) -> Value {
    if revision == Revision::Inline {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

impl Ended {
    #[track_caller]
    pub(super) fn in_order(self) -> Self {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{self:?}");
        self
    }
}
