//! Detects the dialect of a text by words that only one dialect has.

use super::statements::{self, Statement};
use crate::data::SqlDialect;

/// Longest part of a text that is examined, in bytes: the first statements of a dump suffice.
const LOOKED_AT: usize = 1 << 20;

/// Marks in small letters, with `|` between them, after the dialect that they speak for and how much each does.
const MARKS: [(SqlDialect, usize, &str); 13] = [
    (SqlDialect::Postgres, 5, "pg_catalog|create extension|alter table only|plpgsql|from stdin"),
    (
        SqlDialect::Postgres,
        3,
        "serial primary key|serial not null|bigserial|timestamptz|with time zone|without time zone|jsonb|bytea|as identity|nextval(|as enum|create domain",
    ),
    (SqlDialect::Postgres, 2, "character varying|gen_random_uuid|uuid_generate_v4|comment on "),
    (SqlDialect::Postgres, 1, "::|[]"),
    (SqlDialect::MySql, 5, "engine=|engine =|auto_increment"),
    (SqlDialect::MySql, 3, "on update current_timestamp| enum("),
    (SqlDialect::MySql, 2, "unsigned| charset|int(11)|unique key|longtext|mediumtext"),
    (SqlDialect::MySql, 1, "tinyint(|`|datetime"),
    (SqlDialect::Sqlite, 6, "pragma |autoincrement|without rowid"),
    (SqlDialect::Sqlite, 5, "collate nocase|) strict"),
    (SqlDialect::Sqlite, 4, "datetime('now'|sqlite|strftime("),
    (SqlDialect::Sqlite, 3, "create table ["),
    (SqlDialect::Sqlite, 1, "datetime|integer not null primary key"),
];

/// Marks of comments and commands, which are looked for in the whole text.
const OUTSIDE: [(SqlDialect, usize, &str); 4] = [
    (SqlDialect::Postgres, 9, "postgresql database dump"),
    (SqlDialect::Postgres, 5, "\n\\c|\n\\."),
    (SqlDialect::MySql, 9, "mysql dump|mariadb dump|phpmyadmin sql dump"),
    (SqlDialect::MySql, 5, "/*!"),
];
/// The first words of statements that only contain data.
const DATA: [&str; 3] = ["INSERT", "REPLACE", "UPDATE"];

/// The dialect with the highest total weight; `None` if there is no indication, or a tie.
pub(super) fn dialect(text: &str) -> Option<SqlDialect> {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let (statements, _) = statements::split(text, None);
    let is_data = |statement: &&Statement| {
        statement.head().first().is_none_or(|word| DATA.contains(&word.as_str()))
    };
    let kept = statements
        .iter()
        .filter(|statement| !is_data(statement))
        .map(|statement| statement.text.as_str());
    let inside = kept.collect::<Vec<_>>().join(";\n").to_ascii_lowercase();
    let whole = text.to_ascii_lowercase();
    let mut scores = [(SqlDialect::Postgres, 0), (SqlDialect::MySql, 0), (SqlDialect::Sqlite, 0)];
    let all =
        MARKS.iter().map(|mark| (mark, &inside)).chain(OUTSIDE.iter().map(|mark| (mark, &whole)));
    for ((dialect, weight, marks), text) in all {
        let count = marks.split('|').filter(|mark| text.contains(mark)).count();
        if let Some(score) = scores.iter_mut().find(|(known, _)| known == dialect) {
            score.1 += weight * count;
        }
    }
    scores.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
    match scores {
        [(first, most), (_, second), _] if most > second => Some(first),
        _ => None,
    }
}
