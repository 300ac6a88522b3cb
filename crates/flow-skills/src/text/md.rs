//! Texts of records as Markdown, on one line: in a paragraph, an item of a list, or a cell of a table.

use serde_json::Value;

use super::prose::prose;

/// The text with what Markdown needs escaped and nothing else; code spans, links and strong text stay.
pub fn escape(text: &str) -> String {
    let safe = prose(text);
    if !safe.contains('|') {
        return safe;
    }
    // A pipe ends a cell in a code span too, and `\|` is read as a pipe there.
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

/// Data with every text in it escaped, for a template of Markdown.
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
