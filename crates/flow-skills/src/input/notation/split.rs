//! Splits a text at separators outside of brackets, quotes and patterns.

/// Whether a slash begins a pattern rather than a path.
fn is_pattern(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.trim_end().ends_with("pattern"))
}

/// Whether what follows `<` shows that it opens no type.
fn is_operand(c: char) -> bool {
    matches!(c, '-' | '=' | ' ' | '0'..='9')
}

/// The parts of a text between separators that are outside of brackets, quotes and slashes.
pub fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut quote = None;
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if open == c && before != '\\' => quote = None,
            // An apostrophe inside a word does not open a quote.
            None if matches!(c, '"' | '\'') && !before.is_alphanumeric() => quote = Some(c),
            None if c == '/' && before == ' ' && is_pattern(text, at) => quote = Some(c),
            // An arrow and a comparison are no brackets.
            None if c == '<' && text[at + 1..].starts_with(is_operand)
                || c == '>' && before == '-' => {}
            None if matches!(c, '(' | '<' | '[') => depth += 1,
            None if matches!(c, ')' | '>' | ']') => depth = depth.saturating_sub(1),
            None if c == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
        before = c;
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}
