//! `sql-schema-generator`: generates tables from a data model, with a migration up and down; from two models, the
//! migration between them.

mod column;
mod column_type;
mod dialect;
mod flatten;
mod guard;
mod keys;
mod lists;
mod migrate;
mod naming;
mod narrowing;
mod notes;
mod plan;
mod script;
mod sqlite;
mod tables;
mod write;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use dialect::Dialect;
use migrate::Change;
use narrowing::Narrowing;
use tables::{Plan, Table};

use super::data_fields::{self, DataFields};
use super::skill::{Definition, Finding, Given, Kind, Needs, Skill};
use crate::data::Model;
use crate::data::ddl;
use crate::input::content::Content;
use crate::output::{Artifact, Fault, Output, Result, bad_text, value};
use crate::project_state::say::joined;
use crate::stack;

pub(super) const SKILL: Skill = Skill {
    name: "sql-schema-generator",
    input: Definition { contents: &["source", "older"], ..data_fields::definition::<Input>() },
    needs: Needs::Input,
    gives: Kind::Tables,
    run: |given, _| stack::run(|| generate(&given.read()?, given)),
    verify: Some(|text, _| verify(text)),
};

/// The title of a script that goes back.
const DOWN: &str =
    "Migration down: it restores the shape that was before, not data that up or down removes";
/// Largest number of changes that an error names.
const NAMED: usize = 20;

/// A description of the data, the database, and for a migration the previous model.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("x-unknown" = "a rename is not generated: rename by hand first, in the older model too"))]
struct Input {
    #[serde(flatten)]
    data: DataFields,
    /// The database that the SQL is for: postgresql, mysql, mariadb or sqlite. Default: that of the input if it is SQL, else PostgreSQL. With `older`, both
    /// texts of SQL are read as its dialect too.
    dialect: Option<Database>,
    /// The previous model, as SQL, entities or a model; the migration is the difference.
    #[schemars(extend("x-labels" = ["from", "previous", "old", "before"]))]
    older: Option<Value>,
    /// Whether a change of a column that may lose values is generated, with a guard that stops the migration on the first
    /// row that would lose. Without it such a change is refused.
    #[serde(default)]
    lossy: bool,
}

/// A database.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(super) struct Database(#[schemars(with = "String")] pub(super) Dialect);

impl TryFrom<String> for Database {
    type Error = &'static str;

    fn try_from(word: String) -> std::result::Result<Self, Self::Error> {
        Ok(Self(match word.trim().to_ascii_lowercase().as_str() {
            "postgresql" | "postgres" | "pg" => Dialect::Postgres,
            "mysql" | "mariadb" => Dialect::MySql,
            "sqlite" | "sqlite3" => Dialect::Sqlite,
            _ => return Err("one of postgresql, mysql, mariadb, sqlite"),
        }))
    }
}

/// Refuses the path of a file that does not exist: one that does was read.
fn refuse_path(older: &Value) -> Result<()> {
    let path = older.as_str().map(str::trim).filter(|text| !text.contains([' ', '\n', '(']));
    let is_file = |path: &&str| {
        [".sql", ".json", ".yaml", ".yml"].iter().any(|ending| path.ends_with(ending))
    };
    match path.filter(is_file) {
        Some(path) => {
            Err(bad_text("older", path, "the text of a model, or the path of a file that has it"))
        }
        None => Ok(()),
    }
}

fn generate(input: &Input, given: &Given) -> Result<Output> {
    let Sources { dialect, model, older, notes: read_notes } = sources(input, given)?;
    let new = plan::plan(&model, dialect)?;
    let old = older.map(|older| plan::plan(&older, dialect)).transpose()?.unwrap_or_default();
    if new.tables.is_empty() && old.tables.is_empty() {
        return Err(Fault::Refused(
            "the input describes no table: give at least one entity with its fields, and with an id if another contains it".into(),
        ));
    }
    if let Some(step) = migrate::unwritten(dialect, &old, &new) {
        return Err(Fault::Refused(format!("{step}: write this step of the migration by hand")));
    }
    let up = Change { old: &old, new: &new };
    let down = Change { old: &new, new: &old };
    let narrowings = narrowing::all(dialect, &old, &new);
    let narrowings_down = narrowing::all(dialect, &new, &old);
    if !input.lossy {
        refuse(&narrowings)?;
    }
    let mut notes = notes::of_drops(&old, &new);
    notes.extend(model.notes.iter().cloned());
    notes.extend(read_notes);
    notes.extend(new.notes.iter().cloned());
    notes.extend(notes::of_changes(dialect, &up, &narrowings));
    notes.extend(lost_comments(dialect, &new));
    let names = |plan: &Plan| plan.tables.keys().cloned().collect::<Vec<_>>();
    let tables = json!({ "before": names(&old), "after": names(&new) });
    let data = json!({ "dialect": dialect.title(), "model": value(&model)?, "tables": tables });
    Ok(Output {
        data,
        artifacts: vec![
            Artifact::new("up.sql", "sql", script::text(dialect, "Migration up", &up, &narrowings)),
            Artifact::new("down.sql", "sql", script::text(dialect, DOWN, &down, &narrowings_down)),
        ],
        open: model.open,
        notes,
    })
}

fn verify(text: &str) -> Vec<Finding> {
    ddl::unreadable(text).into_iter().map(|(line, what)| Finding::new(line, what)).collect()
}

/// What a call is about.
struct Sources {
    dialect: Dialect,
    model: Model,
    older: Option<Model>,
    /// On the dialect, and those of the older model.
    notes: Vec<String>,
}

/// Reads the models, both texts of a migration as the same dialect: types that another dialect takes for one are different
/// ones.
fn sources(input: &Input, given: &Given) -> Result<Sources> {
    input.older.as_ref().map_or(Ok(()), refuse_path)?;
    let older = given.contents.get("older");
    let mut model = input.data.read_any(given, None)?;
    let written = dialect_of_tables(&model);
    let requested = input.dialect.map(|database| database.0);
    let stated = requested.or(written).or_else(|| dialect_of_older(older?));
    let dialect = stated.unwrap_or_default();
    let mut notes = Vec::new();
    if requested.is_none() && stated.is_some() {
        notes.push(format!("dialect not given; using {}, as the SQL does", dialect.title()));
    }
    if written.is_none() && requested.is_some() || written != Some(dialect) && older.is_some() {
        model = input.data.read_any(given, Some(dialect))?;
    }
    let older = older.map(|older| read_older(older, Some(dialect))).transpose()?;
    let older_notes = older.iter().flat_map(|older| &older.notes);
    notes.extend(older_notes.map(|note| format!("older: {note}")));
    Ok(Sources { dialect, model, older, notes })
}

fn read_older(older: &Content, dialect: Option<Dialect>) -> Result<Model> {
    data_fields::of_content(older, "Root", dialect).map_err(|fault| fault.of_field("older"))
}

/// The dialect of the older model, if it can be read.
fn dialect_of_older(older: &Content) -> Option<Dialect> {
    dialect_of_tables(&read_older(older, None).ok()?)
}

/// The dialect of the tables of SQL.
fn dialect_of_tables(model: &Model) -> Option<Dialect> {
    let mut tables = model.entities.values().filter_map(|entity| entity.table.as_ref());
    tables.find_map(|table| table.source.as_ref()).map(|source| source.dialect)
}

/// Refuses changes that may lose values.
fn refuse(all: &[Narrowing]) -> Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    let all = all.iter().map(|narrowing| format!("{} {}", narrowing.place, narrowing.what));
    let named = joined(all, NAMED, "; ");
    Err(Fault::Refused(format!(
        "the migration may lose values: {named}; with lossy=true it is generated, and stops on the first row that would lose"
    )))
}

fn lost_comments(dialect: Dialect, new: &Plan) -> Option<String> {
    let has_comment = |table: &Table| {
        table.comment.is_some() || table.columns.values().any(|column| column.comment.is_some())
    };
    let is_lost = dialect == Dialect::Sqlite && new.tables.values().any(has_comment);
    is_lost.then(|| "SQLite keeps no comments: descriptions are left out".to_owned())
}
