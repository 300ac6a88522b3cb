//! Translates an ECMA-262 pattern to a database's regular expressions, if both mean the same.

use std::iter::Peekable;
use std::str::Chars;

use super::dialect::Dialect;

/// The translated pattern; `None` if the database has no regular expressions, or could interpret it differently.
pub(super) fn translate(pattern: &str, dialect: Dialect) -> Option<String> {
    if dialect == Dialect::Sqlite || pattern.contains('\0') {
        return None;
    }
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    let mut is_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push_str(&escape(chars.next()?, is_class)?),
            '[' if is_class => return None,
            '[' => {
                is_class = true;
                out.push_str(opening(&mut chars)?);
            }
            ']' => {
                is_class = false;
                out.push(']');
            }
            '(' if !is_class && chars.next_if_eq(&'?').is_some() => {
                out.push_str("(?");
                out.push(chars.next_if_eq(&':')?);
            }
            '{' if !is_class => out.push_str(&repeated(&mut chars)?),
            '.' if !is_class => out.push_str("[^\\n\\r]"),
            '$' if !is_class && dialect == Dialect::MySql => out.push_str("\\z"),
            _ => out.push(c),
        }
    }
    (!is_class && !out.is_empty()).then_some(out)
}

fn escape(c: char, is_class: bool) -> Option<String> {
    let inner = match c {
        'd' => "0-9",
        'w' => "A-Za-z0-9_",
        other => return other.is_ascii_punctuation().then(|| format!("\\{other}")),
    };
    Some(if is_class { inner.to_owned() } else { format!("[{inner}]") })
}

fn opening(rest: &mut Peekable<Chars<'_>>) -> Option<&'static str> {
    let opening = if rest.next_if_eq(&'^').is_some() { "[^" } else { "[" };
    // An empty class is allowed in ECMA-262 only.
    (rest.peek() != Some(&']')).then_some(opening)
}

fn repeated(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let bound: String = std::iter::from_fn(|| rest.next_if(|c| *c != '}')).collect();
    // PostgreSQL repeats at most 255 times.
    let is_long = |times: &str| times.parse::<u64>().is_ok_and(|times| times > 255);
    (!bound.split(',').any(is_long)).then(|| format!("{{{bound}"))
}
