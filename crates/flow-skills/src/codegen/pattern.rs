//! Regular expressions of ECMA-262 as literals of the target languages. A pattern is scanned, not parsed: whether its groups,
//! classes and repetitions are complete, and whether it needs an engine that backtracks.

use flow_model::hidden::is_hidden;

use super::language::quote;
use crate::output::{Result, bad_given};

/// An expression of TypeScript for the regular expression.
pub(crate) fn script_literal(pattern: &str) -> Result<String> {
    scan(pattern)?;
    // The words for classes and code points of Unicode mean something else without the flag.
    let needs_unicode = ["\\p{", "\\P{", "\\u{"].iter().any(|word| pattern.contains(word))
        || pattern.chars().any(|c| c > '\u{ffff}');
    let flags = if needs_unicode { "u" } else { "" };
    let is_plain = |c: char| c != '/' && !is_hidden(c);
    Ok(if !pattern.is_empty() && pattern.chars().all(is_plain) {
        format!("/{pattern}/{flags}")
    } else {
        format!("new RegExp({}, \"{flags}\")", quote(pattern))
    })
}

/// A pattern as a literal of Python, if Pydantic's engine, which has neither look-around nor back references, treats it
/// as ECMA-262 does.
pub(crate) fn python_literal(pattern: &str) -> Result<Option<String>> {
    let is_raw =
        !pattern.contains(|c: char| c == '"' || c.is_control()) && !pattern.ends_with('\\');
    let literal = || if is_raw { format!("r\"{pattern}\"") } else { quote(pattern) };
    Ok(scan(pattern)?.then(literal))
}

/// Whether an engine without backtracking treats a pattern as ECMA-262 does. What is incomplete is refused.
fn scan(pattern: &str) -> Result<bool> {
    let refused = || Err(bad_given("pattern", quote(pattern), "a regular expression of ECMA-262"));
    let (mut depth, mut in_class, mut is_atom, mut is_linear) = (0_usize, false, false, true);
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        let was_atom = std::mem::replace(&mut is_atom, true);
        match c {
            '\\' => match rest.next() {
                None => return refused(),
                Some('b' | 'B') if !in_class => is_atom = false,
                Some(c) => {
                    let is_shared = !c.is_alphanumeric() || "dDwWsSnrtfvpP".contains(c);
                    is_linear &= is_shared && !matches!(c, '<' | '>');
                }
            },
            ']' if in_class => in_class = false,
            '[' | '&' | '~' if in_class => is_linear = false,
            _ if in_class => {}
            '[' => {
                in_class = true;
                is_linear &= !rest.as_str().trim_start_matches('^').starts_with(']');
            }
            '(' => {
                (depth, is_atom) = (depth + 1, false);
                if let Some(kind) = rest.as_str().strip_prefix('?') {
                    is_linear &= !["=", "!", "<=", "<!"].iter().any(|look| kind.starts_with(look));
                    if !kind.starts_with(['=', '!', ':', '<']) {
                        return refused();
                    }
                    rest = kind[1..].chars();
                }
            }
            ')' if depth == 0 => return refused(),
            ')' => depth -= 1,
            '{' if !is_quantifier(rest.as_str()) => is_linear = false,
            '*' | '+' | '?' | '{' if !was_atom => return refused(),
            '*' | '+' | '?' | '{' => {
                if c == '{' {
                    while rest.next().is_some_and(|c| c != '}') {}
                }
                rest = rest.as_str().strip_prefix('?').unwrap_or(rest.as_str()).chars();
                is_atom = false;
            }
            '^' | '|' | '$' => is_atom = false,
            _ => {}
        }
    }
    if in_class || depth > 0 { refused() } else { Ok(is_linear) }
}

/// Whether the text after a brace makes it a quantifier: `{2}`, `{2,}` or `{2,3}`.
fn is_quantifier(rest: &str) -> bool {
    let Some((inside, _)) = rest.split_once('}') else { return false };
    let (low, high) = inside.split_once(',').unwrap_or((inside, ""));
    let is_count = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    !low.is_empty() && is_count(low) && is_count(high)
}
