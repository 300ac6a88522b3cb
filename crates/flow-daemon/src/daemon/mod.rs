//! The process: how it starts, what runs in it, how it stops, and how commands find it. It answers no requests itself.
//!
//! The lock on `api-server.lock` is the only evidence that a daemon runs. PID file and socket count only while it is
//! held.

mod registry;
mod instance_guard;
mod housekeeping;
mod job;
mod kept_history;
mod limits;
mod list;
mod lock;
mod log;
mod log_reader;
mod obstacle;
mod other_projects;
mod probe;
mod pid;
mod port;
mod private;
mod ready;
mod run;
mod runtime;
mod signals;
mod start;
mod stop;
mod systemd;

pub use flow_files::system::Holder;
pub use job::Mode;
pub use kept_history::{kept, make_kept};
pub use list::{Listed, list, registered_roots};
pub use log::to_stderr as log_to_stderr;
pub use log_reader::LogReader;
pub use obstacle::{Obstacle, obstacles, port_obstacle};
pub use port::Taken;
pub use probe::{Probe, Silent, probe, socket};
pub use runtime::Note;
pub use signals::Signals;
pub use start::{Outcome, StartOptions, start};
pub use stop::{Stopped, stop};
