//! argv to plain data. It reads no environment and no file, and prints nothing: help and refusals are data too.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::answer::Output;
use super::text;
use crate::daemon::Mode;

/// The keys of `KEY=value` words.
const KEYS: [&str; 3] = ["ACTION", "PORT", "PROJECT"];
/// Options whose value is the next word.
const WITH_VALUE: [&str; 2] = ["--project", "--port"];
/// The furthest word that is still taken for a slip, in changed letters.
const SLIP: usize = 2;

/// A command line, understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Args {
    pub(super) command: Command,
    pub(super) project: Option<PathBuf>,
    pub(super) output: Output,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    Start { port: Option<u16>, mode: Mode },
    Stop,
    Status,
    List,
    Completions(Shell),
}

/// A command line that asks for help, or is none.
#[derive(Debug)]
pub(super) struct Refusal {
    /// What to print.
    pub(super) text: String,
    /// What is wrong, in one line; `None` for help and version.
    pub(super) why: Option<String>,
}

/// Makes the state of many coding agents readable: a local, read-only HTTP API over their JSON files.
#[derive(Debug, Parser)]
#[command(name = "flow", version, arg_required_else_help = true)]
struct Raw {
    #[command(subcommand)]
    command: RawCommand,
    /// The project's folder (else `FLOW_PROJECT`, else the one that the current folder lies in)
    #[arg(long, global = true, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Print the facts as one JSON object
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum RawCommand {
    /// Start, stop or look at the server of a project, or list all of yours
    #[command(arg_required_else_help = true)]
    Api {
        /// What to do; ACTION=start is understood too
        #[arg(value_name = "ACTION")]
        action: Action,
        /// The port for start, 0 for any free one; PORT=3456 is understood too
        #[arg(long, value_name = "PORT", value_parser = port, allow_negative_numbers = true)]
        port: Option<u16>,
        /// Run in this process, without leaving the terminal
        #[arg(long)]
        foreground: bool,
    },
    /// Print the completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Action {
    /// Serve the project; returns when the port answers
    Start,
    /// Stop serving it; returns when nothing runs any more
    Stop,
    /// Say whether it is served, where, and what state its files are in
    Status,
    /// List every server of this user
    List,
}

/// The definition of the command line, for completions.
pub(super) fn definition() -> clap::Command {
    Raw::command().mut_subcommand("api", |api| api.after_help(text::endpoints()))
}

/// Understands the words after the program's name.
///
/// # Errors
/// Help, the version, and what is wrong.
pub(super) fn parse(words: &[OsString]) -> Result<Args, Refusal> {
    let normal = normalise(words)
        .map_err(|why| Refusal { text: text::problem(&why), why: Some(text::escape(&why)) })?;
    match read(&normal) {
        Ok(raw) => Ok(args(raw)),
        Err(error) => {
            // The text repeats the words that were wrong: once more with those made harmless.
            let harmless: Vec<OsString> =
                normal.iter().map(|word| text::escape(&word.to_string_lossy()).into()).collect();
            Err(refusal(&read(&harmless).err().unwrap_or(error)))
        }
    }
}

/// How a command line that may be wrong wants its answer.
pub(super) fn output(words: &[OsString]) -> Output {
    let json = words.iter().any(|word| word.eq_ignore_ascii_case("--json"));
    if json { Output::Json } else { Output::Text }
}

fn read(words: &[OsString]) -> Result<Raw, clap::Error> {
    let name = OsString::from("flow");
    let matches = definition().try_get_matches_from(std::iter::once(&name).chain(words))?;
    Raw::from_arg_matches(&matches)
}

fn args(raw: Raw) -> Args {
    let command = match raw.command {
        RawCommand::Api { action: Action::Start, port, foreground } => {
            let mode = if foreground { Mode::Foreground } else { Mode::Background };
            Command::Start { port, mode }
        }
        RawCommand::Api { action: Action::Stop, .. } => Command::Stop,
        RawCommand::Api { action: Action::Status, .. } => Command::Status,
        RawCommand::Api { action: Action::List, .. } => Command::List,
        RawCommand::Completions { shell } => Command::Completions(shell),
    };
    let output = if raw.json { Output::Json } else { Output::Text };
    Args { command, project: raw.project, output }
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

fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "a port is a whole number from 0 to 65535".to_owned())
}

/// Rewrites the forms that people paste and type into the one that is parsed.
fn normalise(words: &[OsString]) -> Result<Vec<OsString>, String> {
    let mut normal = Vec::with_capacity(words.len());
    let mut command = None;
    let mut value_follows = false;
    for word in words {
        let Some(text) = word.to_str().filter(|_| !value_follows) else {
            value_follows = false;
            normal.push(word.clone());
            continue;
        };
        if text.starts_with('-') {
            let option = lower_name(text);
            value_follows = WITH_VALUE.contains(&option.as_str());
            normal.push(option.into());
        } else if command.is_none() {
            let name = command_name(text)?;
            normal.push(name.clone().into());
            command = Some(name);
        } else if command.as_deref() == Some("api") {
            normal.push(api_word(text)?.into());
        } else {
            normal.push(word.clone());
        }
    }
    Ok(normal)
}

/// An option's name without case; its value as it is. Short options are told apart by case.
fn lower_name(option: &str) -> String {
    match option.split_once('=') {
        _ if !option.starts_with("--") => option.to_owned(),
        Some((name, value)) => format!("{}={value}", name.to_lowercase()),
        None => option.to_lowercase(),
    }
}

/// `/flow:api` and `flow:api` are `api`.
fn command_name(text: &str) -> Result<String, String> {
    let name = text.to_lowercase();
    let pasted = name.strip_prefix('/').unwrap_or(&name).strip_prefix("flow:");
    match pasted {
        Some("api") => Ok("api".into()),
        Some(other) => Err(text::no_skill(other)),
        None if name == "skill" => Err(text::no_skill("")),
        None => Ok(name),
    }
}

fn api_word(text: &str) -> Result<String, String> {
    let Some((key, value)) = text.split_once('=') else { return Ok(text.to_lowercase()) };
    match key.to_uppercase().as_str() {
        "ACTION" => Ok(value.to_lowercase()),
        "PORT" => Ok(format!("--port={value}")),
        "PROJECT" => Ok(format!("--project={value}")),
        other => Err(text::unknown_key(key, nearest(other, &KEYS), &KEYS)),
    }
}

/// The known word that a slip of the finger may have meant.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (distance(word, candidate), *candidate))
        .filter(|(far, _)| *far <= SLIP)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters differ (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.chars().count()).collect();
    for (above, a) in left.chars().enumerate() {
        let mut corner = above;
        row[0] = above + 1;
        for (at, b) in right.chars().enumerate() {
            let changed = corner + usize::from(a != b);
            corner = row[at + 1];
            row[at + 1] = changed.min(corner + 1).min(row[at] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Args, Refusal> {
        parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    fn command(line: &str) -> Command {
        parsed(line).unwrap_or_else(|e| panic!("{line}: {}", e.text)).command
    }

    fn why(line: &str) -> String {
        parsed(line).unwrap_err().why.unwrap()
    }

    #[test]
    fn every_form_of_a_start_is_the_same_start() {
        let start = Command::Start { port: Some(3456), mode: Mode::Background };
        for line in [
            "api start --port 3456",
            "api start --port=3456",
            "api ACTION=start PORT=3456",
            "api PORT=3456 ACTION=start",
            "api port=3456 action=START",
            "API START --PORT 3456",
            "/flow:api ACTION=start PORT=3456",
            "flow:api start PORT=3456",
            "--json /flow:api ACTION=start PORT=3456",
        ] {
            assert_eq!(command(line), start, "{line}");
        }
        let foreground = Command::Start { port: None, mode: Mode::Foreground };
        assert_eq!(command("api start --foreground"), foreground);
    }

    #[test]
    fn the_project_may_stand_anywhere() {
        for line in [
            "--project /A/b api status",
            "api --project /A/b status",
            "api status --project=/A/b",
            "api ACTION=status PROJECT=/A/b",
        ] {
            let args = parsed(line).unwrap();
            assert_eq!(args.project.as_deref(), Some("/A/b".as_ref()), "{line}");
            assert_eq!(args.command, Command::Status);
        }
    }

    #[test]
    fn a_wrong_word_is_named_with_the_nearest_right_one() {
        let whole = |line: &str| parsed(line).unwrap_err().text;
        assert!(
            whole("api ACTION=strat").contains("'\u{1b}[33mstrat")
                || whole("api ACTION=strat").contains("strat")
        );
        assert!(whole("api ACTION=strat").contains("start"));
        assert!(why("api ACTION=start PROT=1").contains("PORT"));
        assert!(why("api start PORT=abc").contains("65535"));
        assert!(why("api start PORT=70000").contains("70000"));
        assert!(why("api start COLOUR=red").contains("ACTION, PORT, PROJECT"));
        assert!(whole("apo start").contains("api"));
    }

    #[test]
    fn a_skill_says_what_there_is() {
        for line in ["flow:adr-template X=1", "/flow:adr-template", "skill adr-template"] {
            assert!(why(line).contains("api"), "{line}");
        }
    }

    #[test]
    fn help_and_version_are_no_mistakes() {
        assert!(parsed("--help").unwrap_err().why.is_none());
        assert!(parsed("--version").unwrap_err().text.contains(env!("CARGO_PKG_VERSION")));
        assert!(parsed("").unwrap_err().why.is_some());
    }

    #[test]
    fn a_refusal_does_not_repeat_control_characters() {
        for line in
            ["api \u{1b}[31mstart", "api \u{202e}KEY=1", "\u{7}api", "api start PORT=\u{9b}"]
        {
            let refusal = parsed(line).unwrap_err();
            let why = refusal.why.unwrap();
            assert!(!why.chars().any(|c| c.is_control() || c == '\u{202e}'), "{why:?}");
            assert!(
                !refusal.text.contains('\u{202e}') && !refusal.text.contains("\u{1b}[31mstart")
            );
        }
    }

    #[test]
    fn distance_counts_changed_letters() {
        assert_eq!(distance("PROT", "PORT"), 2);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn the_definition_is_sound() {
        definition().debug_assert();
    }
}
