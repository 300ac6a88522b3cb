//! Texts of records as Markdown: in a paragraph, a list item, a table cell or a code span.

use serde_json::Value;

use super::line;
use super::prose::{prose, quoted};

/// Escapes what Markdown would read as markup, and nothing else; code spans and strong text are kept.
pub fn escape(text: &str) -> String {
    let safe = quoted(text);
    if !safe.contains('|') {
        return safe;
    }
    // A pipe ends a cell of a table even in a code span, where `\|` is read as a pipe.
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
    match data {
        Value::String(text) => Value::from(escape(text)),
        Value::Array(items) => items.iter().map(escape_all).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), escape_all(value))).collect()
        }
        other => other.clone(),
    }
}

/// A text on one line as a code span, if it can be one in Markdown.
pub fn code_span(text: &str) -> String {
    let text = line(text);
    if text.contains('`') { prose(&text) } else { format!("`{text}`") }
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
