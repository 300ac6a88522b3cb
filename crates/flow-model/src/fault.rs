//! Why a text was refused, as a short phrase for people.

use std::fmt;

use serde_json::error::Category;

use super::cause::Stop;

/// Why a text was refused: a short phrase for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Nested deeper than 128 levels; a document with it is refused as a whole.
    TooDeep,
    /// The syntax is invalid, or a string or number is out of range.
    Syntax {
        /// The parser's message.
        reason: String,
        /// The line, from 1; 0 if unknown.
        line: usize,
        /// The byte in the line, from 1.
        column: usize,
        /// Whether the text ends too early.
        stop: StopKind,
    },
    /// More members or elements than allowed: a document with so many records is refused as a whole.
    TooMany {
        /// The largest allowed number.
        most: usize,
    },
    /// Anything else: the reason, with its position if known.
    Bad(String),
}

/// Why a parser stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopKind {
    /// A character does not fit.
    Character,
    /// The next character is a control character, which no text may contain.
    Control,
    /// The text ends too early.
    End,
}

impl Fault {
    /// The same with the usual cause in place of the parser's message. `text` is what was parsed.
    #[must_use]
    pub fn explained(self, text: &str) -> Self {
        match self {
            Self::Syntax { reason, line, column, stop } => {
                let place = match stop {
                    StopKind::Character => Stop::new(text, line, column),
                    StopKind::Control => Stop::new(text, line, column + 1),
                    StopKind::End => Stop::at_end(text),
                };
                let reason = place.cause().unwrap_or(reason);
                Self::Syntax { reason, line: line.max(1), column: column.max(1), stop }
            }
            other => other,
        }
    }

    /// The line of the fault, from 1, if it is known.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Syntax { line, .. } => Some(*line).filter(|line| *line > 0),
            Self::TooDeep | Self::TooMany { .. } | Self::Bad(_) => None,
        }
    }

    /// A phrase for a whole document that completes "the file is".
    pub fn of_document(&self) -> String {
        match self {
            Self::Syntax { reason, line, column, .. } => {
                format!("not valid JSON (line {line}, column {column}): {reason}")
            }
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooDeep => f.write_str("nested too deeply"),
            Self::TooMany { most } => write!(f, "too large: more than {most} records"),
            Self::Syntax { reason, line: 0, .. } | Self::Bad(reason) => f.write_str(reason),
            Self::Syntax { reason, line: 1, column, .. } => write!(f, "{reason} (column {column})"),
            Self::Syntax { reason, line, column, .. } => {
                write!(f, "{reason} (line {line}, column {column})")
            }
        }
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        if error.classify() == Category::Data {
            return Self::Bad("not a JSON object".to_owned());
        }
        let text = error.to_string();
        if text.starts_with("recursion limit exceeded") {
            return Self::TooDeep;
        }
        let reason = text.split(" at line ").next().unwrap_or(&text);
        let reason = reason.replace("EOF while parsing", "it ends in the middle of");
        let reason = reason.replace("expected ident", "expected value");
        let stop = match error.classify() {
            Category::Eof => StopKind::End,
            _ if reason.starts_with("control character") => StopKind::Control,
            _ => StopKind::Character,
        };
        Self::Syntax { reason, line: error.line(), column: error.column(), stop }
    }
}
