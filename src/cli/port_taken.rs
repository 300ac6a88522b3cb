//! What there is to say where somebody has the port: who it is, and how to start on another one, now and from now on.

use super::invocation::Invocation;
use super::text;
use crate::control::Status;
use crate::daemon::{self, Holder, Taken};
use crate::project::CONFIG;

/// Who has the port, and the ways out.
#[derive(Debug)]
pub(super) struct PortTaken {
    /// Who has it, as a sentence.
    pub(super) what: String,
    /// The process, if it is known.
    pub(super) holder: Option<Holder>,
    /// The project whose server it is, where it is one of this user's.
    pub(super) project: Option<String>,
    /// The command that starts on a free port.
    pub(super) run: Option<String>,
    /// How the free port becomes the project's own.
    pub(super) keep: Option<String>,
}

impl PortTaken {
    /// Looks the holder up among the servers of this user: by the port, if the system does not tell which process has it.
    pub(super) fn of(invocation: &Invocation, taken: &Taken) -> Self {
        let is_holder = |status: &Status| match &taken.holder {
            Some(holder) => status.pid == holder.pid,
            None => taken.user.is_none() && status.port == taken.port,
        };
        let answers = daemon::list().into_iter().filter_map(|daemon| daemon.answer);
        let server = answers.map(|(status, _)| status).find(is_holder);
        let (pid, project) = server.map(|server| (server.pid, server.project)).unzip();
        let named = pid.map(|pid| Holder { pid, name: "flow".to_owned() });
        let taken = &Taken { holder: taken.holder.clone().or(named), ..taken.clone() };
        let run = taken.free.map(|port| invocation.command(&format!("start PORT={port}")));
        let config = invocation.root().ok().map(|root| root.join(CONFIG));
        let keep = taken.free.zip(config).map(|(port, config)| text::keep_port(port, &config));
        Self {
            what: text::taken(taken, project.as_deref()),
            holder: taken.holder.clone(),
            project,
            run,
            keep,
        }
    }
}
