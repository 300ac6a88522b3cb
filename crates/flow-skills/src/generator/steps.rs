//! Steps of a procedure, as skills pass them to each other: each with its check and its rollback.

use std::fmt;
use std::ops::Deref;

use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::input::kind::{Kind, Payload};
use crate::input::values::{Block, Line, TextOr};
use crate::text::prose::prose;
use crate::text::{is_variable, line};

/// Longest name derived from a step's command, in characters.
const NAME: usize = 60;

/// A step: `{"command": …, "verify": …, "rollback": …}`, with `true` for a check or a rollback that it does not need.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// What it does; where it is left out, the first line of its command.
    pub(super) name: Option<Line>,
    /// What is run.
    pub(super) command: Command,
    /// The command that shows that it worked; `true` where the command itself fails otherwise.
    pub(super) verify: Command,
    /// The command that rolls it back; `true` where there is nothing to roll back.
    pub(super) rollback: Command,
}

/// The command of a check or a rollback that is not needed.
pub(super) const NOTHING: &str = "true";

impl Step {
    /// The command that rolls it back, unless it does nothing.
    pub(super) fn rollback(&self) -> Option<&Command> {
        Some(&self.rollback).filter(|command| ***command != *NOTHING)
    }

    /// The command that shows that it worked, unless it does nothing.
    pub(super) fn check(&self) -> Option<&Command> {
        Some(&self.verify).filter(|command| ***command != *NOTHING)
    }

    /// Its name, or the first line of its command.
    pub(super) fn title(&self) -> String {
        let first = || self.command.lines().next().unwrap_or_default().chars().take(NAME).collect();
        self.name.as_ref().map_or_else(first, ToString::to_string)
    }

    /// Its command, check and rollback.
    pub(super) fn commands(&self) -> [&Command; 3] {
        [&self.command, &self.verify, &self.rollback]
    }
}

/// The name of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(super) struct VariableName(pub(super) String);

impl VariableName {
    pub(super) fn new(name: &str) -> Result<Self, &'static str> {
        let allowed = "letters, digits and _, not a digit first";
        is_variable(name).then(|| Self(name.to_owned())).ok_or(allowed)
    }
}

impl TryFrom<String> for VariableName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, &'static str> {
        Self::new(name.trim())
    }
}

/// An environment variable.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Variable {
    /// Its name.
    pub(super) name: VariableName,
    /// What it is.
    pub(super) description: Option<Line>,
    /// Whether it must be set; true where it is left out.
    #[serde(default = "is_required")]
    pub(super) required: bool,
    /// Whether its value must not be shown; decided by its name and value where it is left out.
    pub(super) secret: Option<bool>,
    /// An example of its value.
    pub(super) example: Option<Line>,
    /// Its value, unless it is secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<Line>,
}

/// Variables: a list, or an object with their values by name.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(with = "Vec<TextOr<Variable>>", extend("type" = ["array", "object"]))]
pub(super) struct Variables(pub(super) Vec<TextOr<Variable>>);

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListOrObject;

        impl<'de> Visitor<'de> for ListOrObject {
            type Value = Vec<TextOr<Variable>>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list or an object")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut variables = Vec::new();
                while let Some((name, value)) = map.next_entry::<VariableName, Value>()? {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let value = Line::new(&text).ok();
                    variables.push(TextOr(Variable { value, ..Variable::named(name) }));
                }
                Ok(variables)
            }
        }

        deserializer.deserialize_any(ListOrObject).map(Self)
    }
}

const fn is_required() -> bool {
    true
}

/// The ends of the names of secrets.
const SECRETS: &str =
    "PASSWORD PASSWD _PASS _PWD PASSPHRASE SECRET TOKEN KEY KEY_BASE CREDENTIALS DSN DATABASE_URL";

impl Variable {
    /// A required variable of which nothing else is known.
    fn named(name: VariableName) -> Self {
        Self { name, description: None, required: true, secret: None, example: None, value: None }
    }

    /// A required variable, which is no secret.
    pub(super) fn required(name: &str, description: &str) -> Self {
        let named = Self::named(VariableName(name.to_owned()));
        Self { description: Line::new(description).ok(), secret: Some(false), ..named }
    }

    /// Whether its value must not be shown: as stated, or by the end of its name, or because it is a URL with a password.
    pub(super) fn is_secret(&self) -> bool {
        let name = self.name.0.to_uppercase();
        self.secret.unwrap_or_else(|| {
            SECRETS.split(' ').any(|end| name.ends_with(end))
                || self.value.iter().chain(&self.example).any(|value| has_password(value))
        })
    }
}

/// Whether a text is a URL with a password.
fn has_password(text: &str) -> bool {
    let login = text.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
    login.is_some_and(|(login, _)| login.contains(':'))
}

/// `NAME`, `NAME=value`, `NAME: description` or `NAME=value: description`.
impl TryFrom<Line> for Variable {
    type Error = &'static str;

    fn try_from(line: Line) -> Result<Self, &'static str> {
        let (head, description) = line.split_once(": ").unwrap_or((&line, ""));
        let (name, value) = head.split_once('=').unwrap_or((head, ""));
        let some = |text: &str| Line::new(text).ok();
        let variable = Self {
            name: VariableName::new(name.trim().trim_end_matches(':'))?,
            description: some(description),
            required: true,
            secret: None,
            example: None,
            value: some(value),
        };
        let one_word = variable.description.as_ref().filter(|text| !text.contains(' '));
        if one_word.is_some_and(|word| variable.is_secret() || has_password(word)) {
            return Err(
                "NAME=value, or a description of several words: what follows the colon is printed, and this may be a secret",
            );
        }
        Ok(variable)
    }
}

/// Whether a command reads a variable, as `$NAME` or `${NAME…}`.
pub(super) fn reads(command: &str, name: &str) -> bool {
    command.split('$').skip(1).any(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let after = rest.strip_prefix(name).and_then(|after| after.chars().next().or(Some(' ')));
        after.is_some_and(|c| !c.is_ascii_alphanumeric() && c != '_')
    })
}

/// A blank for a command, which says what belongs there.
pub(super) fn blank(what: &str) -> Command {
    Command::written(format!("<{what}>"))
}

/// The steps of a change to a system, and the variables that they need.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Procedure {
    /// The system that the steps change.
    pub(super) target: String,
    /// A title for the whole procedure.
    pub(super) title: Option<String>,
    pub(super) steps: Vec<Step>,
    pub(super) env: Vec<Variable>,
}

impl Payload for Procedure {
    const KIND: Kind = Kind::Steps;
}

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
