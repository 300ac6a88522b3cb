//! Texts of records as Markdown on one line: in a paragraph, a list item, or a table cell.

use serde_json::Value;

use super::prose::{prose, quoted};

/// Escapes what Markdown would read as markup, and nothing else; code spans and strong text are kept.
pub fn escape(text: &str) -> String {
    in_cell(quoted(text))
}

/// The same text with pipes that do not end a table cell.
fn in_cell(safe: String) -> String {
    if !safe.contains('|') {
        return safe;
    }
    // A pipe ends a cell even in a code span, where `\|` is read as a pipe.
    let mut out = String::with_capacity(safe.len() + 4);
    let mut is_escaped = false;
    for c in safe.chars() {
        if c == '|' && !is_escaped {
            out.push('\\');
        }
        is_escaped = c == '\\' && !is_escaped;
        out.push(c);
    }
    out
}

/// Escapes every text in data for a Markdown template.
pub fn escape_all(data: &Value) -> Value {
    each(data, &escape)
}

/// The same for texts of the user, whose links are kept.
pub fn escape_own(data: &Value) -> Value {
    each(data, &|text| in_cell(prose(text)))
}

fn each(data: &Value, write: &impl Fn(&str) -> String) -> Value {
    match data {
        Value::String(text) => Value::from(write(text)),
        Value::Array(items) => items.iter().map(|item| each(item, write)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), each(value, write))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn only_what_markdown_reads_as_markup_is_escaped() {
        for (text, markdown) in [
            ("task_completed", "task_completed"),
            ("US-0001: Basket (in-progress)", "US-0001: Basket (in-progress)"),
            ("1.5 h", "1.5 h"),
            ("1. first", "1\\. first"),
            ("a | b", "a \\| b"),
            ("a \\| b", "a \\\\\\| b"),
            ("set `a | b`", "set `a \\| b`"),
            ("- x", "\\- x"),
            ("a\nb", "a b"),
        ] {
            assert_eq!(escape(text), markdown, "{text:?}");
        }
    }
}
