//! Rewrites syntax that databases accept and the parser does not.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::text::lists;

/// Words of MySQL's column definitions that say nothing of their values.
const CUT: [&str; 4] = ["ZEROFILL", "VISIBLE", "INVISIBLE", "COMPRESSED"];
/// Represents MySQL's attribute `BINARY` of a text column, as the name of a collation.
pub(super) const BINARY_ATTRIBUTE: &str = "binary_attribute";
/// Types of text, which may have the attribute `BINARY`.
const TEXTS: [&str; 7] =
    ["CHAR", "CHARACTER", "VARCHAR", "TEXT", "TINYTEXT", "MEDIUMTEXT", "LONGTEXT"];
/// What follows the type of a column in SQLite.
const AFTER_TYPE: &str =
    "CONSTRAINT PRIMARY NOT NULL UNIQUE CHECK DEFAULT COLLATE REFERENCES GENERATED AS ON";
/// What begins a constraint of a table, and no column.
const CONSTRAINTS: [&str; 5] = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];

/// An unquoted word in upper case.
fn word(own: Option<&TokenWithSpan>) -> Option<String> {
    match own.map(|own| &own.token) {
        Some(Token::Word(word)) if word.quote_style.is_none() => Some(word.value.to_uppercase()),
        _ => None,
    }
}

fn is(own: Option<&TokenWithSpan>, wanted: &str) -> bool {
    word(own).is_some_and(|word| word == wanted)
}

fn made(word: &str, quote: Option<char>, like: &TokenWithSpan) -> TokenWithSpan {
    TokenWithSpan { token: Token::make_word(word, quote), span: like.span }
}

/// Removes display attributes, and writes `varchar(9) BINARY` as a collation.
pub(super) fn mysql(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    for own in tokens {
        let text = word(Some(&own)).unwrap_or_default();
        let is_start =
            matches!(out.last().map(|own| &own.token), Some(Token::Comma | Token::LParen));
        if text == "BINARY" && is_text(&out) {
            out.push(made("COLLATE", None, &own));
            out.push(made(BINARY_ATTRIBUTE, None, &own));
        } else if is_start || !CUT.contains(&text.as_str()) {
            out.push(own);
        }
    }
    out
}

/// Whether tokens end in a text type, possibly with its length.
fn is_text(tokens: &[TokenWithSpan]) -> bool {
    let at = match tokens {
        [.., open, _, close] if open.token == Token::LParen && close.token == Token::RParen => {
            tokens.len() - 4
        }
        _ => tokens.len().wrapping_sub(1),
    };
    word(tokens.get(at)).is_some_and(|word| TEXTS.contains(&word.as_str()))
}

/// Removes syntax of newer PostgreSQL versions and dumps that the parser does not support.
pub(super) fn postgres(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let is_domain = is(tokens.first(), "CREATE") && is(tokens.get(1), "DOMAIN");
    let mut rest = tokens.into_iter().peekable();
    while let Some(own) = rest.next() {
        let is_after = |wanted: &str| is(out.last(), wanted);
        if is_after("ON") && is(Some(&own), "ONLY") {
            continue;
        }
        // The options of an identity's sequence.
        if own.token == Token::LParen && is_after("IDENTITY") {
            while rest.next().is_some_and(|own| own.token != Token::RParen) {}
            continue;
        }
        // Version 18 computes it when it is read; older versions only store it.
        if is(Some(&own), "VIRTUAL") && out.last().is_some_and(|own| own.token == Token::RParen) {
            out.push(made("STORED", None, &own));
            continue;
        }
        if is_domain && is(Some(&own), "NULL") && !is_after("NOT") {
            continue;
        }
        let is_not = is_domain && is(Some(&own), "NOT");
        if is_not && rest.next_if(|own| is(Some(own), "NULL")).is_some() {
            // The parser accepts only CHECK there.
            let symbol = |token: Token| TokenWithSpan { token, span: own.span };
            out.extend([made("CHECK", None, &own), symbol(Token::LParen)]);
            out.extend(["VALUE", "IS", "NOT", "NULL"].map(|word| made(word, None, &own)));
            out.push(symbol(Token::RParen));
            continue;
        }
        let is_named = is_domain && out.len() > 2 && !out.iter().any(|own| is(Some(own), "AS"));
        let is_path =
            own.token == Token::Period || out.last().is_some_and(|own| own.token == Token::Period);
        if is_named && !is_path && !is(Some(&own), "AS") {
            out.push(made("AS", None, &own));
        }
        out.push(own);
    }
    out
}

/// Joins the words of a type, of which SQLite allows any number.
pub(super) fn sqlite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !is(tokens.first(), "CREATE") || !(is(tokens.get(1), "TABLE") || is(tokens.get(2), "TABLE"))
    {
        return tokens;
    }
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut depth = 0_usize;
    let mut rest = tokens.into_iter().peekable();
    while let Some(own) = rest.next() {
        match own.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_start = depth == 1 && matches!(own.token, Token::LParen | Token::Comma);
        out.push(own);
        let is_constraint = |own: Option<&TokenWithSpan>| {
            word(own).is_some_and(|word| CONSTRAINTS.contains(&word.as_str()))
        };
        if !is_start || is_constraint(rest.peek()) {
            continue;
        }
        out.extend(rest.next());
        let mut words = Vec::new();
        let is_type =
            |own: &TokenWithSpan| word(Some(own)).is_some_and(|word| !lists(AFTER_TYPE, &word));
        while let Some(own) = rest.next_if(is_type) {
            words.push(own);
        }
        match words.as_slice() {
            [first, _, ..] => {
                let text: Vec<String> = words.iter().map(|own| own.token.to_string()).collect();
                out.push(made(&text.join(" "), Some('"'), first));
            }
            _ => out.append(&mut words),
        }
    }
    out
}
