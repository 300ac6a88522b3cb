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
    /// The largest number of a group that it refers back to.
    back: u32,
}

/// Escapes that are the same in every engine.
const ESCAPES: &str = "dDwWsSnrtfv/^$\\.*+?()[]{}|";

fn scan(pattern: &str) -> Result<Needs> {
    let fault = |what: &str| Err(fault(pattern, what));
    let mut needs = Needs::default();
    let (mut in_class, mut is_atom) = (false, false);
    // For each open group whether it looks ahead, and whether one has just been closed.
    let (mut open, mut is_look): (Vec<bool>, bool) = (Vec::new(), false);
    let mut groups = 0;
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let before = &pattern[..pattern.len() - rest.len()];
        rest = &rest[c.len_utf8()..];
        let was_atom = std::mem::replace(&mut is_atom, true);
        let was_look = std::mem::take(&mut is_look);
        match c {
            '\\' if !in_class && rest.starts_with(['b', 'B']) => {
                (rest, is_atom) = (&rest[1..], false);
            }
            '\\' if rest.is_empty() => return fault("a \\ with nothing after it"),
            '\\' => {
                needs.is_legacy |= in_class && is_end_of_range(before, rest);
                rest = escape(rest, in_class, &mut needs);
            }
            ']' if in_class => in_class = false,
            '[' | '&' | '~' if in_class => needs.is_nonlinear = true,
            _ if in_class => {}
            '[' => {
                in_class = true;
                rest = rest.strip_prefix('^').unwrap_or(rest);
                needs.is_nonlinear |= rest.starts_with(']');
            }
            '(' => {
                let is_named =
                    rest.starts_with("?<") && !rest.starts_with("?<=") && !rest.starts_with("?<!");
                groups += u32::from(!rest.starts_with('?') || is_named);
                open.push(rest.starts_with("?=") || rest.starts_with("?!"));
                is_atom = false;
                match group(rest, &mut needs) {
                    Some(inner) => rest = inner,
                    None => return fault("a group of an unknown kind"),
                }
            }
            ')' if open.is_empty() => return fault("a ) too many"),
            ')' => is_look = open.pop().unwrap_or_default(),
            '{' if !is_quantifier(rest) => needs.is_legacy = true,
            '*' | '+' | '?' | '{' if !was_atom => {
                return fault(&format!("a {c} with nothing before it"));
            }
            '*' | '+' | '?' | '{' => {
                needs.is_legacy |= was_look;
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
    if !open.is_empty() {
        return fault("a group that is not closed");
    }
    needs.is_legacy |= needs.back > groups;
    Ok(needs)
}

fn fault(pattern: &str, what: &str) -> Fault {
    let allowed = format!("a regular expression of ECMA-262 in unicode mode: it has {what}");
    bad_given("pattern", quote(pattern), &allowed)
}

/// Whether an escape in a class that stands for several characters, with `rest` behind its backslash, is an end of a range:
/// `[\w-.]`.
fn is_end_of_range(before: &str, rest: &str) -> bool {
    let is_set = rest.starts_with(['d', 'D', 'w', 'W', 's', 'S', 'p', 'P']);
    let is_property = rest.starts_with(['p', 'P']);
    let behind = if is_property { after_brace(rest) } else { rest.get(1..).unwrap_or_default() };
    let opens = behind.starts_with('-') && !behind.starts_with("-]");
    let is_first = ["[-", "[^-", "\\-"].iter().any(|start| before.ends_with(start));
    is_set && (opens || before.ends_with('-') && !is_first)
}

/// The text after an escape, of which `text` begins behind the backslash.
fn escape<'a>(text: &'a str, in_class: bool, needs: &mut Needs) -> &'a str {
    let Some(escaped) = text.chars().next() else { return text };
    let rest = &text[escaped.len_utf8()..];
    let is_property = matches!(escaped, 'p' | 'P') && rest.starts_with('{');
    let is_portable = ESCAPES.contains(escaped) || is_property || in_class && escaped == '-';
    let is_engine_specific = matches!(escaped, 'b' | 'u' | 'x' | 'c' | 'k' | '0'..='9');
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number: u32 = text[..digits].parse().unwrap_or(0);
    needs.back = needs.back.max(number);
    needs.is_legacy |= in_class && number > 0;
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
