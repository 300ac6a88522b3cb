//! The part after the columns of a CREATE TABLE: options, comment, parents and partitions.

use std::fmt::Write as _;

use sqlparser::tokenizer::Token;

use crate::data::SqlDialect;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) comment: Option<String>,
    /// In the syntax of the dialect.
    pub(super) options: Option<String>,
    pub(super) partition_by: Option<String>,
    /// The tables whose columns it inherits or copies.
    pub(super) parents: Vec<String>,
    /// It is filled from a query, which may add columns.
    pub(super) has_query: bool,
}

/// MySQL options that are kept; all others concern storage or the existing rows.
const KEPT: [&str; 5] = ["ENGINE", "CHARSET", "CHARACTER SET", "COLLATE", "ROW_FORMAT"];

pub(super) fn read(tokens: &[Token], dialect: Option<SqlDialect>) -> Tail {
    let words: Vec<String> = tokens.iter().map(|token| token.to_string().to_uppercase()).collect();
    let has = |first: &str, second: &str| words.windows(2).position(|pair| pair == [first, second]);
    let mut tail = Tail { has_query: words.iter().any(|word| word == "SELECT"), ..Tail::default() };
    let mut end = tokens.len();
    if let Some(at) = has("PARTITION", "BY") {
        tail.partition_by = tokens.get(at..).map(joined);
        end = at;
    }
    if let Some(at) = has("INHERITS", "(") {
        let names = tokens.iter().skip(at + 2).take_while(|token| **token != Token::RParen);
        let all: String = names.map(ToString::to_string).collect();
        let last =
            |name: &str| name.rsplit('.').next().unwrap_or(name).trim_matches('"').to_owned();
        tail.parents = all.split(',').map(last).collect();
    }
    match dialect {
        Some(SqlDialect::MySql) => mysql(tokens.get(..end).unwrap_or_default(), &mut tail),
        Some(SqlDialect::Sqlite) => {
            let rowid = has("WITHOUT", "ROWID").map(|_| "WITHOUT ROWID");
            let strict = words.iter().any(|word| word == "STRICT").then_some("STRICT");
            let own: Vec<&str> = rowid.into_iter().chain(strict).collect();
            tail.options = Some(own.join(", "));
        }
        _ => {}
    }
    tail
}

fn mysql(tokens: &[Token], tail: &mut Tail) {
    let mut kept: Vec<(String, String)> = Vec::new();
    let mut name: Vec<String> = Vec::new();
    for token in tokens {
        let value = match token {
            Token::Eq => continue,
            Token::Comma => {
                name.clear();
                continue;
            }
            Token::Word(word) if !is_value(&name) => {
                name.push(word.value.to_uppercase());
                continue;
            }
            value => value,
        };
        let key = std::mem::take(&mut name).join(" ");
        match (key.trim_start_matches("DEFAULT "), value) {
            ("COMMENT", Token::SingleQuotedString(text)) => {
                tail.comment = Some(text.clone()).filter(|text| !text.is_empty());
            }
            ("TYPE", _) => kept.push(("ENGINE".into(), value.to_string())),
            (key, _) if KEPT.contains(&key) => kept.push((key.to_owned(), value.to_string())),
            _ => {}
        }
    }
    // MySQL's current default, which MariaDB does not have.
    kept.retain(|(key, value)| !(key == "COLLATE" && value.contains("_0900_")));
    let texts = kept.iter().map(|(key, value)| match key.as_str() {
        "CHARSET" | "CHARACTER SET" => format!("DEFAULT CHARSET={value}"),
        key => format!("{key}={value}"),
    });
    tail.options = Some(texts.collect::<Vec<_>>().join(" "));
}

/// Whether the words so far name an option that has a value.
fn is_value(name: &[String]) -> bool {
    let last = name.last().map(String::as_str);
    last.is_some_and(|word| !matches!(word, "DEFAULT" | "CHARACTER" | "DATA" | "INDEX"))
}

pub(super) fn joined(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut before: Option<&Token> = None;
    for token in tokens {
        let is_tight = matches!(token, Token::Comma | Token::RParen | Token::Period)
            || matches!(before, None | Some(Token::LParen | Token::Period));
        if !is_tight {
            text.push(' ');
        }
        match token {
            // The tokenizer has read its escapes; the token would be printed without them.
            Token::SingleQuotedString(own) => {
                let _ = write!(text, "'{}'", own.replace('\'', "''"));
            }
            other => text.push_str(&other.to_string()),
        }
        before = Some(token);
    }
    text
}
