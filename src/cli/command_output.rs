//! The output of a command, and how it is printed: the result to stdout, messages to stderr, or both as one JSON
//! object.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::text;
use crate::error::Error;

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

/// The exit codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Exit {
    /// Success.
    #[default]
    Fine = 0,
    /// The command is valid and was not carried out.
    Refused = 1,
    /// The command line is invalid.
    Usage = 2,
    /// `status`: no server is running.
    NotRunning = 3,
    /// `status`: a server is running and not responding.
    Silent = 4,
}

/// The output of a command.
#[derive(Debug, Default)]
pub(super) struct CommandOutput {
    pub(super) exit: Exit,
    /// The facts, for programs. `Null` prints nothing.
    pub(super) facts: Value,
    /// The result, for people.
    pub(super) result: String,
    /// Further information, for people.
    pub(super) message: String,
    /// The text of an artifact, printed after the result: byte for byte into a pipe or a file, and on a terminal with
    /// characters escaped that could move the cursor or change the direction of text.
    pub(super) artifact: String,
}

/// The consequence if the result cannot be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// The command has failed, because the result was its only purpose.
    Required,
    /// None: a server was started or stopped, whether or not that is reported.
    Optional,
}

impl CommandOutput {
    /// A result without facts.
    pub(super) fn shown(result: String) -> Self {
        Self { result, ..Self::default() }
    }

    /// No output.
    pub(super) fn quiet() -> Self {
        Self::default()
    }

    /// The output for an invalid command line.
    pub(super) fn misused(message: String, why: &str) -> Self {
        let facts = json!({"error": why, "code": "usage"});
        Self { exit: Exit::Usage, facts, message, ..Self::quiet() }
    }

    /// The output for a valid command that was not carried out.
    pub(super) fn refused(code: &str, sentence: &str) -> Self {
        Self {
            exit: Exit::Refused,
            facts: json!({"error": sentence, "code": code}),
            message: text::problem(sentence),
            ..Self::quiet()
        }
    }

    /// The output for an error.
    pub(super) fn failed(error: &Error) -> Self {
        let (exit, code) = match error {
            Error::Usage(_) => (Exit::Usage, "usage"),
            Error::Config { .. } => (Exit::Usage, "config"),
            Error::Io { .. } => (Exit::Refused, "io"),
            Error::Refused(_) => (Exit::Refused, "refused"),
        };
        Self { exit, ..Self::refused(code, &error.to_string()) }
    }

    /// Adds a remedy, on a separate line below the error.
    pub(super) fn advised(mut self, next: &str) -> Self {
        self.message.push_str(&text::next(next));
        self
    }

    /// With a fact more.
    pub(super) fn with(mut self, name: &str, fact: impl Into<Value>) -> Self {
        if let Value::Object(facts) = &mut self.facts {
            facts.insert(name.into(), fact.into());
        }
        self
    }

    /// Marks the output as incomplete, and says why.
    pub(super) fn broken_off(mut self, why: &str) -> Self {
        self.message.push_str(&text::problem(why));
        Self { exit: Exit::Usage, ..self }.with("error", why).with("code", "usage")
    }

    /// Prints the output and returns the exit code.
    pub(super) fn print(self, output: OutputFormat, delivery: Delivery) -> ExitCode {
        let written = match output {
            OutputFormat::Json if !self.facts.is_null() => {
                to(io::stdout(), &for_terminal(&format!("{}\n", self.facts), text::escape_json))
            }
            _ => to(anstream::stderr(), &self.message)
                .and_then(|()| to(anstream::stdout(), &self.result))
                .and_then(|()| to(io::stdout(), &for_terminal(&self.artifact, text::escape_lines))),
        };
        match written {
            Ok(()) => ExitCode::from(self.exit as u8),
            Err(why) => {
                // If neither stream can be written, nothing can be reported.
                let why = text::problem(&format!("could not write: {why}"));
                let exit = match delivery {
                    Delivery::Required => {
                        let _ = to(anstream::stderr(), &why);
                        Exit::Refused
                    }
                    Delivery::Optional => {
                        let _ = to(anstream::stderr(), &format!("{why}{}", self.result));
                        self.exit
                    }
                };
                ExitCode::from(exit as u8)
            }
        }
    }
}

/// A text, escaped if standard output is a terminal; elsewhere the bytes stay as they are.
fn for_terminal(text: &str, escape: fn(&str) -> String) -> Cow<'_, str> {
    if io::stdout().is_terminal() { Cow::Owned(escape(text)) } else { Cow::Borrowed(text) }
}

/// Writes a part of a growing result; `false` if its reader has closed the pipe.
///
/// # Errors
/// When it cannot be written for another reason.
pub(super) fn write_out(text: &str) -> io::Result<bool> {
    let mut stream = anstream::stdout();
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes a text. A reader that has closed the pipe (`flow api status | head -1`) is not an error.
fn to(mut stream: impl Write, text: &str) -> io::Result<()> {
    // A flush would report the same error again.
    if text.is_empty() {
        return Ok(());
    }
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}
