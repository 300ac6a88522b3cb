//! `flow demo`: a project in a temporary folder, served by this process, and a writer that does what its agents would do.
//! Nothing is left behind.

mod bookshop;
mod browser;
mod folder;

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::args::Demo;
use super::command_output::{CommandOutput, Delivery, OutputFormat};
use super::invocation::Invocation;
use super::origin::Origin;
use super::text::{self, emphasis};
use super::watch;
use crate::control::{Status, client};
use crate::daemon::{self, Mode, Outcome, StartOptions};
use crate::error::{Error, Result};
use crate::project::Project;
use bookshop::{Bookshop, Step};
use folder::DemoFolder;

/// The part of the script that `--once` shows.
const ONCE: Duration = Duration::from_secs(30);

/// Runs the demo until its script or the user ends it.
pub(super) fn demo(
    invocation: &Invocation,
    asked: &Demo,
    output: OutputFormat,
) -> Result<CommandOutput> {
    let steps = bookshop::script()?;
    let folder = DemoFolder::make()?;
    let root = folder.project();
    let mut shop = Bookshop::write(&root)?;
    let before = steps.partition_point(|step| step.at().is_zero());
    for step in &steps[..before] {
        shop.take(step)?;
    }
    // Nothing of it is kept beyond this run.
    let project = Project::at(&root)?.without_history();
    let options = StartOptions {
        project,
        port: Some(asked.port.unwrap_or(0)),
        mode: Mode::Foreground,
        common: None,
    };
    // Dropped when the server has ended: then the writer ends too.
    let (running, ended) = sync_channel::<()>(0);
    let writer = Writer { shop, steps: steps.into_iter().skip(before).collect(), ended };
    let mut playing = None;
    let ready = |status: &Status, _: &[daemon::Note]| {
        let once = asked.once;
        if !once {
            announce(invocation, status).print(output, Delivery::Optional);
            if !asked.no_open {
                browser::open(&status.page());
            }
        }
        let status = status.clone();
        let play = move || if once { writer.play_once(&status) } else { writer.play(&status) };
        playing = Some(thread::Builder::new().spawn(play));
    };
    let outcome = daemon::start(options, ready);
    drop(running);
    let played = match playing {
        Some(Ok(thread)) => thread.join().unwrap_or_else(|_| Ok(CommandOutput::quiet())),
        Some(Err(error)) => Err(Error::io("start the writer of the demo", error)),
        None => Ok(CommandOutput::quiet()),
    };
    match outcome? {
        Outcome::Taken(taken) => {
            Ok(CommandOutput::refused("port_taken", &text::taken(&taken, None))
                .advised("run: flow demo, without --port"))
        }
        _ => Ok(CommandOutput {
            message: text::note(&format!(
                "the demo has ended; {} is removed",
                folder.path().display()
            )),
            ..played?
        }),
    }
}

/// What is printed when the page can be opened.
fn announce(invocation: &Invocation, status: &Status) -> CommandOutput {
    let root = text::quoted(status.project.as_ref());
    let program = invocation.program();
    let lines = [
        "A bookshop's checkout, built by five agents: for ten minutes they start, finish, fail and ask.".to_owned(),
        format!("  page      {}", emphasis(&status.page())),
        format!("  terminal  {program} watch --project {root}"),
        "  end it    Ctrl-C, which also removes the folder".to_owned(),
    ];
    let facts = json!({
        "page": status.page(),
        "url": status.url(),
        "port": status.port,
        "pid": status.pid,
        "project": status.project,
    });
    CommandOutput { facts, ..CommandOutput::shown(lines.join("\n") + "\n") }
}

/// Does what the agents would do.
struct Writer {
    shop: Bookshop,
    steps: Vec<Step>,
    /// Disconnected when the server has ended.
    ended: Receiver<()>,
}

impl Writer {
    /// Takes each step at its time, and then ends the server.
    fn play(mut self, status: &Status) -> Result<CommandOutput> {
        let begun = Instant::now();
        for step in &self.steps {
            let left = (begun + step.at()).saturating_duration_since(Instant::now());
            if self.ended.recv_timeout(left) != Err(RecvTimeoutError::Timeout) {
                return Ok(CommandOutput::quiet());
            }
            let taken = self.shop.take(step);
            if taken.is_err() {
                stop(status);
            }
            taken?;
        }
        stop(status);
        Ok(CommandOutput::quiet())
    }

    /// Takes the first steps at once, reads what one would see, and ends the server.
    fn play_once(mut self, status: &Status) -> Result<CommandOutput> {
        let shown = self.shown(status);
        stop(status);
        shown
    }

    fn shown(&mut self, status: &Status) -> Result<CommandOutput> {
        let refused = |error: client::ClientError| Error::Refused(error.to_string());
        let socket = socket(status)?;
        let mut generation = status.generation;
        for step in self.steps.iter().filter(|step| step.at() <= ONCE) {
            self.shop.take(step)?;
            generation = client::sync(&socket).map_err(refused)?.generation;
        }
        let health = client::get(&socket, "/api/health?require=ok").map_err(refused)?;
        if health.status != 200 {
            return Err(Error::Refused(format!(
                "the demo is not served as it is: {}",
                health.body
            )));
        }
        watch::screen_of(&Origin::Server { socket, generation })
    }
}

fn socket(status: &Status) -> Result<std::path::PathBuf> {
    let missing = || Error::Refused("the demo's server has ended".to_owned());
    daemon::socket(status.project.as_ref())?.ok_or_else(missing)
}

/// Ends the server of this process.
fn stop(status: &Status) {
    // One that has ended needs no stop.
    let _ = socket(status).map(|socket| client::stop(&socket));
}
