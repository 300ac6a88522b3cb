//! A JSON value as YAML that every reader takes: block style, and quotes wherever a plain text could be read otherwise.

use std::fmt::Write as _;

use serde_json::Value;

/// The document.
pub(super) fn write(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

fn block(value: &Value, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let _ = write!(out, "{pad}{}:", text(key));
                member(value, depth, out);
            }
        }
        Value::Array(list) => {
            for value in list {
                let mut inner = String::new();
                if is_block(value) {
                    block(value, depth + 1, &mut inner);
                } else {
                    inner = format!("{}\n", scalar(value));
                }
                let _ = write!(out, "{pad}- {}", inner.trim_start_matches(' '));
            }
        }
        _ => _ = writeln!(out, "{pad}{}", scalar(value)),
    }
}

fn member(value: &Value, depth: usize, out: &mut String) {
    if is_block(value) {
        out.push('\n');
        block(value, depth + 1, out);
    } else {
        let _ = writeln!(out, " {}", scalar(value));
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(own) => text(own),
        other => other.to_string(),
    }
}

fn text(text: &str) -> String {
    const WORDS: [&str; 12] =
        ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf", "nil"];
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '/' || c == '}')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " _-./{}".contains(c))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if is_plain {
        return text.to_owned();
    }
    printable(&Value::from(text).to_string())
}

/// JSON with what YAML does not print escaped: some readers take JSON for YAML. Line breaks between values stay.
pub(super) fn printable(json: &str) -> String {
    let is_unsafe = |c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    json.chars()
        .map(|c| if is_unsafe(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() })
        .collect()
}
