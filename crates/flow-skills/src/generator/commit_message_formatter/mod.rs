//! `commit-message-formatter`: a conventional commit message from its parts, from a text, or from the staged change.
//!
//! The output is parsed again: a message whose parts would be read differently is an error.

mod body;
mod plain;
mod staged;
mod subject;
mod verify;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::conventional::{self, Footer, Message};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, Upstream, takes};
use crate::input::values::{Block, Line, undescribed};
use crate::output::{self, Artifact, Output, Result, bad_text};
use crate::project_state::Context;
use crate::text;

pub(super) const NAME: &str = "commit-message-formatter";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Text, "description"),
            takes(ContentKind::Commit, "description"),
        ],
        accepts: &[Kind::Story, Kind::Criteria, Kind::Decision],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::Commit,
    run: |given, context| generate(given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify::verify(text)),
};

/// The parts of a commit message. Without a description, the names of the staged files are one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What the commit does, in the imperative, such as "add a login form"; or a whole message.
    description: Option<Block>,
    /// The type of the change. Default: derived from the first verb of the description.
    #[serde(rename = "type")]
    kind: Option<Type>,
    /// The part of the project that changes, such as auth.
    scope: Option<Scope>,
    /// Why the change is made, in paragraphs. Lines over 100 columns are wrapped.
    body: Option<Block>,
    /// Whether it is a breaking change, or what breaks and what to do about it.
    breaking: Option<Breaking>,
    /// The footers, such as "Refs: #12".
    #[serde(default)]
    footers: Vec<FooterInput>,
}

/// A type of the conventional configuration.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Type {
    Feat,
    Fix,
    Docs,
    Style,
    Refactor,
    Perf,
    Test,
    Build,
    Ci,
    Chore,
    Revert,
}

crate::text::display_as_serde!(Type);

/// A scope: letters, digits and `- _ . / , @ #`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Scope(String);

impl TryFrom<String> for Scope {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let text = Line::new(&text)?.into_inner();
        let is_scope = text.chars().all(|c| c.is_alphanumeric() || "-_./, @#".contains(c));
        is_scope.then_some(Self(text)).ok_or("letters, digits and - _ . / , @ #")
    }
}

/// `true`, or what breaks.
#[derive(Debug, JsonSchema)]
#[schemars(with = "Value", extend("type" = ["boolean", "string"]), transform = undescribed)]
enum Breaking {
    Flag(bool),
    What(Block),
}

impl<'de> Deserialize<'de> for Breaking {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Flag(bool),
            Text(String),
        }
        match Either::deserialize(deserializer)? {
            Either::Flag(flag) => Ok(Self::Flag(flag)),
            Either::Text(text) => match text.trim() {
                "true" | "yes" => Ok(Self::Flag(true)),
                "false" | "no" => Ok(Self::Flag(false)),
                what => Block::new(what).map(Self::What).map_err(serde::de::Error::custom),
            },
        }
    }
}

/// A footer, such as "Refs: #12".
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Block")]
#[schemars(with = "Block", transform = undescribed)]
struct FooterInput(Footer);

impl TryFrom<Block> for FooterInput {
    type Error = &'static str;

    fn try_from(text: Block) -> Result<Self, &'static str> {
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let read = conventional::footer(first).ok_or("\"Token: value\", such as \"Refs: #12\"")?;
        Ok(Self(footer(&read.token, &format!("{}\n{rest}", read.value))))
    }
}

/// A footer whose value has no blank lines, which would end it.
fn footer(token: &str, value: &str) -> Footer {
    let lines = value.lines().map(str::trim).filter(|line| !line.is_empty());
    Footer { token: token.to_owned(), value: lines.collect::<Vec<_>>().join("\n") }
}

fn generate(input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let title = upstream.and_then(|before| before.data["title"].as_str());
    let is_staged = input.description.is_none() && title.is_none();
    let is_whole =
        input.description.as_deref().is_some_and(|text| conventional::parse(text.trim()).is_some());
    let mut output = Output::default();
    let mut message = given(input, title.unwrap_or_default(), &mut output.notes);
    if is_staged {
        staged::complete(&mut message, context, &mut output)?;
    }
    if message.description.is_empty() {
        return Err(subject::missing());
    }
    let notes = &mut output.notes;
    // The words of a whole message are its author's own.
    message.description = subject::conventional(&message.description, notes)?;
    if !is_whole {
        message.description = text::line(&message.description);
        subject::complete(&mut message, notes)?;
        // The number of an issue describes nothing.
        if !message.description.contains(char::is_alphabetic) {
            return Err(subject::missing());
        }
    }
    message.body = message.body.take().map(|text| body::wrapped(&text, notes)).transpose()?;
    body::order_footers(&mut message)?;
    let header = message.header();
    subject::measure(&header, notes)?;
    let text = render(&header, &message);
    if conventional::parse(&text).as_ref() != Some(&message) {
        let wanted = "text that is read back as a body: no lines at its end that look like footers";
        return Err(bad_text("body", message.body.as_deref().unwrap_or_default(), wanted));
    }
    output.data = output::value(&message)?;
    output.data["header"] = Value::from(header);
    output.data["message"] = Value::from(text.trim_end());
    output.artifacts = vec![Artifact::new("commit-message.txt", "text", text)];
    Ok(output)
}

/// The message from the fields. A description that is a whole message is parsed.
fn given(input: Input, title: &str, notes: &mut Vec<String>) -> Message {
    let text = input.description.map_or_else(|| title.trim().to_owned(), Block::into_inner);
    let text = text.trim();
    let mut message = conventional::parse(text).unwrap_or_else(|| plain::read(text, notes));
    if let Some(kind) = input.kind {
        message.kind = kind.to_string();
    }
    if let Some(Scope(scope)) = input.scope {
        message.scope = Some(scope);
    }
    if let Some(text) = input.body {
        let (body, footers) = conventional::split_footers(&text);
        message.body = Some(body).filter(|body| !body.trim().is_empty());
        message.footers.extend(footers);
    }
    message.footers.extend(input.footers.into_iter().map(|footer| footer.0));
    match input.breaking {
        Some(Breaking::What(what)) => message.footers.insert(0, footer("BREAKING CHANGE", &what)),
        Some(Breaking::Flag(flag)) => message.breaking |= flag,
        None => {}
    }
    message.breaking |= message.footers.iter().any(Footer::is_breaking);
    message
}

fn render(header: &str, message: &Message) -> String {
    let mut text = format!("{header}\n");
    if let Some(body) = &message.body {
        text.extend(["\n", body, "\n"]);
    }
    if !message.footers.is_empty() {
        text.push('\n');
    }
    for Footer { token, value } in &message.footers {
        text.extend([token, ": ", &value.replace('\n', "\n "), "\n"]);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::conventional::TYPES;
    use super::*;

    #[test]
    fn the_types_are_those_of_the_convention() {
        let schema = crate::input::typed::schema_of::<Input>();
        assert_eq!(schema["properties"]["type"]["enum"], json!(TYPES));
    }

    #[test]
    fn the_revert_that_git_writes_is_taken_apart() {
        let text = "Revert \"feat: add a map\"\n\nThis reverts commit 1234.";
        let message = plain::read(text, &mut Vec::new());
        assert_eq!(message.kind, "revert");
        assert_eq!(message.description, "feat: add a map");
        assert_eq!(message.body.as_deref(), Some("This reverts commit 1234."));
    }
}
