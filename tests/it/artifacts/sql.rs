//! Migrations run on PostgreSQL, MariaDB and SQLite: up, down (to the previous schema), and up again.

mod databases;
mod dumps;
mod hostile;
mod lossy;
mod names;

use serde_json::{Map, Value, json};

use databases::{Dialect, Judge, on};

use super::golden::example;
use super::making::make;

const SKILL: &str = "sql-schema-generator";

/// A model without tables.
const NOTHING: &str = r#"{"entities": {"none": {"shape": {"types": ["string"]}}}}"#;

/// The lines of a dump, ignoring the order of columns, which databases append.
fn lines(dump: &str) -> Vec<String> {
    let mut lines: Vec<_> = dump
        .lines()
        .filter(|line| !line.contains("restrict "))
        .map(|line| line.trim().trim_end_matches(',').to_owned())
        .collect();
    lines.sort();
    lines
}

#[track_caller]
fn scripts(judge: &Judge, fields: &Value) -> (String, String) {
    let mut fields = fields.clone();
    fields["dialect"] = judge.dialect().into();
    let output =
        make(SKILL, &fields).unwrap_or_else(|fault| panic!("{}: {fault}", judge.dialect()));
    (output.artifacts[0].text.clone(), output.artifacts[1].text.clone())
}

#[track_caller]
fn judge_one(judge: &Judge, name: &str, fields: &Value) {
    judge.clear();
    let run = |step: &str, script: &str| {
        let place = format!("{name} on {}, {step}", judge.dialect());
        judge.run(script).unwrap_or_else(|error| panic!("{place}: {error}\n{script}"));
        judge.dump()
    };
    if let Some(older) = fields.get("older") {
        let kind = if older.is_string() { "ddl" } else { "model" };
        let made = json!({ "source": older, "as": kind, "older": NOTHING });
        run("older", &scripts(judge, &made).0);
    }
    let before = judge.dump();
    let (up, down) = scripts(judge, fields);
    let after = run("up", &up);
    assert_ne!(before, after, "{name}: up did nothing");
    let back = run("down", &down);
    assert_eq!(lines(&before), lines(&back), "{name} on {}: down\n{down}", judge.dialect());
    assert_eq!(lines(&after), lines(&run("up again", &up)), "{name}: up again");
    let is_left = fields.get("model") != Some(&json!({}));
    if fields.get("older").is_some() && is_left {
        let mut fresh = fields.clone();
        fresh["older"] = NOTHING.into();
        judge.clear();
        let fresh = run("fresh", &scripts(judge, &fresh).0);
        assert_eq!(
            lines(&after),
            lines(&fresh),
            "{name} on {}: not as made anew\n{up}",
            judge.dialect()
        );
    }
}

/// A table of properties, with keys.
fn entity(properties: &Value, keys: &Value) -> Value {
    let required: Vec<_> = properties.as_object().unwrap().keys().cloned().collect();
    json!({ "shape": { "types": ["object"], "object": { "properties": properties, "required": required } }, "table": keys })
}

fn hostile() -> Value {
    let names = [
        "select", "Order", "a b", "q'uo", "do\"u", "ba`tick", "semi;--", "line\nbr", "日本", "é",
        "100%", "a.b", "ba\\sl", "/* x */", "$1", "?",
    ];
    let mut entities = Map::new();
    for name in names {
        let mut columns = Map::new();
        for column in names {
            let shape = json!({
                "types": ["string"], "description": format!("it's {column}\n'; DROP TABLE x; --\\"),
                "default": "it's \\ \"x\"", "enumeration": ["it's \\ \"x\"", "日本", "a\nb", "%s"],
            });
            columns.insert(column.into(), shape);
        }
        columns.insert("group".into(), json!({ "types": ["integer"] }));
        let relations = json!([{ "columns": ["group"], "to": "select", "to_columns": ["group"], "on_delete": "cascade" }]);
        let keys = json!({ "name": name, "primary_key": ["group"], "unique": [["a b", "q'uo"]], "indexes": [["日本"]], "relations": relations });
        entities.insert(name.into(), entity(&Value::Object(columns), &keys));
    }
    json!({ "model": { "entities": entities } })
}

fn wide() -> Value {
    let column = |at: usize| {
        let rules = if at < 500 { json!({ "minimum": 0 }) } else { json!({}) };
        (
            format!("field_{at}"),
            json!({ "types": ["integer"], "string": { "format": "int32" }, "number": rules }),
        )
    };
    let columns: Map<_, _> = (0..1000).map(column).collect();
    json!({ "model": { "entities": { "wide": entity(&Value::Object(columns), &json!({ "primary_key": ["field_0"] })) } } })
}

const CYCLES: &str = include_str!("sql/circles.sql");

const KINDS: &str = include_str!("sql/kinds.sql");

const SENTENCES: &str = "User: id int pk, firstName string unique, orders -> Order[]; \
                         Order: id int pk, user -> User, total decimal";

/// Several lists between two tables, one way and both ways.
const LISTS: &str = "Team: id int pk, members -> Person[], coaches -> Person[], hosts -> Place[], guests -> Place[]; \
                     Person: id int pk, teams -> Team[], coached -> Team[]; Place: id int pk";

const OLDER: &str = include_str!("sql/older.sql");

const NEWER: &str = include_str!("sql/newer.sql");

fn cases() -> Vec<(&'static str, Value)> {
    vec![
        ("the example", example(SKILL)),
        ("hostile names", hostile()),
        ("a thousand fields", wide()),
        ("circles", json!({ "ddl": CYCLES })),
        ("kinds", json!({ "ddl": KINDS })),
        ("sentences", json!({ "source": SENTENCES })),
        ("lists", json!({ "source": LISTS })),
        ("a change", json!({ "ddl": NEWER, "older": OLDER, "lossy": true })),
        (
            "another name",
            json!({ "ddl": NEWER.replace("people", "users"), "older": OLDER, "lossy": true }),
        ),
        ("from and to circles", json!({ "ddl": CYCLES, "older": OLDER })),
        ("no circles any more", json!({ "ddl": OLDER, "older": CYCLES })),
        ("all goes", json!({ "model": {}, "as": "model", "older": CYCLES })),
    ]
}

/// Rows that the tables of [`KINDS`] must accept or refuse: columns and values.
const ROWS: [(bool, &str, &str); 10] = [
    (true, "small, name", "1, 'ab'"),
    (true, "small, name, mail", "5, 'cd', 'a@b.cd'"),
    (false, "small, name", "6, 'ab'"),
    (false, "small, name", "1, 'a'"),
    (false, "name", "'ab'"),
    (false, "small, name, mood", "1, 'ab', 'Glad'"),
    (false, "small, name, step", "1, 'ab', -3"),
    (true, "small, name, code, step", "1, 'xy', 'abc', -2"),
    (false, "small, name, code", "1, 'zz', 'abc'"),
    (false, "small, name, extra", "1, 'ab', '{'"),
];

fn judge_all(judge: &Judge) {
    for (name, fields) in cases() {
        judge_one(judge, name, &fields);
    }
    judge.clear();
    judge.run(&scripts(judge, &json!({ "ddl": KINDS })).0).unwrap();
    for (is_right, columns, values) in ROWS {
        let ran = judge.run(&format!("INSERT INTO kinds ({columns}) VALUES ({values});"));
        assert_eq!(ran.is_ok(), is_right, "{}: {columns} = {values}: {ran:?}", judge.dialect());
    }
    let bad = judge.run("INSERT INTO kinds (small, name, mail) VALUES (1, 'gh', '');");
    assert!(bad.is_err(), "{}: the length", judge.dialect());
}

each! {
    postgresql_takes_the_migrations: on(Dialect::Postgres, judge_all);
    mariadb_takes_the_migrations: on(Dialect::MariaDb, judge_all);
    sqlite_takes_the_migrations: on(Dialect::Sqlite, judge_all);
}
