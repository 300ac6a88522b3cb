//! An ECMA-262 pattern in a database's own language, where both mean the same.

use super::dialect::Dialect;

/// The pattern; `None` where the database has none, or could read it as something else.
pub(super) fn translate(pattern: &str, dialect: Dialect) -> Option<String> {
    if dialect == Dialect::Sqlite || pattern.contains('\0') {
        return None;
    }
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    let mut is_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'd' if is_class => out.push_str("0-9"),
                'd' => out.push_str("[0-9]"),
                'w' if is_class => out.push_str("A-Za-z0-9_"),
                'w' => out.push_str("[A-Za-z0-9_]"),
                other if other.is_ascii_punctuation() => out.extend(['\\', other]),
                _ => return None,
            },
            '[' if is_class => return None,
            '[' => {
                is_class = true;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // An empty class is allowed there and not here.
                if chars.peek() == Some(&']') {
                    return None;
                }
            }
            ']' => {
                is_class = false;
                out.push(']');
            }
            '(' if !is_class && chars.next_if_eq(&'?').is_some() => {
                out.push_str("(?");
                out.push(chars.next_if_eq(&':')?);
            }
            '{' if !is_class => {
                let bound: String = std::iter::from_fn(|| chars.next_if(|c| *c != '}')).collect();
                // PostgreSQL repeats at most 255 times.
                if bound.split(',').any(|times| times.parse::<u64>().is_ok_and(|times| times > 255))
                {
                    return None;
                }
                out.push('{');
                out.push_str(&bound);
            }
            '.' if !is_class => out.push_str("[^\\n\\r]"),
            '$' if !is_class && dialect == Dialect::MySql => out.push_str("\\z"),
            _ => out.push(c),
        }
    }
    (!is_class && !out.is_empty()).then_some(out)
}
