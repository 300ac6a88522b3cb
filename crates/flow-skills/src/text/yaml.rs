//! JSON values as YAML for every parser: block style, literal blocks for multi-line text, and quotes wherever a plain
//! text would be ambiguous.

use std::fmt::Write as _;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::stack;

/// Words that some parser reads as another type than text.
const WORDS: [&str; 13] =
    ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf", "nil", "none"];

/// Parses YAML 1.2, in which `y`, `no` and `on` are text and not booleans.
///
/// # Errors
/// When it is not valid YAML, or not of the type.
pub fn read<T: DeserializeOwned + Send>(text: &str) -> Result<T, serde_saphyr::Error> {
    let options = || serde_saphyr::options! { strict_booleans: true };
    let parse = || serde_saphyr::from_str_with_options(text, options());
    // It is recursive, to a depth of 64.
    stack::run(|| Ok(parse())).unwrap_or_else(|_| parse())
}

/// The value as a YAML document.
pub fn write(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

/// A member of a mapping whose keys begin at a column.
fn member(key: &str, value: &Value, column: usize) -> String {
    let mut out = format!("{}{}:", " ".repeat(column), text(key));
    behind(value, column, &mut out);
    out
}

/// An item of a list whose hyphens begin at a column.
fn item(value: &Value, column: usize) -> String {
    let mut inner = String::new();
    if is_block(value) {
        block(value, column + 2, &mut inner);
    } else {
        behind(value, column, &mut inner);
    }
    format!("{}- {}", " ".repeat(column), inner.trim_start_matches(' '))
}

fn block(value: &Value, column: usize, out: &mut String) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| *out += &member(key, value, column));
        }
        Value::Array(list) => list.iter().for_each(|value| *out += &item(value, column)),
        _ => behind(value, column, out),
    }
}

/// A value after a colon or a hyphen: on the same line if it fits, else on the lines below.
fn behind(value: &Value, column: usize, out: &mut String) {
    match value {
        _ if is_block(value) => {
            out.push('\n');
            block(value, column + 2, out);
        }
        Value::String(content) if is_literal(content) => {
            let (body, mark) =
                content.strip_suffix('\n').map_or((content.as_str(), "|-"), |body| (body, "|"));
            let _ = writeln!(out, " {mark}");
            for line in body.split('\n') {
                let pad = if line.is_empty() { 0 } else { column + 2 };
                let _ = writeln!(out, "{}{line}", " ".repeat(pad));
            }
        }
        Value::String(content) => _ = writeln!(out, " {}", text(content)),
        other => _ = writeln!(out, " {other}"),
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    }
}

/// Whether a literal block preserves a multi-line text.
fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let is_odd = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    body.contains('\n')
        && !body.starts_with(char::is_whitespace)
        && !body.ends_with('\n')
        && !body.contains(is_odd)
        && body.split('\n').all(|line| line.is_empty() || !line.trim().is_empty())
}

/// A text on one line, plain if every parser reads it as this text.
fn text(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { printable(&Value::from(text).to_string()) }
}

fn is_plain(text: &str) -> bool {
    let is_version = {
        let parts: Vec<&str> = text.split('.').collect();
        parts.len() == 3 && parts.into_iter().all(super::is_number)
    };
    let is_safe = |c: char| c.is_alphanumeric() || " .,()'\"-_/{}[]$&*!?;=+%@~^<>|:#".contains(c);
    is_version
        || text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '$' | '_' | '('))
            && !text.ends_with([' ', ':'])
            && text.chars().all(is_safe)
            && !text.contains(": ")
            && !text.contains(" #")
            && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

/// JSON with characters escaped that YAML does not allow: some parsers read JSON as YAML. White space between values
/// stays.
pub fn printable(json: &str) -> String {
    let is_unsafe = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    json.chars()
        .map(|c| if is_unsafe(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_true_and_false_are_booleans() {
        let value: Value = read("required: [x, y]\ncountry: NO\non: off\nis: true\n").unwrap();
        assert_eq!(
            value,
            json!({"required": ["x", "y"], "country": "NO", "on": "off", "is": true})
        );
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[a-z:# '\"{}\\[\\]|>&*!%@`,.\n\t-]{0,12}",
            "\\PC{0,6}",
            "(yes|null|~|1e3|0x1f|2026-01-31|1.2.3|<<|=|\\.inf)"
        ];
        let leaf = prop_oneof![
            text.clone().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(text.clone(), inner, 0..4)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in value()) {
            let document = json!({"document": value});
            let text = write(&document);
            prop_assert_eq!(read::<Value>(&text).ok(), Some(document), "{}", text);
        }
    }
}
