//! Partitions, which the parser does not support: they are read from the tokens.

use sqlparser::tokenizer::Token;

use super::kind::is_partition;
use super::{Reader, parse, tail};
use crate::data::SqlDialect;

impl Reader {
    /// Reads a statement that creates a partition; false for other statements.
    pub(super) fn partition(&mut self, text: &str) -> bool {
        let dialect = self.dialect.unwrap_or(SqlDialect::Postgres);
        let upper = text.to_ascii_uppercase();
        match dialect {
            SqlDialect::MySql if upper.starts_with("ALTER") => self.partitioned(text),
            SqlDialect::Postgres if is_partition(text) => {
                let found = Part::read(&parse::tokens(text, dialect));
                found.map(|part| self.part(part)).is_some()
            }
            _ => false,
        }
    }

    fn part(&mut self, own: Part) {
        let Part { name, whole, bounds } = own;
        let is_plain = !bounds.to_uppercase().contains("PARTITION BY");
        match self.native(&whole).filter(|_| is_plain) {
            Some(native) => _ = native.partitions.insert(name.clone(), bounds),
            None => self.note(format!("the partition {name} of {whole} is not kept")),
        }
        self.model.entities.shift_remove(&name);
        self.partitions.push(name);
    }

    /// Reads MySQL's `ALTER TABLE whole PARTITION BY …`.
    fn partitioned(&mut self, text: &str) -> bool {
        let tokens = parse::tokens(text, SqlDialect::MySql);
        let [Token::Word(alter), _, Token::Word(table), Token::Word(partition), ..] =
            tokens.as_slice()
        else {
            return false;
        };
        let is_it = alter.value.eq_ignore_ascii_case("ALTER")
            && partition.value.eq_ignore_ascii_case("PARTITION");
        let own = self.spelling(&table.value).filter(|_| is_it);
        let Some(native) = own.and_then(|own| self.native(&own)) else { return false };
        native.partition_by = tokens.get(3..).map(tail::joined);
        true
    }
}

struct Part {
    name: String,
    whole: String,
    bounds: String,
}

impl Part {
    /// Reads `CREATE TABLE name PARTITION OF whole bounds`, or `ALTER TABLE whole ATTACH PARTITION name bounds`.
    fn read(tokens: &[Token]) -> Option<Self> {
        let position = |wanted: &str, from: usize| {
            let is_it =
                |token: &Token| word(token).is_some_and(|own| own.eq_ignore_ascii_case(wanted));
            tokens.iter().skip(from).position(is_it).map(|at| at + from)
        };
        let mark = position("PARTITION", 0)?;
        let is_attached =
            tokens.get(mark.checked_sub(1)?).and_then(word)?.eq_ignore_ascii_case("ATTACH");
        let bounds = position("FOR", mark).or_else(|| position("DEFAULT", mark))?;
        let before = tokens.get(..mark)?.iter().rev().skip(usize::from(is_attached));
        let before = before.into_iter().find_map(word)?.to_owned();
        let from = mark + 1 + usize::from(!is_attached);
        let is_name = |token: &&Token| matches!(token, Token::Word(_) | Token::Period);
        let path = tokens.get(from..bounds)?.iter().take_while(is_name);
        let after = path.filter_map(word).last()?.to_owned();
        let (name, whole) = if is_attached { (after, before) } else { (before, after) };
        Some(Self { name, whole, bounds: tail::joined(tokens.get(bounds..)?) })
    }
}

fn word(token: &Token) -> Option<&str> {
    match token {
        Token::Word(word) => Some(&word.value),
        _ => None,
    }
}
