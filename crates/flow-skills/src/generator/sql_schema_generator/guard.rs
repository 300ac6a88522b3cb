//! What stops a migration on the first row that would lose, before anything changes, with an error that names the place.

use std::fmt::Write as _;

use indexmap::{IndexMap, IndexSet};

use super::dialect::Dialect;
use super::narrowing::Narrowing;

/// Longest text of a place in MySQL's table of guards, in characters.
const LONGEST: usize = 250;

/// The statements at the beginning of a script, and in SQLite those at its end.
pub(super) fn guards(dialect: Dialect, all: &[Narrowing]) -> String {
    match dialect {
        _ if all.is_empty() => String::new(),
        Dialect::Postgres => all.iter().map(postgres).collect(),
        Dialect::MySql => mysql(all),
        Dialect::Sqlite => {
            all.iter().enumerate().map(|(at, narrowing)| sqlite(at + 1, narrowing)).collect()
        }
    }
}

/// The place and what stops there.
fn reason(narrowing: &Narrowing) -> String {
    format!("{}: it {}; a row has such a value", narrowing.place, narrowing.what)
}

fn postgres(narrowing: &Narrowing) -> String {
    let dialect = Dialect::Postgres;
    let Narrowing { table, condition, .. } = narrowing;
    let message = dialect.text(&reason(narrowing));
    // No other session adds such a row in the meantime. A cast may stop too.
    let body = format!(
        "BEGIN\n  LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;\n  IF EXISTS (SELECT FROM {table} WHERE {condition}) THEN\n    \
         RAISE EXCEPTION 'it would change';\n  END IF;\nEXCEPTION WHEN OTHERS THEN\n  \
         RAISE EXCEPTION USING MESSAGE = {message}, DETAIL = SQLERRM;\nEND\n"
    );
    let mark = mark(&body);
    format!("DO {mark}\n{body}{mark};\n\n")
}

/// A dollar quote that a text does not contain.
fn mark(body: &str) -> String {
    let numbered = (1..).map(|number: u32| format!("$flow{number}$"));
    let mut all = std::iter::once("$flow$".to_owned()).chain(numbered);
    all.find(|mark| !body.contains(mark.as_str())).unwrap_or_default()
}

/// The text of each place is the key of a table that has it already, so that a second one is an error, in MySQL before
/// 8.0.16 too, which checks no conditions.
fn mysql(all: &[Narrowing]) -> String {
    let dialect = Dialect::MySql;
    let place = |narrowing: &Narrowing| {
        dialect.text(&reason(narrowing).chars().take(LONGEST).collect::<String>())
    };
    let places: IndexSet<String> = all.iter().map(place).collect();
    let mut out = String::from(
        "-- A row that would lose stops the migration here, as a duplicate entry of this table, before anything changes.\n\
         CREATE TEMPORARY TABLE _flow_guard (place varchar(255) COLLATE utf8mb4_bin PRIMARY KEY);\n",
    );
    for place in &places {
        let _ = writeln!(out, "INSERT INTO _flow_guard VALUES ({place});");
    }
    for narrowing in all {
        let Narrowing { table, condition, .. } = narrowing;
        let place = place(narrowing);
        let _ = writeln!(
            out,
            "INSERT INTO _flow_guard SELECT {place} FROM {table} WHERE {condition} LIMIT 1;"
        );
    }
    out + "DROP TEMPORARY TABLE _flow_guard;\n\n"
}

fn sqlite(number: usize, narrowing: &Narrowing) -> String {
    let Narrowing { table, condition, .. } = narrowing;
    let name = quoted(&reason(narrowing));
    format!(
        "CREATE TEMP TABLE _flow_guard_{number} (fits INTEGER CONSTRAINT {name} CHECK (fits));\n\
         INSERT INTO _flow_guard_{number} SELECT NOT EXISTS (SELECT 1 FROM {table} WHERE {condition});\n"
    )
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\0', "").replace('"', "\"\""))
}

/// SQLite's shell goes on after an error: what did not work, or lost rows, takes back everything before the end. `copied`
/// are the old names, as SQL, and the new names of the tables that are made again.
pub(super) fn sqlite_ends(guards: usize, copied: &IndexMap<String, String>) -> (String, String) {
    if guards == 0 && copied.is_empty() {
        return (String::new(), String::new());
    }
    let (mut first, mut last) = (String::new(), String::new());
    let mut fits: Vec<String> = (1..=guards)
        .map(|guard| format!("(SELECT count(*) FROM _flow_guard_{guard}) = 1"))
        .collect();
    let mut names = Vec::new();
    for (at, (old, new)) in copied.iter().enumerate() {
        let number = at + 1;
        let _ = writeln!(
            first,
            "CREATE TEMP TABLE _flow_rows_{number} AS SELECT count(*) AS kept FROM {old};"
        );
        names.push(Dialect::Sqlite.text(new));
        let new = Dialect::Sqlite.name(new);
        fits.push(format!("(SELECT kept FROM _flow_rows_{number}) = (SELECT count(*) FROM {new})"));
    }
    last.push_str(
        "-- Where a statement failed and its client went on, everything is taken back here.\n\
         CREATE TEMP TABLE _flow_end (fits INTEGER CONSTRAINT \"a statement before failed: nothing is changed\" CHECK (fits));\n",
    );
    if !names.is_empty() {
        let count = names.len();
        let names = names.join(", ");
        let _ = writeln!(
            last,
            "INSERT OR ROLLBACK INTO _flow_end SELECT (SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ({names})) = {count};"
        );
    }
    for fit in fits {
        let _ = writeln!(last, "INSERT OR ROLLBACK INTO _flow_end SELECT {fit};");
    }
    let guards = (1..=guards).map(|guard| format!("_flow_guard_{guard}"));
    let rows = (1..=copied.len()).map(|table| format!("_flow_rows_{table}"));
    for table in guards.chain(rows).chain(["_flow_end".to_owned()]) {
        let _ = writeln!(last, "DROP TABLE temp.{table};");
    }
    (first, last)
}
