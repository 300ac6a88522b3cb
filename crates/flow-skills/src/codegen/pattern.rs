//! Regular expressions of ECMA-262 as literals of the target languages. A pattern is scanned, not parsed: as far as it may be
//! no regular expression, or needs unicode mode to be off, or an engine that backtracks.

use flow_model::hidden::is_hidden;

use super::language::quote;
use crate::output::{Fault, Result, bad_given};

/// An expression of TypeScript for the regular expression.
pub(crate) fn script_literal(pattern: &str) -> Result<String> {
    let flags = if scan(pattern)?.is_legacy { "" } else { "u" };
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
    let needs = scan(pattern)?;
    if needs.is_legacy || needs.is_nonlinear {
        return Ok(None);
    }
    let is_raw =
        !pattern.contains(|c: char| c == '"' || c.is_control()) && !pattern.ends_with('\\');
    Ok(Some(if is_raw { format!("r\"{pattern}\"") } else { quote(pattern) }))
}

/// What a pattern needs of an engine.
#[derive(Default)]
struct Needs {
    /// It is valid only without unicode mode.
    is_legacy: bool,
    /// It has a construct that a linear-time engine lacks or treats differently.
    is_nonlinear: bool,
}

/// Escapes that are the same in every engine.
const ESCAPES: &str = "dDwWsSnrtfv/^$\\.*+?()[]{}|";

fn scan(pattern: &str) -> Result<Needs> {
    let fault = |what: &str| Err(fault(pattern, what));
    let mut needs = Needs::default();
    let (mut depth, mut in_class, mut is_atom) = (0_usize, false, false);
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let was_atom = std::mem::replace(&mut is_atom, true);
        match c {
            '\\' if !in_class && rest.starts_with(['b', 'B']) => {
                (rest, is_atom) = (&rest[1..], false);
            }
            '\\' if rest.is_empty() => return fault("a \\ with nothing after it"),
            '\\' => rest = escape(rest, in_class, &mut needs),
            ']' if in_class => in_class = false,
            '[' | '&' | '~' if in_class => needs.is_nonlinear = true,
            _ if in_class => {}
            '[' => {
                in_class = true;
                rest = rest.strip_prefix('^').unwrap_or(rest);
                needs.is_nonlinear |= rest.starts_with(']');
            }
            '(' => {
                (depth, is_atom) = (depth + 1, false);
                match group(rest, &mut needs) {
                    Some(inner) => rest = inner,
                    None => return fault("a group of an unknown kind"),
                }
            }
            ')' if depth == 0 => return fault("a ) too many"),
            ')' => depth -= 1,
            '{' if !is_quantifier(rest) => needs.is_legacy = true,
            '*' | '+' | '?' | '{' if !was_atom => {
                return fault(&format!("a {c} with nothing before it"));
            }
            '*' | '+' | '?' | '{' => {
                if c == '{' {
                    rest = after_brace(rest);
                }
                (rest, is_atom) = (rest.strip_prefix('?').unwrap_or(rest), false);
            }
            '}' | ']' => needs.is_legacy = true,
            '^' | '|' | '$' => is_atom = false,
            _ => {}
        }
    }
    if in_class {
        return fault("a class that is not closed");
    }
    if depth > 0 {
        return fault("a group that is not closed");
    }
    Ok(needs)
}

fn fault(pattern: &str, what: &str) -> Fault {
    let allowed = format!("a regular expression of ECMA-262 in unicode mode: it has {what}");
    bad_given("pattern", quote(pattern), &allowed)
}

/// The text after an escape, of which `text` begins behind the backslash.
fn escape<'a>(text: &'a str, in_class: bool, needs: &mut Needs) -> &'a str {
    let Some(escaped) = text.chars().next() else { return text };
    let rest = &text[escaped.len_utf8()..];
    let is_property = matches!(escaped, 'p' | 'P') && rest.starts_with('{');
    let is_portable = ESCAPES.contains(escaped) || is_property || in_class && escaped == '-';
    let is_engine_specific = matches!(escaped, 'b' | 'u' | 'x' | 'c' | 'k' | '0'..='9');
    if is_engine_specific && !is_portable {
        needs.is_nonlinear = true;
    } else if !is_portable {
        // Without unicode mode an unknown escape stands for the character itself.
        needs.is_legacy = true;
    }
    if is_property || escaped == 'u' && rest.starts_with('{') { after_brace(rest) } else { rest }
}

/// The text after the beginning of a group, of which `text` begins behind the parenthesis; `None` if its kind is unknown.
fn group<'a>(text: &'a str, needs: &mut Needs) -> Option<&'a str> {
    let Some(kind) = text.strip_prefix('?') else { return Some(text) };
    if ["=", "!", "<=", "<!"].iter().any(|look| kind.starts_with(look)) {
        needs.is_nonlinear = true;
    } else if !kind.starts_with([':', '<']) {
        return None;
    }
    Some(&kind[1..])
}

fn after_brace(text: &str) -> &str {
    text.split_once('}').map_or("", |(_, rest)| rest)
}

/// Whether the text after a brace makes it a quantifier: `{2}`, `{2,}` or `{2,3}`.
fn is_quantifier(rest: &str) -> bool {
    let Some((inside, _)) = rest.split_once('}') else { return false };
    let (low, high) = inside.split_once(',').unwrap_or((inside, ""));
    let is_count = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    !low.is_empty() && is_count(low) && is_count(high)
}
