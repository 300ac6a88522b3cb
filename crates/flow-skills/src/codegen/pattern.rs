//! Regular expressions of ECMA-262: validated, and written as literals of TypeScript. One that is valid only without
//! unicode mode (`\_`, a single `}`) is accepted, and written without that mode.

use std::iter::Peekable;
use std::str::Chars;

use super::language::quote;
use crate::output::{Fault, Result, bad_given};

/// An expression of TypeScript for the regular expression.
pub(crate) fn write(pattern: &str) -> Result<String> {
    let flags = if scan(pattern)?.is_legacy { "" } else { "u" };
    let is_plain = |c: char| !c.is_control() && c != '\u{2028}' && c != '\u{2029}';
    Ok(if !pattern.is_empty() && pattern.chars().all(is_plain) {
        format!("/{}/{flags}", with_slashes(pattern))
    } else {
        format!("new RegExp({}, \"{flags}\")", quote(pattern))
    })
}

/// A pattern with each slash escaped, as a regular expression literal requires.
fn with_slashes(pattern: &str) -> String {
    let mut text = String::new();
    let mut is_escaped = false;
    for c in pattern.chars() {
        if c == '/' && !is_escaped {
            text.push('\\');
        }
        is_escaped = c == '\\' && !is_escaped;
        text.push(c);
    }
    text
}

/// A pattern as a literal of Python, if Pydantic's engine, which has neither look-around nor back references, treats it
/// as ECMA-262 does.
pub(crate) fn write_linear(pattern: &str) -> Result<Option<String>> {
    let needs = scan(pattern)?;
    Ok((!needs.is_legacy && !needs.is_nonlinear).then(|| raw(pattern)))
}

/// A Python string literal, raw if possible.
fn raw(text: &str) -> String {
    let is_raw = !text.contains(|c: char| c == '"' || c.is_control()) && !text.ends_with('\\');
    if is_raw { format!("r\"{text}\"") } else { quote(text) }
}

fn fault(pattern: &str, what: &str) -> Fault {
    let allowed = format!("a regular expression of ECMA-262 in unicode mode: it has {what}");
    bad_given("pattern", quote(pattern), &allowed)
}

/// What a pattern needs of an engine.
struct Scan<'p> {
    pattern: &'p str,
    chars: Peekable<Chars<'p>>,
    depth: usize,
    /// Whether the last construct can be repeated.
    is_atom: bool,
    /// Whether it is valid only without unicode mode.
    is_legacy: bool,
    /// Whether it has a construct that a linear-time engine lacks or treats differently.
    is_nonlinear: bool,
}

fn scan(pattern: &str) -> Result<Scan<'_>> {
    let chars = pattern.chars().peekable();
    let mut scan =
        Scan { pattern, chars, depth: 0, is_atom: false, is_legacy: false, is_nonlinear: false };
    while let Some(c) = scan.chars.next() {
        scan.term(c)?;
    }
    if scan.depth > 0 {
        return Err(fault(pattern, "a group that is not closed"));
    }
    Ok(scan)
}

impl Scan<'_> {
    fn eat(&mut self, text: &str) -> bool {
        let mut ahead = self.chars.clone();
        let is_next = text.chars().all(|c| ahead.next() == Some(c));
        if is_next {
            self.chars = ahead;
        }
        is_next
    }

    /// The text before the next `end`, which is passed.
    fn until(&mut self, end: char) -> String {
        self.chars.by_ref().take_while(|c| *c != end).collect()
    }

    fn term(&mut self, c: char) -> Result<()> {
        let was_atom = std::mem::replace(&mut self.is_atom, true);
        match c {
            '(' => self.group()?,
            ')' if self.depth == 0 => return Err(fault(self.pattern, "a ) too many")),
            ')' => self.depth -= 1,
            '{' if !self.is_quantifier() => self.is_legacy = true,
            '*' | '+' | '?' | '{' => {
                if !was_atom {
                    return Err(fault(self.pattern, &format!("a {c} with nothing before it")));
                }
                if c == '{' {
                    self.until('}');
                }
                self.eat("?");
                self.is_atom = false;
            }
            '}' | ']' => self.is_legacy = true,
            '[' => self.class()?,
            '\\' => self.escape(false)?,
            '^' | '|' | '$' => self.is_atom = false,
            _ => {}
        }
        Ok(())
    }

    fn group(&mut self) -> Result<()> {
        self.depth += 1;
        self.is_atom = false;
        if ["?<=", "?<!", "?=", "?!"].into_iter().any(|kind| self.eat(kind)) {
            self.is_nonlinear = true;
        } else if self.eat("?<") {
            self.until('>');
        } else if !self.eat("?:") && self.chars.peek() == Some(&'?') {
            return Err(fault(self.pattern, "a group of an unknown kind"));
        }
        Ok(())
    }

    /// Whether the text after a brace makes it a quantifier: `{2}`, `{2,}` or `{2,3}`.
    fn is_quantifier(&self) -> bool {
        let ahead: String = self.chars.clone().take_while(|c| *c != '}').collect();
        let is_closed = self.chars.clone().any(|c| c == '}');
        let (low, high) = ahead.split_once(',').unwrap_or((&ahead, ""));
        let is_count = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        is_closed && !low.is_empty() && is_count(low) && is_count(high)
    }

    fn class(&mut self) -> Result<()> {
        self.eat("^");
        if self.eat("]") {
            self.is_nonlinear = true;
            return Ok(());
        }
        loop {
            match self.chars.next() {
                None => return Err(fault(self.pattern, "a class that is not closed")),
                Some(']') => return Ok(()),
                Some('\\') => self.escape(true)?,
                Some(c) => self.is_nonlinear |= matches!(c, '[' | '&' | '~'),
            }
        }
    }

    fn escape(&mut self, in_class: bool) -> Result<()> {
        let Some(c) = self.chars.next() else { return Err(fault(self.pattern, "a \\ at its end")) };
        match c {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 'r' | 't' | 'f' | 'v' | '/' | '^' | '$'
            | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' => {}
            'b' if in_class => self.is_nonlinear = true,
            'b' | 'B' if !in_class => self.is_atom = false,
            'p' | 'P' if self.eat("{") => _ = self.until('}'),
            'p' | 'P' => return Err(fault(self.pattern, "a \\p without its name")),
            'u' | 'x' | 'c' | '0' => self.code(c)?,
            'k' if self.eat("<") => {
                self.is_nonlinear = true;
                self.until('>');
            }
            '1'..='9' if !in_class => self.is_nonlinear = true,
            '-' if in_class => {}
            // Without unicode mode an unknown escape stands for the character itself.
            _ => self.is_legacy = true,
        }
        Ok(())
    }

    /// Parses the code of `\u0041`, `\u{1f600}`, `\x41`, `\cA` and `\0`.
    fn code(&mut self, kind: char) -> Result<()> {
        self.is_nonlinear = true;
        let is_read = match kind {
            '0' => true,
            'c' => self.chars.next().is_some_and(|c| c.is_ascii_alphabetic()),
            'u' if self.eat("{") => u32::from_str_radix(&self.until('}'), 16).is_ok(),
            'x' => self.hex(2),
            _ => self.hex(4),
        };
        is_read
            .then_some(())
            .ok_or_else(|| fault(self.pattern, &format!("the escape \\{kind} without its code")))
    }

    fn hex(&mut self, count: usize) -> bool {
        let digits: String = self.chars.by_ref().take(count).collect();
        digits.len() == count && u32::from_str_radix(&digits, 16).is_ok()
    }
}
