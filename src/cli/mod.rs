//! The command line: from argv to an exit code. It parses, calls, and prints.

mod api_get;
mod api_logs;
mod command_output;
mod invocation;
mod args;
mod completions;
mod counts;
mod demo;
mod diff;
mod doctor;
mod explain;
mod hidden;
mod history;
mod json_text;
mod list;
mod man;
mod mcp;
mod origin;
mod plan_table;
mod port_taken;
mod reader_gone;
mod restart;
mod schema;
mod skill;
mod start;
mod status;
mod statusline;
mod stop;
mod terminal;
mod text;
mod wait;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

pub use args::shells::definition_for_shells as definition;
use args::{Args, Command, Refusal, View};
use command_output::{CommandOutput, Delivery, OutputFormat};
use invocation::Invocation;

use crate::error::Result;
use crate::skill::runtime::limited;

/// Carries out a command line, whose first word is the program's name.
pub fn run(argv: impl Iterator<Item = OsString>) -> ExitCode {
    let argv: Vec<OsString> = argv.collect();
    limited::this_is_the_program();
    if let Some(output) = hidden::run(argv.get(1..).unwrap_or_default()) {
        return output.print(OutputFormat::Text, Delivery::Required);
    }
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
        Command::Start { .. } | Command::Restart { .. } | Command::Stop | Command::StopAll => {
            Delivery::Optional
        }
        _ => Delivery::Required,
    }
}

fn carry_out(args: &Args, program: Option<OsString>) -> Result<CommandOutput> {
    let invocation = Invocation::new(args.project.clone(), program)?;
    match args.command {
        Command::Start(launch) => start::start(&invocation, launch, args.output),
        Command::Restart(launch) => restart::restart(&invocation, launch, args.output),
        Command::Stop => stop::stop(&invocation),
        Command::StopAll => Ok(stop::stop_all()),
        Command::Status => status::status(&invocation),
        Command::List => Ok(list::list()),
        Command::Get(ref get) => api_get::get(&invocation, get),
        Command::Logs(follow) => api_logs::logs(&invocation, follow, args.output),
        Command::View(ref view) => show(invocation, view, args.output),
        Command::Skill(ref call) => skill::skill(&invocation, call, args.output),
        Command::SkillHelp { ref name, ref template } => {
            skill::help(&invocation, name, template.as_deref())
        }
        Command::Schema(ref call) => schema::schema(&invocation, call),
        Command::Mcp => mcp::mcp(&invocation, args.output),
        Command::Man(ref folder) => man::man(folder),
        Command::Completions(shell) => completions::completions(&invocation, shell),
    }
}

fn show(invocation: Invocation, view: &View, output: OutputFormat) -> Result<CommandOutput> {
    match view {
        View::Watch(asked) => watch::watch(&invocation, asked, output),
        View::Wait(asked) => wait::wait(&invocation, asked),
        View::Demo(asked) => demo::demo(&invocation, asked, output),
        View::Statusline { all: true } => Ok(statusline::of_all()),
        View::Statusline { all: false } => Ok(statusline::statusline(invocation)),
        View::Doctor => Ok(doctor::doctor(&invocation)),
        View::Explain { id } => explain::explain(&invocation, id),
        View::Diff(asked) => Ok(diff::diff(&invocation, asked)),
        View::History(asked) => history::history(&invocation, asked, output),
    }
}
