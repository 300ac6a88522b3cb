//! `sql-schema-generator`: a data model becomes tables, with a migration up and one down; two models become the
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

use serde_json::json;

use dialect::Dialect;
use migrate::{Change, Way};
use renames::Renames;
use tables::{Plan, Table};

use super::source;
use crate::data::Model;
use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Fault, Output, Result};
use crate::project_state::Context;

/// Makes the migrations.
///
/// # Errors
/// When the model has what the database refuses.
pub(super) fn generate(input: &Input, _: &Context) -> Result<Output> {
    let (model, mut notes) = source::model(input)?;
    let dialect = dialect(input, &model, &mut notes)?;
    let new = plan::plan(&model, dialect)?;
    let older = input.fields.get("older").filter(|value| !value.is_null());
    let (old, renames) = match older {
        Some(value) => {
            let (older, _) = source::from_value("older", value)?;
            let mut renames = Renames::read(input)?;
            let old = plan::plan(&older, dialect)?;
            renames.check(&old.tables, &new.tables)?;
            (old, renames)
        }
        None => (Plan::default(), Renames::default()),
    };
    if new.tables.is_empty() && old.tables.is_empty() {
        return Err(Fault::Bad {
            field: "model".into(),
            given: "a model without tables".into(),
            allowed: "one with at least one entity that is an object".into(),
        });
    }
    notes.extend(new.notes.iter().cloned());
    notes.extend(losses(&old, &new, &renames));
    notes.extend(limits(dialect, &new));
    let up = Change { old: &old, new: &new, renames: &renames, way: Way::Up };
    let back = renames.reversed();
    let down = Change { old: &new, new: &old, renames: &back, way: Way::Down };
    let artifact = |path: &str, change| {
        let text = script(dialect, change);
        Artifact::new(path, "sql", text)
    };
    Ok(Output {
        data: json!({
            "dialect": dialect.title(), "model": model,
            "tables": { "before": names(&old), "after": names(&new) },
        }),
        artifacts: vec![artifact("up.sql", &up), artifact("down.sql", &down)],
        open: model.open,
        notes,
    })
}

/// The dialect that is asked for, else that of the DDL, else PostgreSQL.
fn dialect(input: &Input, model: &Model, notes: &mut Vec<String>) -> Result<Dialect> {
    if input.text("dialect").is_none() {
        let tables = model.entities.values().filter_map(|entity| entity.table.as_ref());
        let native =
            tables.filter_map(|table| table.native.as_ref()).map(|native| native.dialect).next();
        if let Some(native) = native {
            notes.push(format!("dialect not given; using {}, as the DDL does", native.title()));
            return Ok(native);
        }
    }
    Ok(match fields::choice(input, "dialect", &["postgresql", "mysql", "mariadb", "sqlite"])? {
        "postgresql" => Dialect::Postgres,
        "sqlite" => Dialect::Sqlite,
        _ => Dialect::MySql,
    })
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.tables.keys().map(String::as_str).collect()
}

/// What of the database itself is worth a note.
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

/// A whole script: what it is, the statements, and the transaction around them.
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

/// What MySQL's scripts begin with.
fn mysql_head(change: &Change<'_>) -> String {
    let columns = change.new.tables.values().flat_map(|table| table.columns.values());
    let has_zero_dates = columns
        .filter_map(|column| column.default.as_ref())
        .any(|default| default.contains("0000-00-00"));
    let mode = if has_zero_dates {
        "-- Some columns have a zero date as their default, which the strict mode refuses.\nSET sql_mode = 'NO_ENGINE_SUBSTITUTION';\n"
    } else {
        ""
    };
    format!(
        "-- Statements that change tables cannot be rolled back: each stands alone.\nSET NAMES utf8mb4;\n{mode}\n"
    )
}

/// What a change may lose or fail on, in sentences.
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
        for (name, column) in &next.columns {
            match was.columns.get(name) {
                None if column.is_required
                    && column.default.is_none()
                    && column.identity.is_none() =>
                {
                    notes.push(format!("{}.{name} is new, required and has no default: up fails where there are rows", next.key));
                }
                Some(before) if before.sql != column.sql => {
                    notes.push(format!("{}.{name} changes from {} to {}: values that do not fit stop the migration", next.key, before.sql, column.sql));
                }
                Some(before) if column.is_required && !before.is_required => {
                    notes.push(format!(
                        "{}.{name} becomes required: rows without it stop the migration",
                        next.key
                    ));
                }
                _ => {}
            }
        }
        if was.native != next.native && has_other_storage(&was, next) {
            notes.push(format!(
                "{}: the change of its options or partitions is not migrated",
                next.key
            ));
        }
        let back = reversed.apply(next);
        let is_last = back.columns.keys().next_back() == table.columns.keys().next_back();
        if !gone.is_empty() && !is_last {
            notes.push(format!(
                "{}: down puts columns back at the end where the database cannot place them",
                next.key
            ));
        }
    }
    notes
}

fn has_other_storage(was: &Table, next: &Table) -> bool {
    let storage = |table: &Table| {
        let native = table.native.as_ref()?;
        Some((native.options.clone(), native.partition_by.clone(), native.partitions.clone()))
    };
    storage(was) != storage(next)
}
