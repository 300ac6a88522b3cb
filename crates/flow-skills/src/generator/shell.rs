//! The user's shell commands: whether a shell can parse them, and how a text is quoted for one.
//!
//! The check is stricter than a shell: whatever it accepts, `bash -n` accepts; it refuses some valid syntax, such as
//! here-documents and functions.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::values::Block;

/// The requirement in the error for a refused command.
const ALLOWED: &str = "one or more complete shell commands (closed quotes and brackets, no here-documents, $(…) at most 16 deep)";
/// Deepest nesting of `$(…)`.
const DEPTH_LIMIT: usize = 16;

/// One or more commands that a shell can parse. Prompts and blanks at line ends are removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Block")]
pub(super) struct Command(String);

impl Command {
    /// Checks a command of the user.
    pub(super) fn new(text: &str) -> Result<Self, &'static str> {
        let tidy = |line: &str| {
            let line = line.strip_prefix("$ ").unwrap_or(line);
            let inner = line.trim_start_matches('\t');
            format!("{}{inner}", "  ".repeat(line.len() - inner.len()))
        };
        let text = Block::new(text).map_err(|_| ALLOWED)?;
        let text = text.lines().map(tidy).collect::<Vec<_>>().join("\n");
        if text.trim().is_empty() || text.contains('\t') || !is_complete(&text) {
            return Err(ALLOWED);
        }
        Ok(Self(text))
    }

    /// A command that a skill generated.
    pub(super) fn written(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Commands as a block of Markdown, fenced by more backticks than they have.
pub(super) fn fenced(command: &str) -> String {
    let longest = command.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}bash\n{command}\n{fence}")
}

impl TryFrom<Block> for Command {
    type Error = &'static str;

    fn try_from(text: Block) -> Result<Self, &'static str> {
        Self::new(&text)
    }
}

impl Deref for Command {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

pub(super) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Whether a text consists of complete commands.
pub(super) fn is_complete(text: &str) -> bool {
    commands(text, 0) == Some(text.len())
}

/// The length of complete commands: to the end of the text, or, inside `$(`, up to the closing parenthesis. Each
/// character is read once per level of nesting.
fn commands(text: &str, depth: usize) -> Option<usize> {
    if depth > DEPTH_LIMIT {
        return None;
    }
    let mut grammar = Grammar::default();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match (c, operator(rest)) {
            (')', _) if depth > 0 => break,
            (' ', _) => 1,
            // A comment would hide the closing parenthesis.
            ('#', _) if depth > 0 => return None,
            ('#', _) => rest.find('\n').unwrap_or(rest.len()),
            (_, Some(sign)) => {
                grammar.operator(sign)?;
                sign.len()
            }
            (_, None) => {
                let length = word(rest, depth)?;
                grammar.word(rest.get(..length)?)?;
                length
            }
        };
        rest = rest.get(length..)?;
    }
    grammar.is_complete().then_some(text.len() - rest.len())
}

/// Separators of commands, and redirections; of two that begin alike, the longer one is first.
const OPERATORS: [&str; 12] = ["&>", "&&", "||", ";", "\n", "|", "&", ">>", ">&", "<&", ">", "<"];

/// The operator at the beginning. `<<` and parentheses are not accepted, nor can words contain them.
fn operator(rest: &str) -> Option<&'static str> {
    let found = OPERATORS.into_iter().find(|sign| rest.starts_with(sign));
    found.filter(|_| !rest.starts_with("<<"))
}

/// The length of a word; quotes and expansions are parts of it.
fn word(rest: &str, depth: usize) -> Option<usize> {
    let mut length = 0;
    loop {
        length += part(rest.get(length..)?, depth)?;
        let after = rest.get(length..)?;
        if after.is_empty()
            || after.starts_with(' ')
            || after.starts_with(')') && depth > 0
            || operator(after).is_some()
        {
            return Some(length);
        }
    }
}

/// The length of a part of a word: one character, an escape, a quoted text or an expansion.
fn part(rest: &str, depth: usize) -> Option<usize> {
    let first = rest.chars().next()?;
    match first {
        '\\' => rest.chars().nth(1).map(|next| 1 + next.len_utf8()),
        '\'' => rest.get(1..)?.find('\'').map(|end| end + 2),
        '"' => double(rest, depth),
        '$' => expansion(rest, depth),
        '`' | '(' | ')' | '<' | '!' | '{' | '}' => None,
        _ => Some(first.len_utf8()),
    }
}

fn double(rest: &str, depth: usize) -> Option<usize> {
    let mut at = 1;
    loop {
        let here = rest.get(at..)?;
        let first = here.chars().next()?;
        at += match first {
            '"' => return Some(at + 1),
            '\\' => 1 + here.chars().nth(1)?.len_utf8(),
            '`' => return None,
            '$' => expansion(here, depth)?,
            _ => first.len_utf8(),
        };
    }
}

/// The length of `$name`, `${name…}`, `$(command)` or a single dollar sign.
fn expansion(rest: &str, depth: usize) -> Option<usize> {
    if rest.starts_with("$((")
        || rest.starts_with("$'")
        || rest.starts_with("$\"")
        || rest.starts_with("$[")
    {
        return None;
    }
    if let Some(inner) = rest.strip_prefix("${") {
        let end = inner.find('}')?;
        let inside = inner.get(..end)?;
        let starts = inside.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_plain = starts
            && inside
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_:-?=+./,@%".contains(c) || c == ' ');
        return is_plain.then_some(end + 3);
    }
    if let Some(inner) = rest.strip_prefix("$(") {
        let end = commands(inner, depth + 1)?;
        return inner.get(end..)?.starts_with(')').then_some(end + 3);
    }
    Some(1)
}

/// Reserved words at the beginning of a command. They are refused except for the plain conditional and the plain loop.
const KEYWORDS: [&str; 18] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "function", "select", "time", "coproc", "[[", "]]",
];

/// Commands with separators between them: `&&`, `||` and `|` need a command on each side, a redirection needs a word.
#[derive(Default)]
struct Grammar {
    has_command: bool,
    /// Whether the current command has words.
    has_words: bool,
    expects: Expects,
}

#[derive(Default, PartialEq, Eq)]
enum Expects {
    #[default]
    Anything,
    Command,
    /// The target of a redirection.
    Target,
}

impl Grammar {
    fn word(&mut self, word: &str) -> Option<()> {
        let is_target = self.expects == Expects::Target;
        if !self.has_words && !is_target && KEYWORDS.contains(&word) {
            return None;
        }
        self.has_words |= !is_target;
        self.has_command = true;
        self.expects = Expects::Anything;
        Some(())
    }

    fn operator(&mut self, sign: &str) -> Option<()> {
        if self.expects == Expects::Target || !self.has_words && sign != "\n" {
            return None;
        }
        if sign.contains(['<', '>']) {
            self.expects = Expects::Target;
            return Some(());
        }
        self.has_words = false;
        if ["&&", "||", "|"].contains(&sign) {
            self.expects = Expects::Command;
        }
        Some(())
    }

    fn is_complete(&self) -> bool {
        self.has_command && self.expects == Expects::Anything
    }
}

#[cfg(test)]
mod tests {
    use super::is_complete;

    #[test]
    fn what_is_whole_passes() {
        for good in [
            "make deploy",
            "a && b || c | d; e &",
            "echo \"$HOME ${A:-x}\" '$(' \\'",
            "test \"$(cat a | wc -l)\" = 1",
            "a > b 2>&1",
            "a \\\n  b",
            "# note\na",
            "a &&\nb",
            "curl -f 'http://x/?a=1&b=2'",
            "systemctl restart x # now",
        ] {
            assert!(is_complete(good), "{good}");
        }
        for bad in [
            "", "'", "\"", "a &&", "| a", "a ;; b", "$(a", "`a`", "a)", "(a", "a >", "if x",
            "cat << E", "a > > b", "#", "a\n&& b", "${a", "$(a;", "a & & b", "\"$(\"", "a\\",
        ] {
            assert!(!is_complete(bad), "{bad}");
        }
    }
}
