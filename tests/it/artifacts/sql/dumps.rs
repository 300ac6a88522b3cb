//! Dumps of real databases result in the same tables: the output of the tools of PostgreSQL, MariaDB and SQLite for
//! tables, views, functions, triggers and rows becomes migrations whose tables are those of the dumped database.

use serde_json::json;

use super::databases::{Dialect, Judge, on};
use super::{SKILL, lines};
use crate::artifacts::making::make;

const POSTGRES_TABLES: &str = include_str!("dump_postgres_tables.sql");

const POSTGRES_REST: &str = include_str!("dump_postgres_rest.sql");

const MARIADB_TABLES: &str = include_str!("dump_mariadb_tables.sql");

const MARIADB_REST: &str = include_str!("dump_mariadb_rest.sql");

const SQLITE_TABLES: &str = include_str!("dump_sqlite_tables.sql");

const SQLITE_REST: &str = include_str!("dump_sqlite_rest.sql");

/// A database's description of its tables, without differences in their text only.
fn told(judge: &Judge) -> Vec<String> {
    if judge.dialect() != "sqlite" {
        return lines(&judge.dump());
    }
    let all = "SELECT m.name, p.name, p.type, p.'notnull', p.dflt_value, p.pk, p.hidden FROM sqlite_master m, pragma_table_xinfo(m.name) p WHERE m.type = 'table';
      SELECT m.name, p.'from', p.'table', p.'to', p.on_delete FROM sqlite_master m, pragma_foreign_key_list(m.name) p;
      SELECT m.name, p.'unique', p.partial, p.origin, (SELECT group_concat(coalesce(name, 'expression')) FROM pragma_index_info(p.name)) FROM sqlite_master m, pragma_index_list(m.name) p;
      SELECT name, wr, strict FROM pragma_table_list WHERE schema = 'main';";
    lines(&judge.run(all).unwrap())
}

#[track_caller]
fn same(wanted: &[String], found: &[String], place: &str) {
    let without = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter().filter(|line| !other.contains(line)).cloned().collect()
    };
    let (lost, new) = (without(wanted, found), without(found, wanted));
    assert!(lost.is_empty() && new.is_empty(), "lost {lost:#?}\nnew {new:#?}\n{place}");
}

fn comes_back(judge: &Judge, tables: &str, rest: &str) {
    judge.clear();
    judge.run(tables).unwrap();
    let wanted = told(judge);
    judge.run(rest).unwrap();
    let dump = judge.whole_dump();
    judge.clear();
    let empty = judge.dump();
    let output =
        make(SKILL, json!({ "ddl": dump })).unwrap_or_else(|fault| panic!("{fault}\n{dump}"));
    let [up, down] = [0, 1].map(|at| output.artifacts[at].text.as_str());
    let notes = output.notes.join("\n");
    assert!(!notes.contains("not read: "), "{notes}\n{dump}");
    assert!(notes.contains("INSERT") || notes.contains("COPY"), "rows are named: {notes}");
    let run = |script: &str| judge.run(script).unwrap_or_else(|error| panic!("{error}\n{script}"));
    run(up);
    same(&wanted, &told(judge), &format!("{up}\n{notes}"));
    run(down);
    same(&lines(&empty), &lines(&judge.dump()), down);
    run(up);
    same(&wanted, &told(judge), up);
}

each! {
    a_dump_of_postgresql_comes_back: on(Dialect::Postgres, |judge| comes_back(judge, POSTGRES_TABLES, POSTGRES_REST));
    a_dump_of_mariadb_comes_back: on(Dialect::MariaDb, |judge| comes_back(judge, MARIADB_TABLES, MARIADB_REST));
    a_dump_of_sqlite_comes_back: on(Dialect::Sqlite, |judge| comes_back(judge, SQLITE_TABLES, SQLITE_REST));
}
