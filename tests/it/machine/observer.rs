//! The second reader: it sends requests as soon as there is a new snapshot, and now and then about the same one again, and knows
//! every state that was written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use flow::web::App;

use super::Allowed;
use crate::live::{self, MESSAGES, QUERIES, messages_of};

/// Looks for a new snapshot between two rounds of requests about the same one.
const LOOKS: usize = 64;

/// Sends requests until it is stopped.
pub(super) struct Observer {
    pub(super) app: App,
    pub(super) allowed: Allowed,
    pub(super) done: Arc<AtomicBool>,
}

impl Observer {
    pub(super) fn run(&self) {
        let mut generation = 0;
        for look in 1.. {
            if self.done.load(Ordering::Relaxed) {
                return;
            }
            thread::park_timeout(Duration::from_micros(500));
            let health: serde_json::Value =
                serde_json::from_slice(&live::ask(&self.app, "/api/health").body).unwrap();
            let now = health["generation"].as_u64().unwrap();
            assert!(now >= generation, "generation {now} after {generation}");
            if now == generation && look % LOOKS > 0 {
                continue;
            }
            generation = now;
            for asked in QUERIES {
                let body = live::ask(&self.app, asked).body;
                let parsed: Result<serde_json::Value, _> = serde_json::from_slice(&body);
                assert!(parsed.is_ok(), "{asked}: {body:?}");
                if asked == MESSAGES {
                    self.check_messages(&body);
                }
            }
        }
    }

    fn check_messages(&self, body: &[u8]) {
        let messages = messages_of(&live::without_left_out(body).0);
        let known = self.allowed.lock().unwrap().contains(&messages);
        assert!(known, "nobody wrote {messages}");
    }
}
