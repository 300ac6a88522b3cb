//! The forms by which a text that is neither JSON nor YAML nor a notation is recognised.

use serde_json::Value;

use crate::notation::{lines, list};
use crate::output::{Fault, Result};
use crate::page::outside_fences;
use crate::text::{front_matter, heading, is_variable};

/// Whether a text is a document in Markdown: it has front matter, a heading, with hashes or underlined, or a story's sentence
/// in the form in which flow writes it.
pub(crate) fn is_document(text: &str) -> bool {
    if front_matter(text).is_some() {
        return true;
    }
    let mut above = "";
    outside_fences(text).any(|(_, line)| {
        let is_line = |mark: char| line.len() > 2 && line.trim_end().chars().all(|c| c == mark);
        let is_under = !above.trim().is_empty() && (is_line('=') || is_line('-'));
        above = line;
        heading(line.trim()).is_some()
            || is_under
            || line.contains("**As a")
            || line.contains("**I want")
    })
}

/// The English keywords that may begin a feature file, with `|` between them.
const KEYWORDS: &str =
    "Feature|Ability|Business Need|Rule|Background|Scenario|Scenario Outline|Scenario Template";

/// Whether a text is a feature file.
pub(crate) fn is_feature(text: &str) -> bool {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let mut comments = lines.clone().take_while(|line| line.is_empty() || line.starts_with('#'));
    if comments.any(|line| line.trim_start_matches(['#', ' ']).starts_with("language:")) {
        return true;
    }
    let first = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(['#', '@']));
    let keyword = first.and_then(|line| line.split_once(':')).map(|(keyword, _)| keyword);
    keyword.is_some_and(|keyword| KEYWORDS.split('|').any(|known| known == keyword))
}

/// The types of commitlint's conventional configuration.
pub(crate) const COMMIT_TYPES: [&str; 11] =
    ["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"];

/// Whether the first line is that of a conventional commit: a known type, an optional scope, and a description.
pub(crate) fn is_commit(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    list::head(first).is_some_and(|head| COMMIT_TYPES.contains(&head.kind) && !head.text.is_empty())
}

/// Whether a text is a range of two revisions: one word with `..` or `...` in it.
pub(super) fn is_range(text: &str) -> bool {
    let Some((from, to)) = text.split_once("...").or_else(|| text.split_once("..")) else {
        return false;
    };
    let is_revision = |name: &str| {
        name.starts_with(|c: char| c.is_alphanumeric() || c == '@')
            && name.chars().all(|c| c.is_alphanumeric() || "._/~^@{}-+".contains(c))
            && !name.contains("..")
    };
    // `1..5` is a range of numbers.
    let is_name = text.contains(char::is_alphabetic) || from.contains('.');
    is_revision(from) && (to.is_empty() || is_revision(to)) && is_name
}

/// Whether a text is the output of `git log`: its labels are not those of a skill.
pub(super) fn is_log(text: &str) -> bool {
    let mut lines = text.lines();
    let id = lines.next().and_then(|line| line.strip_prefix("commit ")?.split(' ').next());
    let second = lines.next().unwrap_or_default();
    id.is_some_and(|id| id.len() >= 40 && id.chars().all(|c| c.is_ascii_hexdigit()))
        && (second.starts_with("Author: ") || second.starts_with("Merge: "))
}

/// Largest number of variables.
pub(super) const MOST_VARIABLES: usize = 1_000;
/// The quotes around a value.
const QUOTES: &str = "\"'";

/// Whether each line of a text sets a variable in upper case.
pub fn is_dotenv(text: &str) -> bool {
    let is_usual =
        |name: &Value| name.as_str().is_some_and(|name| !name.contains(char::is_lowercase));
    assignments(text).is_ok_and(|(names, _)| !names.is_empty() && names.iter().all(is_usual))
}

/// The names of the variables that lines set, each once, of which more than [`MOST_VARIABLES`] are not read. Their values are not read.
///
/// # Errors
/// The number of the first line that sets no variable, or whose quote nothing closes, without its text.
pub(super) fn variables(text: &str) -> Result<Vec<Value>> {
    match assignments(text)? {
        (names, None) => Ok(names),
        (_, Some(line)) => Err(Fault::Unreadable(format!(
            "line {line} of the environment variables begins a value with a quote that nothing closes"
        ))),
    }
}

/// The names of the variables, and the line of a quote that nothing closes.
fn assignments(text: &str) -> Result<(Vec<Value>, Option<usize>)> {
    let mut names: Vec<Value> = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (line, text) in lines(text) {
        // The rest of a value in quotes, which may have several lines.
        if let Some((_, quote)) = open {
            open = open.filter(|_| !text.contains(quote));
            continue;
        }
        let text = text.strip_prefix("export ").unwrap_or(text);
        let pair = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = pair.filter(|(name, _)| is_variable(name)) else {
            let why = format!("line {line} of the environment variables is not NAME=value");
            return Err(Fault::Unreadable(why));
        };
        let quote = value.chars().next().filter(|c| QUOTES.contains(*c));
        let open_quote = quote.filter(|quote| value.matches(*quote).count() == 1);
        open = open_quote.map(|quote| (line, quote));
        if !names.iter().any(|known| known == name) {
            names.push(name.into());
        }
        if names.len() > MOST_VARIABLES {
            break;
        }
    }
    Ok((names, open.map(|(line, _)| line)))
}

/// The beginnings of statements that define or fill something, with `|` between them.
const STATEMENTS: &str = "create table|create type|create index|create unique|create schema|\
    create or replace|create temp|create view|create extension|create function|create sequence|\
    create domain|create database|create unlogged|create external|create trigger|alter table|\
    alter type|alter sequence|drop table|drop index|drop type|drop schema|drop database|\
    drop view|insert into|delete from|comment on|lock tables|truncate |rename table|replace into|\
    vacuum |drop function|drop trigger|drop sequence";
/// The beginnings of statements that a dump may have before those, with `|` between them.
const SETTINGS: &str = "set |use |begin|start transaction|pragma |select |delimiter |go|commit|\
    \\|if |declare ";
/// First words that indicate SQL if in capitals, even if the statement is invalid.
const SQL_IN_CAPITALS: [&str; 7] =
    ["CREATE", "ALTER", "DROP", "INSERT", "SELECT", "UPDATE", "DELETE"];

/// Whether a text is SQL.
pub(super) fn is_sql(text: &str) -> bool {
    let Some(first) = first_line(text) else { return false };
    let lower = first.to_ascii_lowercase();
    let mut words = first.split_whitespace();
    if SQL_IN_CAPITALS.contains(&words.next().unwrap_or_default()) {
        // `DELETE /orders/{id}` is an endpoint.
        return !words.next().is_some_and(|word| word.starts_with('/'));
    }
    let is_statement = |line: &str| {
        begins(line, STATEMENTS) || line.starts_with("update ") && line.contains(" set ")
    };
    let has_marks = text.contains([';', '(', '=']);
    if is_statement(&lower) {
        return has_marks;
    }
    let is_setting =
        begins(&lower, SETTINGS) && first.contains(';') || lower.starts_with('\\') || lower == "go";
    let mut statements = text.split(['\n', ';']);
    is_setting && statements.any(|part| is_statement(&part.trim_start().to_ascii_lowercase()))
}

/// Whether a line has one of these beginnings.
fn begins(line: &str, starts: &str) -> bool {
    starts.split('|').any(|start| line.starts_with(start))
}

/// The first line that is not a comment.
fn first_line(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    loop {
        let after = if rest.starts_with("--") || rest.starts_with('#') {
            // A hash begins a comment of MySQL only if SQL follows; other text follows a Markdown heading.
            rest.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(inside) = rest.strip_prefix("/*") {
            inside.split_once("*/").map_or("", |(_, after)| after).trim_start_matches(';')
        } else {
            return rest.lines().next().filter(|line| !line.trim().is_empty());
        };
        rest = after.trim_start();
    }
}
