//! Recognises SQL by its first statement, after any comments and settings.

/// The beginnings of statements that define or fill something, with `|` between them.
const STATEMENTS: &str = "create table|create type|create index|create unique|create schema|\
    create or replace|create temp|create view|create extension|create function|create sequence|\
    create domain|create database|create unlogged|create external|create trigger|alter table|\
    alter type|alter sequence|drop table|drop index|drop type|drop schema|drop database|\
    drop view|insert into|comment on|lock tables";
/// The beginnings of statements that a dump may have before those, with `|` between them.
const SETTINGS: &str = "set |use |begin|start transaction|pragma |select |delimiter |go|commit|\
    \\|if |declare ";
/// First words that indicate SQL if in capitals, even if the statement is invalid.
const LOUD: [&str; 5] = ["CREATE", "ALTER", "DROP", "INSERT", "SELECT"];

/// Whether a text is SQL.
pub fn is_sql(text: &str) -> bool {
    let Some(first) = first_line(text) else { return false };
    let lower = first.to_ascii_lowercase();
    if LOUD.contains(&first.split_whitespace().next().unwrap_or_default()) {
        return true;
    }
    let is_statement = |line: &str| begins(line, STATEMENTS);
    let has_marks = text.contains(';') || text.contains('(');
    if is_statement(&lower) {
        return has_marks;
    }
    let is_setting = begins(&lower, SETTINGS) && first.trim_end().ends_with(';')
        || lower.starts_with('\\')
        || lower == "go";
    is_setting && text.lines().any(|line| is_statement(&line.trim_start().to_ascii_lowercase()))
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
