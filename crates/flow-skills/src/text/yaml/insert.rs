//! Inserts members into a YAML or JSON document by editing its text, so that comments, block scalars, order and layout
//! are preserved.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::{item, member, printable};
use tree::{Collection, Node, Style};

mod tree;

/// A member to insert.
#[derive(Debug, Clone, PartialEq)]
pub struct Addition {
    /// The keys of the path to the mapping or list that it is inserted into.
    pub place: Vec<String>,
    /// Its key; `None` for an item of a list.
    pub key: Option<String>,
    /// Its value.
    pub value: Value,
}

/// The text with the additions; `None` if a path does not exist or cannot be edited. The caller parses the result and
/// compares, in case of an unusual layout.
pub fn insert(text: &str, additions: &[Addition]) -> Option<String> {
    let root = tree::parse(text)?;
    let mut edits: Vec<Edit> = Vec::new();
    let mut done: Vec<&[String]> = Vec::new();
    for addition in additions {
        if done.contains(&addition.place.as_slice()) {
            continue;
        }
        done.push(&addition.place);
        let same: Vec<&Addition> =
            additions.iter().filter(|other| other.place == addition.place).collect();
        edits.extend(edits_at(text, &root, &same)?);
    }
    edits.sort_by_key(|edit| edit.range.start);
    let mut out = String::with_capacity(text.len() + 256);
    let mut at = 0;
    let is_crlf = text.contains("\r\n");
    for Edit { range, text: new } in edits {
        out += text.get(at..range.start)?;
        out += &if is_crlf { new.replace('\n', "\r\n") } else { new };
        at = range.end;
    }
    Some(out + text.get(at..)?)
}

/// A part of the text that is replaced.
struct Edit {
    range: Range<usize>,
    text: String,
}

/// The edits that insert additions into one mapping or list.
fn edits_at(text: &str, root: &Node, additions: &[&Addition]) -> Option<Vec<Edit>> {
    let mut node = root;
    let mut parent = None;
    let mut key_start = 0;
    for key in &additions.first()?.place {
        let Node::Collection(own) = node else { return None };
        parent = Some(own);
        let child = own.child(key)?;
        (key_start, node) = (child.start, &child.node);
    }
    let is_flow = |parent: Option<&Collection>| parent.is_some_and(|own| own.style == Style::Flow);
    match node {
        Node::Collection(own) if own.style == Style::Block => {
            Some(vec![in_block(text, own, additions)])
        }
        Node::Collection(own) if own.is_empty() && !is_flow(parent) => {
            instead(text, own.span.clone(), parent, additions)
        }
        Node::Collection(own) => Some(vec![in_flow(text, own, parent, additions)?]),
        // The position of an absent value may be after the comments of the next line.
        Node::Scalar(span) if !is_flow(parent) && span.is_empty() => {
            instead(text, key_start..key_start, parent, additions)
        }
        Node::Scalar(span) if !is_flow(parent) && is_null(text.get(span.clone())?) => {
            instead(text, span.clone(), parent, additions)
        }
        _ => None,
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "~" | "null" | "Null" | "NULL")
}

/// Additions as lines that begin at a column.
fn lines(additions: &[&Addition], column: usize) -> String {
    let one = |addition: &&Addition| match &addition.key {
        Some(key) => member(key, &addition.value, column),
        None => item(&addition.value, column),
    };
    additions.iter().map(one).collect()
}

/// Inserts after the last member of a block.
fn in_block(text: &str, own: &Collection, additions: &[&Addition]) -> Edit {
    let mut at = line_end(text, own.end(text));
    // Comments with the indentation of the members belong to them.
    let mut end = at;
    while let Some(line) = text.get(end..).and_then(|rest| rest.split_inclusive('\n').next()) {
        let bare = line.trim_start_matches(' ');
        let is_own = bare.starts_with('#') && line.len() - bare.len() >= own.column;
        if !is_own && !bare.trim().is_empty() {
            break;
        }
        end += line.len();
        if is_own {
            at = end;
        }
    }
    let break_before = if at > 0 && !text[..at].ends_with('\n') { "\n" } else { "" };
    Edit { range: at..at, text: format!("{break_before}{}", lines(additions, own.column)) }
}

/// Replaces an empty value: `key:`, `key: {}` or `key: []` becomes a block.
fn instead(
    text: &str,
    span: Range<usize>,
    parent: Option<&Collection>,
    additions: &[&Addition],
) -> Option<Vec<Edit>> {
    let column = parent?.column + 2;
    let before = text.get(..span.start)?;
    let blank = if span.is_empty() { 0 } else { before.len() - before.trim_end_matches(' ').len() };
    let at = line_end(text, span.end);
    let break_before = if text[..at].ends_with('\n') { "" } else { "\n" };
    let gone = Edit { range: span.start - blank..span.end, text: String::new() };
    let new = Edit { range: at..at, text: format!("{break_before}{}", lines(additions, column)) };
    Some(vec![gone, new])
}

/// Inserts before the closing bracket, in the layout of the last member.
fn in_flow(
    text: &str,
    own: &Collection,
    parent: Option<&Collection>,
    additions: &[&Addition],
) -> Option<Edit> {
    let close = own.span.end.checked_sub(1)?;
    let start = own.last_start();
    let at = start.map_or(own.span.start + 1, |_| own.end(text));
    let between = text.get(at..close)?;
    let trailing = between.find(',').filter(|comma| between[..*comma].trim().is_empty());
    let at = trailing.map_or(at, |comma| at + comma + 1);
    let comma = if start.is_none() || trailing.is_some() { "" } else { "," };
    let outer = indentation(text, close);
    let is_one_line = parent.is_some_and(|parent| !text[parent.span.clone()].contains('\n'));
    let inner = match start {
        Some(start) if between.contains('\n') => Some(indentation(text, start).to_owned()),
        None if !is_one_line => Some(format!("{outer}  ")),
        _ => None,
    };
    let step = inner.as_deref().and_then(|inner| inner.strip_prefix(outer)).unwrap_or("  ");
    let json = |addition: &&Addition| {
        let value = json(&addition.value, step, inner.as_deref())?;
        let key = addition.key.as_ref().map(|key| format!("{}: ", Value::from(key.as_str())));
        Some(printable(&(key.unwrap_or_default() + &value)))
    };
    let all: Vec<String> = additions.iter().map(json).collect::<Option<_>>()?;
    let new = match &inner {
        None if start.is_none() => all.join(", "),
        None => format!("{comma} {}", all.join(", ")),
        Some(inner) => {
            let new = format!("{comma}\n{inner}{}", all.join(&format!(",\n{inner}")));
            if start.is_none() { format!("{new}\n{outer}") } else { new }
        }
    };
    Some(Edit { range: at..if start.is_none() { close } else { at }, text: new })
}

/// A value as JSON: on one line, or on several that begin with `indent`.
fn json(value: &Value, step: &str, indent: Option<&str>) -> Option<String> {
    let Some(indent) = indent else { return serde_json::to_string(value).ok() };
    let mut out = Vec::new();
    let mut serializer =
        Serializer::with_formatter(&mut out, PrettyFormatter::with_indent(step.as_bytes()));
    value.serialize(&mut serializer).ok()?;
    let text = String::from_utf8(out).ok()?;
    Some(text.replace('\n', &format!("\n{indent}")))
}

/// The blanks at the beginning of the line.
fn indentation(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The beginning of the next line, or the end of the text.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(place: &[&str], key: Option<&str>, value: Value) -> Addition {
        let place = place.iter().map(|key| (*key).to_owned()).collect();
        Addition { place, key: key.map(str::to_owned), value }
    }

    #[test]
    fn what_is_there_stays_as_it_is_written() {
        let text = "# head\nopenapi: 3.0.3   # version\ninfo:\n    title: 'A'\n    description: |\n      first\n\n      # no comment\n\n\
                    # about paths\npaths:\n  /a: {get: {responses: {}}}\n  # the last\n\n# about the rest\ncomponents:\ntags:\n- name: a\n- name: b # two\n";
        let additions = [
            at(&["info"], Some("version"), json!("1")),
            at(&["paths"], Some("/b"), json!({"get": {"summary": "one\ntwo"}})),
            at(&["paths", "/a"], Some("put"), json!({"x": [1]})),
            at(&["paths", "/a", "get", "responses"], Some("200"), json!({"description": "OK"})),
            at(&["components"], Some("schemas"), json!({"A": {}})),
            at(&["tags"], None, json!({"name": "c", "description": "d"})),
            at(&[], Some("security"), json!([])),
        ];
        let wanted = "# head\nopenapi: 3.0.3   # version\ninfo:\n    title: 'A'\n    description: |\n      first\n\n      # no comment\n    version: \"1\"\n\n\
                      # about paths\npaths:\n  /a: {get: {responses: {\"200\": {\"description\":\"OK\"}}}, \"put\": {\"x\":[1]}}\n  # the last\n  /b:\n    get:\n      summary: |-\n        one\n        two\n\n# about the rest\ncomponents:\n  schemas:\n    A: {}\ntags:\n- name: a\n- name: b # two\n- name: c\n  description: d\nsecurity: []\n";
        let made = insert(text, &additions).unwrap();
        assert_eq!(made, wanted);
        let windows = insert(&text.replace('\n', "\r\n"), &additions).unwrap();
        assert_eq!(windows, wanted.replace('\n', "\r\n"));
    }

    #[test]
    fn json_keeps_its_layout() {
        let text = "{\n\t\"info\": {\"title\": \"A\"},\n\t\"paths\": {},\n\t\"tags\": [\n\t\t{ \"name\": \"a\" }\n\t]\n}\n";
        let additions = [
            at(&["info"], Some("version"), json!("1")),
            at(&["tags"], None, json!({"name": "b"})),
            at(&[], Some("security"), json!([])),
        ];
        assert_eq!(
            insert(text, &additions).unwrap(),
            "{\n\t\"info\": {\"title\": \"A\", \"version\": \"1\"},\n\t\"paths\": {},\n\t\"tags\": [\n\t\t{ \"name\": \"a\" },\n\t\t{\n\t\t\t\"name\": \"b\"\n\t\t}\n\t],\n\t\"security\": []\n}\n"
        );
    }

    #[test]
    fn what_cannot_be_edited_is_none() {
        let one = [at(&["a"], Some("b"), json!(1))];
        for text in ["a: *b\n", "a: text\n", "b: 1\n", "- a\n", "", "a: {\n", "a: {}\n---\na: {}\n"]
        {
            assert_eq!(insert(text, &one), None, "{text}");
        }
    }
}
