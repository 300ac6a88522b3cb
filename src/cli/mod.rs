//! The command line: argv to an exit code. It parses, calls, and prints; what a daemon is lies in
//! [`crate::daemon`].

mod answer;
mod args;
mod completions;
pub mod files;
mod list;
mod render;
mod skill;
mod start;
mod status;
mod stop;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use answer::{Answer, Delivery, Output};
use args::{Args, Command, Refusal};

use crate::error::{Error, Result};
use crate::project::{Project, Surroundings};

/// Carries out a command line, whose first word is the program's name.
pub fn run(mut argv: impl Iterator<Item = OsString>) -> ExitCode {
    let program = argv.next();
    let words: Vec<OsString> = argv.collect();
    match args::parse(&words) {
        Ok(understood) => carry_out(&understood, program)
            .unwrap_or_else(|e| Answer::failed(&e))
            .print(understood.output, delivery(&understood.command)),
        Err(Refusal { text, why }) => match why {
            None => Answer::shown(text).print(Output::Text, Delivery::Required),
            Some(why) => {
                Answer::misused(text, &why).print(args::output(&words), Delivery::Required)
            }
        },
    }
}

fn delivery(command: &Command) -> Delivery {
    match command {
        Command::Start { .. } | Command::Stop => Delivery::Optional,
        _ => Delivery::Required,
    }
}

fn carry_out(args: &Args, program: Option<OsString>) -> Result<Answer> {
    let here = Here::new(args.project.clone(), program)?;
    match args.command {
        Command::Start { port, mode } => start::start(&here, port, mode, args.output),
        Command::Stop => stop::stop(&here),
        Command::Status => status::status(&here),
        Command::List => Ok(list::list()),
        Command::Skill(ref call) => skill::skill(&here, call, args.output),
        Command::Render => Ok(render::render()),
        Command::Completions(shell) => Ok(completions::completions(shell)),
    }
}

/// Where the command was given, and which project it names.
#[derive(Debug)]
struct Here {
    /// The program as it was called, for commands that are shown to the user.
    program: PathBuf,
    named: Option<PathBuf>,
    current: PathBuf,
    home: Option<PathBuf>,
    /// The user's own settings.
    settings: Option<PathBuf>,
}

impl Here {
    fn new(named: Option<PathBuf>, program: Option<OsString>) -> Result<Self> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = std::env::home_dir();
        // A relative one is to be ignored (XDG Base Directory Specification).
        let config =
            variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let config = config.or_else(|| home.as_ref().map(|home| home.join(".config")));
        Ok(Self {
            program: program.map_or_else(|| PathBuf::from("flow"), PathBuf::from),
            named: named.or_else(|| variable("FLOW_PROJECT").map(PathBuf::from)),
            current: std::env::current_dir()
                .map_err(|e| Error::io("find the current folder", e))?,
            home,
            settings: config.map(|folder| folder.join("flow/config.json")),
        })
    }

    fn project(&self) -> Result<Project> {
        Project::open(&self.surroundings())
    }

    fn root(&self) -> Result<PathBuf> {
        Project::find(&self.surroundings())
    }

    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            named: self.named.as_deref(),
            from: &self.current,
            home: self.home.as_deref(),
            settings: self.settings.as_deref(),
        }
    }

    /// A command of `flow api` on the same project, to be shown to the user.
    fn command(&self, words: &str) -> String {
        let named = self.named.as_ref().and_then(|_| self.root().ok());
        text::command(&self.program, words, named.as_deref())
    }
}
