//! `migration-checklist`: what to do before, during and after a change of systems, each phase with its rollback. Moving
//! data, upgrading a version, moving a service and changing a schema have different checklists.

mod change;
mod place;
mod steps;
mod verify;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shell::{Command, fenced};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, Upstream, takes};
use super::steps::Procedure;
use crate::data::ddl::{Action, Part};
use crate::input::kind::Payload;
use crate::input::notation::Notation;
use crate::input::values::{Block, Line, TextOr};
use crate::output::{self, Artifact, Output, Result, bad_given};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::text::prose::prose;
use change::{Change, Of};
use place::System;

/// The skill's name.
const NAME: &str = "migration-checklist";
/// Largest number of tables to move.
const TABLES: usize = 10_000;

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Notation(Notation::Arrows), "change"),
            takes(ContentKind::Ddl, "sql"),
        ],
        instead: &["from", "to"],
        accepts: &[Kind::Tables],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Steps,
    run: |given, context| generate(&given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify::verify(text)),
};

/// The change: its source, its target, and how it is made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What changes, with an arrow: `MySQL 8 -> PostgreSQL 16: users, orders` (data), `node 18 -> node 22` (a version), or
    /// `heroku -> kubernetes` (a service). Tables may stand behind the colon.
    change: Option<Block>,
    /// The current system, such as MySQL 8.
    from: Option<Line>,
    /// The new system, such as PostgreSQL 16.
    to: Option<Line>,
    /// The type of change, if the names do not determine it.
    kind: Option<Of>,
    /// The SQL of a migration: either the schema change itself, or the definition of the tables to move.
    sql: Option<String>,
    /// The tables to move.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    tables: Vec<TextOr<Table>>,
    /// How data are moved. Default: big-bang.
    strategy: Option<Strategy>,
    /// Who decides whether to continue or to roll back.
    #[schemars(extend("x-labels" = ["Decides"]))]
    owner: Option<Line>,
    /// The maintenance window and its length.
    window: Option<Line>,
    /// The command that carries out the change.
    run: Option<Command>,
    /// The command that checks the result.
    check: Option<Command>,
    /// The command that rolls the change back.
    back: Option<Command>,
    /// The command that creates the backup, as the file backup.
    backup: Option<Command>,
}

/// A table.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Its name.
    name: Line,
}

impl TryFrom<Line> for Table {
    type Error = &'static str;

    fn try_from(name: Line) -> Result<Self, &'static str> {
        Ok(Self { name })
    }
}

/// How data are moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Strategy {
    #[default]
    BigBang,
    Phased,
    DualWrite,
    BlueGreen,
}

/// The output of the SQL skill: the database, and its tables before and after.
#[derive(Debug, Serialize, Deserialize)]
struct Tables {
    dialect: String,
    tables: Names,
}

#[derive(Debug, Serialize, Deserialize)]
struct Names {
    before: Vec<String>,
    after: Vec<String>,
}

impl Payload for Tables {
    const KIND: Kind = Kind::Tables;
}

fn generate(input: &Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let tables = upstream.map(Upstream::read::<Tables>).transpose()?.flatten();
    let mut notes = Vec::new();
    let change = Change::read(input, tables, &mut notes)?;
    if change.after.len() > TABLES {
        let given = format!("a list of {}", change.after.len());
        return Err(bad_given("tables", given, &format!("at most {TABLES} tables")));
    }
    let made = steps::steps(input, &change);
    let mut open = questions(input, &change);
    open.extend(made.open);
    let strategy = (change.of == Of::Data).then(|| input.strategy.unwrap_or_default());
    let title = change.title();
    let [up, down] = change.scripts();
    let commands = |given: &Option<Command>| given.as_ref().map(|command| fenced(command));
    let view = json!({
        "up": up, "down": down, "parts": parts(&change.parts),
        "title": prose(&title), "from": prose(&change.from), "to": prose(&change.to),
        "strategy": strategy, "date": context.today(),
        "owner": input.owner.as_deref().map(prose), "window": input.window.as_deref().map(prose),
        "tables": change.after.iter().map(|table| prose(table)).collect::<Vec<_>>(),
        "from_queries": counts(System::of(&change.from), &change.before),
        "to_queries": counts(System::of(&change.to), &change.after),
        "backup": commands(&input.backup), "run": commands(&input.run),
        "check": commands(&input.check), "back": commands(&input.back),
        "is_database": System::of(&change.from) != System::Other,
        "is_sql_target": System::of(&change.to) != System::NoSql,
        "open": open.iter().map(|question| prose(question)).collect::<Vec<_>>(),
    });
    let text = engine::render_page(NAME, change.of.template(), &view)?;
    let (target, steps, env) = (change.to.clone(), made.list, made.env);
    let procedure = Procedure { target, title: Some(title), steps, env };
    let mut data = output::value(&procedure)?;
    data["from"] = json!(change.from);
    data["to"] = json!(change.to);
    data["kind"] = json!(change.of);
    data["strategy"] = json!(strategy);
    data["tables"] = json!(change.after);
    let artifact = Artifact::new("migration-checklist.md", "markdown", text);
    Ok(Output { data, artifacts: vec![artifact], open, notes })
}

/// What the SQL adds, changes and drops.
fn parts(parts: &[Part]) -> Vec<Value> {
    let part = |part: &Part| {
        json!({
            "name": prose(&part.name), "needs_values": part.needs_values,
            "action": match part.action { Action::Add => "new", Action::Change => "changed", Action::Drop => "dropped" },
        })
    };
    parts.iter().map(part).collect()
}

fn counts(system: System, tables: &[String]) -> Vec<String> {
    let tables = if system == System::NoSql { &[] } else { tables };
    tables.iter().map(|table| system.count(table)).collect()
}

/// What is not given, worded as what to add.
fn questions(input: &Input, change: &Change) -> Vec<String> {
    let mut open = Vec::new();
    if change.of == Of::Data && change.after.is_empty() {
        let text = "tables: not given, so that nothing is counted (add tables=users,orders)";
        open.push(text.to_owned());
    }
    if change.of == Of::Data && input.strategy.is_none() {
        let others = "add strategy=phased, dual-write or blue-green for another";
        open.push(format!("strategy: not given; the list is for big-bang ({others})"));
    }
    if change.of == Of::Schema && System::of(&change.from) == System::Other {
        open.push("database: not given; names are quoted as standard SQL has it (add from=PostgreSQL to=PostgreSQL kind=schema)".to_owned());
    }
    if input.owner.is_none() {
        open.push("owner: not given (add owner=NAME, who decides on a rollback)".to_owned());
    }
    if input.window.is_none() {
        open.push("window: not given (add window=\"Sunday 02:00, 2 h\")".to_owned());
    }
    open
}
