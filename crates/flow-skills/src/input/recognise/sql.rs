//! Whether a text is SQL: by its first statement, whatever comments and settings stand before the first table.

/// How a statement that defines or fills something begins.
const STATEMENTS: [&str; 28] = [
    "create table",
    "create type",
    "create index",
    "create unique",
    "create schema",
    "create or replace",
    "create temp",
    "create view",
    "create extension",
    "create function",
    "create sequence",
    "create domain",
    "create database",
    "create unlogged",
    "create external",
    "create trigger",
    "alter table",
    "alter type",
    "alter sequence",
    "drop table",
    "drop index",
    "drop type",
    "drop schema",
    "drop database",
    "drop view",
    "insert into",
    "comment on",
    "lock tables",
];
/// How a dump may begin before that.
const SETTINGS: [&str; 12] = [
    "set ",
    "use ",
    "begin",
    "start transaction",
    "pragma ",
    "select ",
    "delimiter ",
    "go",
    "commit",
    "\\",
    "if ",
    "declare ",
];
/// First words that are SQL in capitals, even where the statement has a slip.
const LOUD: [&str; 5] = ["CREATE", "ALTER", "DROP", "INSERT", "SELECT"];

/// Whether a text is SQL.
pub fn is_sql(text: &str) -> bool {
    let Some(first) = first_line(text) else { return false };
    let lower = first.to_ascii_lowercase();
    if LOUD.contains(&first.split_whitespace().next().unwrap_or_default()) {
        return true;
    }
    let is_statement = |line: &str| STATEMENTS.iter().any(|start| line.starts_with(start));
    let has_marks = text.contains(';') || text.contains('(');
    if is_statement(&lower) {
        return has_marks;
    }
    let is_setting = SETTINGS.iter().any(|start| lower.starts_with(start))
        && first.trim_end().ends_with(';')
        || lower.starts_with('\\')
        || lower == "go";
    is_setting && text.lines().any(|line| is_statement(&line.trim_start().to_ascii_lowercase()))
}

/// The first line that is no comment.
fn first_line(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    loop {
        let after = if rest.starts_with("--") || rest.starts_with('#') {
            // A hash begins a comment of MySQL only where SQL follows; a heading of Markdown has text of another kind.
            rest.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(inside) = rest.strip_prefix("/*") {
            inside.split_once("*/").map_or("", |(_, after)| after).trim_start_matches(';')
        } else {
            return rest.lines().next().filter(|line| !line.trim().is_empty());
        };
        rest = after.trim_start();
    }
}
