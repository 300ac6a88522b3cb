//! Regular expressions of ECMA-262: validated, and written as literals of TypeScript and Python. One that is valid only
//! without unicode mode (`\_`, a single `}`) is accepted, and written without that mode.

use std::iter::Peekable;
use std::str::Chars;

use super::language::{TargetLanguage, quote};
use crate::output::{Fault, Result, bad_given};

/// White space of ECMA-262, for a Python character class.
const SPACE: &str = r"\t\n\x0b\f\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";
/// The general categories of Unicode that Python's `unicodedata` distinguishes.
const CATEGORIES: [(&str, &str); 8] = [
    ("Letter", "L"),
    ("Lowercase_Letter", "Ll"),
    ("Uppercase_Letter", "Lu"),
    ("Mark", "M"),
    ("Number", "N"),
    ("Punctuation", "P"),
    ("Symbol", "S"),
    ("digit", "Nd"),
];

/// An expression for the compiled regular expression.
pub(crate) fn write(pattern: &str, language: TargetLanguage) -> Result<String> {
    let python = translate(pattern)?;
    if language == TargetLanguage::TypeScript {
        let flags = if python.legacy { "" } else { "u" };
        let is_plain = |c: char| !c.is_control() && c != '\u{2028}' && c != '\u{2029}';
        return Ok(if !pattern.is_empty() && pattern.chars().all(is_plain) {
            format!("/{}/{flags}", with_slashes(pattern))
        } else {
            format!("new RegExp({}, \"{flags}\")", quote(pattern))
        });
    }
    if let Some(what) = python.lacking {
        return Err(fault(pattern, &format!("{what}, which Python cannot express")));
    }
    let parts = python.parts.iter().map(|part| match part {
        Part::Text(text) => raw(text),
        Part::Category(name) => format!("category({})", quote(name)),
    });
    let all = parts.collect::<Vec<_>>().join(" + ");
    Ok(format!("re.compile({}, re.ASCII)", if all.is_empty() { "\"\"" } else { &all }))
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

/// Whether Pydantic's engine, which has neither look-around nor back references, treats a pattern as ECMA-262 does.
pub(crate) fn is_linear(pattern: &str) -> bool {
    translate(pattern).is_ok_and(|found| !found.legacy && !found.nonlinear)
}

/// A Python string literal, raw if possible.
pub(crate) fn raw(text: &str) -> String {
    let is_raw = !text.contains(|c: char| c == '"' || c.is_control()) && !text.ends_with('\\');
    if is_raw { format!("r\"{text}\"") } else { quote(text) }
}

fn fault(pattern: &str, what: &str) -> Fault {
    let allowed = format!("a regular expression of ECMA-262 in unicode mode: it has {what}");
    bad_given("pattern", quote(pattern), &allowed)
}

enum Part {
    Text(String),
    Category(String),
}

#[derive(Default)]
struct Translated {
    parts: Vec<Part>,
    /// The first construct that Python lacks.
    lacking: Option<String>,
    /// Whether it is valid only without unicode mode.
    legacy: bool,
    /// Whether it has a construct that a linear-time engine lacks or treats differently.
    nonlinear: bool,
}

struct Scan<'p> {
    pattern: &'p str,
    chars: Peekable<Chars<'p>>,
    out: Translated,
    depth: usize,
    /// Whether the last construct can be repeated.
    atom: bool,
}

fn translate(pattern: &str) -> Result<Translated> {
    let (chars, out) = (pattern.chars().peekable(), Translated::default());
    let mut scan = Scan { pattern, chars, out, depth: 0, atom: false };
    while let Some(c) = scan.chars.next() {
        scan.term(c)?;
    }
    if scan.depth > 0 {
        return Err(fault(pattern, "a group that is not closed"));
    }
    Ok(scan.out)
}

impl Scan<'_> {
    fn push(&mut self, text: &str) {
        if let Some(Part::Text(last)) = self.out.parts.last_mut() {
            last.push_str(text);
        } else {
            self.out.parts.push(Part::Text(text.to_owned()));
        }
    }

    fn eat(&mut self, text: &str) -> bool {
        let mut ahead = self.chars.clone();
        let found = text.chars().all(|c| ahead.next() == Some(c));
        if found {
            self.chars = ahead;
        }
        found
    }

    /// The text before the next `end`, which is passed.
    fn until(&mut self, end: char) -> String {
        self.chars.by_ref().take_while(|c| *c != end).collect()
    }

    fn lacks(&mut self, what: String) {
        self.out.lacking.get_or_insert(what);
    }

    fn term(&mut self, c: char) -> Result<()> {
        let was_atom = std::mem::replace(&mut self.atom, true);
        match c {
            '(' => self.group()?,
            ')' if self.depth == 0 => return Err(fault(self.pattern, "a ) too many")),
            ')' => {
                self.depth -= 1;
                self.push(")");
            }
            '{' if !self.is_quantifier() => {
                self.out.legacy = true;
                self.push(r"\{");
            }
            '*' | '+' | '?' | '{' => {
                if !was_atom {
                    return Err(fault(self.pattern, &format!("a {c} with nothing before it")));
                }
                self.repeat(c);
                self.atom = false;
            }
            '}' | ']' => {
                self.out.legacy = true;
                self.push(&format!("\\{c}"));
            }
            '[' => self.class()?,
            '\\' => self.escape(false)?,
            '.' => self.push(r"[^\n\r\u2028\u2029]"),
            '^' | '|' => {
                self.atom = false;
                self.push(if c == '^' { r"\A" } else { "|" });
            }
            '$' => {
                self.atom = false;
                self.push(r"\Z");
            }
            other => self.push(&other.to_string()),
        }
        Ok(())
    }

    fn group(&mut self) -> Result<()> {
        self.depth += 1;
        self.atom = false;
        if self.eat("?<=") || self.eat("?<!") {
            self.out.nonlinear = true;
            self.lacks("a look behind".to_owned());
        } else if self.eat("?<") {
            let name = self.until('>');
            self.push(&format!("(?P<{name}>"));
        } else if let Some(kind) = ["?:", "?=", "?!"].into_iter().find(|kind| self.eat(kind)) {
            self.out.nonlinear |= kind != "?:";
            self.push(&format!("({kind}"));
        } else if self.chars.peek() == Some(&'?') {
            return Err(fault(self.pattern, "a group of an unknown kind"));
        } else {
            self.push("(");
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

    fn repeat(&mut self, c: char) {
        let mut text = c.to_string();
        if c == '{' {
            text = format!("{{{}}}", self.until('}'));
        }
        if self.eat("?") {
            text.push('?');
        }
        self.push(&text);
    }

    fn class(&mut self) -> Result<()> {
        let negated = self.eat("^");
        if self.eat("]") {
            self.out.nonlinear = true;
            self.push(if negated { r"[\s\S]" } else { "(?!)" });
            return Ok(());
        }
        self.push(if negated { "[^" } else { "[" });
        loop {
            match self.chars.next() {
                None => return Err(fault(self.pattern, "a class that is not closed")),
                Some(']') => break,
                Some('\\') => self.escape(true)?,
                Some(c @ ('[' | '&' | '~' | '|' | '^')) => {
                    self.out.nonlinear |= matches!(c, '[' | '&' | '~');
                    self.push(&format!("\\{c}"));
                }
                Some(c) => self.push(&c.to_string()),
            }
        }
        self.push("]");
        Ok(())
    }

    fn escape(&mut self, in_class: bool) -> Result<()> {
        let Some(c) = self.chars.next() else { return Err(fault(self.pattern, "a \\ at its end")) };
        match c {
            'd' | 'D' | 'w' | 'W' | 'n' | 'r' | 't' | 'f' | 'v' => self.push(&format!("\\{c}")),
            'b' if in_class => {
                self.out.nonlinear = true;
                self.push(r"\x08");
            }
            'b' | 'B' if !in_class => {
                self.atom = false;
                self.push(&format!("\\{c}"));
            }
            's' if in_class => self.push(SPACE),
            's' => self.push(&format!("[{SPACE}]")),
            'S' if in_class => self.lacks("\\S in a class".to_owned()),
            'S' => self.push(&format!("[^{SPACE}]")),
            'p' | 'P' => self.property(c == 'P', in_class)?,
            'u' | 'x' | 'c' | '0' => self.code(c)?,
            'k' if self.eat("<") => {
                self.out.nonlinear = true;
                let name = self.until('>');
                self.push(&format!("(?P={name})"));
            }
            '1'..='9' if !in_class => {
                self.out.nonlinear = true;
                self.push(&format!("\\{c}"));
            }
            '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' => {
                self.push(&format!("\\{c}"));
            }
            '/' => self.push("/"),
            '-' if in_class => self.push(r"\-"),
            // Without unicode mode an unknown escape stands for the character itself.
            other => {
                self.out.legacy = true;
                let is_mark = other.is_ascii_punctuation() || other == ' ';
                self.push(&if is_mark { format!("\\{other}") } else { other.to_string() });
            }
        }
        Ok(())
    }

    fn property(&mut self, negated: bool, in_class: bool) -> Result<()> {
        if !self.eat("{") {
            return Err(fault(self.pattern, "a \\p without its name"));
        }
        let name = self.until('}');
        let short = name.rsplit('=').next().unwrap_or_default();
        let short =
            CATEGORIES.iter().find(|(long, _)| *long == short).map_or(short, |(_, short)| short);
        let is_category =
            matches!(short.len(), 1 | 2) && short.starts_with(['L', 'M', 'N', 'P', 'S', 'Z', 'C']);
        if !is_category || (negated && in_class) {
            self.lacks(format!("\\p{{{name}}}"));
            return Ok(());
        }
        self.push(match (in_class, negated) {
            (true, _) => "",
            (false, true) => "[^",
            (false, false) => "[",
        });
        self.out.parts.push(Part::Category(short.to_owned()));
        self.push(if in_class { "" } else { "]" });
        Ok(())
    }

    /// Parses `\u0041`, `\u{1f600}`, a surrogate pair, `\x41`, `\cA` and `\0`.
    fn code(&mut self, kind: char) -> Result<()> {
        self.out.nonlinear = true;
        let wrong = || fault(self.pattern, &format!("the escape \\{kind} without its code"));
        let code = match kind {
            '0' => 0,
            'c' => {
                let letter = self.chars.next().filter(char::is_ascii_alphabetic);
                u32::from(letter.ok_or_else(wrong)?) % 32
            }
            'u' if self.eat("{") => {
                let code = u32::from_str_radix(&self.until('}'), 16);
                code.map_err(|_| fault(self.pattern, "a wrong \\u{…}"))?
            }
            _ => {
                let high = self.hex(if kind == 'x' { 2 } else { 4 })?;
                if (0xd800..0xdc00).contains(&high) && self.eat("\\u") {
                    0x10000 + ((high - 0xd800) << 10) + (self.hex(4)?.wrapping_sub(0xdc00) & 0x3ff)
                } else {
                    high
                }
            }
        };
        self.push(&format!("\\U{code:08x}"));
        Ok(())
    }

    fn hex(&mut self, count: usize) -> Result<u32> {
        let digits: String = self.chars.by_ref().take(count).collect();
        let read = if digits.len() == count { u32::from_str_radix(&digits, 16).ok() } else { None };
        read.ok_or_else(|| fault(self.pattern, "an escape without its code"))
    }
}
