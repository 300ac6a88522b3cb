//! Tuples as parameters: a group of values that belong together gets a struct with names, and others are parameters of
//! their own.

use super::{ROOTS, product, sources};

/// Where the parameters of a function begin in a text that begins with `fn `: behind its name and type parameters.
fn parameters_begin(text: &str) -> Option<usize> {
    let name_end = text.find(['(', '<', '\n']).filter(|end| !text[*end..].starts_with('\n'))?;
    let mut depth = 0_i32;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < name_end) {
        match c {
            '(' if depth == 0 => return Some(at + 1),
            '<' => depth += 1,
            '>' if !text[..at].ends_with(['-', '=']) => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The tuple patterns among the parameters of the functions in a text, each with its line.
fn tuple_parameters(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("fn ") {
        let is_word = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let Some(begin) = parameters_begin(&text[at..]).filter(|_| is_word) else { continue };
        let parameters = &text[at + begin..];
        let mut depth = 0_i32;
        let mut is_start = true;
        for (offset, c) in parameters.char_indices() {
            if c == '(' && depth == 0 && is_start {
                let line = text[..at + begin + offset].matches('\n').count() + 1;
                let rest = &parameters[offset..];
                found.push((line, rest.lines().next().unwrap_or_default().to_owned()));
            }
            match c {
                '(' | '[' | '{' | '<' => depth += 1,
                ')' | ']' | '}' if depth == 0 => break,
                ')' | ']' | '}' => depth -= 1,
                '>' if !parameters[..offset].ends_with(['-', '=']) => depth -= 1,
                _ => {}
            }
            is_start = depth == 0 && (c == ',' || is_start && c.is_whitespace());
        }
    }
    found
}

#[test]
fn no_parameter_is_a_tuple() {
    let mut found = Vec::new();
    for source in ROOTS.into_iter().flat_map(sources) {
        for (line, text) in tuple_parameters(product(&source.text)) {
            found.push(format!("{}:{line}: {text}", source.name));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn tuple_parameters_are_found_in_each_position() {
    let lines =
        |text: &str| tuple_parameters(text).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
    assert_eq!(lines("fn f((a, b): (u8, u8)) {}"), [1]);
    assert_eq!(lines("fn f(\n    x: u8,\n    (a, b): (u8, u8),\n) {}"), [3]);
    assert_eq!(lines("fn f<T: Fn(u8) -> u8>(x: &[T], (a, b): (u8, u8)) {}"), [1]);
    assert!(lines("fn f(x: (u8, u8), y: impl Fn((u8, u8)) -> Vec<u8>) -> (u8, u8) {}").is_empty());
}
