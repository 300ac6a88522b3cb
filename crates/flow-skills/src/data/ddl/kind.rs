//! Classifies a statement by its first words: it is read, is counted, or is no statement.

use sqlparser::ast::AlterTableOperation;

use crate::text::lists;

/// What is to be done with a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StatementClass {
    Table,
    /// It is not read; its name in notes.
    Other(String),
    Unknown,
}

/// Classifies a statement by its first words in upper case.
pub(super) fn of(head: &[String]) -> StatementClass {
    let Some(verb) = head.first().map(String::as_str) else { return StatementClass::Unknown };
    if !lists(VERBS, verb) {
        return StatementClass::Unknown;
    }
    let words = significant(head);
    let phrase = words.join(" ") + " ";
    if !READ.split('|').any(|words| phrase.starts_with(words)) {
        return StatementClass::Other(title(head));
    }
    match words.as_slice() {
        ["CREATE", ..] if phrase.contains(" PARTITION OF ") => {
            StatementClass::Other("CREATE TABLE … PARTITION OF".to_owned())
        }
        ["ALTER", _, rest @ ..] => {
            let name = rest.iter().skip_while(|word| lists("IF EXISTS ONLY", word));
            // A schema before the name is a word too.
            let action = name.skip(1).take(2).find(|word| lists(UNPARSED, word));
            let other = |action: &&str| StatementClass::Other(format!("ALTER TABLE … {action}"));
            action.map_or(StatementClass::Table, other)
        }
        _ => StatementClass::Table,
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
    "ATTACH CLUSTER CONVERT DISABLE ENABLE ENGINE FORCE NO OWNER PARTITION REPLICA";
