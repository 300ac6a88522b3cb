//! What there is to say where somebody has the port: who it is, and how to start on another one, now and from now on.

use super::invocation::Invocation;
use super::text;
use crate::daemon::{self, Taken};
use crate::project::CONFIG;

/// Who has the port, and the ways out.
#[derive(Debug)]
pub(super) struct PortTaken {
    /// Who has it, as a sentence.
    pub(super) what: String,
    /// The project whose server it is, where it is one of this user's.
    pub(super) project: Option<String>,
    /// The command that starts on a free port.
    pub(super) run: Option<String>,
    /// How the free port becomes the project's own.
    pub(super) keep: Option<String>,
}

impl PortTaken {
    /// Looks the holder up among the servers of this user.
    pub(super) fn of(invocation: &Invocation, taken: &Taken) -> Self {
        let project = taken.holder.as_ref().and_then(|holder| {
            let mut answers = daemon::list().into_iter().filter_map(|daemon| daemon.answer);
            answers.find(|(status, _)| status.pid == holder.pid).map(|(status, _)| status.project)
        });
        let run = taken.free.map(|port| invocation.command(&format!("start PORT={port}")));
        let config = invocation.root().ok().map(|root| root.join(CONFIG));
        let keep = taken.free.zip(config).map(|(port, config)| text::keep_port(port, &config));
        Self { what: text::taken(taken, project.as_deref()), project, run, keep }
    }
}
