//! Parses one statement with sqlparser: the part that none of its dialects accepts is cut off before, and errors get
//! the line within the whole text.

use sqlparser::ast::Statement as Ast;
use sqlparser::dialect::{Dialect, GenericDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::statements::Statement;
use crate::data::SqlDialect;
use crate::text::{is_number, lists};

pub(super) struct Parsed {
    pub(super) ast: Ast,
    /// The tokens after the closing parenthesis of a CREATE TABLE.
    pub(super) tail: Vec<Token>,
    /// Whether a column that numbers its rows has options other than those of dumps: a start, a step.
    pub(super) is_numbered: bool,
}

/// Parses a statement in the dialect of the text, else in the first other one that accepts it.
pub(super) fn parse(statement: &Statement, dialect: Option<SqlDialect>) -> Result<Parsed, String> {
    let mut first = None;
    for parser in dialects(dialect) {
        match parse_in(&statement.text, parser) {
            Ok(parsed) => return Ok(parsed),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(placed(&first.unwrap_or_default(), statement.line))
}

fn dialects(first: Option<SqlDialect>) -> [&'static dyn Dialect; 4] {
    let mut all: [(Option<SqlDialect>, &'static dyn Dialect); 4] = [
        (Some(SqlDialect::Postgres), &PostgreSqlDialect {}),
        (Some(SqlDialect::MySql), &MySqlDialect {}),
        (Some(SqlDialect::Sqlite), &SQLiteDialect {}),
        (None, &GenericDialect {}),
    ];
    all.sort_by_key(|(dialect, _)| first.is_none() || *dialect != first);
    all.map(|(_, dialect)| dialect)
}

fn parse_in(text: &str, dialect: &dyn Dialect) -> Result<Parsed, String> {
    let tokens = Tokenizer::new(dialect, text)
        .tokenize_with_location()
        .map_err(|error| error.to_string())?;
    check(&tokens)?;
    let (tokens, is_numbered) = without_extras(tokens);
    let (tokens, tail) = without_tail(tokens);
    let mut parser = Parser::new(dialect).with_tokens_with_locations(tokens);
    let ast = parser.parse_statement().map_err(|error| error.to_string())?;
    match parser.next_token().token {
        Token::EOF | Token::SemiColon => Ok(Parsed { ast, tail, is_numbered }),
        other => Err(format!("expected the end of the statement, found: {other}")),
    }
}

/// Words of dumps that the parser does not know, and that say nothing of values.
const CUT: &str = "ZEROFILL VISIBLE INVISIBLE COMPRESSED";

/// The tokens without spaces, and without what dumps say besides: ONLY after ON, and the options of an identity's sequence;
/// whether one of these has another number than 1.
fn without_extras(tokens: Vec<TokenWithSpan>) -> (Vec<TokenWithSpan>, bool) {
    let is = |token: &TokenWithSpan, wanted: &str| match &token.token {
        Token::Word(word) => {
            word.quote_style.is_none() && lists(wanted, &word.value.to_uppercase())
        }
        _ => false,
    };
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut is_numbered = false;
    let mut rest = tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_)));
    while let Some(token) = rest.next() {
        let is_after = |wanted: &str| out.last().is_some_and(|last| is(last, wanted));
        let is_start =
            matches!(out.last().map(|token| &token.token), Some(Token::Comma | Token::LParen));
        if token.token == Token::LParen && is_after("IDENTITY") {
            let options = rest.by_ref().take_while(|token| token.token != Token::RParen);
            // Dumps state the usual ones: NO CYCLE, and no number but 1.
            let said: Vec<String> = options.map(|token| token.to_string().to_uppercase()).collect();
            is_numbered |= said.iter().any(|word| word == "-" || is_number(word) && word != "1")
                || said.windows(2).any(|pair| pair[1] == "CYCLE" && pair[0] != "NO");
        } else if !(is_after("ON") && is(&token, "ONLY") || is(&token, CUT) && !is_start) {
            out.push(token);
        }
    }
    (out, is_numbered)
}

/// Cuts a CREATE TABLE after the closing parenthesis of its columns.
fn without_tail(mut tokens: Vec<TokenWithSpan>) -> (Vec<TokenWithSpan>, Vec<Token>) {
    let word = |at: usize| match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(word)) => word.keyword,
        _ => Keyword::NoKeyword,
    };
    let open = tokens.iter().position(|token| token.token == Token::LParen).unwrap_or(tokens.len());
    let is_table =
        word(0) == Keyword::CREATE && (1..open.min(5)).any(|at| word(at) == Keyword::TABLE);
    let is_other = (1..open)
        .any(|at| matches!(word(at), Keyword::AS | Keyword::LIKE | Keyword::OF | Keyword::SELECT));
    if !is_table || is_other {
        return (tokens, Vec::new());
    }
    let mut depth = 0_usize;
    let end = tokens.iter().skip(open).position(|token| {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    let Some(end) = end else { return (tokens, Vec::new()) };
    let tail = tokens.split_off(open + end + 1);
    let tail = tail.into_iter().map(|token| token.token).filter(|token| *token != Token::EOF);
    (tokens, tail.collect())
}

/// An error with the line within the whole text instead of the statement.
fn placed(error: &str, line: usize) -> String {
    let error = error.trim_start_matches("sql parser error: ");
    let Some((what, place)) = error.rsplit_once(" at Line: ") else { return error.to_owned() };
    let number = place.split(',').next().and_then(|number| number.parse::<usize>().ok());
    let line = line + number.unwrap_or(1).saturating_sub(1);
    format!("{}, at line {line}", what.replacen("Expected:", "expected", 1))
}

/// Deepest nesting of brackets, of array dimensions and of type arguments.
const DEPTH_LIMIT: usize = 64;
/// Largest number of operators and keywords of a column or a constraint: each may be a level of the tree.
const CHAIN_LIMIT: usize = 1_000;

pub(super) fn check(tokens: &[TokenWithSpan]) -> Result<(), String> {
    let (mut depth, mut dimensions, mut chain) = (0_usize, 0_usize, 0_usize);
    for TokenWithSpan { token, span } in tokens {
        match token {
            // The next column or constraint begins.
            Token::Comma if depth <= 1 => (dimensions, chain) = (0, 0),
            Token::LParen | Token::LBrace => depth += 1,
            Token::RParen | Token::RBrace => depth = depth.saturating_sub(1),
            Token::LBracket | Token::Lt => dimensions += 1,
            Token::Word(word) if word.keyword == Keyword::ARRAY => dimensions += 1,
            Token::Word(word) if word.keyword != Keyword::NoKeyword => chain += 1,
            // These do not begin anything that nests.
            token if is_plain(token) => continue,
            _ => chain += 1,
        }
        let line = span.start.line;
        if depth > DEPTH_LIMIT || dimensions > DEPTH_LIMIT {
            return Err(over(line, "nests deeper than", DEPTH_LIMIT, "levels"));
        }
        if chain > CHAIN_LIMIT {
            return Err(over(line, "chains more than", CHAIN_LIMIT, "operators and keywords"));
        }
    }
    Ok(())
}

fn is_plain(token: &Token) -> bool {
    matches!(
        token,
        Token::Whitespace(_)
            | Token::Comma
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
