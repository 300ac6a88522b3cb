//! Limits on SQL before it is parsed. The parser and its syntax tree are recursive: on `int[][]…`, on `1+1+1+…`, on `a
//! AND b AND …`. Deeper or longer input would overflow the stack.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Deepest nesting of brackets, and largest number of array dimensions and type arguments of one item.
const DEPTH_LIMIT: usize = 64;
/// Largest number of operators and keywords between two commas, including those of the surrounding brackets.
const CHAIN_LIMIT: usize = 1_000;

/// The possible nesting of the tree at one level of brackets.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    /// Number of operators and keywords of the item.
    chain: usize,
    /// Number of array dimensions and type arguments of the item.
    dimensions: usize,
}

pub(super) fn check(tokens: &[TokenWithSpan]) -> Result<(), String> {
    let mut open = Vec::new();
    let mut level = Level::default();
    for TokenWithSpan { token, span } in tokens {
        match token {
            Token::SemiColon => {
                open.clear();
                level = Level::default();
            }
            // An item ends; the surrounding one continues.
            Token::Comma => level = open.last().copied().unwrap_or_default(),
            Token::LParen | Token::LBrace => {
                open.push(level);
                level.chain += 1;
            }
            Token::RParen | Token::RBrace => {
                // The brackets are part of their item.
                level = open.pop().map_or(level, |outer| Level { chain: outer.chain + 1, ..outer });
            }
            Token::LBracket | Token::Lt => level.dimensions += 1,
            Token::Word(word) if word.keyword == Keyword::ARRAY => level.dimensions += 1,
            Token::Word(word) if word.keyword != Keyword::NoKeyword => level.chain += 1,
            // These do not begin anything that nests.
            token if is_plain(token) => continue,
            _ => level.chain += 1,
        }
        let line = span.start.line;
        if open.len() > DEPTH_LIMIT || level.dimensions > DEPTH_LIMIT {
            return Err(over(line, "nests deeper than", DEPTH_LIMIT, "levels"));
        }
        if level.chain > CHAIN_LIMIT {
            return Err(over(line, "chains more than", CHAIN_LIMIT, "operators and keywords"));
        }
    }
    Ok(())
}

fn is_plain(token: &Token) -> bool {
    matches!(
        token,
        Token::Whitespace(_)
            | Token::Number(..)
            | Token::Word(_)
            | Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_)
            | Token::DollarQuotedString(_)
    )
}

/// An error in the format of the parser's own.
fn over(line: u64, what: &str, limit: usize, unit: &str) -> String {
    format!("it {what} {limit} {unit}, the limit at Line: {line}, Column: 1")
}
