//! `migration-checklist`: what to do before, during and after a move of data from one place to another, or of a schema
//! from one shape to another, each phase with its way back. The words are the templates'; here are the phases, the
//! queries and what is not known.

mod place;
mod said;
mod steps;

use serde_json::{Value, json};

use place::System;
use said::Said;

use super::source::looks_like_sql;
use crate::data::{Model, ddl};
use crate::fields::{choice, missing, shown};
use crate::input::Input;
use crate::output::{Artifact, Fault, Output, Result};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::runtime::filters::markdown;

const SKILL: &str = "migration-checklist";
const STRATEGIES: [&str; 4] = ["big-bang", "phased", "dual-write", "blue-green"];

/// Most tables of a move.
const TABLES: usize = 10_000;

/// Whether data change their place, or a database its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Between,
    InPlace,
}

/// What moves.
struct Move {
    way: Way,
    /// What holds the data before and after, as people call it.
    from: String,
    to: String,
    /// The tables there, and here afterwards.
    before: Vec<String>,
    after: Vec<String>,
    said: Said,
}

/// Writes the checklist.
///
/// # Errors
/// When it is not said from where and to where.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let own = read(input)?;
    if own.after.len() > TABLES {
        return Err(Fault::Bad {
            field: "tables".into(),
            given: format!("a list of {}", own.after.len()),
            allowed: format!("at most {TABLES} tables"),
        });
    }
    let strategy = match own.said.strategy {
        Some(said) if input.text("strategy").is_none() => said,
        _ => choice(input, "strategy", &STRATEGIES)?,
    };
    let window = input.text("window").map(str::to_owned).or_else(|| own.said.window.clone());
    let made = steps::steps(&own);
    let mut open = questions(input, &own, window.as_deref());
    open.extend(made.open);
    let count = |place: &str, tables: &[String]| -> Vec<String> {
        tables.iter().map(|table| System::of(place).count(table)).collect()
    };
    let (template, strategy) = match own.way {
        Way::Between => ("assets/checklist.md.tera", strategy),
        Way::InPlace => ("assets/in-place.md.tera", "in-place"),
    };
    let data = json!({
        "from": own.from, "to": own.to, "strategy": strategy, "date": context.today(),
        "owner": input.text("owner"), "window": window, "target": own.to,
        "tables": own.after, "from_queries": count(&own.from, &own.before),
        "to_queries": count(&own.to, &own.after), "steps": made.list, "env": made.env,
        "open": open.iter().map(|question| markdown(question)).collect::<Vec<_>>(),
    });
    let template = crate::runtime::catalog::file(SKILL, template).unwrap_or_default();
    let text = engine::render(template, &data)?;
    let artifact = Artifact::new("migration-checklist.md", "markdown", text);
    Ok(Output { data, artifacts: vec![artifact], open, notes: Vec::new() })
}

/// What is not said.
fn questions(input: &Input, own: &Move, window: Option<&str>) -> Vec<String> {
    let mut open = Vec::new();
    if own.before.is_empty() && own.after.is_empty() {
        open.push(
            "Which tables or data sets move? Without them there are no count queries.".to_owned(),
        );
    }
    let is_said = input.text("strategy").is_some() || own.said.strategy.is_some();
    if own.way == Way::Between && !is_said {
        open.push("Which strategy is it: big-bang, phased, dual-write or blue-green? The list is for big-bang.".to_owned());
    }
    if own.way == Way::InPlace && System::of(&own.from) == System::Other {
        open.push("Which database is it? Names are quoted as the SQL standard says.".to_owned());
    }
    if input.text("owner").is_none() {
        open.push("Who decides on going on or going back?".to_owned());
    }
    if window.is_none() {
        open.push("When may the migration run, and for how long?".to_owned());
    }
    open
}

/// The move: fields first, then what the text says, then what the skill before made.
fn read(input: &Input) -> Result<Move> {
    let text = input.text("text").unwrap_or_default();
    let sql = Some(text).filter(|text| looks_like_sql(text));
    let said = if sql.is_none() { said::read(text) } else { Said::default() };
    let stated = |field: &str, said: &Option<String>| {
        input.text(field).map(str::to_owned).or_else(|| said.clone())
    };
    let (from, to) = (stated("from", &said.from), stated("to", &said.to));
    let ends = [from, to].map(|own| own.filter(|text| !text.trim().is_empty()));
    let tables = tables(input)?;
    match ends {
        [Some(from), Some(to)] => {
            let known = if tables.is_empty() { said.tables.clone() } else { tables };
            let known = match sql {
                Some(sql) if known.is_empty() => created(sql)?,
                _ => known,
            };
            Ok(Move { way: Way::Between, from, to, before: known.clone(), after: known, said })
        }
        [None, None] if input.upstream.is_some() || sql.is_some() => in_place(input, sql, said),
        [None, _] => Err(missing("from", "text", "where the data are now, such as MySQL 8")),
        _ => Err(missing("to", "text", "where they are to be, such as PostgreSQL 15")),
    }
}

/// A schema that changes its shape: DDL, or what `sql-schema-generator` made.
fn in_place(input: &Input, sql: Option<&str>, said: Said) -> Result<Move> {
    let names = |value: &Value| -> Vec<String> {
        value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let (dialect, before, after) = match &input.upstream {
        Some((_, data)) if data["tables"].is_object() => {
            let dialect = data["dialect"].as_str().map(str::to_owned);
            (dialect, names(&data["tables"]["before"]), names(&data["tables"]["after"]))
        }
        Some((skill, data)) => (None, Vec::new(), entities(skill, data)?),
        None => {
            let sql = sql.unwrap_or_default();
            (titled(sql), Vec::new(), created(sql)?)
        }
    };
    let name = dialect.unwrap_or_else(|| "the database".to_owned());
    Ok(Move { way: Way::InPlace, from: name.clone(), to: name, before, after, said })
}

/// The database that a migration of ours says that it is for.
fn titled(sql: &str) -> Option<String> {
    let (_, rest) = sql.lines().next()?.strip_prefix("-- Migration ")?.split_once('(')?;
    rest.split_once(')').map(|(title, _)| title.to_owned())
}

/// The tables that SQL creates.
fn created(sql: &str) -> Result<Vec<String>> {
    ddl::read(sql).map(|(model, _)| model.entities.keys().cloned().collect())
}

fn entities(skill: &str, data: &Value) -> Result<Vec<String>> {
    let model = data.get("model").unwrap_or(data).clone();
    let model: Model = serde_json::from_value(model).map_err(|error| {
        Fault::Refused(format!(
            "the output of {skill:?} holds neither a migration nor a data model: {error}"
        ))
    })?;
    Ok(model.entities.keys().cloned().collect())
}

/// The names of the tables: texts, or objects with a name.
fn tables(input: &Input) -> Result<Vec<String>> {
    let name = |(at, own): (usize, &Value)| {
        let name = own.as_str().or_else(|| own.get("name").and_then(Value::as_str));
        let is_usable = |name: &&str| !name.is_empty() && !name.contains(['\0', '\n', '\r']);
        name.filter(is_usable).map(str::to_owned).ok_or_else(|| Fault::Bad {
            field: format!("tables[{at}]"),
            given: shown(own),
            allowed: "the name of a table on one line, or an object with it as name".into(),
        })
    };
    if let Some(names) = input.text("tables") {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        return names.enumerate().map(|(at, own)| name((at, &own.into()))).collect();
    }
    input.list("tables").iter().enumerate().map(name).collect()
}
