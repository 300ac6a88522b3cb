//! `sql-schema-generator`: generates tables from a data model, with a migration up and down; from two models, the
//! migration between them.

mod column;
mod dialect;
mod keys;
mod migrate;
mod naming;
mod native;
mod pattern;
mod plan;
mod relations;
mod renames;
mod reserved;
mod sqlite;
mod surroundings;
mod tables;
mod write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use dialect::Dialect;
use migrate::{Change, Way};
use renames::{Rename, Renames};
use tables::{Column, Plan, Table};

use super::data_fields::{self, DataFields, Read};
use super::skill::{Finding, Kind, Needs, Skill, Upstream};
use crate::data::{Model, ddl};
use crate::input::values::TextOr;
use crate::output::{Artifact, Fault, Output, Result, value};
use crate::stack;

pub(super) const SKILL: Skill = Skill {
    name: "sql-schema-generator",
    input: data_fields::definition::<Input>(),
    needs: Needs::Input,
    gives: Kind::Tables,
    run: |given, _| stack::run(|| generate(&given.read()?, given.upstream.as_ref())),
    verify: Some(|text, _| verify(text)),
};

/// A description of the data, the database, and for a migration the previous model.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    #[serde(flatten)]
    data: DataFields,
    /// The database that the SQL is for. Default: that of the input if it is SQL, else PostgreSQL.
    dialect: Option<Database>,
    /// The previous model, as SQL, entities or a model; the migration is the difference.
    older: Option<Value>,
    /// The renamed tables and columns, such as `users -> people, orders.sum -> total`; others that are missing in the new model are dropped.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    renames: Vec<TextOr<Rename>>,
}

/// A database.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Database {
    #[serde(alias = "postgres")]
    Postgresql,
    Mysql,
    Mariadb,
    Sqlite,
}

/// The output data for the next skill.
#[derive(Debug, Serialize)]
struct Data<'a> {
    dialect: &'static str,
    model: &'a Model,
    tables: Names<'a>,
}

/// The tables before and after the migration.
#[derive(Debug, Serialize)]
struct Names<'a> {
    before: Vec<&'a str>,
    after: Vec<&'a str>,
}

fn generate(input: &Input, upstream: Option<&Upstream>) -> Result<Output> {
    let Read { model, mut notes } = input.data.read_any(upstream)?;
    let dialect = dialect(input.dialect, &model, &mut notes);
    let new = plan::plan(&model, dialect)?;
    let (old, renames) = match &input.older {
        Some(older) => {
            let older = data_fields::recognised(older, "Root")?;
            let mut renames = Renames::of(&input.renames);
            let old = plan::plan(&older.model, dialect)?;
            renames.check(&old.tables, &new.tables)?;
            (old, renames)
        }
        None => (Plan::default(), Renames::default()),
    };
    if new.tables.is_empty() && old.tables.is_empty() {
        return Err(Fault::Refused(
            "the input describes no table: give at least one entity with its fields".into(),
        ));
    }
    notes.extend(new.notes.iter().cloned());
    notes.extend(losses(&old, &new, &renames));
    notes.extend(limits(dialect, &new));
    let up = Change { old: &old, new: &new, renames: &renames, way: Way::Up };
    let back = renames.reversed();
    let down = Change { old: &new, new: &old, renames: &back, way: Way::Down };
    let artifact = |path: &str, change| Artifact::new(path, "sql", script(dialect, change));
    let tables = Names { before: names(&old), after: names(&new) };
    let data = Data { dialect: dialect.title(), model: &model, tables };
    Ok(Output {
        data: value(&data)?,
        artifacts: vec![artifact("up.sql", &up), artifact("down.sql", &down)],
        open: model.open,
        notes,
    })
}

fn verify(text: &str) -> Vec<Finding> {
    ddl::unreadable(text).into_iter().map(|(line, what)| Finding { line, what }).collect()
}

/// The requested dialect, else that of the DDL, else PostgreSQL.
fn dialect(wanted: Option<Database>, model: &Model, notes: &mut Vec<String>) -> Dialect {
    match wanted {
        Some(Database::Postgresql) => Dialect::Postgres,
        Some(Database::Mysql | Database::Mariadb) => Dialect::MySql,
        Some(Database::Sqlite) => Dialect::Sqlite,
        None => {
            let mut tables = model.entities.values().filter_map(|entity| entity.table.as_ref());
            let native =
                tables.find_map(|table| table.native.as_ref()).map(|native| native.dialect);
            let title = native.map(Dialect::title);
            notes.extend(
                title.map(|own| format!("dialect not given; using {own}, as the SQL does")),
            );
            native.unwrap_or_default()
        }
    }
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.tables.keys().map(String::as_str).collect()
}

fn limits(dialect: Dialect, new: &Plan) -> Vec<String> {
    let mut notes = Vec::new();
    if dialect == Dialect::MySql {
        notes.push(
            "judged on MariaDB; MySQL takes the same statements, but no test of ours runs it"
                .into(),
        );
    }
    let has_comment = |table: &Table| {
        table.comment.is_some() || table.columns.values().any(|column| column.comment.is_some())
    };
    if dialect == Dialect::Sqlite && new.tables.values().any(has_comment) {
        notes.push("SQLite keeps no comments: descriptions are left out".into());
    }
    notes
}

fn script(dialect: Dialect, change: &Change<'_>) -> String {
    let statements = match dialect {
        Dialect::Sqlite => sqlite::migrate(change),
        Dialect::Postgres | Dialect::MySql => migrate::migrate(dialect, change),
    };
    let title = match change.way {
        Way::Up => "Migration up",
        Way::Down => {
            "Migration down: it restores the shape that was before, not data that up or down removes"
        }
    };
    let (open, close) = match dialect {
        Dialect::Postgres => ("BEGIN;\n\n".to_owned(), "\nCOMMIT;\n"),
        Dialect::MySql => (mysql_head(change), ""),
        Dialect::Sqlite => (
            "PRAGMA foreign_keys = OFF;\nBEGIN;\n\n".to_owned(),
            "\nCOMMIT;\nPRAGMA foreign_key_check;\nPRAGMA foreign_keys = ON;\n",
        ),
    };
    let mut body = statements.join("\n");
    if body.is_empty() {
        body.push_str("-- Nothing changes.");
    }
    format!("-- {title} ({}).\n{open}{body}\n{close}", dialect.title())
}

fn mysql_head(change: &Change<'_>) -> String {
    let columns = change.new.tables.values().flat_map(|table| table.columns.values());
    let mut defaults = columns.filter_map(|column| column.default.as_ref());
    let has_zero_dates = defaults.any(|default| default.contains("0000-00-00"));
    let mode = if has_zero_dates {
        "-- Some columns have a zero date as their default, which the strict mode refuses.\nSET sql_mode = 'NO_ENGINE_SUBSTITUTION';\n"
    } else {
        ""
    };
    format!(
        "-- Statements that change tables cannot be rolled back: each stands alone.\nSET NAMES utf8mb4;\n{mode}\n"
    )
}

/// What a change may lose, or why it may fail, in sentences.
fn losses(old: &Plan, new: &Plan, renames: &Renames) -> Vec<String> {
    let mut notes = Vec::new();
    let reversed = renames.reversed();
    for table in old.tables.values() {
        let Some(next) = new.tables.get(renames.table(table)) else {
            notes.push(format!("the table {} is dropped with its rows; declare it in renames if it has another name now", table.key));
            continue;
        };
        let was = renames.apply(table);
        let gone: Vec<_> =
            was.columns.keys().filter(|name| !next.columns.contains_key(*name)).collect();
        for name in &gone {
            notes.push(format!("the column {}.{name} is dropped with its values; declare it in renames if it has another name now", next.key));
        }
        notes.extend(column_risks(&was, next));
        let key = &next.key;
        if has_other_storage(&was, next) {
            notes.push(format!("{key}: the change of its options or partitions is not migrated"));
        }
        let back = reversed.apply(next);
        let is_last = back.columns.keys().next_back() == table.columns.keys().next_back();
        if !gone.is_empty() && !is_last {
            notes.push(format!(
                "{key}: down puts columns back at the end where the database cannot place them"
            ));
        }
    }
    notes
}

/// Why the rows of a table may not fit its new columns.
fn column_risks(was: &Table, next: &Table) -> Vec<String> {
    let risk = |(name, column): (&String, &Column)| {
        let risk = match was.columns.get(name) {
            None if column.is_required && column.default.is_none() && column.identity.is_none() => {
                "is new, required and has no default: up fails where there are rows".to_owned()
            }
            Some(before) if before.sql != column.sql => format!(
                "changes from {} to {}: values that do not fit stop the migration",
                before.sql, column.sql
            ),
            Some(before) if column.is_required && !before.is_required => {
                "becomes required: rows without it stop the migration".to_owned()
            }
            _ => return None,
        };
        Some(format!("{}.{name} {risk}", next.key))
    };
    next.columns.iter().filter_map(risk).collect()
}

fn has_other_storage(was: &Table, next: &Table) -> bool {
    let storage = |table: &Table| {
        let native = table.native.as_ref()?;
        Some((native.options.clone(), native.partition_by.clone(), native.partitions.clone()))
    };
    storage(was) != storage(next)
}
