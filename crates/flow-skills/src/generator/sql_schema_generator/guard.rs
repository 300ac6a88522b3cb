//! What stops a migration on the first row that would lose, before anything changes, with an error that names the place.

use std::fmt::Write as _;

use super::dialect::Dialect;
use super::migrate::Change;
use super::narrowing::Narrowing;

/// Longest text of a place in MySQL's table of guards, in characters.
const LONGEST: usize = 250;

fn reason(narrowing: &Narrowing) -> String {
    format!("{}: it {}; a row has such a value", narrowing.place, narrowing.what)
}

pub(super) fn postgres(all: &[Narrowing]) -> String {
    all.iter().map(postgres_one).collect()
}

fn postgres_one(narrowing: &Narrowing) -> String {
    let Narrowing { table, condition, .. } = narrowing;
    let message = Dialect::Postgres.text(&reason(narrowing));
    // No other session adds such a row in the meantime.
    let body = format!(
        "BEGIN\n  LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;\n  IF EXISTS (SELECT FROM {table} WHERE {condition}) THEN\n    \
         RAISE EXCEPTION USING MESSAGE = {message};\n  END IF;\nEND\n"
    );
    // A dollar quote that the text does not contain.
    let numbered = (1..).map(|number: u32| format!("$flow{number}$"));
    let mut marks = std::iter::once("$flow$".to_owned()).chain(numbered);
    let mark = marks.find(|mark| !body.contains(mark.as_str())).unwrap_or_default();
    format!("DO {mark}\n{body}{mark};\n\n")
}

/// What a script of MySQL begins with: the session's settings under which it does what it says.
pub(super) fn mysql_head(change: &Change<'_>) -> String {
    let mode = if change.old.tables.is_empty() {
        ""
    } else {
        "SET sql_mode = concat_ws(',', @@sql_mode, 'STRICT_ALL_TABLES');\n"
    };
    format!(
        "-- Statements that change tables cannot be rolled back: each stands alone.\nSET NAMES utf8mb4;\n{mode}\n"
    )
}

/// The guards of a script of MySQL. The text of each place is the key of a table that has it already,
/// so that a second one is an error, in MySQL before 8.0.16 too, which checks no conditions.
pub(super) fn mysql(all: &[Narrowing]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "-- A row that would lose stops the migration here, as a duplicate entry of this table, before anything changes.\n\
         CREATE TEMPORARY TABLE _flow_guard (place varchar(255) COLLATE utf8mb4_bin PRIMARY KEY);\n",
    );
    for narrowing in all {
        let Narrowing { table, condition, .. } = narrowing;
        let place: String = reason(narrowing).chars().take(LONGEST).collect();
        let place = Dialect::MySql.text(&place);
        let _ = writeln!(
            out,
            "INSERT IGNORE INTO _flow_guard VALUES ({place});\n\
             INSERT INTO _flow_guard SELECT {place} FROM {table} WHERE {condition} LIMIT 1;"
        );
    }
    out + "DROP TEMPORARY TABLE _flow_guard;\n\n"
}

/// The statements at the beginning of a script of SQLite, and at its end. A row that would lose stops the copy of its table.
/// Its shell goes on after an error: what did not work, or lost rows, takes back everything before the end. `copied` are the
/// tables that are made again.
pub(super) fn sqlite(copied: &[&str]) -> (String, String) {
    if copied.is_empty() {
        return (String::new(), String::new());
    }
    let (mut first, mut made) = (String::new(), Vec::new());
    let names: Vec<String> = copied.iter().map(|name| Dialect::Sqlite.text(name)).collect();
    let (count, names) = (names.len(), names.join(", "));
    let mut fits = vec![format!(
        "(SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ({names})) = {count}"
    )];
    for (at, name) in copied.iter().enumerate() {
        let (rows, table) = (format!("_flow_rows_{}", at + 1), Dialect::Sqlite.name(name));
        let _ =
            writeln!(first, "CREATE TEMP TABLE {rows} AS SELECT count(*) AS kept FROM {table};");
        fits.push(format!("(SELECT kept FROM {rows}) = (SELECT count(*) FROM {table})"));
        made.push(rows);
    }
    made.push("_flow_end".to_owned());
    let fits = fits.iter().map(|fit| format!("INSERT OR ROLLBACK INTO _flow_end SELECT {fit};\n"));
    let drops = made.iter().map(|table| format!("DROP TABLE temp.{table};\n"));
    let last = format!(
        "\n-- Where a statement failed and its client went on, everything is taken back here.\n\
         CREATE TEMP TABLE _flow_end (fits INTEGER CONSTRAINT \"a statement before failed: nothing is changed\" CHECK (fits));\n\
         {}{}",
        fits.collect::<String>(),
        drops.collect::<String>()
    );
    (first, last)
}
