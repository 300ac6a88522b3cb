//! The command line: argv to an exit code. It parses, calls, and prints.

mod command_output;
mod invocation;
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
use std::process::ExitCode;

use args::{Args, Command, Refusal};
use command_output::{CommandOutput, Delivery, OutputFormat};
use invocation::Invocation;

use crate::error::Result;

/// Carries out a command line, whose first word is the program's name.
pub fn run(argv: impl Iterator<Item = OsString>) -> ExitCode {
    let argv: Vec<OsString> = argv.collect();
    match completions::complete(&argv) {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(error) => {
            return CommandOutput::failed(&error).print(OutputFormat::Text, Delivery::Required);
        }
    }
    let (program, words) = match argv.split_first() {
        Some((program, words)) => (Some(program.clone()), words),
        None => (None, &[][..]),
    };
    match args::parse(words) {
        Ok(understood) => carry_out(&understood, program)
            .unwrap_or_else(|e| CommandOutput::failed(&e))
            .print(understood.output, delivery(&understood.command)),
        Err(Refusal { text, why }) => match why {
            None => CommandOutput::shown(text).print(OutputFormat::Text, Delivery::Required),
            Some(why) => {
                CommandOutput::misused(text, &why).print(args::output(words), Delivery::Required)
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

fn carry_out(args: &Args, program: Option<OsString>) -> Result<CommandOutput> {
    let invocation = Invocation::new(args.project.clone(), program)?;
    match args.command {
        Command::Start { port, mode } => start::start(&invocation, port, mode, args.output),
        Command::Stop => stop::stop(&invocation),
        Command::Status => status::status(&invocation),
        Command::List => Ok(list::list()),
        Command::Skill(ref call) => skill::skill(&invocation, call, args.output),
        Command::Render => Ok(render::render()),
        Command::Completions(shell) => completions::completions(&invocation, shell),
    }
}
