//! `flow api start`.

use serde_json::{Value, json};

use super::Here;
use super::answer::{Answer, Exit, Output};
use super::{status, text};
use crate::control::Status;
use crate::daemon::{self, Asked, Mode, Note, Outcome, Taken};
use crate::error::Result;
use crate::project::{Project, Source};

/// Starts the server of a project.
pub(super) fn start(
    here: &Here,
    (port, mode): (Option<u16>, Mode),
    output: Output,
) -> Result<Answer> {
    let project = here.project()?;
    let stop = text::stop_command(&here.program, here.again().as_deref());
    let missing = missing(&project);
    let asked = Asked { project, port, mode };
    let ready = |status: &Status, notes: &[Note]| {
        started((status, notes), &missing, &stop).print(output);
    };
    Ok(match daemon::start(asked, ready)? {
        Outcome::Started { status, notes } => started((&status, &notes), &missing, &stop),
        Outcome::Running(status) => running(&status, port, &stop),
        Outcome::Silent { log } => {
            Answer::refused("silent", &text::silent(None, &log)).with("log", log.to_string_lossy())
        }
        Outcome::Taken(taken) => self::taken(&taken),
        Outcome::Served => Answer::quiet(),
    })
}

/// The sources of which no file is there.
fn missing(project: &Project) -> Vec<String> {
    let is_there =
        |source| project.files(source).iter().any(|file| project.root().join(file).exists());
    Source::ALL
        .into_iter()
        .filter(|source| !is_there(*source))
        .map(|source| text::missing(source, project.files(source)))
        .collect()
}

fn started((status, notes): (&Status, &[Note]), missing: &[String], stop: &str) -> Answer {
    let notes: Vec<String> = notes.iter().map(text::noted).collect();
    let message = notes.iter().chain(missing).map(|sentence| text::note(sentence)).collect();
    Answer {
        exit: Exit::Fine,
        facts: status::facts(status),
        result: text::started(status, "serving", stop),
        message,
    }
    .with("started", true)
    .with("notes", notes)
    .with("missing", missing.to_vec())
}

fn running(status: &Status, port: Option<u16>, stop: &str) -> Answer {
    match port {
        Some(port) if port != 0 && port != status.port => {
            let refused =
                Answer::refused("running_elsewhere", &text::elsewhere(status, port, stop));
            refused.with("url", status.url()).with("port", status.port).with("pid", status.pid)
        }
        _ => Answer {
            exit: Exit::Fine,
            facts: status::facts(status),
            result: text::started(status, "it was running already: serving", stop),
            message: String::new(),
        }
        .with("started", false),
    }
}

fn taken(taken: &Taken) -> Answer {
    let project = taken.holder.as_ref().and_then(|holder| {
        let daemons = daemon::list();
        let mut answers = daemons.into_iter().filter_map(|daemon| daemon.answer);
        answers.find(|(status, _)| status.pid == holder.pid).map(|(status, _)| status.project)
    });
    let holder = taken.holder.as_ref().map_or(
        Value::Null,
        |holder| json!({"pid": holder.pid, "name": holder.name, "project": project}),
    );
    Answer::refused("port_taken", &text::taken(taken, project.as_deref()))
        .with("port", taken.port)
        .with("holder", holder)
        .with("free_port", taken.free)
}
