//! The texts of a table's native properties, before they are written into SQL again. They come from a reader, or from a
//! model given as JSON, which may say anything: one that is not exactly the expected part of its dialect is left out.
//!
//! A text passes if its quotes, brackets and statement end inside of it ([`is_closed`]), if the parser reads it as just
//! that part, and if it calls built-in functions only.

use sqlparser::ast::{ColumnOption, Statement as Ast, TableConstraint};
use sqlparser::tokenizer::Token;

use super::statements::Statement;
use super::types::INDEXING;
use super::{parse, portable, tail};
use crate::data::{Native, NativeCheck, NativeColumn, NativeIndex, SqlDialect};
use crate::text::lists;

/// Words of partitions, outside of brackets.
const PARTITION: &str =
    "PARTITION BY RANGE LIST HASH KEY LINEAR COLUMNS PARTITIONS SUBPARTITION SUBPARTITIONS";
/// Words of the bounds of a partition, outside of brackets.
const BOUNDS: &str = "FOR VALUES FROM TO IN WITH DEFAULT";
/// Words that may begin a query, or name a file.
const REFUSED: &str = "SELECT TABLE UNION INTO DIRECTORY CONNECTION";
/// Largest number of texts that are named.
const NAMED: usize = 20;

/// The properties whose texts are parts of their dialect, and what was left out: the place and the text.
pub(crate) fn checked(native: &Native) -> (Native, Vec<String>) {
    let mut kept = native.clone();
    let mut gate = Gate { dialect: native.dialect, lost: Vec::new() };
    kept.primary_key.take_if(|text| !gate.keeps("primary key", text, Gate::is_columns));
    kept.columns.retain(|name, column| gate.column(name, column));
    kept.checks
        .retain(|NativeCheck { condition, .. }| gate.keeps("CHECK", condition, Gate::is_condition));
    kept.indexes.retain(|index| gate.index(index));
    kept.extensions
        .retain(|name| gate.keeps("extension", name, |_, name| INDEXING.contains(&name)));
    kept.options.take_if(|text| !gate.keeps("options", text, Gate::is_options));
    kept.partition_by.take_if(|text| !gate.keeps("partitions", text, Gate::is_partitioning));
    kept.partitions.retain(|_, bounds| gate.keeps("bounds", bounds, Gate::is_bounds));
    if kept.partition_by.is_none() {
        kept.partitions.clear();
    }
    gate.lost.truncate(NAMED);
    (kept, gate.lost)
}

struct Gate {
    dialect: SqlDialect,
    lost: Vec<String>,
}

impl Gate {
    /// Whether a text is what it must be; otherwise it is among those that are left out.
    fn keeps(&mut self, what: &str, text: &str, is_it: fn(&Self, &str) -> bool) -> bool {
        let keeps = is_closed(text, self.dialect) && is_it(self, text);
        if !keeps {
            let title = self.dialect.title();
            self.lost.push(format!("{what} {text:?} is not read as SQL of {title}: left out"));
        }
        keeps
    }

    fn column(&mut self, name: &str, column: &mut NativeColumn) -> bool {
        let is_type = match &column.enumeration {
            // It is written as it is, and created as an enumeration.
            Some(own) => {
                let is_name = is_word(own) && column.sql.trim_end_matches("[]") == own;
                is_name && self.dialect == SqlDialect::Postgres
            }
            None => true,
        };
        let kind = format!("{name}: the type");
        if !self.keeps(&kind, &column.sql, Self::is_type) {
            return false;
        }
        if !is_type {
            self.lost.push(format!("{name}: the enumeration {:?} is left out", column.enumeration));
            return false;
        }
        let default = format!("{name}: the default");
        column.default.take_if(|text| !self.keeps(&default, text, Self::is_default));
        let computed = format!("{name}: the expression");
        column.computed.take_if(|text| !self.keeps(&computed, text, Self::is_computed));
        let suffix = format!("{name}: the option");
        column.suffix.take_if(|text| !self.keeps(&suffix, text, Self::is_suffix));
        true
    }

    fn index(&mut self, index: &NativeIndex) -> bool {
        let kinds = ["", "UNIQUE", "FULLTEXT", "SPATIAL"];
        let is_kind = kinds.contains(&index.kind.as_str());
        if !is_kind {
            self.lost.push(format!("the index of kind {:?} is left out", index.kind));
        }
        is_kind && self.keeps("index", &index.body, Self::is_index)
    }

    /// The only statement of a text.
    fn parsed(&self, text: String) -> Option<Ast> {
        let statement = Statement { text, line: 1, schema: None };
        let parsed = parse::parse(&statement, Some(self.dialect)).ok()?;
        parsed.tail.is_empty().then_some(parsed.ast)
    }

    /// The options of a column, after its type, if the text is a type and options and nothing else.
    fn options(&self, text: &str) -> Option<Vec<ColumnOption>> {
        let Ast::CreateTable(table) = self.parsed(format!("CREATE TABLE t (c {text})"))? else {
            return None;
        };
        let is_rest_empty = table.constraints.is_empty() && table.query.is_none();
        match table.columns.as_slice() {
            [column] if is_rest_empty => {
                Some(column.options.iter().map(|own| own.option.clone()).collect())
            }
            _ => None,
        }
    }

    fn is_portable(&self, text: &str) -> bool {
        portable::is_portable(text, self.dialect, &|_| true)
    }

    fn is_type(&self, sql: &str) -> bool {
        let is_of_type = |own: &ColumnOption| {
            matches!(own, ColumnOption::CharacterSet(_) | ColumnOption::Collation(_))
        };
        sql.is_empty() || self.options(sql).is_some_and(|all| all.iter().all(is_of_type))
    }

    fn is_default(&self, text: &str) -> bool {
        let options = self.options(&format!("int DEFAULT {text}"));
        self.is_portable(text) && matches!(options.as_deref(), Some([ColumnOption::Default(_)]))
    }

    fn is_computed(&self, text: &str) -> bool {
        let options = self.options(&format!("int {text}"));
        let is_it = |own: &ColumnOption| {
            matches!(own, ColumnOption::Generated { generation_expr: Some(_), .. })
        };
        self.is_portable(text) && matches!(options.as_deref(), Some([one]) if is_it(one))
    }

    fn is_suffix(&self, text: &str) -> bool {
        match self.dialect {
            SqlDialect::Postgres => text == "ALWAYS",
            SqlDialect::Sqlite => text == "AUTOINCREMENT",
            SqlDialect::MySql => {
                let options = self.options(&format!("timestamp {text}"));
                self.is_portable(text)
                    && matches!(options.as_deref(), Some([ColumnOption::OnUpdate(_)]))
            }
        }
    }

    fn is_condition(&self, text: &str) -> bool {
        let parsed = self.parsed(format!("CREATE TABLE t (c int, CHECK ({text}))"));
        let Some(Ast::CreateTable(table)) = parsed else { return false };
        self.is_portable(text)
            && table.columns.len() == 1
            && matches!(table.constraints.as_slice(), [TableConstraint::Check(_)])
    }

    fn is_index(&self, body: &str) -> bool {
        let parsed = self.parsed(format!("CREATE INDEX i ON t {body}"));
        self.is_portable(body)
            && matches!(parsed, Some(Ast::CreateIndex(index)) if index.alter_options.is_empty())
    }

    fn is_columns(&self, text: &str) -> bool {
        self.is_index(&format!("({text})"))
    }

    fn is_options(&self, text: &str) -> bool {
        let tokens = parse::tokens(text, self.dialect);
        tail::read(&tokens, Some(self.dialect)).options.as_deref() == Some(text)
    }

    fn is_partitioning(&self, text: &str) -> bool {
        text.starts_with("PARTITION BY ") && self.is_made_of(text, PARTITION)
    }

    fn is_bounds(&self, text: &str) -> bool {
        (text.starts_with("FOR VALUES ") || text == "DEFAULT") && self.is_made_of(text, BOUNDS)
    }

    /// Whether a text has these words outside of brackets alone, and no query and no file inside of them.
    fn is_made_of(&self, text: &str, words: &str) -> bool {
        let mut depth = 0_usize;
        let tokens = parse::tokens(text, self.dialect);
        let is_known = tokens.iter().all(|token| match token {
            Token::LParen => {
                depth += 1;
                true
            }
            Token::RParen => {
                depth = depth.saturating_sub(1);
                true
            }
            Token::Word(word) if depth == 0 => lists(words, &word.value.to_uppercase()),
            Token::Word(word) => {
                word.quote_style.is_some() || !lists(REFUSED, &word.value.to_uppercase())
            }
            _ => true,
        });
        is_known && !tokens.is_empty() && calls_known(&tokens)
    }
}

/// Whether each word before a bracket is a keyword of partitions or a built-in function.
fn calls_known(tokens: &[Token]) -> bool {
    const BEFORE: &str = "RANGE LIST HASH KEY COLUMNS FROM TO IN WITH THAN VALUES";
    tokens.windows(2).all(|pair| match pair {
        [Token::Word(word), Token::LParen] => {
            let name = word.value.to_uppercase();
            word.quote_style.is_none() && lists(BEFORE, &name) || portable::is_function(&name)
                // The name of a partition before its subpartitions or its values.
                || word.quote_style.is_none() && name == "PARTITION"
        }
        _ => true,
    })
}

/// Whether a word needs no quotes in PostgreSQL.
fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Whether a text ends nothing that it did not begin, as its database reads quotes, brackets, comments and statements.
fn is_closed(text: &str, dialect: SqlDialect) -> bool {
    let mut brackets = Vec::new();
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        let is_fine = match (c, dialect) {
            ('`' | '[' | ']' | '#', SqlDialect::Sqlite)
            | ('`', SqlDialect::Postgres)
            | ('#', SqlDialect::MySql)
            | (';' | '\\' | '$' | '{' | '}', _) => false,
            ('\'' | '"' | '`', _) => {
                // In MySQL a backslash escapes; in PostgreSQL it does after a letter, as in E'…'.
                let has_escapes = dialect == SqlDialect::MySql
                    || dialect == SqlDialect::Postgres && before.is_alphanumeric();
                is_quoted(&mut rest, c, has_escapes)
            }
            ('(' | '[', _) => {
                brackets.push(c);
                true
            }
            (')', _) => brackets.pop() == Some('('),
            (']', _) => brackets.pop() == Some('['),
            ('-', _) => next != '-',
            ('/', _) => next != '*',
            _ => !c.is_control() || c.is_whitespace(),
        };
        if !is_fine {
            return false;
        }
        before = c;
    }
    brackets.is_empty()
}

/// Passes the rest of a text in quotes, in which a doubled quote stands for itself; false if it does not end, or has a
/// backslash where that could escape the end.
fn is_quoted(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    quote: char,
    has_escapes: bool,
) -> bool {
    while let Some(c) = rest.next() {
        match c {
            '\0' => return false,
            '\\' if has_escapes => return false,
            c if c == quote && rest.next_if_eq(&quote).is_none() => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_nothing_that_it_did_not_begin() {
        use SqlDialect::{MySql, Postgres, Sqlite};
        for (text, dialect) in [
            ("numeric(10,2)", Postgres),
            ("'it''s; \\'", Postgres),
            ("('{a,b}'::text[])[1]", Postgres),
            ("a -> 'b' #>> '{c}'", Postgres),
            ("`a b`(20), \"x\"", MySql),
            ("'a' || \"b\"\"c\"", Sqlite),
        ] {
            assert!(is_closed(text, dialect), "{text}");
        }
        for (text, dialect) in [
            ("1); DROP TABLE x", Postgres),
            ("(1", Postgres),
            ("(1]", Postgres),
            ("a;b", Postgres),
            ("'a", Postgres),
            ("E'\\''", Postgres),
            ("1 -- x", Postgres),
            ("1 /* x", Postgres),
            ("$$a$$", Postgres),
            ("\\! touch x", Postgres),
            ("`a`", Postgres),
            ("'\\''", MySql),
            ("1 # x", MySql),
            ("[a'b]", Sqlite),
            ("'a\0'", Sqlite),
        ] {
            assert!(!is_closed(text, dialect), "{text}");
        }
    }

    #[test]
    fn a_part_is_that_part_alone() {
        let gate = |dialect| Gate { dialect, lost: Vec::new() };
        let postgres = gate(SqlDialect::Postgres);
        assert!(postgres.is_type("numeric(10,2)") && postgres.is_type("text[]"));
        assert!(!postgres.is_type("int DEFAULT 1") && !postgres.is_type("int, b int"));
        assert!(!postgres.is_type("int CHECK (c > 1)") && !postgres.is_type("int REFERENCES x"));
        assert!(postgres.is_default("now()") && postgres.is_default("'a'::text"));
        assert!(!postgres.is_default("1 CHECK (true)") && !postgres.is_default("pg_sleep(1)"));
        assert!(!postgres.is_default("\"pg_sleep\"(1)"));
        assert!(postgres.is_condition("price > 0 AND price < 9"));
        assert!(
            !postgres.is_condition("true, c2 int") && !postgres.is_condition("lo_import('/x')>1")
        );
        assert!(postgres.is_index("USING gin (tags) WHERE price > 1"));
        assert!(postgres.is_partitioning("PARTITION BY RANGE (made)"));
        assert!(!postgres.is_partitioning("PARTITION BY RANGE (made) AS SELECT 1"));
        assert!(postgres.is_bounds("FOR VALUES FROM ('2020-01-01') TO (MAXVALUE)"));
        assert!(!postgres.is_bounds("FOR VALUES FROM (pg_sleep(1)) TO (2)"));
        let mysql = gate(SqlDialect::MySql);
        assert!(mysql.is_type("enum('a','b')") && mysql.is_type("varchar(9) CHARACTER SET latin1"));
        assert!(mysql.is_columns("`b`(20), c") && !mysql.is_columns("`load_file`('x')"));
        assert!(mysql.is_options("ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"));
        assert!(!mysql.is_options("ENGINE=InnoDB DATA DIRECTORY='/tmp'"));
        let parts = "PARTITION BY RANGE (year(made)) (PARTITION p0 VALUES LESS THAN (2020), PARTITION p1 VALUES LESS THAN MAXVALUE)";
        assert!(mysql.is_partitioning(parts));
    }
}
