//! The functions of which predicates consist, and the selection of those that an artifact needs. They are separate
//! program files in this folder, so that they can be read and checked as such.

use super::language::TargetLanguage;

const SCRIPT: &str = include_str!("runtime.ts");
const PYTHON: &str = include_str!("runtime.py");

/// The functions of the runtime that `text` uses, and those that they use, in the order of their definitions.
pub(super) fn used(text: &str, language: TargetLanguage) -> String {
    let program = if language == TargetLanguage::TypeScript { SCRIPT } else { PYTHON };
    used_of(program, text, language)
}

/// The same for another program.
pub(super) fn used_of(program: &str, text: &str, language: TargetLanguage) -> String {
    let pieces = pieces(program);
    let mut wanted = vec![false; pieces.len()];
    let text = code_only(text);
    let mut open: Vec<&str> = vec![&text];
    while let Some(text) = open.pop() {
        for (at, (name, code)) in pieces.iter().enumerate() {
            if !wanted[at] && mentions(text, name) {
                wanted[at] = true;
                open.push(code);
            }
        }
    }
    let gap = if language == TargetLanguage::TypeScript { "\n" } else { "\n\n\n" };
    let chosen = pieces.iter().zip(wanted).filter(|(_, wanted)| *wanted);
    chosen.map(|((_, code), _)| code.trim_end()).collect::<Vec<_>>().join(gap)
}

/// A program without comments and the contents of strings and regular expressions, which may mention functions without using them.
fn code_only(program: &str) -> String {
    let is_comment = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("/**") || line.starts_with("* ") || line == "*" || line.starts_with("*/")
    };
    let mut code = String::with_capacity(program.len());
    for line in program.lines().filter(|line| !is_comment(line)) {
        // A recursive alias is code in a string.
        if line.contains(" = TypeAliasType(") {
            code.push_str(line);
            code.push('\n');
            continue;
        }
        // What ends the string or regular expression at this position.
        let mut end: Option<char> = None;
        let (mut is_escaped, mut before) = (false, ' ');
        for c in line.chars() {
            if end.is_none() || end == Some(c) && !is_escaped {
                code.push(c);
                let is_start = c == '"' || c == '/' && matches!(before, '(' | '[');
                end = Some(c).filter(|_| end.is_none() && is_start);
            }
            is_escaped = end.is_some() && c == '\\' && !is_escaped;
            before = c;
        }
        code.push('\n');
    }
    code
}

/// The definitions of a program: each begins at a line that is not indented.
fn pieces(program: &str) -> Vec<(&str, &str)> {
    let mut pieces: Vec<(&str, &str)> = Vec::new();
    let mut rest = program;
    while !rest.is_empty() {
        let end = rest
            .match_indices('\n')
            .map(|(at, _)| at + 1)
            .find(|at| rest[*at..].starts_with(|c: char| c.is_ascii_alphabetic()))
            .unwrap_or(rest.len());
        let (code, next) = rest.split_at(end);
        let head = ["const ", "type ", "def "]
            .iter()
            .find_map(|word| code.strip_prefix(word))
            .unwrap_or(code);
        let stop =
            head.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(head.len());
        pieces.push((&head[..stop], code));
        rest = next;
    }
    pieces
}

/// Whether a program uses a name: a type as a word, a function where it is called or passed, a table where it is
/// indexed. A text or a key with the same name does not count.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let is_type = name.starts_with(|c: char| c.is_ascii_uppercase());
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let used = match after {
            Some('(' | '[' | '.' | '<') => true,
            Some(')') => is_type || before == Some('('),
            _ => is_type,
        };
        used && !before.is_some_and(|c| is_part(c) || c == '.') && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::{TargetLanguage, used};

    #[test]
    fn a_function_after_a_pattern_with_a_quote_is_used() {
        for pattern in ["/^\"/u", "/\\/\"/u", "/types(\"a/u"] {
            let program = format!("a: z.string().regex({pattern}).refine(minLength(3), \"x\"),");
            let functions = used(&program, TargetLanguage::TypeScript);
            assert!(functions.contains("const minLength ="), "{pattern}: {functions}");
            assert!(!functions.contains("const types ="), "{pattern}: {functions}");
        }
    }
}
