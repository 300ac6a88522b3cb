//! Classifies a statement by its first words: it defines tables, is skipped and counted, or is unknown.

use indexmap::IndexMap;

use crate::text::lists;

/// What is to be done with a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    /// It does not concern tables; its name in notes.
    Other(String),
    Unknown,
}

/// Statements that are a table's matter, by their first words without those of [`PASSED`], with `|` between them.
const TABLES: &str = "CREATE TABLE|CREATE INDEX|CREATE FULLTEXT INDEX|CREATE SPATIAL INDEX|CREATE UNIQUE INDEX|CREATE TYPE|\
    CREATE DOMAIN|ALTER TABLE|ALTER TYPE|DROP TABLE|DROP INDEX|RENAME TABLE|COMMENT ON TABLE|COMMENT ON COLUMN";
/// Words between CREATE and what is created.
const PASSED: &str = "OR REPLACE TEMP TEMPORARY UNLOGGED GLOBAL LOCAL TRUSTED ONLY FOREIGN";
/// What CREATE, ALTER, DROP and COMMENT ON are about when it is no table.
const OBJECTS: &str = "ACCESS ALGORITHM SQL INSTANCE AGGREGATE CAST COLLATION CONSTRAINT CONVERSION DATABASE DEFAULT DEFINER DOMAIN \
    EVENT EXTENSION FUNCTION GROUP INDEX LANGUAGE LARGE LOGIN MATERIALIZED OPERATOR PACKAGE POLICY PROCEDURE \
    PROCEDURAL PUBLICATION ROLE RULE SCHEMA SEQUENCE SERVER STATISTICS SUBSCRIPTION SYNONYM SYSTEM TABLESPACE \
    TEXT TRANSFORM TRIGGER TYPE USER VIEW VIRTUAL";
/// First words of statements that say nothing of tables.
const VERBS: &str = "ANALYZE ATTACH BEGIN CALL SOURCE CHARACTER SIGNAL CHECK CHECKPOINT CLUSTER COMMENT COMMIT COPY DEALLOCATE \
    DECLARE DELETE DETACH DISCARD DO END EXEC EXECUTE EXPLAIN FLUSH GRANT HANDLER IMPORT INSERT KILL LISTEN LOAD \
    LOCK MERGE NOTIFY OPTIMIZE PRAGMA PREPARE PRINT REASSIGN REFRESH REINDEX RELEASE REPAIR REPLACE RESET REVOKE \
    ROLLBACK SAVEPOINT SECURITY SELECT SET SHOW START TRUNCATE UNLOCK UPDATE USE VACUUM VALUES WITH XA";
/// Statements of a session, which one note counts together.
const SESSION: &str = "BEGIN COMMIT END LOCK PRAGMA RELEASE RESET ROLLBACK SAVEPOINT SET SHOW START UNLOCK USE CHECKPOINT DISCARD \
    FLUSH XA";
/// What begins the action of ALTER TABLE, after the table's name.
const ACTIONS: &str = "ADD ALTER ATTACH CHANGE CLUSTER CONVERT DISABLE DROP ENABLE ENGINE FORCE MODIFY NO OWNER RENAME REPLICA SET \
    VALIDATE";
/// Actions of ALTER TABLE that shape no table, with `|` between them.
const UNSHAPED: &str = "ATTACH PARTITION DEFAULT|CLUSTER ON|CONVERT TO|DISABLE|ENABLE|ENGINE|FORCE ROW|NO FORCE ROW|OWNER TO|\
    REPLICA IDENTITY|SET LOGGED|SET SCHEMA|SET TABLESPACE|SET WITHOUT|VALIDATE";

/// Classifies a statement by its first words in upper case.
pub(super) fn of(head: &[String]) -> Kind {
    let Some(verb) = head.first().map(String::as_str) else { return Kind::Unknown };
    let rest: Vec<&str> = head
        .iter()
        .skip(1)
        .map(String::as_str)
        .skip_while(|word| lists(PASSED, word) && verb != "COMMENT")
        .collect();
    let phrase = format!("{verb} {}", rest.join(" "));
    let object = rest.first().copied().unwrap_or_default();
    if TABLES.split('|').any(|own| phrase.starts_with(&format!("{own} ")) || phrase == own) {
        let is_unshaped = verb == "ALTER" && is_unshaped(&rest);
        return if is_unshaped {
            Kind::Other("ALTER TABLE … OWNER, ENABLE, …".into())
        } else {
            Kind::Table
        };
    }
    match verb {
        "COMMENT" => {
            Kind::Other(format!("COMMENT ON {}", rest.get(1).copied().unwrap_or_default()))
        }
        "CREATE" | "ALTER" | "DROP" | "RENAME" if lists(OBJECTS, object) => {
            Kind::Other(format!("{verb} {}", named(&rest)))
        }
        "CREATE" | "ALTER" | "DROP" => Kind::Unknown,
        verb if lists(SESSION, verb) => Kind::Other("session (SET, BEGIN, LOCK, …)".into()),
        verb if lists(VERBS, verb) => Kind::Other(verb.to_owned()),
        _ => Kind::Unknown,
    }
}

/// Whether ALTER TABLE says nothing of columns and keys; `rest` are its words from TABLE on. A name may be one of the words.
fn is_unshaped(rest: &[&str]) -> bool {
    let name = rest.iter().skip(1).skip_while(|word| lists("IF EXISTS ONLY", word));
    let action: Vec<&str> =
        name.skip(1).skip_while(|word| !lists(ACTIONS, word)).copied().collect();
    let action = action.join(" ");
    let is_stored = action.starts_with("ALTER")
        && ["SET STATISTICS", "SET STORAGE"].iter().any(|own| action.contains(own));
    is_stored || UNSHAPED.split('|').any(|own| action.starts_with(own))
}

/// The object of a CREATE: behind `DEFINER = user` it comes late.
fn named<'a>(rest: &[&'a str]) -> &'a str {
    let object = rest.first().copied().unwrap_or_default();
    if !matches!(object, "ALGORITHM" | "DEFINER" | "MATERIALIZED" | "CONSTRAINT" | "SQL") {
        return object;
    }
    let known = ["VIEW", "TRIGGER", "FUNCTION", "PROCEDURE", "EVENT"];
    rest.iter().copied().find(|word| known.contains(word)).unwrap_or(object)
}

/// Number of skipped statements of each kind.
#[derive(Debug, Default)]
pub(super) struct Skipped(IndexMap<String, usize>);

impl Skipped {
    pub(super) fn add(&mut self, kind: String, count: usize) {
        if count > 0 {
            *self.0.entry(kind).or_default() += count;
        }
    }

    /// One note for each kind.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(kind, count)| {
            let many = if *count == 1 { "statement" } else { "statements" };
            format!("skipped {count} {kind} {many}: no part of a table's definition")
        })
    }

    pub(super) fn kinds(&self) -> String {
        self.0.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
    }
}

/// Whether a statement creates a partition, in a form that is supported.
pub(super) fn is_partition(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    upper.contains(" PARTITION OF ")
        || upper.contains(" ATTACH PARTITION ")
        || (upper.starts_with("ALTER") && upper.contains(" PARTITION BY "))
}
