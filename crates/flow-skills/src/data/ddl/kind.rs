//! Classifies a statement by its first words: it is read, is counted, or is no statement; and counts what is not read.

use indexmap::IndexMap;
use sqlparser::ast::AlterTableOperation;

use super::statements;
use super::statements::Statement;
use crate::data::SqlDialect;
use crate::text::lists;

/// What is to be done with a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    /// It is not read; its name in notes.
    Other(String),
    Unknown,
}

/// The statements that are read, with `|` between them.
const READ: &str = "CREATE TABLE |CREATE INDEX |CREATE UNIQUE INDEX |CREATE TYPE |ALTER TABLE |\
    COMMENT ON TABLE |COMMENT ON COLUMN ";
/// Words between CREATE and what is created.
const PASSED: &str = "OR REPLACE TEMP TEMPORARY UNLOGGED GLOBAL LOCAL TRUSTED ONLY FOREIGN";
/// First words of statements.
const VERBS: &str = "ALTER ANALYZE ATTACH BEGIN CALL CHARACTER CHECK CHECKPOINT CLUSTER COMMENT COMMIT COPY CREATE \
    DEALLOCATE DECLARE DELETE DETACH DISCARD DO DROP END EXEC EXECUTE EXPLAIN FLUSH GRANT HANDLER IMPORT INSERT KILL LISTEN \
    LOAD LOCK MERGE NOTIFY OPTIMIZE PRAGMA PREPARE PRINT REASSIGN REFRESH REINDEX RELEASE RENAME REPAIR REPLACE RESET REVOKE \
    ROLLBACK SAVEPOINT SECURITY SELECT SET SHOW SIGNAL SOURCE START TRUNCATE UNLOCK UPDATE USE VACUUM VALUES WITH XA";
/// Statements of a session, which one note counts together.
const SESSION: &str = "BEGIN COMMIT END LOCK PRAGMA RELEASE RESET ROLLBACK SAVEPOINT SET SHOW START UNLOCK USE CHECKPOINT DISCARD \
    FLUSH XA";
/// Actions of ALTER TABLE that the parser does not know, or that are not read.
const UNPARSED: &str =
    "ATTACH CLUSTER CONVERT DISABLE ENABLE ENGINE FORCE NO OWNER PARTITION REPLICA VALIDATE";

/// Classifies a statement by its first words in upper case.
pub(super) fn of(head: &[String]) -> Kind {
    let Some(verb) = head.first().map(String::as_str) else { return Kind::Unknown };
    if !lists(VERBS, verb) {
        return Kind::Unknown;
    }
    let words = significant(head);
    let phrase = words.join(" ") + " ";
    if !READ.split('|').any(|words| phrase.starts_with(words)) {
        return Kind::Other(title(head));
    }
    match words.as_slice() {
        ["CREATE", ..] if phrase.contains(" PARTITION OF ") => {
            Kind::Other("CREATE TABLE … PARTITION OF".to_owned())
        }
        ["ALTER", _, rest @ ..] => {
            let name = rest.iter().skip_while(|word| lists("IF EXISTS ONLY", word));
            // A schema before the name is a word too.
            let action = name.skip(1).take(2).find(|word| lists(UNPARSED, word));
            let other = |action: &&str| Kind::Other(format!("ALTER TABLE … {action}"));
            action.map_or(Kind::Table, other)
        }
        _ => Kind::Table,
    }
}

/// The words of a statement without those between its verb and its object.
fn significant(head: &[String]) -> Vec<&str> {
    let (verb, rest) = head.split_at(head.len().min(1));
    let is_passed = |word: &&String| lists(PASSED, word);
    verb.iter().chain(rest.iter().skip_while(is_passed)).map(String::as_str).collect()
}

/// The name of a statement: its verb, with its object if it has one.
pub(super) fn title(head: &[String]) -> String {
    match significant(head).as_slice() {
        [verb, ..] if lists(SESSION, verb) => "session".to_owned(),
        ["COMMENT", "ON", object, ..] => format!("COMMENT ON {object}"),
        [verb @ ("CREATE" | "ALTER" | "DROP" | "RENAME"), object, ..] => format!("{verb} {object}"),
        [verb, ..] => (*verb).to_owned(),
        [] => String::new(),
    }
}

/// The first words of an action of ALTER TABLE, without names.
pub(super) fn action(operation: &AlterTableOperation) -> String {
    let text = operation.to_string();
    let is_keyword = |word: &&str| word.chars().all(|c| c.is_ascii_uppercase());
    text.split(' ').take_while(is_keyword).take(2).collect::<Vec<_>>().join(" ")
}

/// Number of statements and parts of each kind that are not read.
#[derive(Debug, Default)]
pub(super) struct Unread(IndexMap<String, usize>);

impl Unread {
    pub(super) fn add(&mut self, kind: &str, count: usize) {
        if count > 0 {
            *self.0.entry(kind.to_owned()).or_default() += count;
        }
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(kind, count)| format!("{kind} ({count})"))
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
    (SqlDialect::MySql, 3, "on update current_timestamp| enum("),
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
    let mut scores = [(SqlDialect::Postgres, 0), (SqlDialect::MySql, 0), (SqlDialect::Sqlite, 0)];
    for (dialect, weight, marks) in &MARKS {
        let count = marks.split('|').filter(|mark| inside.contains(mark)).count();
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
