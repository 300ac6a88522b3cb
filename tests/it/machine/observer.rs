//! The second reader: it sends requests all the time, and knows every state that was written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use flow::web::App;

use super::Allowed;
use crate::live::{self, MESSAGES, QUERIES, messages_of};

/// Sends requests until it is stopped.
pub(super) struct Observer {
    pub(super) app: App,
    pub(super) allowed: Allowed,
    pub(super) done: Arc<AtomicBool>,
}

impl Observer {
    pub(super) fn run(&self) {
        let mut generation = 0;
        while !self.done.load(Ordering::Relaxed) {
            for asked in QUERIES {
                let body = live::ask(&self.app, asked).body;
                let parsed: Result<serde_json::Value, _> = serde_json::from_slice(&body);
                assert!(parsed.is_ok(), "{asked}: {body:?}");
                if asked == MESSAGES {
                    self.check_messages(&body);
                }
            }
            let health: serde_json::Value =
                serde_json::from_slice(&live::ask(&self.app, "/api/health").body).unwrap();
            let now = health["generation"].as_u64().unwrap();
            assert!(now >= generation, "generation {now} after {generation}");
            generation = now;
            thread::park_timeout(Duration::from_micros(500));
        }
    }

    fn check_messages(&self, body: &[u8]) {
        let messages = messages_of(&live::without_left_out(body).0);
        let known = self.allowed.lock().unwrap().contains(&messages);
        assert!(known, "nobody wrote {messages}");
    }
}
