//! YAML as plans have it: front matter and small files, with the line and the unchanged text of each value.
//!
//! The events of `granit-parser` are read directly: a deserializer gives numbers in place of `001` and has no lines.
//! Anchors, aliases and tags are refused, never resolved.

use flow_model::problem::Effect;
use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

use crate::checklist::without_mark;
use crate::plan::Issue;
use crate::size::MOST_OBJECT;

/// Deepest nesting of lists and maps.
const DEEPEST: usize = 32;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A scalar: its text, and whether it is without quotes.
    Text(String, bool),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the text.
    Map(Vec<Entry>),
}

/// A member of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its line, from 1.
    pub line: u64,
    /// Its value.
    pub value: Node,
}

/// A Markdown file with front matter.
#[derive(Debug, PartialEq, Eq)]
pub struct Document<'a> {
    /// The members of its front matter, with their lines in the file.
    pub entries: Vec<Entry>,
    /// The text below.
    pub body: &'a str,
}

impl Node {
    /// Its text, if it is a scalar with one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text, true) if is_null(text) => None,
            Self::Text(text, _) => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        }
    }

    /// The texts of a list, or the one text.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::List(items) => items.iter().filter_map(Self::text).collect(),
            _ => self.text().into_iter().collect(),
        }
    }

    /// The members, if it is a map.
    pub fn entries(&self) -> &[Entry] {
        match self {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The same as JSON. A number is one only if JSON writes it in the same way.
    pub fn json(&self) -> Value {
        match self {
            Self::Text(text, true) => match text.as_str() {
                text if is_null(text) => Value::Null,
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => text
                    .parse::<i64>()
                    .ok()
                    .filter(|number| number.to_string() == *text)
                    .map_or_else(|| text.as_str().into(), Value::from),
            },
            Self::Text(text, false) => text.as_str().into(),
            Self::List(items) => items.iter().map(Self::json).collect::<Vec<_>>().into(),
            Self::Map(entries) => members(entries).into(),
        }
    }
}

fn is_null(plain: &str) -> bool {
    matches!(plain, "" | "~" | "null")
}

/// Members as JSON.
pub fn members(entries: &[Entry]) -> Map<String, Value> {
    entries.iter().map(|entry| (entry.name.clone(), entry.value.json())).collect()
}

/// The value of a member.
pub fn find<'a>(entries: &'a [Entry], name: &str) -> Option<&'a Entry> {
    entries.iter().find(|entry| entry.name == name)
}

/// Reads a Markdown file; `None` if it has no front matter.
///
/// # Errors
/// When the front matter is not a valid map.
pub fn document(text: &str) -> Result<Option<Document<'_>>, Issue> {
    let Some((yaml, body)) = parts(text)? else { return Ok(None) };
    // A name such as `@api` needs quotes, which writers forget.
    let entries = map(yaml, 2).or_else(|issue| map(&with_quoted_names(yaml), 2).map_err(|_| issue));
    entries.map(|entries| Some(Document { entries, body }))
}

/// The members of front matter that is not a valid map as a whole: those that are valid on a line of their own, and a report for
/// each other line.
pub fn single_lines(text: &str) -> (Vec<Entry>, Vec<Issue>) {
    let (mut entries, mut issues) = (Vec::new(), Vec::new());
    let Ok(Some((yaml, _))) = parts(text) else { return (entries, issues) };
    for (index, line) in yaml.lines().enumerate() {
        match map(line, index as u64 + 2) {
            Ok(members) => entries.extend(members),
            Err(issue) => issues.push(issue),
        }
    }
    (entries, issues)
}

/// The front matter, which begins on line 2, and the text below it.
fn parts(text: &str) -> Result<Option<(&str, &str)>, Issue> {
    let text = without_mark(text);
    let Some(first) = text.split_inclusive('\n').next().filter(|line| line.trim_end() == "---")
    else {
        return Ok(None);
    };
    let inner = &text[first.len()..];
    let mut length = 0;
    for line in inner.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Ok(Some((&inner[..length], &inner[length + line.len()..])));
        }
        length += line.len();
    }
    Err(issue(1, "the front matter does not end"))
}

/// Reads a text whose first line has a number.
///
/// # Errors
/// When it is not a valid map.
pub fn map(yaml: &str, first_line: u64) -> Result<Vec<Entry>, Issue> {
    match read(without_mark(yaml), first_line)? {
        None => Ok(Vec::new()),
        Some(Node::Map(entries)) => Ok(entries),
        Some(_) => Err(issue(first_line, "no members")),
    }
}

fn issue(line: u64, reason: &str) -> Issue {
    Issue { line, effect: Effect::Skipped, reason: reason.to_owned() }
}

/// A list or map that is not complete.
enum Open {
    List(Vec<Node>),
    Map(Vec<Entry>, Option<(String, u64)>),
}

fn read(yaml: &str, first_line: u64) -> Result<Option<Node>, Issue> {
    if yaml.len() > MOST_OBJECT {
        return Err(issue(first_line, "more than 1 MiB of YAML"));
    }
    let mut open: Vec<Open> = Vec::new();
    let mut result = None;
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.map_err(|error| {
            let line = first_line + (error.marker().line() as u64).saturating_sub(1);
            issue(line, &format!("invalid YAML: {}", error.info()))
        })?;
        let line = first_line + (span.start.line() as u64).saturating_sub(1);
        let (is_anchor, is_tag) = match &event {
            Event::Scalar(_, _, anchor, tag) => (*anchor > 0, tag.is_some()),
            Event::SequenceStart(_, anchor, tag) | Event::MappingStart(_, anchor, tag) => {
                (*anchor > 0, tag.is_some())
            }
            Event::Alias(_) => (true, false),
            _ => (false, false),
        };
        if is_anchor || is_tag {
            return Err(issue(
                line,
                if is_tag { "a tag is not read" } else { "anchors and aliases are not read" },
            ));
        }
        let node = match event {
            Event::Scalar(text, style, _, _) => {
                Some(Node::Text(text.into_owned(), style == ScalarStyle::Plain))
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == DEEPEST => {
                return Err(issue(line, "nested too deeply"));
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Vec::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|open| match open {
                Open::List(items) => Node::List(items),
                Open::Map(entries, _) => Node::Map(entries),
            }),
            // Only the first document counts.
            Event::DocumentEnd if result.is_some() => break,
            _ => None,
        };
        let Some(node) = node else { continue };
        match open.last_mut() {
            None => result = Some(node),
            Some(Open::List(items)) => items.push(node),
            Some(Open::Map(entries, name)) => match (name.take(), node) {
                (Some((name, line)), value) => entries.push(Entry { name, line, value }),
                (None, Node::Text(text, _)) => *name = Some((text, line)),
                (None, _) => return Err(issue(line, "a name that is not text")),
            },
        }
    }
    Ok(result)
}

/// The same text with quotes around values and items that begin with `@`.
fn with_quoted_names(yaml: &str) -> String {
    yaml.lines().map(with_quoted_name).collect::<Vec<_>>().join("\n")
}

fn with_quoted_name(line: &str) -> String {
    let item = line.trim_start();
    let value = item.strip_prefix("- ").or_else(|| item.split_once(": ").map(|(_, value)| value));
    let value = value.unwrap_or_default().trim();
    let Some((before, after)) = line.rsplit_once(value).filter(|_| value.contains('@')) else {
        return line.to_owned();
    };
    match value.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(items) => {
            let items: Vec<_> = items.split(',').map(|item| quote_name(item.trim())).collect();
            format!("{before}[{}]{after}", items.join(", "))
        }
        None => format!("{before}{}{after}", quote_name(value)),
    }
}

fn quote_name(name: &str) -> String {
    if name.starts_with('@') { format!("'{}'", name.replace('\'', "''")) } else { name.to_owned() }
}
