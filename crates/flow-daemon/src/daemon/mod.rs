//! The process: how it starts, what runs in it, how it stops, and how commands find it. It answers no request
//! itself.
//!
//! One thing tells whether a daemon runs: the lock on `api-server.lock`. Everything else that lies about (PID file,
//! socket) is believed only while that lock is held.

mod announce;
mod claim;
mod folder;
mod housekeeping;
mod limits;
mod list;
mod lock;
mod log;
mod look;
mod pid;
mod port;
mod private;
mod ready;
mod run;
mod runtime;
mod start;
mod stop;
mod systemd;

pub use list::{Health, Listed, list};
pub use look::{Look, look};
pub use port::{Holder, Taken};
pub use runtime::Note;
pub use start::{Asked, Mode, Outcome, start};
pub use stop::{Stopped, stop};
