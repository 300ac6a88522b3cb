//! Whether an expression works in every database of its dialect: it uses only built-in functions and types.

use sqlparser::tokenizer::Token;

use super::parse::tokens;
use super::types;
use crate::data::SqlDialect;
use crate::text::lists;

/// Built-in functions, and keywords that may precede a parenthesis.
const KNOWN: &str = include_str!("portable.txt");

/// Whether every function and type of an expression is built in; `enums` are those that the DDL creates.
pub(super) fn is_portable(text: &str, dialect: SqlDialect, enums: &dyn Fn(&str) -> bool) -> bool {
    let all = tokens(text, dialect);
    let word = |token: Option<&Token>| match token {
        Some(Token::Word(word)) => Some(word.value.to_lowercase()),
        _ => None,
    };
    let is_known = |(at, token): (usize, &Token)| {
        let next = all.get(at + 1);
        match word(Some(token)) {
            _ if *token == Token::DoubleColon => {
                let path = all.iter().skip(at + 1);
                let path = path.take_while(|own| matches!(own, Token::Word(_) | Token::Period));
                let path: Vec<String> = path.filter_map(|own| word(Some(own))).collect();
                let is_enum = path.iter().any(|name| enums(name));
                path.first().is_some_and(|first| is_enum || types::is_builtin(first))
            }
            Some(name) if next == Some(&Token::LParen) && !is_prefix(&all, at, dialect) => {
                let is_path = at > 1 && all.get(at - 1) == Some(&Token::Period);
                let schema = word(all.get(at.wrapping_sub(2))).filter(|_| is_path);
                schema.is_none_or(|own| own == "pg_catalog")
                    && !is_quoted(token)
                    && is_function(&name)
            }
            _ => true,
        }
    };
    !all.is_empty() && all.iter().enumerate().all(is_known)
}

/// Whether a name is that of a built-in function or type, or a keyword that may precede a parenthesis.
pub(super) fn is_function(name: &str) -> bool {
    lists(KNOWN, &name.to_lowercase()) || types::is_builtin(name)
}

/// Whether a word is a quoted column with a prefix length, as in an index of MySQL.
fn is_prefix(all: &[Token], at: usize, dialect: SqlDialect) -> bool {
    let inside = all.get(at + 2..at + 4);
    dialect == SqlDialect::MySql
        && is_quoted(&all[at])
        && matches!(inside, Some([Token::Number(..), Token::RParen]))
}

fn is_quoted(token: &Token) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_some())
}
