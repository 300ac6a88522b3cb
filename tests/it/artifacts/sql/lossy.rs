//! Migrations that could lose: each pair of types is refused, stopped by its guard on the first row that would lose, and
//! changes no row that fits. A change after which a value is read otherwise is refused, both ways.

use std::fmt::Display;

use serde_json::{Value, json};

use super::SKILL;
use super::databases::{ALL, Dialect, Judge, on, on_all};
use crate::artifacts::making::make;

/// Two definitions of a column, values of the first that the second holds, and values that it does not.
struct Pair {
    old: String,
    new: String,
    fits: Vec<String>,
    lost: Vec<String>,
}

/// The pairs of a section of `lossy.txt`.
fn pairs(section: &str) -> Vec<Pair> {
    let (_, rows) = include_str!("lossy.txt").split_once(&format!("[{section}]\n")).unwrap();
    rows.lines().take_while(|line| !line.is_empty()).map(pair).collect()
}

fn pair(line: &str) -> Pair {
    let line = format!("{line} ");
    let parts: Vec<&str> = line.split(" | ").map(str::trim).collect();
    let [old, new, fits, lost] = parts[..] else { panic!("{line}") };
    let values = |text: &str| -> Vec<String> {
        text.split(" ; ").filter(|value| !value.is_empty()).map(str::to_owned).collect()
    };
    Pair { old: old.to_owned(), new: new.to_owned(), fits: values(fits), lost: values(lost) }
}

/// A table with the column `v`. `mood(a,b)` is an enumeration of PostgreSQL.
fn table(column: &str) -> String {
    let (kind, before) = match column.strip_prefix("mood(").and_then(|own| own.strip_suffix(')')) {
        Some(labels) => {
            let labels = labels.replace(',', "', '");
            ("mood", format!("CREATE TYPE mood AS ENUM ('{labels}');\n"))
        }
        None => (column, String::new()),
    };
    format!("{before}CREATE TABLE things (id integer PRIMARY KEY, v {kind});")
}

fn fields(judge: &Judge, old: &str, new: &str, lossy: bool) -> Value {
    json!({ "ddl": table(new), "older": table(old), "dialect": judge.dialect(), "lossy": lossy })
}

/// What the database is after a script: the columns of the table, and its rows.
fn after(judge: &Judge, script: &str) -> Result<String, String> {
    let state = match judge.dialect() {
        "postgresql" => {
            "SELECT column_name, udt_name, character_maximum_length, numeric_precision, numeric_scale, datetime_precision, is_nullable, column_default
               FROM information_schema.columns WHERE table_name = 'things' ORDER BY ordinal_position;
             SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'things'::regclass ORDER BY 1;
             SELECT * FROM things ORDER BY id;"
        }
        "sqlite" => {
            "SELECT * FROM pragma_table_info('things'); SELECT id, typeof(v), quote(v) FROM things ORDER BY id;"
        }
        _ => "SHOW CREATE TABLE things; SELECT * FROM things ORDER BY id;",
    };
    judge.run(&format!("{script}\n{state}"))
}

fn state(judge: &Judge) -> String {
    after(judge, "").unwrap()
}

/// Makes the table with these values.
#[track_caller]
fn fill(judge: &Judge, old: &str, values: impl Iterator<Item = impl Display>) -> String {
    let before = match judge.dialect() {
        "postgresql" => {
            "SET client_min_messages = error; DROP TABLE IF EXISTS things; DROP TYPE IF EXISTS mood;"
        }
        "mariadb" => "DROP TABLE IF EXISTS things; SET sql_mode = 'STRICT_ALL_TABLES';",
        _ => "DROP TABLE IF EXISTS things;",
    };
    let rows =
        values.enumerate().map(|(at, value)| format!("INSERT INTO things VALUES ({at}, {value});"));
    after(judge, &format!("{before}{}{}", table(old), rows.collect::<String>())).unwrap()
}

/// A change that loses is refused, and where it is wanted, up stops on a row that would lose. A change that loses nothing is
/// not refused, and the way back stops on a row that would lose. Up, down and up again keep each row that fits.
#[track_caller]
fn guarded(judge: &Judge, pair: &Pair, is_lossy: bool) {
    let Pair { old, new, fits, lost } = pair;
    let place = format!("{}: {old} to {new}", judge.dialect());
    if is_lossy {
        let fault = make(SKILL, fields(judge, old, new, false)).expect_err(&place).to_string();
        assert!(fault.contains("things.v") && fault.contains("lossy=true"), "{place}: {fault}");
    }
    let output = make(SKILL, fields(judge, old, new, is_lossy))
        .unwrap_or_else(|fault| panic!("{place}: {fault}"));
    let is_noted = output.notes.iter().any(|note| note.contains("things.v"));
    assert!(is_noted || !is_lossy, "{place}: {:?}", output.notes);
    let [up, down] = [0, 1].map(|at| output.artifacts[at].text.clone());
    let ran = |step: &str, script: &str| {
        after(judge, script).unwrap_or_else(|error| panic!("{place}, {step}: {error}\n{script}"))
    };
    let stops = |script: &str, before: &str, value: &str| {
        let ended = judge.run(script);
        let error = ended.expect_err(&format!("{place}: {value} did not stop\n{script}"));
        let is_named = ["things.v", "things_v_check"].iter().any(|name| error.contains(name));
        assert!(is_named, "{place}: {error}\n{script}");
        assert_eq!(before, state(judge), "{place}: {value}\n{script}");
        // A client that goes on after an error, which that of MariaDB does not.
        let _ = (judge.dialect() != "mariadb").then(|| judge.run_on(script));
        assert_eq!(before, state(judge), "{place}: {value}, by a client that goes on\n{script}");
    };
    for value in lost.iter().filter(|_| is_lossy) {
        stops(&up, &fill(judge, old, fits.iter().chain([value])), value);
    }
    let before = fill(judge, old, fits.iter());
    let wide = ran("up", &up);
    assert_eq!(before, ran("down", &down), "{place}: down\n{up}\n{down}");
    assert_eq!(wide, ran("up again", &up), "{place}: up again\n{up}");
    for value in lost.iter().filter(|_| !is_lossy) {
        stops(&down, &ran("a row", &format!("INSERT INTO things VALUES (99, {value});")), value);
        ran("no row", "DELETE FROM things WHERE id = 99;");
    }
    assert_eq!(before, ran("down at last", &down), "{place}: {down}");
}

fn judged(judge: &Judge) {
    for (section, is_lossy) in [("lossy", true), ("wider", false)] {
        for pair in pairs(&format!("{}, {section}", judge.dialect())) {
            guarded(judge, &pair, is_lossy);
        }
    }
    for Pair { old, new, .. } in pairs(&format!("{}, by hand", judge.dialect())) {
        for (old, new) in [(&old, &new), (&new, &old)] {
            let place = format!("{}: {old} to {new}", judge.dialect());
            let fault = make(SKILL, fields(judge, old, new, true)).expect_err(&place).to_string();
            assert!(fault.contains("things.v") && fault.contains("by hand"), "{place}: {fault}");
        }
    }
}

each! {
    postgresql_loses_nothing: on(Dialect::Postgres, judged);
    mariadb_loses_nothing: on(Dialect::MariaDb, judged);
    sqlite_loses_nothing: on(Dialect::Sqlite, judged);
}

/// Statements that a change does not need take locks or copy rows.
#[test]
fn what_does_not_change_stays_untouched() {
    let check = |judge: &Judge, older: &str, newer: &str, wanted: &[&str], other: &[&str]| {
        let fields = json!({ "ddl": newer, "older": older, "dialect": judge.dialect() });
        let output = make(SKILL, fields).unwrap();
        let [up, down] = [0, 1].map(|at| output.artifacts[at].text.clone());
        assert!(wanted.iter().all(|part| up.contains(part)), "{wanted:?}\n{up}");
        assert!(other.iter().all(|part| !up.contains(part)), "{other:?}\n{up}");
        judge.clear();
        judge.run(older).unwrap();
        let value = if older.contains("mood") { "'b'" } else { "2147483647" };
        judge.run(&format!("INSERT INTO things (id, v) VALUES (1, {value});")).unwrap();
        let ran =
            |script: &str| after(judge, script).unwrap_or_else(|error| panic!("{error}\n{script}"));
        let before = state(judge);
        let changed = ran(&up);
        assert_eq!(before, ran(&down), "{down}");
        assert_eq!(changed, ran(&up), "{up}");
    };
    if !ALL.iter().all(|dialect| dialect.is_there()) {
        return;
    }
    let [postgresql, mariadb, sqlite] = ALL.map(Judge::start);
    let tables = |kind: &str, more: &str| {
        format!(
            "CREATE TABLE things (id int NOT NULL PRIMARY KEY, v {kind} NOT NULL UNIQUE{more});
             CREATE TABLE b (id int PRIMARY KEY, a_id int REFERENCES things (id), m {kind});"
        )
    };
    let (older, newer) = (tables("int", ""), tables("bigint", ""));
    let keys = ["FOREIGN KEY", "CONSTRAINT", "DROP", "UNIQUE"];
    check(&postgresql, &older, &newer, &["v TYPE bigint", "m TYPE bigint"], &keys);
    check(&mariadb, &older, &newer, &["COLUMN v bigint", "COLUMN m bigint"], &keys);
    let mood = |labels: &str, usual: &str| {
        format!(
            "CREATE TYPE mood AS ENUM ({labels});
             CREATE TABLE things (id int PRIMARY KEY, v mood DEFAULT '{usual}');"
        )
    };
    let added = ["ADD VALUE IF NOT EXISTS 'n' BEFORE 'a'", "ADD VALUE IF NOT EXISTS 'c' AFTER 'b'"];
    let (older, newer) = (mood("'a', 'b'", "a"), mood("'n', 'a', 'b', 'c'", "c"));
    check(&postgresql, &older, &newer, &added, &["RENAME", "TYPE mood USING", "DROP TYPE"]);
    let newer = tables("int", ", c text, d int NOT NULL DEFAULT 7");
    let added = ["ADD COLUMN c TEXT;", "ADD COLUMN d INT NOT NULL DEFAULT 7;"];
    check(&sqlite, &tables("int", ""), &newer, &added, &["_flow_new", "DROP"]);
}

/// A foreign key needs the key of another table, which may come first in the script, or go itself.
#[test]
fn a_key_stays_as_long_as_others_need_it() {
    let older = "CREATE TABLE a (id int NOT NULL, k int NOT NULL, UNIQUE (id, k));
        CREATE TABLE b (id int PRIMARY KEY, a_id int, a_k int, FOREIGN KEY (a_id, a_k) REFERENCES a (id, k));
        CREATE TABLE gone (id int PRIMARY KEY, a_id int, a_k int, FOREIGN KEY (a_id, a_k) REFERENCES a (id, k));";
    let newer = "CREATE TABLE a (k int NOT NULL, id int NOT NULL, UNIQUE (k, id));
        CREATE TABLE b (id int PRIMARY KEY, a_id int, a_k int, FOREIGN KEY (a_k, a_id) REFERENCES a (k, id));";
    let rows = "INSERT INTO a VALUES (1, 2); INSERT INTO b VALUES (1, 1, 2); INSERT INTO gone VALUES (1, 1, 2);";
    on_all(|judge| {
        judge.clear();
        // With the names of constraints that the migration assumes.
        let begun = make(SKILL, json!({ "ddl": older, "dialect": judge.dialect() })).unwrap();
        judge.run(&format!("{}\n{rows}", begun.artifacts[0].text)).unwrap();
        let fields = json!({ "ddl": newer, "older": older, "dialect": judge.dialect() });
        let scripts = make(SKILL, fields).unwrap().artifacts;
        for at in [0, 1, 0] {
            let script = &scripts[at].text;
            judge.run(script).unwrap_or_else(|error| panic!("{error}\n{script}"));
        }
        let joined = "SELECT a.id, k, b.id FROM a JOIN b ON a_id = a.id AND a_k = k;";
        assert!(judge.run(joined).unwrap().contains('2'), "{}", judge.dialect());
    });
}

/// A column that numbers its rows goes on up to the greatest number of its new type.
#[test]
fn numbers_go_on_where_a_column_changes() {
    on(Dialect::Postgres, |judge| {
        let older = "CREATE TABLE a (id serial PRIMARY KEY, v text);";
        let newer = "CREATE TABLE a (id bigserial PRIMARY KEY, v text);";
        judge.run(older).unwrap();
        let fields = json!({ "ddl": newer, "older": older, "dialect": "postgresql" });
        let scripts = make(SKILL, fields).unwrap().artifacts;
        for at in [0, 1, 0] {
            judge.run(&scripts[at].text).unwrap();
        }
        judge
            .run("SELECT setval('a_id_seq', 3000000000); INSERT INTO a (v) VALUES ('z');")
            .unwrap();
    });
}

/// A table that SQLite makes again may be that of a view.
#[test]
fn a_view_on_a_table_that_is_made_again_stays() {
    on(Dialect::Sqlite, |judge| {
        let (older, newer) = ("CREATE TABLE a (v TEXT)", "CREATE TABLE a (v TEXT DEFAULT 'y')");
        judge
            .run(&format!(
                "{older}; CREATE VIEW of_a AS SELECT v FROM a; INSERT INTO a VALUES ('x');"
            ))
            .unwrap();
        let fields = json!({ "ddl": newer, "older": older, "dialect": "sqlite" });
        let output = make(SKILL, fields).unwrap();
        assert!(output.notes.iter().any(|note| note.contains("without its triggers")));
        judge.run(&output.artifacts[0].text).unwrap();
        assert_eq!(judge.run("SELECT v FROM of_a;").unwrap(), "x\n");
    });
}

/// A number that a deleted row had is not given again, also where no row is left.
#[test]
fn a_table_that_sqlite_makes_again_counts_on() {
    on(Dialect::Sqlite, |judge| {
        let table = |rest: &str| {
            format!("CREATE TABLE \"it's\" (id INTEGER PRIMARY KEY AUTOINCREMENT, v TEXT{rest});")
        };
        let (older, newer) = (table(""), table(" DEFAULT 'y'"));
        let fields = json!({ "ddl": newer, "older": older, "dialect": "sqlite" });
        let output = make(SKILL, fields).unwrap();
        let [up, down] = [0, 1].map(|at| output.artifacts[at].text.as_str());
        judge.run(&older).unwrap();
        let last = "DELETE FROM \"it's\" WHERE id = last_insert_rowid();";
        let all = "DELETE FROM \"it's\";";
        let insert = "INSERT INTO \"it's\" (v) VALUES ('x');";
        let mut given = 0;
        for (script, delete) in [(up, last), (down, last), (up, all), (down, all), (up, last)] {
            judge.run(&format!("{insert} {insert} {delete}\n{script}")).unwrap();
            given += 3;
            let id = judge.run(&format!("{insert} SELECT max(id) FROM \"it's\";")).unwrap();
            assert_eq!(id, format!("{given}\n"), "{delete}\n{script}");
        }
    });
}
