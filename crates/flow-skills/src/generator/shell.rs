//! The user's shell commands, word for word, and how a text is quoted for a shell.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::values::Block;
use crate::text::line;
use crate::text::prose::prose;

/// One or more commands. Prompts and blanks at line ends are removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Block")]
pub(super) struct Command(String);

impl Command {
    /// A command that a skill generated.
    pub(super) fn written(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Commands as a block of Markdown, fenced by more backticks than they have.
pub(super) fn fenced(command: &str) -> String {
    let longest = command.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}bash\n{command}\n{fence}")
}

/// A text on one line as a code span, if it can be one in Markdown.
pub(super) fn code(text: &str) -> String {
    let text = line(text);
    if text.contains('`') { prose(&text) } else { format!("`{text}`") }
}

impl From<Block> for Command {
    fn from(text: Block) -> Self {
        let tidy = |line: &str| line.strip_prefix("$ ").unwrap_or(line).replace('\t', "  ");
        Self(text.lines().map(tidy).collect::<Vec<_>>().join("\n"))
    }
}

impl Deref for Command {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

pub(super) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
