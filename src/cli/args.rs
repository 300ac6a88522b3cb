//! Parses argv to plain data; help and refusals are data too. It reads no file, prints nothing, and needs only the
//! width of the output, for help.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::api_logs::Follow;
use super::command_output::OutputFormat;
use super::mcp;
use super::terminal::Size;
use super::text;
use crate::daemon::Mode;
use crate::project;

mod help;
mod normalise;
mod port;
mod schema_call;
pub(super) mod shells;
mod skill_call;
pub(super) mod verbs;
mod views;

use help::HelpRequest;
use port::port;
pub(super) use schema_call::SchemaCall;
pub(super) use skill_call::SkillCall;
pub(super) use views::{Demo, Diff, History, HistoryAction, View, Wait, Watch};

/// A parsed command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Args {
    pub(super) command: Command,
    pub(super) project: Option<PathBuf>,
    pub(super) output: OutputFormat,
}

/// The command to carry out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    Start(Launch),
    Restart(Launch),
    Stop,
    StopAll,
    Status,
    List,
    Get(Get),
    Logs(Follow),
    View(View),
    Mcp,
    Schema(SchemaCall),
    Skill(SkillCall),
    SkillHelp { name: String, template: Option<PathBuf> },
    Completions(Shell),
    Man(PathBuf),
}

/// How a server is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Launch {
    pub(super) port: Option<u16>,
    pub(super) mode: Mode,
    /// Whether this run keeps changes, if the user's settings do not forbid it.
    pub(super) history: project::History,
}

/// What `get` prints.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Get {
    pub(super) path: String,
    /// The revision whose files are read; `None` for those of now.
    pub(super) at: Option<String>,
}

/// A command line that asks for help, or is invalid.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The help or the error message.
    pub(super) text: String,
    /// The error in one line; `None` for help and version.
    pub(super) why: Option<String>,
}

/// See what your coding agents are doing and which need you.
#[derive(Debug, Parser)]
#[command(name = "flow", version, arg_required_else_help = true)]
struct Raw {
    #[command(subcommand)]
    command: RawCommand,
    /// The project's folder (default: `FLOW_PROJECT`, else the project that contains the current folder)
    #[arg(long, global = true, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum RawCommand {
    /// Start, stop or inspect the server of a project, or list all of yours
    #[command(arg_required_else_help = true)]
    Api {
        /// The action; ACTION=start is accepted too
        #[arg(value_name = "ACTION")]
        action: Action,
        /// The port for start, 0 for any free one; PORT=3456 is accepted too
        #[arg(long, value_name = "PORT", value_parser = port, allow_negative_numbers = true)]
        port: Option<u16>,
        /// With get: the path, such as /api/tasks?state=failed
        #[arg(value_name = "PATH")]
        path: Option<String>,
        /// With start and restart: run in the foreground, in this process
        #[arg(long)]
        foreground: bool,
        /// With start and restart: keep no changes beyond this run
        #[arg(long)]
        no_history: bool,
        /// With logs: keep printing new lines
        #[arg(short, long)]
        follow: bool,
        /// With stop: every server of this user
        #[arg(long)]
        all: bool,
        /// With get: the files as of a commit, branch, tag or time, such as main, HEAD~3, yesterday or 2026-03-10
        #[arg(long, value_name = "REV")]
        at: Option<String>,
    },
    /// Generate an artifact from an input, or manage skills: list, show, schema, check, install, add, remove, chain, verify
    #[command(arg_required_else_help = true)]
    Skill(SkillCall),
    #[command(flatten)]
    View(View),
    /// Print the JSON Schema of a file that agents write, or what to tell agents; without FILE, list the files
    #[command(after_help = schema_call::HELP)]
    Schema(SchemaCall),
    /// Serve the project to a coding agent over the Model Context Protocol, on standard input and output
    #[command(after_help = mcp::HELP)]
    Mcp,
    /// Write the man pages to a folder
    #[command(hide = true)]
    Man {
        /// The folder
        folder: PathBuf,
    },
    /// Print the completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Action {
    /// Serve the project; returns when the server is ready
    Start,
    /// Stop the server; returns when it has ended
    Stop,
    /// Stop the server and start it again on the same port
    Restart,
    /// Show health, address and the state of the files
    Status,
    /// List every server of this user
    List,
    /// Print the answer of the API for a PATH
    Get,
    /// Print the server's log
    Logs,
}

impl Action {
    fn command(self, launch: Launch, get: Get, follow: Follow, all: bool) -> Command {
        match self {
            Self::Start => Command::Start(launch),
            Self::Restart => Command::Restart(launch),
            Self::Stop if all => Command::StopAll,
            Self::Stop => Command::Stop,
            Self::Status => Command::Status,
            Self::List => Command::List,
            Self::Get => Command::Get(get),
            Self::Logs => Command::Logs(follow),
        }
    }
}

/// The definition of the command line.
pub(super) fn definition() -> clap::Command {
    // Without a width, clap would wrap the rows itself, without their indentation.
    let width = Some(Size::of_output().width);
    Raw::command()
        .mut_subcommand("api", |api| api.after_help(text::endpoints(width)))
        .mut_subcommand("skill", |skill| {
            skill.after_help(format!("{}\n{}", text::verbs(width), text::skills(width)))
        })
}

/// Parses the words after the program's name.
///
/// # Errors
/// Help, the version, or what is wrong.
pub(super) fn parse(words: &[OsString]) -> Result<Args, Refusal> {
    let wrong = |why: String| Refusal { text: text::problem(&why), why: Some(text::escape(&why)) };
    let normal = match help::requested(words) {
        None => normalise::normalise(words).map_err(wrong)?,
        Some(HelpRequest::Command { name, option }) => {
            let check = |name| normalise::check_level(name, &[option.into()]);
            name.as_deref().map_or(Ok(()), check).map_err(wrong)?;
            name.into_iter().chain([option.to_owned()]).map(OsString::from).collect()
        }
        Some(HelpRequest::Skill { name, template, project }) => {
            let command = Command::SkillHelp { name, template };
            return Ok(Args { command, project, output: output(words) });
        }
    };
    match read(&normal) {
        Ok(raw) => args(raw).map_err(wrong),
        Err(error) => {
            // The message repeats the invalid words; it is made again with those escaped.
            let harmless: Vec<OsString> =
                normal.iter().map(|word| text::escape(&word.to_string_lossy()).into()).collect();
            Err(refusal(&read(&harmless).err().unwrap_or(error)))
        }
    }
}

/// The output format of a command line that may be invalid.
pub(super) fn output(words: &[OsString]) -> OutputFormat {
    let json = words.iter().any(|word| word.eq_ignore_ascii_case("--json"));
    if json { OutputFormat::Json } else { OutputFormat::Text }
}

fn read(words: &[OsString]) -> Result<Raw, clap::Error> {
    let name = OsString::from("flow");
    let words = || std::iter::once(&name).chain(words);
    // The long help lists every skill, which takes longer than a short command.
    match Raw::command().try_get_matches_from(words()) {
        Ok(matches) => Raw::from_arg_matches(&matches),
        Err(_) => Raw::from_arg_matches(&definition().try_get_matches_from(words())?),
    }
}

fn args(raw: Raw) -> Result<Args, String> {
    let command = match raw.command {
        RawCommand::Api { action, port, path, foreground, no_history, follow, all, at } => {
            check_api(action, path.as_deref(), follow, all, raw.project.as_deref())?;
            if at.is_some() && action != Action::Get {
                return Err(
                    "--at is valid only with get: flow api get /api/stories --at HEAD~1".to_owned()
                );
            }
            if no_history && !matches!(action, Action::Start | Action::Restart) {
                return Err("--no-history is valid only with start and restart".to_owned());
            }
            let history = if no_history { project::History::Off } else { project::History::Kept };
            let mode = if foreground { Mode::Foreground } else { Mode::Background };
            let follow = if follow { Follow::Yes } else { Follow::No };
            let get = Get { path: path.unwrap_or_default(), at };
            action.command(Launch { port, mode, history }, get, follow, all)
        }
        RawCommand::View(View::Diff(Diff { markdown: true, .. })) if raw.json => {
            return Err("--markdown and --json are two forms of the output; give one".to_owned());
        }
        RawCommand::View(View::Watch(Watch { all: true, .. }) | View::Statusline { all: true })
            if raw.project.is_some() =>
        {
            return Err(ALL_AND_PROJECT.to_owned());
        }
        RawCommand::View(view) => Command::View(view),
        RawCommand::Schema(call) => Command::Schema(call),
        RawCommand::Mcp => Command::Mcp,
        RawCommand::Skill(call) => Command::Skill(call),
        RawCommand::Man { folder } => Command::Man(folder),
        RawCommand::Completions { shell } => Command::Completions(shell),
    };
    let output = if raw.json { OutputFormat::Json } else { OutputFormat::Text };
    Ok(Args { command, project: raw.project, output })
}

/// The refusal of two options of which one names a project, and the other means all.
const ALL_AND_PROJECT: &str = "--all cannot be used with --project; give one of them";

/// Refuses words that only another action takes: the intention is ambiguous.
fn check_api(
    action: Action,
    path: Option<&str>,
    follow: bool,
    all: bool,
    project: Option<&Path>,
) -> Result<(), String> {
    let is = |other: Action| action == other;
    match path {
        None if is(Action::Get) => {
            return Err(
                "get requires a path, for example: flow api get /api/tasks?state=failed".to_owned()
            );
        }
        Some(word) if !is(Action::Get) => {
            return Err(format!("unexpected argument {word:?}; only get accepts a path"));
        }
        _ => {}
    }
    if follow && !is(Action::Logs) {
        return Err("--follow is valid only with logs: flow api logs --follow".to_owned());
    }
    if all && !is(Action::Stop) {
        return Err("--all is valid only with stop: flow api stop --all".to_owned());
    }
    if all && project.is_some() {
        return Err(ALL_AND_PROJECT.to_owned());
    }
    Ok(())
}

fn refusal(error: &clap::Error) -> Refusal {
    let help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let plain = error.render().to_string();
    let why = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "a command is missing",
        _ => plain.lines().next().unwrap_or_default().trim_start_matches("error: "),
    };
    Refusal { text: error.render().ansi().to_string(), why: (!help).then(|| why.to_owned()) }
}
