//! `commit-message-formatter`: a conventional commit message from its parts, from a text, or from the staged change.
//!
//! The output is parsed again: a message whose parts would be read differently is an error.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::conventional;
use super::conventional::{Footer, Message, TYPES};
use super::skill::{Needs, Skill};
use crate::input::kind::{Kind, Upstream};
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::{Block, Line, undescribed};
use crate::output::{Artifact, Fault, Output, Result, bad_text};
use crate::page::Finding;
use crate::project_state::Context;
use crate::project_state::say::counted;
use crate::runtime::git;
use crate::runtime::git::{Change, Staged};
use crate::text::{bare, lists};
use crate::{output, text};

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
    verify: Some(|text, _| verify(text)),
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
        complete(&mut message, context, &mut output)?;
    }
    if message.description.is_empty() {
        return Err(missing());
    }
    let notes = &mut output.notes;
    // The words of a whole message are its author's own.
    message.description = in_form(&message.description, notes)?;
    if !is_whole {
        message.description = text::line(&message.description);
        complete_type(&mut message, notes)?;
        // The number of an issue describes nothing.
        if !message.description.contains(char::is_alphabetic) {
            return Err(missing());
        }
    }
    message.body = message.body.take().map(|text| wrapped(&text, notes)).transpose()?;
    order_footers(&mut message)?;
    let header = message.header();
    measure(&header, notes)?;
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
    let mut message = conventional::parse(text).unwrap_or_else(|| read(text, notes));
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

/// Width from which a first line is long, in columns; git and its hosts truncate it in lists.
const LONG: usize = 72;

/// The types of commits, each with the verbs that name it, as the first word of a description.
const VERBS: [(&str, &str); 8] = [
    ("feat", "add introduce implement support allow"),
    ("fix", "fix correct repair prevent"),
    ("docs", "document"),
    ("style", "format reformat"),
    ("refactor", "refactor rename extract move simplify"),
    ("test", "test"),
    ("chore", "bump upgrade"),
    ("revert", "revert"),
];

fn missing() -> Fault {
    let what = "what the commit does, in the imperative, such as \"add a login form\"";
    output::missing("description", "text", what)
}

/// The fault of a missing type, with the command that has one.
fn no_type(description: &str) -> Fault {
    let text = bare(description).replace(['"', '\\', '$', '`'], "'");
    let command = format!("flow skill {NAME} type=feat \"{text}\"");
    let wanted = format!("write {command}, or with type=fix or type=refactor");
    output::missing("type", &wanted, "the kind of change")
}

/// The description in the form of the convention: one line, without a full stop and without an initial capital.
fn in_form(text: &str, notes: &mut Vec<String>) -> Result<String> {
    if text.chars().any(char::is_control) {
        return Err(bad_text("description", text, "one line without control characters"));
    }
    let mut line = text.trim();
    if line.ends_with('.') {
        let is_ellipsis = line.ends_with("...") && !line.ends_with("....");
        let end = if is_ellipsis { "dots" } else { "full stop" };
        notes.push(format!("removed the {end} at the end of the description"));
        line = line.trim_end_matches(['.', ' ']);
    }
    let Some(first) = line.chars().next() else { return Err(missing()) };
    let is_lower = |c: char| !c.is_alphabetic() || c.to_lowercase().eq(std::iter::once(c));
    if is_lower(first) {
        return Ok(line.to_owned());
    }
    let (word, rest) = line.split_at(line.find(' ').unwrap_or(line.len()));
    let is_plain = word.chars().skip(1).all(is_lower);
    // An acronym or a name keeps its case, as code, which commitlint accepts.
    let name = word.trim_end_matches([',', ':', ';']);
    let begun = if is_plain {
        word.to_lowercase()
    } else {
        format!("`{}`{}", name.replace('`', ""), &word[name.len()..])
    };
    notes.push(format!("wrote {begun} for {word}: a description does not begin with a capital"));
    if begun.starts_with(is_lower) {
        return Ok(begun + rest);
    }
    Err(bad_text("description", text, "a text that begins with a lower-case letter"))
}

/// Adds a missing type if the first word of the description names it.
fn complete_type(message: &mut Message, notes: &mut Vec<String>) -> Result<()> {
    if !message.kind.is_empty() {
        return Ok(());
    }
    let word = message.description.split(' ').next().unwrap_or_default();
    let Some((kind, _)) = VERBS.into_iter().find(|(_, verbs)| lists(verbs, word)) else {
        return Err(no_type(&message.description));
    };
    notes.push(format!("took the type {kind} from the word {word:?}; type=… sets another"));
    kind.clone_into(&mut message.kind);
    Ok(())
}

/// Refuses a first line that is too long, and adds a note on a long one.
fn measure(header: &str, notes: &mut Vec<String>) -> Result<()> {
    let columns = width(header);
    if columns > TOO_LONG {
        let wanted = format!("a first line of at most {TOO_LONG} columns; it has {columns}");
        return Err(bad_text("description", header, &wanted));
    }
    if columns > LONG {
        notes.push(format!("the first line has {columns} columns; {LONG} are better"));
    }
    Ok(())
}

/// Parses git's revert message, or a first line, a body and footers. The sentences after the first one of the first line
/// begin the body.
fn read(whole: &str, notes: &mut Vec<String>) -> Message {
    let (first, rest) = whole.split_once('\n').unwrap_or((whole, ""));
    let (body, footers) = conventional::split_footers(rest);
    let reverted = first.strip_prefix("Revert \"").and_then(|text| text.strip_suffix('"'));
    let (kind, description, more) = if let Some(reverted) = reverted {
        (Type::Revert.to_string(), reverted.trim().to_owned(), String::new())
    } else {
        let mut sentences = text::sentences(first.trim()).into_iter();
        let description = sentences.next().unwrap_or_default();
        (String::new(), description, sentences.collect::<Vec<_>>().join(" "))
    };
    if !more.is_empty() {
        notes.push("put the sentences after the first into the body".to_owned());
    }
    let body: Vec<String> = [more, body].into_iter().filter(|part| !part.is_empty()).collect();
    Message {
        kind,
        description,
        body: Some(body.join("\n\n")).filter(|body| !body.is_empty()),
        breaking: footers.iter().any(Footer::is_breaking),
        footers,
        ..Message::default()
    }
}

/// Largest number of files that a description names.
const NAMED: usize = 3;

/// Describes the change by the names of its files.
fn complete(message: &mut Message, context: &Context, output: &mut Output) -> Result<()> {
    let staged = git::staged(&context.folder)?;
    if staged.is_empty() {
        return Err(Fault::Refused(
            "nothing is staged and no description is given; git add the change, or write flow skill commit-message-formatter \"add a login form\""
                .to_owned(),
        ));
    }
    let description = format!("{} {}", verb(&staged), files(&staged));
    // The names of files do not say what was done to them.
    if message.kind.is_empty() {
        return Err(no_type(&description));
    }
    message.description = description;
    let question = "description: names the files alone (add description=\"…\")";
    output.open.push(question.to_owned());
    Ok(())
}

/// What was done to all files.
fn verb(staged: &[Staged]) -> &'static str {
    let are_all = |change| staged.iter().all(|file| file.change == change);
    match () {
        () if are_all(Change::Added) => "add",
        () if are_all(Change::Removed) => "remove",
        () => "update",
    }
}

/// The names of the files, or their number.
fn files(staged: &[Staged]) -> String {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let shown = |file: &Staged| match &file.before {
        Some(before) => format!("{} (was {})", name(&file.path), name(before)),
        None => name(&file.path),
    };
    let names: Vec<String> = staged.iter().map(shown).collect();
    let is_plain = |name: &String| !name.contains(char::is_control);
    match names.as_slice() {
        names if names.len() > NAMED || !names.iter().all(is_plain) => {
            counted(names.len(), "file", "files")
        }
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        names => names.join(", "),
    }
}

/// Longest line, in columns: commitlint's limit.
const TOO_LONG: usize = 100;
/// Width of wrapped lines, in columns.
const WRAPPED: usize = 72;

/// The body with long lines wrapped, and an empty line before each line that commitlint's parser takes for the
/// beginning of the footers.
fn wrapped(body: &str, notes: &mut Vec<String>) -> Result<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in body.lines() {
        if is_too_long(line) {
            lines.extend(wrap(line)?);
            notes.push(format!("wrapped a line of the body over {TOO_LONG} columns"));
        } else {
            lines.push(line.to_owned());
        }
    }
    if let Some(at) = lines.iter().position(|line| opens_footers(line))
        && lines[..at].last().is_some_and(|before| !before.is_empty())
    {
        let line = &lines[at];
        notes.push(format!("put an empty line before {line:?}, which reads as a footer"));
        lines.insert(at, String::new());
    }
    Ok(lines.join("\n"))
}

/// Whether commitlint refuses a line for its length. It accepts a line of any length that contains a URL.
fn is_too_long(line: &str) -> bool {
    width(line) > TOO_LONG && !line.contains("://")
}

/// Whether a line begins with an issue reference or a breaking change.
fn opens_footers(line: &str) -> bool {
    let start = line.trim_start_matches([' ', '\t', '|', '*']).to_ascii_uppercase();
    let names_issue =
        |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "-_".contains(c));
    start.starts_with("BREAKING CHANGE")
        || start.starts_with("BREAKING-CHANGE")
        || line.split('#').skip(1).any(names_issue)
}

fn wrap(line: &str) -> Result<Vec<String>> {
    let mut lines = vec![String::new()];
    for word in line.split_whitespace() {
        if width(word) > TOO_LONG {
            return Err(bad_text("body", word, "words of at most 100 columns"));
        }
        match lines.last_mut() {
            Some(last) if last.is_empty() => last.push_str(word),
            Some(last) if width(last) + 1 + width(word) <= WRAPPED => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    Ok(lines)
}

/// Sorts the footers: first those that a linter takes for the beginning of the footers, so that they follow an empty
/// line.
fn order_footers(message: &mut Message) -> Result<()> {
    let rank = |footer: &Footer| {
        let line = format!("{}: {}", footer.token, footer.value);
        u8::from(!footer.is_breaking()) + u8::from(!opens_footers(&line))
    };
    message.footers.sort_by_key(rank);
    for (at, footer) in message.footers.iter().enumerate() {
        let indent = " ".repeat(footer.token.len() + 2);
        if footer.value.lines().any(|line| is_too_long(&format!("{indent}{line}"))) {
            let wanted = "lines of at most 100 columns with the token";
            return Err(bad_text(&format!("footers[{at}]"), &footer.value, wanted));
        }
    }
    Ok(())
}

/// Columns as linters count them, in UTF-16 units.
fn width(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Checks a message by the rules of commitlint's conventional configuration.
fn verify(text: &str) -> Vec<Finding> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let (numbers, lines): (Vec<usize>, Vec<&str>) = lines.map(|(at, line)| (at + 1, line)).unzip();
    let Some(header) = lines.first().filter(|header| !header.trim().is_empty()) else {
        return vec![Finding::new(1, "the message is empty: write `fix: what was done`")];
    };
    let first = numbers.first().copied().unwrap_or(1);
    let mut findings = Vec::new();
    let message = conventional::parse(&lines.join("\n"));
    let description = header.split_once(": ").map(|(_, description)| description.trim());
    let mut add = |line: usize, what: &str| findings.push(Finding::new(line, what));
    match (&message, description) {
        (_, None) => add(first, "the subject has no type: begin with `fix: ` or another"),
        (None, Some(_)) => {
            add(first, &format!("the type of the subject is none of {}", TYPES.join(", ")));
        }
        (Some(_), Some(description)) => {
            if description.ends_with('.') {
                add(first, "the subject ends with a full stop: remove it");
            }
            if description.starts_with(char::is_uppercase)
                && !description.chars().nth(1).is_some_and(char::is_uppercase)
            {
                add(first, "the subject begins with a capital: use lower case");
            }
        }
    }
    if lines.get(1).is_some_and(|line| !line.trim().is_empty()) {
        add(first + 1, "an empty line must stand below the subject");
    }
    // A URL cannot be wrapped.
    let long = |line: &str| Some(line.chars().count()).filter(|_| !line.contains("://"));
    for (number, line) in numbers.iter().zip(&lines) {
        if let Some(length) = long(line).filter(|length| *length > TOO_LONG) {
            add(*number, &format!("the line has {length} characters, over {TOO_LONG}: wrap it"));
        }
    }
    let breaks = message.as_ref().is_some_and(|message| message.what_breaks().is_some());
    let is_marked = header.split(": ").next().is_some_and(|start| start.ends_with('!'));
    if breaks && !is_marked {
        add(first, "a footer says what breaks: put `!` before the colon of the subject too");
    }
    findings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_types_are_those_of_the_convention() {
        let schema = crate::input::typed::schema_of::<Input>();
        assert_eq!(schema["properties"]["type"]["enum"], json!(TYPES));
    }

    #[test]
    fn the_revert_that_git_writes_is_taken_apart() {
        let text = "Revert \"feat: add a map\"\n\nThis reverts commit 1234.";
        let message = read(text, &mut Vec::new());
        assert_eq!(message.kind, "revert");
        assert_eq!(message.description, "feat: add a map");
        assert_eq!(message.body.as_deref(), Some("This reverts commit 1234."));
    }
}
