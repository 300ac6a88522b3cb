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
const DEPTH_LIMIT: usize = 16;

/// One or more commands that a shell can parse. Prompts and blanks at line ends are removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Block")]
pub(super) struct Command(String);

impl Command {
    /// Checks a command of the user.
    ///
    /// # Errors
    /// When a shell could not parse it.
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

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `;`, a line break, `&`, and other separators of commands.
    Separator(&'static str),
    Redirection,
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
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut word = String::new();
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            ')' if depth > 0 => break,
            ' ' => 1,
            // A comment would hide the closing parenthesis.
            '#' if word.is_empty() && depth > 0 => return None,
            '#' if word.is_empty() => rest.find('\n').unwrap_or(rest.len()),
            _ if operator(rest).is_some() => 0,
            _ => {
                let length = part(rest, depth)?;
                word.push_str(rest.get(..length)?);
                rest = rest.get(length..)?;
                continue;
            }
        };
        if !word.is_empty() {
            tokens.push(Token::Word(std::mem::take(&mut word)));
        }
        rest = rest.get(taken..)?;
        if let Some((length, token)) = operator(rest).filter(|_| taken == 0) {
            tokens.push(token);
            rest = rest.get(length..)?;
        }
    }
    if !word.is_empty() {
        tokens.push(Token::Word(word));
    }
    is_grammar(&tokens).then_some(text.len() - rest.len())
}

/// An operator at the beginning, with its length. `<<` and parentheses are not accepted, nor can words contain them.
fn operator(rest: &str) -> Option<(usize, Token)> {
    for separator in ["&&", "||", ";", "\n", "|", "&"] {
        if rest.starts_with(separator) && !rest.starts_with("&>") {
            return Some((separator.len(), Token::Separator(separator)));
        }
    }
    if rest.starts_with("<<") {
        return None;
    }
    let redirection =
        ["&>", ">>", ">&", "<&", ">", "<"].iter().find(|sign| rest.starts_with(**sign))?;
    Some((redirection.len(), Token::Redirection))
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

/// Whether tokens are commands with separators between them; `&&`, `||` and `|` need a command on each side, a
/// redirection needs a word.
fn is_grammar(tokens: &[Token]) -> bool {
    let (mut words, mut needs, mut any) = (0, false, false);
    let mut redirects = false;
    for token in tokens {
        match token {
            Token::Word(word) => {
                let is_key = words == 0 && !redirects && KEYWORDS.contains(&word.as_str());
                if is_key {
                    return false;
                }
                words += usize::from(!redirects);
                (redirects, needs, any) = (false, false, true);
            }
            Token::Redirection if redirects || words == 0 => return false,
            Token::Redirection => redirects = true,
            Token::Separator(_) if redirects => return false,
            Token::Separator("\n") => {
                words = 0;
            }
            Token::Separator(sign) => {
                if words == 0 {
                    return false;
                }
                words = 0;
                needs = ["&&", "||", "|"].contains(sign);
            }
        }
    }
    any && !needs && !redirects
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
