//! Whether an expression works in every database of its dialect: it uses only built-in functions and types.

use sqlparser::tokenizer::Token;

use super::parse::tokens;
use super::types;
use crate::data::SqlDialect;
use crate::text::lists;

/// Built-in functions, and keywords that may precede a parenthesis.
const KNOWN: &str = " gin gist brin spgist hash btree include array_ndims array_lower array_upper family host masklen network netmask lcase ucase \
    jsonb_exists jsonb_exists_any jsonb_path_match jsonb_extract_path_text json_extract_path_text abs age all and any array array_length array_position as between bit_length btrim cardinality case \
    cast ceil ceiling char char_length character_length check clock_timestamp coalesce concat concat_ws convert count \
    crc32 curdate current_date current_time current_timestamp curtime date date_add date_format date_part date_sub \
    date_trunc date_type datetime daterange decimal decode default div else encode exists extract false floor format \
    gen_random_uuid generated glob greatest hex if ifnull in inet_aton inet_ntoa instr int4range int8range interval is \
    isempty isfinite isnull json_array json_array_length json_extract json_length json_object json_quote json_type \
    json_unquote json_valid jsonb_array_length jsonb_build_object jsonb_path_exists jsonb_typeof julianday least left \
    length like localtime localtimestamp lower lower_inc ltrim lpad make_date md5 mod month nextval not now nullif \
    num_nonnulls num_nulls numeric numrange octet_length on or over overlay pg_column_size position power printf quote \
    random randomblob regexp_instr regexp_like regexp_matches regexp_replace replace right round row rpad rtrim scale \
    sha1 sha2 sha256 sign split_part sqrt st_geomfromtext starts_with str_to_date strftime string_to_array strpos \
    strip substr substring sysdate then time timestamp timezone to_char to_date to_json to_jsonb to_number \
    to_timestamp to_tsquery to_tsvector translate trim trunc tsrange tstzrange typeof unhex unicode unix_timestamp \
    unixepoch upper upper_inc utc_date utc_time utc_timestamp uuid value values varchar when where xor year day hour \
    minute second setweight array_to_string likely unlikely using collate json jsonb transaction_timestamp \
    statement_timestamp current_user session_user ";

/// Whether every function and type of an expression is built in; `enums` are those that the DDL creates.
pub(super) fn is_portable(text: &str, dialect: SqlDialect, enums: &dyn Fn(&str) -> bool) -> bool {
    let all = tokens(text, dialect);
    let word = |token: Option<&Token>| match token {
        Some(Token::Word(word)) => Some(word.value.to_lowercase()),
        _ => None,
    };
    !all.is_empty()
        && all.iter().enumerate().all(|(at, token)| {
            let next = all.get(at + 1);
            let name = word(Some(token));
            match (name, next) {
                _ if *token == Token::DoubleColon => {
                    let path: Vec<String> = all
                        .iter()
                        .skip(at + 1)
                        .take_while(|own| matches!(own, Token::Word(_) | Token::Period))
                        .filter_map(|own| word(Some(own)))
                        .collect();
                    path.first().is_some_and(|first| {
                        types::is_builtin(first) || path.iter().any(|name| enums(name))
                    })
                }
                (Some(_), Some(Token::LParen)) if is_quoted(token) => true,
                (Some(name), Some(Token::LParen)) => {
                    let is_path = at > 1 && all.get(at - 1) == Some(&Token::Period);
                    let schema = word(all.get(at.wrapping_sub(2))).filter(|_| is_path);
                    schema.is_none_or(|own| own == "pg_catalog")
                        && (lists(KNOWN, &name) || types::is_builtin(&name))
                }
                _ => true,
            }
        })
}

/// Whether a word is quoted, so that it is a column with a prefix length.
fn is_quoted(token: &Token) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_some())
}
