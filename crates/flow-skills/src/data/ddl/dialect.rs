//! Which dialect a text of SQL is written in, by the words that only one of them has.

use super::statements;
use crate::data::SqlDialect;

/// The dialect with the highest total weight; `None` if there is no indication, or a tie.
pub(super) fn dialect_of(text: &str) -> Option<SqlDialect> {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let (statements, _) = statements::split(text, None);
    let mut definitions = String::new();
    for statement in statements {
        let is_data = statement.head().first().is_none_or(|word| DATA.contains(&word.as_str()));
        if !is_data {
            definitions += &(statement.text.to_ascii_lowercase() + ";\n");
        }
    }
    let mut scores = [(SqlDialect::Postgres, 0), (SqlDialect::MySql, 0), (SqlDialect::Sqlite, 0)];
    for (dialect, weight, marks) in &MARKS {
        let count = marks.split('|').filter(|mark| definitions.contains(mark)).count();
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
    (SqlDialect::MySql, 3, "on update current_timestamp| enum(| modify |change column"),
    (SqlDialect::MySql, 2, "unsigned| charset|int(11)|unique key|longtext|mediumtext"),
    (SqlDialect::MySql, 1, "tinyint(|`|datetime"),
    (SqlDialect::Sqlite, 6, "pragma |autoincrement|without rowid"),
    (SqlDialect::Sqlite, 5, "collate nocase|) strict"),
    (SqlDialect::Sqlite, 4, "datetime('now'|sqlite|strftime("),
    (SqlDialect::Sqlite, 3, "create table ["),
    (SqlDialect::Sqlite, 1, "datetime|integer not null primary key"),
];

/// The first words of statements that only contain data.
const DATA: [&str; 3] = ["INSERT", "REPLACE", "UPDATE"];
