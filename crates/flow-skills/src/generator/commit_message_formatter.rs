//! `commit-message-formatter`: a conventional commit message from its parts, or from what is staged.
//!
//! What it writes, it reads back: a message whose parts would be read differently is not given out.

use serde_json::{Value, json};

use super::conventional::{self, Footer, Message, TYPES};
use super::staged;
use crate::fields::{self, bad, bad_text, missing};
use crate::input::Input;
use crate::output::{self, Artifact, Fault, Output, Result};
use crate::project_state::Context;
use crate::runtime::engine;

/// The skill's name.
pub(super) const NAME: &str = "commit-message-formatter";
/// From here on a line is long.
const LONG: usize = 72;
/// From here on it is too long.
const TOO_LONG: usize = 100;
const DESCRIPTION: &str = "what the commit does, in the imperative, such as \"add a login form\"";
/// Verbs that say what type a commit is.
const VERBS: [(&str, &str); 20] = [
    ("add", "feat"),
    ("introduce", "feat"),
    ("implement", "feat"),
    ("support", "feat"),
    ("allow", "feat"),
    ("fix", "fix"),
    ("correct", "fix"),
    ("repair", "fix"),
    ("prevent", "fix"),
    ("document", "docs"),
    ("format", "style"),
    ("reformat", "style"),
    ("refactor", "refactor"),
    ("rename", "refactor"),
    ("extract", "refactor"),
    ("move", "refactor"),
    ("simplify", "refactor"),
    ("test", "test"),
    ("bump", "chore"),
    ("upgrade", "chore"),
];

/// Makes the message.
///
/// # Errors
/// When a part is missing or cannot be written so that it is read back.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let mut notes = Vec::new();
    let mut message = stated(input)?;
    if fields::flag(input, "staged")? {
        staged::complete(&mut message, context, &mut notes)?;
    }
    if message.description.is_empty() {
        return Err(missing("description", "text", DESCRIPTION));
    }
    message.description = description(&message.description, &mut notes)?;
    if message.kind.is_empty() {
        let verb = known_verb(&message.description);
        message.kind = proposed(&message.description, verb, &mut notes)?;
        message.description = imperative(message.description, verb, &mut notes);
    }
    message.body = message.body.take().map(|body| tidy(&body, &mut notes)).transpose()?;
    check_footers(&mut message)?;
    let header = header(&message);
    measure(&header, &mut notes)?;
    let text = engine::render_own(
        NAME,
        "assets/template.txt.tera",
        &json!({"header": header, "body": message.body, "footers": message.footers}),
    )?;
    if conventional::parse(&text).as_ref() != Some(&message) {
        let allowed =
            "text that is read back as a body: no lines at its end that look like footers";
        return Err(bad("body", &json!(message.body), allowed));
    }
    let mut data = output::value(&message)?;
    data["header"] = Value::from(header);
    data["message"] = Value::from(text.trim_end());
    let artifact = Artifact::new("commit-message.txt", "text", text);
    Ok(Output { data, artifacts: vec![artifact], open: Vec::new(), notes })
}

/// What the input says, each part in its place. A description that is a whole message is taken apart.
fn stated(input: &Input) -> Result<Message> {
    let upstream = input.upstream.as_ref().and_then(|(_, data)| data.get("title")?.as_str());
    let text = input.text("description").or(upstream).unwrap_or_default();
    let text = fields::lines("description", text)?;
    let mut message = whole(text.trim());
    if let Some(kind) = fields::line(input, "type")? {
        kind.clone_into(&mut message.kind);
    }
    if !message.kind.is_empty() && !TYPES.contains(&message.kind.as_str()) {
        return Err(bad_text("type", &message.kind, &format!("one of {}", TYPES.join(", "))));
    }
    if let Some(scope) = fields::line(input, "scope")? {
        message.scope = Some(scope.to_owned());
    }
    if let Some(scope) = &message.scope
        && !scope.chars().all(|c| c.is_alphanumeric() || "-_./, @".contains(c))
    {
        return Err(bad_text("scope", scope, "letters, digits and - _ . / , @"));
    }
    if let Some(body) = input.text("body") {
        let (body, footers) = conventional::split_footers(&fields::lines("body", body)?);
        message.body = Some(body).filter(|body| !body.trim().is_empty());
        message.footers.extend(footers);
    }
    message.footers.extend(footers(input)?);
    breaking(input, &mut message)?;
    Ok(message)
}

fn whole(text: &str) -> Message {
    if let Some(message) = conventional::parse(text) {
        return message;
    }
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (body, footers) = conventional::split_footers(rest);
    Message {
        description: first.trim().to_owned(),
        body: Some(body).filter(|body| !body.is_empty()),
        breaking: footers.iter().any(Footer::is_breaking),
        footers,
        ..Message::default()
    }
}

fn footers(input: &Input) -> Result<Vec<Footer>> {
    let mut footers = Vec::new();
    for (at, value) in input.list("footers").iter().enumerate() {
        let path = format!("footers[{at}]");
        let allowed = "\"Token: value\", or a token and a value";
        let line = if let Value::String(line) = value {
            line.clone()
        } else {
            let token = fields::member(value, &path, "token")?.unwrap_or_default();
            format!("{token}: {}", fields::member(value, &path, "value")?.unwrap_or_default())
        };
        let line = fields::lines(&path, &line)?;
        let (first, more) = line.split_once('\n').unwrap_or((line.as_str(), ""));
        let mut footer = conventional::footer(first).ok_or_else(|| bad(&path, value, allowed))?;
        // An empty line would end the footers.
        for line in more.lines().map(str::trim).filter(|line| !line.is_empty()) {
            footer.value.push('\n');
            footer.value.push_str(line);
        }
        footers.push(footer);
    }
    Ok(footers)
}

fn breaking(input: &Input, message: &mut Message) -> Result<()> {
    match input.fields.get("breaking") {
        Some(Value::String(text)) if !["true", "false", "yes", "no"].contains(&text.as_str()) => {
            let value = fields::lines("breaking", text)?;
            let lines: Vec<&str> = value.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
            if !lines.is_empty() {
                let footer = Footer { token: "BREAKING CHANGE".into(), value: lines.join("\n") };
                message.footers.insert(0, footer);
            }
        }
        _ => message.breaking |= fields::flag(input, "breaking")?,
    }
    message.breaking |= message.footers.iter().any(Footer::is_breaking);
    Ok(())
}

/// The description as the convention has it: no full stop, and it does not begin with a capital.
fn description(text: &str, notes: &mut Vec<String>) -> Result<String> {
    fields::one_line("description", text)?;
    let mut tidy = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if tidy.ends_with('.') {
        tidy.truncate(tidy.trim_end_matches(['.', ' ']).len());
        notes.push("The full stop at the end of the description was left out.".to_owned());
    }
    let Some(first) = tidy.chars().next() else {
        return Err(missing("description", "text", DESCRIPTION));
    };
    let is_lower = |c: char| !c.is_alphabetic() || c.to_lowercase().eq(std::iter::once(c));
    if is_lower(first) {
        return Ok(tidy);
    }
    let (word, rest) =
        tidy.split_once(' ').map_or((tidy.as_str(), ""), |(word, rest)| (word, rest));
    let others = word.chars().skip(1).filter(|c| c.is_alphabetic());
    let begun = if others.clone().all(char::is_lowercase) || others.clone().all(char::is_uppercase)
    {
        word.to_lowercase()
    } else {
        format!("`{}`", word.replace('`', ""))
    };
    notes.push(format!("The description begins with {begun} in place of {word}: the convention has no capital there."));
    let begun = if rest.is_empty() { begun } else { format!("{begun} {rest}") };
    if !begun.starts_with(is_lower) {
        return Err(bad_text("description", text, "a text that begins with a lower-case letter"));
    }
    Ok(begun)
}

/// The verb of the table that a description begins with, in any of its forms, and the type that it means.
fn known_verb(description: &str) -> Option<(&'static str, &'static str)> {
    let first = description.split(' ').next().unwrap_or_default();
    let is_form = |known: &str| {
        let stem = known.strip_suffix('e').unwrap_or(known);
        let ends = ["", "s", "es", "ed", "ing"];
        let doubled = format!("{known}{}", known.chars().last().unwrap_or_default());
        first.strip_prefix(known).is_some_and(|end| ends.contains(&end) || end == "d")
            || [stem, &doubled]
                .iter()
                .any(|stem| first.strip_prefix(stem).is_some_and(|end| end == "ed" || end == "ing"))
            || known.strip_suffix('y').and_then(|stem| first.strip_prefix(stem)) == Some("ied")
    };
    VERBS.iter().find(|(known, _)| is_form(known)).copied()
}

/// What follows a verb, and no adjective.
const AFTER: [&str; 12] =
    ["the", "a", "an", "all", "some", "our", "its", "two", "more", "missing", "how", "that"];

/// `added a search` says `add a search`; `fixed header overlaps` stays, because a header may be fixed.
fn imperative(description: String, verb: Option<(&str, &str)>, notes: &mut Vec<String>) -> String {
    let Some(((verb, _), (first, rest))) = verb.zip(description.split_once(' ')) else {
        return description;
    };
    let next = rest.split(' ').next().unwrap_or_default();
    let is_past = first != verb && first.ends_with('d');
    if !is_past || (["fix", "format", "test", "document"].contains(&verb) && !AFTER.contains(&next))
    {
        return description;
    }
    notes.push(format!(
        "The description begins with {verb} in place of {first}: the convention has the imperative."
    ));
    format!("{verb} {rest}")
}

fn proposed(
    description: &str,
    verb: Option<(&str, &str)>,
    notes: &mut Vec<String>,
) -> Result<String> {
    let first = description.split(' ').next().unwrap_or_default();
    let allowed = format!("one of {}", TYPES.join(", "));
    let (_, kind) = verb.ok_or_else(|| missing("type", &allowed, "the kind of change"))?;
    notes.push(format!("The type {kind} was taken from the word {first:?}; type=… sets another."));
    Ok(kind.to_owned())
}

/// The body with long lines broken, and an empty line before each line that the convention's parser takes for the start
/// of the footers.
fn tidy(body: &str, notes: &mut Vec<String>) -> Result<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_footer = false;
    for line in body.lines() {
        if width(line) > TOO_LONG && !line.contains("://") {
            lines.extend(broken(line)?);
            notes.push(format!("A line of the body over {TOO_LONG} columns was broken."));
        } else {
            lines.push(line.to_owned());
        }
    }
    let mut tidy: Vec<String> = Vec::new();
    for line in lines {
        if !is_footer && opens_footers(&line) {
            is_footer = true;
            if tidy.last().is_some_and(|before| !before.is_empty()) {
                tidy.push(String::new());
                notes.push(format!("An empty line was put before {line:?}: it reads as a footer."));
            }
        }
        tidy.push(line);
    }
    Ok(tidy.join("\n"))
}

/// Whether a line names an issue or what breaks.
fn opens_footers(line: &str) -> bool {
    let start = line.trim_start_matches([' ', '\t', '|', '*']).to_ascii_uppercase();
    let names_issue =
        |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "-_".contains(c));
    start.starts_with("BREAKING CHANGE")
        || start.starts_with("BREAKING-CHANGE")
        || line.split('#').skip(1).any(names_issue)
}

fn broken(line: &str) -> Result<Vec<String>> {
    let mut lines = vec![String::new()];
    for word in line.split_whitespace() {
        if width(word) > TOO_LONG {
            return Err(bad_text("body", word, "words of at most 100 columns"));
        }
        match lines.last_mut() {
            Some(last) if last.is_empty() => last.push_str(word),
            Some(last) if width(last) + 1 + width(word) <= LONG => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    Ok(lines)
}

/// Those that a linter takes for footers come first, so that an empty line stands before them.
fn check_footers(message: &mut Message) -> Result<()> {
    let rank = |footer: &Footer| {
        let line = format!("{}: {}", footer.token, footer.value);
        u8::from(!footer.is_breaking()) + u8::from(!opens_footers(&line))
    };
    message.footers.sort_by_key(rank);
    for (at, footer) in message.footers.iter().enumerate() {
        let is_long = |line: &str| width(line) + footer.token.len() + 2 > TOO_LONG;
        if footer.value.lines().any(|line| is_long(line) && !line.contains("://")) {
            let allowed = "lines of at most 100 columns with the token";
            return Err(bad_text(&format!("footers[{at}]"), &footer.value, allowed));
        }
    }
    Ok(())
}

fn header(message: &Message) -> String {
    let scope = message.scope.as_ref().map_or(String::new(), |scope| format!("({scope})"));
    let mark = if message.breaking { "!" } else { "" };
    format!("{}{scope}{mark}: {}", message.kind, message.description)
}

fn measure(header: &str, notes: &mut Vec<String>) -> Result<(), Fault> {
    let columns = width(header);
    if columns > TOO_LONG {
        let allowed =
            format!("short enough for a first line of {TOO_LONG} columns, and it has {columns}");
        return Err(bad_text("description", header, &allowed));
    }
    if columns > LONG {
        notes.push(format!("The first line has {columns} columns; {LONG} are better."));
    }
    Ok(())
}

/// Columns as linters count them: UTF-16 units.
fn width(text: &str) -> usize {
    text.encode_utf16().count()
}
