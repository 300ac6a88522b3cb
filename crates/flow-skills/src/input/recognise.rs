//! Determines the kind of content by its form alone, before any field name is considered. Shared by all skills.

use flow_model::json::UniqueKeys;
use serde_json::{Map, Value};

use super::LARGEST;
use crate::input::notation::list::head;
use crate::input::notation::{Notation, lines};
use crate::output::{Fault, Result};
use crate::page::outside_fences;
use crate::text::{front_matter, heading, is_variable};

/// Content and its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// Its kind.
    pub kind: ContentKind,
    /// The text as given.
    pub text: String,
    /// The value, if it is JSON or YAML.
    pub value: Option<Value>,
}

impl Content {
    fn text(kind: ContentKind, text: &str) -> Self {
        Self { kind, text: text.to_owned(), value: None }
    }

    fn value(kind: ContentKind, text: &str, value: Value) -> Self {
        Self { kind, text: text.to_owned(), value: Some(value) }
    }
}

/// Decodes bytes as text.
///
/// # Errors
/// When it is too large, or not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str> {
    if bytes.len() > LARGEST {
        let why = format!("the input has {} bytes, over the limit of {LARGEST}", bytes.len());
        return Err(Fault::Unreadable(why));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to() + 1;
        Fault::Unreadable(format!("the input is not UTF-8 at byte {at}"))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Determines the kind of a text. Notations, commit messages and variables resemble prose and YAML: only those that the
/// skill accepts are considered, in their order.
///
/// # Errors
/// When it begins like JSON and is invalid.
pub fn recognise(text: &str, accepted: &[ContentKind]) -> Result<Content> {
    let is_it = |kind: &&ContentKind| match kind {
        ContentKind::Commit => is_commit(text),
        ContentKind::Dotenv => is_dotenv(text),
        _ => false,
    };
    match accepted.iter().find(is_it) {
        Some(kind) => as_kind(text, *kind),
        None => any(text, accepted),
    }
}

/// The content as the kind that `--as` names.
pub(crate) fn as_kind(text: &str, kind: ContentKind) -> Result<Content> {
    use ContentKind as K;
    let value = match kind {
        K::Envelope | K::Fields | K::Model | K::OpenApi | K::JsonSchema => {
            Some(json(text).map_or_else(|_| yaml(text), Ok)?)
        }
        K::Sample => Some(sample(text)?),
        K::Dotenv => {
            let names = names(text)?;
            if names.len() > MOST {
                let why = format!("there are over {MOST} environment variables");
                return Err(Fault::Unreadable(why));
            }
            Some(names.into())
        }
        _ => None,
    };
    Ok(Content { kind, text: text.to_owned(), value })
}

/// The value of a field as content, of the kind that the user states, or recognised.
pub(crate) fn of_value(
    value: &Value,
    stated: Option<ContentKind>,
    accepted: &[ContentKind],
) -> Result<Content> {
    match (value, stated) {
        (Value::String(text), Some(kind)) => as_kind(text, kind),
        (Value::String(text), None) => recognise(text, accepted),
        (value, stated) => {
            let content = classified("", value.clone());
            Ok(Content { kind: stated.unwrap_or(content.kind), ..content })
        }
    }
}

fn any(text: &str, accepted: &[ContentKind]) -> Result<Content> {
    let trimmed = text.trim();
    if trimmed.starts_with(['{', '[']) {
        match json(text) {
            Ok(value) => return Ok(classified(text, value)),
            Err(error) if claims_json(trimmed) => return several(text)?.ok_or(error),
            // `[web] -> api` and `{email, password}` are notations.
            Err(_) => {}
        }
    }
    if is_log(trimmed) {
        return Err(Fault::Refused(
            "the input is what `git log` prints; give the range instead, such as main..HEAD, or what `git log --format=%s` prints"
                .to_owned(),
        ));
    }
    if is_range(trimmed) {
        return Ok(Content::text(ContentKind::Range, trimmed));
    }
    if is_feature(trimmed) {
        return Ok(Content::text(ContentKind::Gherkin, text));
    }
    if is_sql(text) {
        return Ok(Content::text(ContentKind::Ddl, text));
    }
    let notation = |fits: fn(Notation, &str) -> bool| {
        let is_it = |kind: &&ContentKind| matches!(kind, ContentKind::Notation(notation) if fits(*notation, text));
        accepted.iter().find(is_it).copied()
    };
    if let Some(notation) = notation(Notation::is_unambiguous) {
        return Ok(Content::text(notation, text));
    }
    let takes_data = accepted.contains(&ContentKind::JsonSchema);
    if let Some(value) = as_mapping(trimmed, takes_data) {
        return Ok(classified(text, value));
    }
    let likely = notation(Notation::is_likely).filter(|_| !is_document(trimmed));
    Ok(likely.map_or_else(|| as_text(text), |kind| Content::text(kind, text)))
}

/// Whether a text begins as only JSON does.
fn claims_json(text: &str) -> bool {
    let next = |open: char| text.strip_prefix(open).map(|rest| rest.trim_start().chars().next());
    matches!(next('{'), Some(None | Some('"' | '}')))
        || matches!(next('['), Some(Some('{' | '"')) if !text.starts_with("[\"") || text.contains("\","))
}

/// The value of a text that is JSON.
pub(crate) fn json(text: &str) -> Result<Value> {
    let value = serde_json::from_str(text)
        .map_err(|error| Fault::Unreadable(format!("the input is not JSON: {error}")))?;
    serde_json::from_str::<UniqueKeys>(text).map_err(|error| twice(&error))?;
    Ok(value)
}

/// Consecutive JSON values; `None` if there are not several.
///
/// # Errors
/// When an object in them has a key twice.
fn several(text: &str) -> Result<Option<Content>> {
    let stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let values: std::result::Result<Vec<Value>, _> = stream.collect();
    let Some(values) = values.ok().filter(|values| values.len() > 1) else { return Ok(None) };
    let mut each = serde_json::Deserializer::from_str(text).into_iter::<UniqueKeys>();
    each.try_for_each(|value| value.map(drop)).map_err(|error| twice(&error))?;
    Ok(Some(Content::value(ContentKind::Sample, text, Value::Array(values))))
}

fn twice(error: &serde_json::Error) -> Fault {
    Fault::Unreadable(format!("in the input, {error}"))
}

/// The value of a text that is YAML.
///
/// # Errors
/// When it is not.
pub fn yaml(text: &str) -> Result<Value> {
    crate::text::yaml::read(text).map_err(|error: serde_saphyr::Error| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Fault::Unreadable(format!("the input is not YAML: {first}"))
    })
}

/// The value of a sample in any format.
fn sample(text: &str) -> Result<Value> {
    if let Ok(value) = json(text) {
        return Ok(value);
    }
    let value = several(text)?.and_then(|content| content.value);
    value.map_or_else(|| yaml(text), Ok)
}

/// A value, as which `text` was read, with its kind.
pub(crate) fn classified(text: &str, value: Value) -> Content {
    let kind = match &value {
        Value::Object(map) => kind(map),
        _ => ContentKind::Sample,
    };
    Content::value(kind, text, value)
}

/// A text as content, whatever its form resembles.
pub(crate) fn as_text(text: &str) -> Content {
    let kind = if is_document(text) { ContentKind::Markdown } else { ContentKind::Text };
    Content::text(kind, text)
}

/// Whether a text is a document in Markdown: it has front matter, a heading, with hashes or underlined, or a story's sentence
/// in the form in which flow writes it.
pub(crate) fn is_document(text: &str) -> bool {
    if front_matter(text).is_some() {
        return true;
    }
    let mut above = "";
    outside_fences(text).any(|(_, line)| {
        let is_line = |mark: char| line.len() > 2 && line.trim_end().chars().all(|c| c == mark);
        let is_under = !above.trim().is_empty() && (is_line('=') || is_line('-'));
        above = line;
        heading(line.trim()).is_some()
            || is_under
            || line.contains("**As a")
            || line.contains("**I want")
    })
}

/// The kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    /// The output of another skill with `--json`.
    Envelope,
    /// The skill's own fields. The recogniser never returns this: the skill decides whether an object is its fields.
    Fields,
    /// A data model in flow's own form.
    Model,
    /// An OpenAPI document, in JSON or YAML.
    OpenApi,
    /// A JSON Schema, in JSON or YAML.
    JsonSchema,
    /// SQL that defines tables.
    Ddl,
    /// A conventional commit message, for a skill that accepts one: for most, `test: x` is YAML.
    Commit,
    /// A Gherkin feature file.
    Gherkin,
    /// A document in Markdown, with headings.
    Markdown,
    /// Data: JSON, several JSON values, or YAML.
    Sample,
    /// Environment variables, of which only the names are read, for a skill that accepts them: `a=b` is text too.
    Dotenv,
    /// A range of revisions of a git repository, such as `v1.2.0..HEAD`.
    Range,
    /// A line notation.
    Notation(Notation),
    /// Any other text.
    Text,
}

impl ContentKind {
    /// Every kind, in the order of the help, with its name as the option `--as` takes it.
    pub const NAMED: [(Self, &'static str); 18] = [
        (Self::Envelope, "envelope"),
        (Self::Fields, "fields"),
        (Self::Model, "model"),
        (Self::OpenApi, "openapi"),
        (Self::JsonSchema, "json-schema"),
        (Self::Ddl, "ddl"),
        (Self::Commit, "commit"),
        (Self::Gherkin, "gherkin"),
        (Self::Markdown, "markdown"),
        (Self::Sample, "sample"),
        (Self::Dotenv, "dotenv"),
        (Self::Range, "range"),
        (Self::Notation(Notation::Entities), "entities"),
        (Self::Notation(Notation::Endpoints), "endpoints"),
        (Self::Notation(Notation::Arrows), "arrows"),
        (Self::Notation(Notation::Errors), "errors"),
        (Self::Notation(Notation::List), "list"),
        (Self::Text, "text"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|(_, known)| *known == name).map(|(kind, _)| kind)
    }
}

/// Largest number of variables.
const MOST: usize = 1_000;
/// The quotes around a value.
const QUOTES: &str = "\"'";

/// Whether each line of a text sets a variable in upper case.
fn is_dotenv(text: &str) -> bool {
    let is_usual =
        |name: &Value| name.as_str().is_some_and(|name| !name.contains(char::is_lowercase));
    names(text).is_ok_and(|names| !names.is_empty() && names.iter().all(is_usual))
}

/// The names of the variables that lines set, each once, of which more than [`MOST`] are not read. Their values are not read.
///
/// # Errors
/// The number of the first line that sets no variable, without its text.
fn names(text: &str) -> Result<Vec<Value>> {
    let mut names: Vec<Value> = Vec::new();
    let mut open: Option<char> = None;
    for (line, text) in lines(text) {
        // The rest of a value in quotes, which may have several lines.
        if let Some(quote) = open {
            open = open.filter(|_| !text.contains(quote));
            continue;
        }
        let text = text.strip_prefix("export ").unwrap_or(text);
        let pair = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = pair.filter(|(name, _)| is_variable(name)) else {
            let why = format!("line {line} of the environment variables is not NAME=value");
            return Err(Fault::Unreadable(why));
        };
        let quote = value.chars().next().filter(|c| QUOTES.contains(*c));
        open = quote.filter(|quote| value.matches(*quote).count() == 1);
        if !names.iter().any(|known| known == name) {
            names.push(name.into());
        }
        if names.len() > MOST {
            break;
        }
    }
    Ok(names)
}

/// The types of commitlint's conventional configuration.
pub(crate) const COMMIT_TYPES: [&str; 11] =
    ["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"];

/// Whether the first line is that of a conventional commit: a known type, an optional scope, and a description.
pub(crate) fn is_commit(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    head(first).is_some_and(|head| COMMIT_TYPES.contains(&head.kind) && !head.text.is_empty())
}

/// Whether a text is a range of two revisions: one word with `..` or `...` in it.
fn is_range(text: &str) -> bool {
    let Some((from, to)) = text.split_once("...").or_else(|| text.split_once("..")) else {
        return false;
    };
    let is_revision = |name: &str| {
        name.starts_with(|c: char| c.is_alphanumeric() || c == '@')
            && name.chars().all(|c| c.is_alphanumeric() || "._/~^@{}-+".contains(c))
            && !name.contains("..")
    };
    // `1..5` is a range of numbers.
    let is_name = text.contains(char::is_alphabetic) || from.contains('.');
    is_revision(from) && (to.is_empty() || is_revision(to)) && is_name
}

/// Whether a text is the output of `git log`: its labels are not those of a skill.
fn is_log(text: &str) -> bool {
    let mut lines = text.lines();
    let id = lines.next().and_then(|line| line.strip_prefix("commit ")?.split(' ').next());
    let second = lines.next().unwrap_or_default();
    id.is_some_and(|id| id.len() >= 40 && id.chars().all(|c| c.is_ascii_hexdigit()))
        && (second.starts_with("Author: ") || second.starts_with("Merge: "))
}

/// The English keywords that may begin a feature file, with `|` between them.
const KEYWORDS: &str =
    "Feature|Ability|Business Need|Rule|Background|Scenario|Scenario Outline|Scenario Template";

/// Whether a text is a feature file.
pub(crate) fn is_feature(text: &str) -> bool {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let mut comments = lines.clone().take_while(|line| line.is_empty() || line.starts_with('#'));
    if comments.any(|line| line.trim_start_matches(['#', ' ']).starts_with("language:")) {
        return true;
    }
    let first = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(['#', '@']));
    let keyword = first.and_then(|line| line.split_once(':')).map(|(keyword, _)| keyword);
    keyword.is_some_and(|keyword| KEYWORDS.split('|').any(|known| known == keyword))
}

/// YAML that cannot be prose: a document with its marker, or names in small letters. Of one line such as `python: no such
/// user`, and of a list of labelled sentences such as `- fix: …`, only skills over data take it for YAML.
fn as_mapping(text: &str, takes_data: bool) -> Option<Value> {
    if text.starts_with(['{', '[']) || !(takes_data || text.contains('\n')) {
        return None;
    }
    let is_marked = text
        .strip_prefix("---\n")
        .is_some_and(|rest| !rest.contains("\n---\n") && !rest.ends_with("\n---"));
    let value: Value = crate::text::yaml::read(text).ok()?;
    let has_names = |map: &Map<String, Value>| {
        map.keys().all(|key| {
            !key.starts_with(char::is_uppercase)
                && key.chars().all(|c| c.is_alphanumeric() || "_-.$/".contains(c))
        })
    };
    let is_nested = |value: &Value| value.is_object() || value.is_array();
    let is_data = match &value {
        Value::Object(map) => has_names(map),
        Value::Array(items) => {
            let all: Vec<_> = items.iter().filter_map(Value::as_object).collect();
            let is_record = |map: &&Map<_, _>| map.len() > 1 || map.values().any(is_nested);
            all.len() == items.len()
                && all.iter().all(|map| has_names(map))
                && (takes_data || all.iter().any(is_record))
        }
        _ => return None,
    };
    (is_marked || is_data).then_some(value)
}

/// The kind of an object.
pub(crate) fn kind(map: &Map<String, Value>) -> ContentKind {
    let is_text = |name: &str| map.get(name).is_some_and(Value::is_string);
    if ["skill", "data", "artifacts"].iter().all(|key| map.contains_key(*key)) {
        ContentKind::Envelope
    } else if is_text("openapi") || is_text("swagger") || has_schemas(map) {
        ContentKind::OpenApi
    } else if is_model(map) {
        ContentKind::Model
    } else if is_schema(map) {
        ContentKind::JsonSchema
    } else {
        ContentKind::Sample
    }
}

fn has_schemas(map: &Map<String, Value>) -> bool {
    map.get("components")
        .and_then(|components| components.get("schemas"))
        .is_some_and(Value::is_object)
}

fn is_model(map: &Map<String, Value>) -> bool {
    let entities = map.get("entities").and_then(Value::as_object);
    entities.is_some_and(|all| {
        !all.is_empty()
            && all.values().all(|entity| entity.get("shape").is_some_and(Value::is_object))
    })
}

/// Whether the object has keywords of JSON Schema in forms that samples do not have.
fn is_schema(map: &Map<String, Value>) -> bool {
    const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let is_schema = |value: &Value| value.is_object() || value.is_boolean();
    let is_type = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    let several = |value: &Value, is_it: &dyn Fn(&Value) -> bool| {
        value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_it))
    };
    let has = |names: &str, is_it: &dyn Fn(&Value) -> bool| {
        names.split(' ').any(|name| map.get(name).is_some_and(is_it))
    };
    let schemas = |value: &Value| value.as_object().is_some_and(|all| all.values().all(is_schema));
    if has("$schema", &Value::is_string) || has("$defs definitions", &schemas) {
        return true;
    }
    if has("$ref", &Value::is_string) && map.len() <= 3
        || has("allOf anyOf oneOf", &|value| several(value, &is_schema))
    {
        return true;
    }
    let properties = has("properties", &schemas);
    if !has("type", &|value| is_type(value) || several(value, &is_type)) {
        return properties && has("required", &Value::is_array);
    }
    map.len() == 1
        || properties
        || has("items additionalProperties", &is_schema)
        || has("patternProperties", &schemas)
        || has("enum", &Value::is_array)
        || has("format pattern", &Value::is_string)
        || has(
            "minimum maximum minLength maxLength minItems maxItems multipleOf",
            &Value::is_number,
        )
}

/// The beginnings of statements that define or fill something, with `|` between them.
const STATEMENTS: &str = "create table|create type|create index|create unique|create schema|\
    create or replace|create temp|create view|create extension|create function|create sequence|\
    create domain|create database|create unlogged|create external|create trigger|alter table|\
    alter type|alter sequence|drop table|drop index|drop type|drop schema|drop database|\
    drop view|insert into|delete from|comment on|lock tables";
/// The beginnings of statements that a dump may have before those, with `|` between them.
const SETTINGS: &str = "set |use |begin|start transaction|pragma |select |delimiter |go|commit|\
    \\|if |declare ";
/// First words that indicate SQL if in capitals, even if the statement is invalid.
const LOUD: [&str; 7] = ["CREATE", "ALTER", "DROP", "INSERT", "SELECT", "UPDATE", "DELETE"];

/// Whether a text is SQL.
fn is_sql(text: &str) -> bool {
    let Some(first) = first_line(text) else { return false };
    let lower = first.to_ascii_lowercase();
    let mut words = first.split_whitespace();
    if LOUD.contains(&words.next().unwrap_or_default()) {
        // `DELETE /orders/{id}` is an endpoint.
        return !words.next().is_some_and(|word| word.starts_with('/'));
    }
    let is_statement = |line: &str| {
        begins(line, STATEMENTS) || line.starts_with("update ") && line.contains(" set ")
    };
    let has_marks = text.contains([';', '(', '=']);
    if is_statement(&lower) {
        return has_marks;
    }
    let is_setting = begins(&lower, SETTINGS) && first.trim_end().ends_with(';')
        || lower.starts_with('\\')
        || lower == "go";
    is_setting && text.lines().any(|line| is_statement(&line.trim_start().to_ascii_lowercase()))
}

/// Whether a line has one of these beginnings.
fn begins(line: &str, starts: &str) -> bool {
    starts.split('|').any(|start| line.starts_with(start))
}

/// The first line that is not a comment.
fn first_line(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    loop {
        let after = if rest.starts_with("--") || rest.starts_with('#') {
            // A hash begins a comment of MySQL only if SQL follows; other text follows a Markdown heading.
            rest.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(inside) = rest.strip_prefix("/*") {
            inside.split_once("*/").map_or("", |(_, after)| after).trim_start_matches(';')
        } else {
            return rest.lines().next().filter(|line| !line.trim().is_empty());
        };
        rest = after.trim_start();
    }
}
