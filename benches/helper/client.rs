//! One keep-alive connection to a server on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    body: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Self { stream: BufReader::with_capacity(64 << 10, stream), body: Vec::new() }
    }

    /// The body of a GET. Panics if the status is not 200.
    pub(crate) fn get(&mut self, path: &str) -> &[u8] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        let mut line = String::new();
        for number in 0.. {
            line.clear();
            assert!(self.stream.read_line(&mut line).unwrap() > 0, "{path}: closed");
            assert!(number > 0 || line.starts_with("HTTP/1.1 200"), "{path}: {line}");
            if line == "\r\n" {
                break;
            }
            let value = line.to_ascii_lowercase();
            if let Some(value) = value.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body).unwrap();
        &self.body
    }
}
