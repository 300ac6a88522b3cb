//! What a command gives back, and how it is printed: the result to stdout, messages to stderr, or both as one
//! JSON object. It words nothing.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::text;
use crate::error::Error;

/// How the facts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

/// The exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Fine = 0,
    /// Understood and not done.
    Refused = 1,
    /// Not understood.
    Usage = 2,
    /// `status`: nothing runs.
    NotRunning = 3,
    /// `status`: something runs and is not responding.
    Silent = 4,
}

/// What a command gives back.
#[derive(Debug)]
pub(super) struct CommandOutput {
    pub(super) exit: Exit,
    /// The facts, for programs. `Null` prints nothing.
    pub(super) facts: Value,
    /// The result, for people.
    pub(super) result: String,
    /// What else they should know.
    pub(super) message: String,
    /// The text of an artifact, printed after the result: byte for byte into a pipe or a file, and on a terminal with
    /// what could move the cursor or turn the direction of writing shown escaped.
    pub(super) artifact: String,
}

/// What it means that the result cannot be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// The command has failed: the result is all that was wanted.
    Required,
    /// Nothing: a server was started or stopped, whoever reads of it.
    Optional,
}

impl CommandOutput {
    /// A result that stands for itself.
    pub(super) fn shown(result: String) -> Self {
        Self {
            exit: Exit::Fine,
            facts: Value::Null,
            result,
            message: String::new(),
            artifact: String::new(),
        }
    }

    /// Nothing more to say.
    pub(super) fn quiet() -> Self {
        Self::shown(String::new())
    }

    /// A command line that is not one.
    pub(super) fn misused(message: String, why: &str) -> Self {
        let facts = json!({"error": why, "code": "usage"});
        Self { exit: Exit::Usage, facts, message, ..Self::quiet() }
    }

    /// A command that was understood and not carried out.
    pub(super) fn refused(code: &str, sentence: &str) -> Self {
        Self {
            exit: Exit::Refused,
            facts: json!({"error": sentence, "code": code}),
            message: text::problem(sentence),
            ..Self::quiet()
        }
    }

    /// An error.
    pub(super) fn failed(error: &Error) -> Self {
        let (exit, code) = match error {
            Error::Usage(_) => (Exit::Usage, "usage"),
            Error::Config { .. } => (Exit::Usage, "config"),
            Error::Io { .. } => (Exit::Refused, "io"),
            Error::Refused(_) => (Exit::Refused, "refused"),
        };
        Self { exit, ..Self::refused(code, &error.to_string()) }
    }

    /// With what the user can do, on a line of its own below what is wrong.
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

    /// What there is of it, and why there is no more.
    pub(super) fn broken_off(mut self, why: &str) -> Self {
        self.message.push_str(&text::problem(why));
        Self { exit: Exit::Usage, ..self }.with("error", why).with("code", "usage")
    }

    /// Prints it.
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
                // Where neither stream can be written, nothing can be reported.
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

/// A text with an escape applied where standard output is a terminal. Elsewhere the bytes stay as they are.
fn for_terminal(text: &str, escape: fn(&str) -> String) -> Cow<'_, str> {
    if io::stdout().is_terminal() { Cow::Owned(escape(text)) } else { Cow::Borrowed(text) }
}

/// Writes a part of a result that grows; `false` where its reader has gone away.
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

/// A reader that has gone away (`flow api status | head -1`) has what it wanted.
fn to(mut stream: impl Write, text: &str) -> io::Result<()> {
    // A flush would report once more what could not be written before.
    if text.is_empty() {
        return Ok(());
    }
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}
