//! Why a text was refused, as a short phrase for people.

use std::fmt;

use serde_json::error::Category;

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
    },
    /// More members or elements than allowed: a document with so many records is refused as a whole.
    TooMany {
        /// The largest allowed number.
        most: usize,
    },
    /// Anything else: the reason, with its position if known.
    Bad(String),
}

impl Fault {
    /// A phrase for a whole document that completes "the file is".
    pub fn of_document(&self) -> String {
        match self {
            Self::Syntax { reason, line, column } => {
                format!("not valid JSON (line {line}): {reason} at column {column}")
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
            Self::Syntax { reason, line: 1, column } => write!(f, "{reason} at column {column}"),
            Self::Syntax { reason, line, column } => {
                write!(f, "{reason} at line {line} column {column}")
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
        let reason = reason.replace("EOF while parsing", "the text ends within");
        let reason = reason.replace("expected ident", "expected value");
        Self::Syntax { reason, line: error.line(), column: error.column() }
    }
}
