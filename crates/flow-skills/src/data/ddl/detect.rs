//! Which dialect a text is written in, by words that only one of them has.

use super::statements::{self, Statement};
use crate::data::SqlDialect;

/// Longest part of a text that is looked at, in bytes: a dump says it in its first statements.
const LOOKED_AT: usize = 1 << 20;

/// Marks in small letters, each with the dialect that it speaks for, and how much.
const MARKS: [(&str, SqlDialect, usize); 48] = [
    ("pg_catalog", SqlDialect::Postgres, 5),
    ("serial primary key", SqlDialect::Postgres, 3),
    ("serial not null", SqlDialect::Postgres, 3),
    ("bigserial", SqlDialect::Postgres, 3),
    ("character varying", SqlDialect::Postgres, 2),
    ("timestamptz", SqlDialect::Postgres, 3),
    ("with time zone", SqlDialect::Postgres, 3),
    ("without time zone", SqlDialect::Postgres, 3),
    ("jsonb", SqlDialect::Postgres, 3),
    ("bytea", SqlDialect::Postgres, 3),
    ("create extension", SqlDialect::Postgres, 5),
    ("alter table only", SqlDialect::Postgres, 5),
    ("as identity", SqlDialect::Postgres, 3),
    ("nextval(", SqlDialect::Postgres, 3),
    ("gen_random_uuid", SqlDialect::Postgres, 2),
    ("uuid_generate_v4", SqlDialect::Postgres, 2),
    ("as enum", SqlDialect::Postgres, 3),
    ("create domain", SqlDialect::Postgres, 3),
    ("comment on ", SqlDialect::Postgres, 2),
    ("plpgsql", SqlDialect::Postgres, 5),
    ("from stdin", SqlDialect::Postgres, 5),
    ("::", SqlDialect::Postgres, 1),
    ("[]", SqlDialect::Postgres, 1),
    ("engine=", SqlDialect::MySql, 5),
    ("engine =", SqlDialect::MySql, 5),
    ("auto_increment", SqlDialect::MySql, 5),
    ("unsigned", SqlDialect::MySql, 2),
    (" charset", SqlDialect::MySql, 2),
    ("tinyint(", SqlDialect::MySql, 1),
    ("int(11)", SqlDialect::MySql, 2),
    ("unique key", SqlDialect::MySql, 2),
    ("longtext", SqlDialect::MySql, 2),
    ("mediumtext", SqlDialect::MySql, 2),
    ("on update current_timestamp", SqlDialect::MySql, 3),
    (" enum(", SqlDialect::MySql, 3),
    ("`", SqlDialect::MySql, 1),
    ("datetime", SqlDialect::MySql, 1),
    ("datetime", SqlDialect::Sqlite, 1),
    ("integer not null primary key", SqlDialect::Sqlite, 1),
    ("create table [", SqlDialect::Sqlite, 3),
    ("datetime('now'", SqlDialect::Sqlite, 4),
    ("collate nocase", SqlDialect::Sqlite, 5),
    ("pragma ", SqlDialect::Sqlite, 6),
    ("autoincrement", SqlDialect::Sqlite, 6),
    ("without rowid", SqlDialect::Sqlite, 6),
    ("sqlite", SqlDialect::Sqlite, 4),
    (") strict", SqlDialect::Sqlite, 5),
    ("strftime(", SqlDialect::Sqlite, 4),
];

/// Marks of comments and commands, which are looked for in the whole text.
const OUTSIDE: [(&str, SqlDialect, usize); 7] = [
    ("postgresql database dump", SqlDialect::Postgres, 9),
    ("mysql dump", SqlDialect::MySql, 9),
    ("mariadb dump", SqlDialect::MySql, 9),
    ("phpmyadmin sql dump", SqlDialect::MySql, 9),
    ("/*!", SqlDialect::MySql, 5),
    ("\n\\c", SqlDialect::Postgres, 5),
    ("\n\\.", SqlDialect::Postgres, 5),
];
/// What begins statements that only hold data.
const DATA: [&str; 3] = ["INSERT", "REPLACE", "UPDATE"];

/// The dialect with the most marks; `None` where none has one, or two have as many.
pub(super) fn dialect(text: &str) -> Option<SqlDialect> {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default();
    let (statements, _) = statements::split(text, None);
    let is_data =
        |own: &&Statement| own.head().first().is_none_or(|word| DATA.contains(&word.as_str()));
    let kept = statements.iter().filter(|own| !is_data(own)).map(|own| own.text.as_str());
    let inside = kept.collect::<Vec<_>>().join(";\n").to_ascii_lowercase();
    let whole = text.to_ascii_lowercase();
    let mut scores = [(SqlDialect::Postgres, 0), (SqlDialect::MySql, 0), (SqlDialect::Sqlite, 0)];
    let all = MARKS.iter().map(|own| (own, &inside)).chain(OUTSIDE.iter().map(|own| (own, &whole)));
    for ((mark, dialect, weight), text) in all {
        if text.contains(mark)
            && let Some(score) = scores.iter_mut().find(|(own, _)| own == dialect)
        {
            score.1 += weight;
        }
    }
    scores.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
    match scores {
        [(first, most), (_, second), _] if most > second => Some(first),
        _ => None,
    }
}
