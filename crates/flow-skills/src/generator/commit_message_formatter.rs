//! `commit-message-formatter`: a conventional commit message from its parts, from a text, or from the staged change.
//!
//! The output is parsed again: a message whose parts would be read differently is an error.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::conventional::{
    BREAKING, CommitType, Footer, KNOWN_TYPES, Message, TYPE_NAMES, split_footers,
};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::values::{Block, Line, TextOr, TextOrList, Word, undescribed};
use crate::output::{self, Artifact, Fault, Output, Result, bad_text};
use crate::page::Finding;
use crate::project_state::Context;
use crate::project_state::say::counted;
use crate::runtime::git::{self, Staged};
use crate::text::{self, lists, sentences, wrap};

const NAME: &str = "commit-message-formatter";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Text, "description"),
            takes(ContentKind::Commit, "description"),
        ],
        ..Definition::of::<Input>()
    },
    needs: Needs::Optional,
    gives: Kind::Report,
    run: |given, context| generate(given.read()?, context),
    verify: Some(|text, _| verify(text)),
};

/// Width from which a first line is long, in columns; git and its hosts truncate it in lists.
const LONG: usize = 72;
/// Longest line, in columns: commitlint's limit.
const TOO_LONG: usize = 100;
/// Largest number of files that a description names.
const NAMED: usize = 3;

/// The parts of a commit message. Without a description, the names of the staged files are one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-unknown" = "other footers, such as Reviewed-by: Ada, stand behind an empty line at the end of body or of the text; \
    the staged change is read where only the type is given: type=fix"))]
struct Input {
    /// What the commit does, in the imperative, such as "add a login form"; or a whole message.
    #[schemars(extend("x-labels" = ["Subject", "Summary", "Title", "Message"]))]
    description: Option<Block>,
    /// The type of the change. Default: derived from the first verb of the description.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = TYPE_NAMES))]
    kind: Option<Word>,
    /// The part of the project that changes, such as auth.
    scope: Option<Scope>,
    /// Why the change is made, in paragraphs, and the footers; they follow those of the text. Lines over 100 columns are
    /// wrapped.
    #[schemars(extend("x-rest" = true))]
    body: Option<TextOrList<Block>>,
    /// Whether it is a breaking change, or what breaks, which becomes the footer `BREAKING CHANGE`.
    breaking: Option<Breaking>,
    /// What it refers to, such as #12: the footer `Refs`.
    #[serde(default)]
    #[schemars(extend("x-commas" = true, "x-labels" = ["Issues", "Issue"]))]
    refs: Vec<Line>,
    /// What it closes, such as #12: the footer `Closes`.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    closes: Vec<Line>,
}

/// Whether a change breaks something, or what it breaks.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(from = "TextOr<bool>")]
#[schemars(with = "TextOr<bool>", transform = undescribed)]
enum Breaking {
    No,
    Yes,
    What(Line),
}

impl From<TextOr<bool>> for Breaking {
    fn from(given: TextOr<bool>) -> Self {
        let text = match given {
            TextOr::Value(is_breaking) => return if is_breaking { Self::Yes } else { Self::No },
            TextOr::Text(text) => text,
        };
        match text.to_lowercase().trim_end_matches('.') {
            "no" | "n" | "none" | "false" | "0" | "n/a" | "-" => Self::No,
            "yes" | "y" | "true" | "1" => Self::Yes,
            _ => Self::What(text),
        }
    }
}

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

fn generate(input: Input, context: &Context) -> Result<Output> {
    let given = spaced(input.description.as_deref().unwrap_or_default().trim());
    // A type and its colon alone describe nothing.
    if given.trim_end().strip_suffix(':').is_some_and(|kind| TYPE_NAMES.contains(&kind)) {
        return Err(missing());
    }
    let is_whole = Message::typed(&given).is_some();
    let mut output = Output::default();
    let notes = &mut output.notes;
    let mut message = if is_whole { Message::read(&given) } else { read(&given, notes) };
    refuse_other(&input, &message)?;
    add_fields(input, &mut message)?;
    if given.is_empty() {
        message.description = staged(&message, context)?;
        output.open.push("description: names the files alone (add description=\"…\")".to_owned());
    }
    message.description = in_form(&message.description, notes)?;
    // The words of a whole message are its author's own.
    if !is_whole {
        message.description = text::line(&message.description);
        complete_type(&mut message, notes)?;
        // The number of an issue describes nothing.
        if !message.description.contains(char::is_alphabetic) {
            return Err(missing());
        }
    }
    message.body = message.body.map(|text| wrapped(&text, notes));
    let header = message.header();
    let columns = width(&header);
    if columns > LONG {
        notes.push(format!("the first line has {columns} columns; {LONG} are better"));
    }
    let text = render(&header, &message);
    check(&text, &message)?;
    output.data = output::value(&message)?;
    output.data["header"] = Value::from(header);
    output.data["message"] = Value::from(text.trim_end());
    output.artifacts = vec![Artifact::new("commit-message.txt", "text", text)];
    Ok(output)
}

/// A text with a blank behind its type: `feat:add a map` is meant as `feat: add a map`.
fn spaced(text: &str) -> String {
    match text.split_once(':') {
        Some((kind, rest)) if TYPE_NAMES.contains(&kind) => {
            format!("{kind}: {}", rest.trim_start_matches(' '))
        }
        _ => text.to_owned(),
    }
}

/// Reads a text without a type: a first line, a body and footers. The sentences after the first
/// one of the first line begin the body.
fn read(text: &str, notes: &mut Vec<String>) -> Message {
    let mut message = Message::read(text);
    let mut sentences = sentences(&message.description).into_iter();
    let first = sentences.next().unwrap_or_default();
    let more = sentences.collect::<Vec<_>>().join(" ");
    if !more.is_empty() {
        notes.push("put the sentences after the first into the body".to_owned());
        let body = message.body.map(|body| format!("\n\n{body}")).unwrap_or_default();
        message.body = Some(format!("{more}{body}"));
    }
    Message { description: first, ..message }
}

/// Refuses a type or a scope that differs from what the text states.
fn refuse_other(input: &Input, stated: &Message) -> Result<()> {
    let kind = input.kind.as_deref();
    let scope = input.scope.as_ref().map(|Scope(scope)| scope.as_str());
    let stated_kind = Some(stated.kind.as_str()).filter(|kind| !kind.is_empty());
    let stated_scope = stated.scope.as_deref();
    for (field, given, stated) in [("type", kind, stated_kind), ("scope", scope, stated_scope)] {
        if let (Some(given), Some(stated)) = (given, stated)
            && given != stated
        {
            return Err(bad_text(field, given, &format!("left out, or {stated}, as in the text")));
        }
    }
    Ok(())
}

/// Adds the parts that are given as fields; a body follows that of the text. Refused is `breaking=false` about a message
/// that says that it breaks something.
fn add_fields(input: Input, message: &mut Message) -> Result<()> {
    if let Some(kind) = input.kind {
        message.kind = kind.into_inner();
    }
    if let Some(Scope(scope)) = input.scope {
        message.scope = Some(scope);
    }
    if let Some(text) = input.body {
        let (body, footers) = split_footers(&text.paragraphs());
        let bodies = message.body.take().into_iter().chain([body]);
        let bodies: Vec<String> = bodies.filter(|body| !body.trim().is_empty()).collect();
        message.body = Some(bodies.join("\n\n")).filter(|body| !body.is_empty());
        message.footers.extend(footers);
    }
    if let Some(Breaking::What(what)) = &input.breaking {
        message.footers.extend(footer(BREAKING[0], std::slice::from_ref(what)));
    }
    let more = [footer("Refs", &input.refs), footer("Closes", &input.closes)];
    for footer in more.into_iter().flatten() {
        // The text may say the same.
        if !message.footers.contains(&footer) {
            message.footers.push(footer);
        }
    }
    message.breaking |= message.footers.iter().any(Footer::is_breaking);
    if message.breaking && matches!(input.breaking, Some(Breaking::No)) {
        let wanted = "left out, or true, since the message says that it breaks something";
        return Err(bad_text("breaking", "false", wanted));
    }
    message.breaking |= matches!(input.breaking, Some(Breaking::Yes));
    Ok(())
}

/// The footer of a field, if it is given.
fn footer(token: &str, values: &[Line]) -> Option<Footer> {
    let values: Vec<&str> = values.iter().map(|value| &**value).collect();
    let value = values.join(", ");
    (!value.is_empty()).then(|| Footer { token: token.to_owned(), value })
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

/// Checks that a text is read back as its message, and that no line of it is too long.
fn check(text: &str, message: &Message) -> Result<()> {
    let is_long = |at: usize, line| is_too_long(line) || at == 0 && width(line) > TOO_LONG;
    if let Some((at, line)) = text.lines().enumerate().find(|(at, line)| is_long(*at, line)) {
        let is_body = message.body.as_ref().is_some_and(|body| body.contains(line));
        let field = if is_body { "body" } else { ["description", "footers"][at.min(1)] };
        let wanted = format!("lines of at most {TOO_LONG} columns; it has {}", width(line));
        return Err(bad_text(field, line, &wanted));
    }
    if Message::typed(text).as_ref() == Some(message) {
        return Ok(());
    }
    let wanted = "text that is read back as a body: no lines at its end that look like footers";
    Err(bad_text("body", message.body.as_deref().unwrap_or_default(), wanted))
}

fn missing() -> Fault {
    let what = "what the commit does, in the imperative, such as \"add a login form\"";
    output::missing("description", "text", what)
}

/// Longest text that a command in an error repeats, in characters.
const REPEATED: usize = 200;
/// Types whose names are no verbs, so that one at the beginning of a text is meant as its type.
const NOUNS: &str = "feat chore docs ci perf";
/// The types that an error names besides those that the change suggests.
const COMMON: [&str; 3] = ["feat", "fix", "refactor"];

/// The fault of a missing type, with complete commands; `suggested` types come first.
fn no_type(description: &str, body: Option<&str>, suggested: &[&str]) -> Fault {
    let body = body.map(|body| format!("\n\n{body}").replace('\n', "\\n"));
    let text = text::line(description) + &body.unwrap_or_default();
    let is_plain = text.chars().count() <= REPEATED && !text.contains(['"', '$', '`']);
    let command = |kind: &str, text: &str| {
        let text = if is_plain { text } else { "…the same text" };
        format!("flow skill {NAME} {kind}\"{text}\"")
    };
    let wanted = match text.split_once(' ').filter(|(kind, _)| lists(NOUNS, kind)) {
        Some((kind, rest)) if is_plain => {
            format!("write {}", command("", &format!("{kind}: {rest}")))
        }
        _ => {
            let mut types: Vec<&str> = suggested.to_vec();
            types.extend(COMMON.iter().filter(|kind| !suggested.contains(kind)));
            let others = types.iter().skip(1).take(2).map(|kind| format!("type={kind}"));
            let others: Vec<String> = others.collect();
            let first = command(&format!("type={} ", types[0]), &text);
            format!("write {first}, or with {}", others.join(" or "))
        }
    };
    output::missing("type", &wanted, "the kind of change")
}

/// The types that a first word may mean, such as `fixed`: it begins with a verb of theirs.
fn types_of_word(word: &str) -> Vec<&'static str> {
    let word = word.to_lowercase();
    let begins =
        |kind: &&CommitType| kind.verbs.split_whitespace().any(|verb| word.starts_with(verb));
    KNOWN_TYPES.iter().filter(begins).map(|kind| kind.name).collect()
}

/// The folders, the names of files and the parts of names behind a dot or `_`, by which all files of a change may be of a type.
const PLACES: [(&str, &str); 4] = [
    ("ci", ".github .gitlab-ci.yml .circleci Jenkinsfile"),
    ("docs", "docs md rst adoc"),
    ("test", "test tests spec"),
    ("build", "Cargo.toml Cargo.lock package.json package-lock.json pom.xml Dockerfile Makefile"),
];

/// The types that the paths of all files may mean.
fn types_of_files(staged: &[Staged]) -> Vec<&'static str> {
    let is_in = |path: &str, places: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        let parts = path.split('/').chain(name.split(['.', '_']).skip(1));
        parts.into_iter().any(|part| lists(places, part))
    };
    let kinds =
        PLACES.iter().filter(|(_, places)| staged.iter().all(|file| is_in(&file.path, places)));
    kinds.map(|(kind, _)| *kind).collect()
}

/// The description in the form of the convention: one line, without a full stop and without an initial capital.
fn in_form(text: &str, notes: &mut Vec<String>) -> Result<String> {
    if text.chars().any(char::is_control) {
        return Err(bad_text("description", text, "one line without control characters"));
    }
    let line = text.trim().trim_end_matches(['.', ' ']);
    if line.len() < text.trim().len() {
        notes.push("removed the full stop at the end of the description".to_owned());
    }
    let Some(first) = line.chars().next() else { return Err(missing()) };
    let is_lower = |c: char| !c.is_alphabetic() || c.to_lowercase().eq(std::iter::once(c));
    if is_lower(first) {
        return Ok(line.to_owned());
    }
    let (word, rest) = line.split_at(line.find(' ').unwrap_or(line.len()));
    // An acronym or a name keeps its case, as code, which commitlint accepts.
    let name = word.trim_end_matches([',', ':', ';']);
    let begun = if word.chars().skip(1).all(is_lower) {
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
    let Some(kind) = KNOWN_TYPES.iter().find(|kind| lists(kind.verbs, word)) else {
        return Err(no_type(&message.description, message.body.as_deref(), &types_of_word(word)));
    };
    notes.push(format!("took the type {} from the word {word:?}; type=… sets another", kind.name));
    kind.name.clone_into(&mut message.kind);
    Ok(())
}

/// A description of the staged change by the names of its files, which do not say what was done to them.
fn staged(message: &Message, context: &Context) -> Result<String> {
    let staged = git::staged(&context.folder)?;
    if staged.is_empty() {
        return Err(Fault::Refused(format!(
            "nothing is staged and no description is given; git add the change, or write flow skill {NAME} \"add a login form\""
        )));
    }
    let are_all = |change| staged.iter().all(|file: &Staged| file.change == change);
    let verb = match () {
        () if are_all('A') => "add",
        () if are_all('D') => "remove",
        () => "update",
    };
    let name = |file: &Staged| file.path.rsplit('/').next().unwrap_or_default().to_owned();
    let names: Vec<String> = staged.iter().map(name).collect();
    let is_plain = |name: &String| !name.contains(char::is_control);
    let files = match names.as_slice() {
        names if names.len() > NAMED || !names.iter().all(is_plain) => {
            counted(names.len(), "file", "files")
        }
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        names => names.join(", "),
    };
    let description = format!("{verb} {files}");
    if message.kind.is_empty() {
        return Err(no_type(&description, None, &types_of_files(&staged)));
    }
    Ok(description)
}

/// The body with long lines wrapped.
fn wrapped(body: &str, notes: &mut Vec<String>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in body.lines() {
        if !is_too_long(line) {
            lines.push(line.to_owned());
            continue;
        }
        let words = line.trim().split(' ').map(width);
        lines.extend(wrap(line.trim(), LONG.max(words.max().unwrap_or_default()), width));
        notes.push(format!("wrapped a line of the body over {TOO_LONG} columns"));
    }
    lines.join("\n")
}

/// Whether commitlint refuses a line for its length. It accepts a line of any length that contains a URL.
fn is_too_long(line: &str) -> bool {
    width(line) > TOO_LONG && !line.contains("://")
}

/// Columns as linters count them, in UTF-16 units.
fn width(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Checks a message by the rules of commitlint's conventional configuration.
fn verify(text: &str) -> Vec<Finding> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.starts_with('#'));
    let lines: Vec<(&str, usize)> = lines.collect();
    let Some((header, first)) = lines.first().filter(|(header, _)| !header.trim().is_empty())
    else {
        return vec![Finding::new(1, "the message is empty: write `fix: what was done`")];
    };
    let mut findings = Vec::new();
    let mut add = |line: usize, what: &str| findings.push(Finding::new(line, what));
    let text: Vec<&str> = lines.iter().map(|(line, _)| *line).collect();
    let message = Message::read(&text.join("\n"));
    let Message { kind, description, breaking, .. } = &message;
    if kind.is_empty() && description.contains(": ") {
        add(*first, &format!("the type of the subject is none of {}", TYPE_NAMES.join(", ")));
    } else if kind.is_empty() {
        add(*first, "the subject has no type: begin with `fix: ` or another");
    }
    if !kind.is_empty() && description.ends_with('.') {
        add(*first, "the subject ends with a full stop: remove it");
    }
    if !kind.is_empty()
        && description.starts_with(char::is_uppercase)
        && !description.chars().nth(1).is_some_and(char::is_uppercase)
    {
        add(*first, "the subject begins with a capital: use lower case");
    }
    if let Some((_, below)) = lines.get(1).filter(|(line, _)| !line.trim().is_empty()) {
        add(*below, "an empty line must stand below the subject");
    }
    for (line, number) in lines.iter().filter(|(line, _)| is_too_long(line)) {
        let length = width(line);
        add(*number, &format!("the line has {length} columns, over {TOO_LONG}: wrap it"));
    }
    let is_marked = header.split(": ").next().is_some_and(|start| start.ends_with('!'));
    if *breaking && !is_marked {
        add(*first, "a footer says what breaks: put `!` before the colon of the subject too");
    }
    findings
}
