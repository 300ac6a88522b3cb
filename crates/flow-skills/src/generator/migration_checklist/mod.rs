//! `migration-checklist`: what to do before, during and after a change of systems, each phase with its rollback. Of SQL,
//! what each statement locks and loses, and which rows need values first.

mod commands;
mod verify;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shell::{Command, code, fenced};
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, Upstream, takes};
use super::steps::{Procedure, Step};
use crate::data::ddl::{Changes, Effect, Part};
use crate::input::kind::Payload;
use crate::input::values::Line;
use crate::output::{self, Artifact, Output, Result, missing};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::text::is_blank;
use crate::text::prose::prose;

/// The skill's name.
const NAME: &str = "migration-checklist";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Ddl, "sql"), takes(ContentKind::Text, "change")],
        accepts: &[Kind::Tables],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Steps,
    run: |given, context| generate(&given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify::verify(text)),
};

/// The change, and how it is made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What changes, in words, such as `MySQL 8 to PostgreSQL 16`: the title of the list.
    change: Option<Line>,
    /// The SQL of a migration, whose statements the list names with their locks and losses.
    sql: Option<String>,
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

/// The output of the SQL skill.
#[derive(Debug, Serialize, Deserialize)]
struct Tables {
    /// The database.
    dialect: String,
}

impl Payload for Tables {
    const KIND: Kind = Kind::Tables;
}

/// The database whose schema changes.
struct Schema {
    title: Option<String>,
    /// The file of the migration, and that of its rollback, for a shell.
    files: [&'static str; 2],
    changes: Changes,
}

fn generate(input: &Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let tables = upstream.map(Upstream::read::<Tables>).transpose()?.flatten();
    let schema = schema(input, tables)?;
    let title = match (&input.change, &schema) {
        (Some(change), _) => format!("Migration checklist: {}", &**change),
        (None, Some(Schema { title, .. })) => {
            format!("Migrate the schema of {}", title.as_deref().unwrap_or("the database"))
        }
        (None, None) => {
            let expects = "text such as `MySQL 8 to PostgreSQL 16`, or the SQL of a migration";
            return Err(missing("change", expects, "what changes"));
        }
    };
    let mut notes = Vec::new();
    match &schema {
        None => notes.push(
            "the list is a general one; sql=… names the locks and losses of each statement"
                .to_owned(),
        ),
        Some(schema) if schema.changes.unread > 0 => {
            let count = schema.changes.unread;
            notes.push(format!(
                "{count} statements are not listed: they are not read as changes of tables"
            ));
        }
        Some(_) => {}
    }
    let steps = commands::steps(input, schema.as_ref());
    let open = questions(input, &steps);
    let commands = |given: &Option<Command>| given.as_ref().map(|command| fenced(command));
    let parts = schema.iter().flat_map(|schema| &schema.changes.parts).map(part);
    let view = json!({
        "title": prose(&title), "date": context.today(), "is_schema": schema.is_some(),
        "parts": parts.collect::<Vec<_>>(),
        "owner": input.owner.as_deref().map(prose), "window": input.window.as_deref().map(prose),
        "backup": commands(&input.backup), "run": commands(&input.run),
        "check": commands(&input.check), "back": commands(&input.back),
        "open": open.iter().map(|question| prose(question)).collect::<Vec<_>>(),
    });
    let text = engine::render_page(NAME, "assets/checklist.md.tera", &view)?;
    let target = schema.and_then(|schema| schema.title).unwrap_or_else(|| title.clone());
    let procedure = Procedure { target, title: Some(title), ..steps };
    let artifact = Artifact::new("migration-checklist.md", "markdown", text);
    Ok(Output { data: output::value(&procedure)?, artifacts: vec![artifact], open, notes })
}

/// The schema that changes, by SQL or by what the SQL skill wrote.
fn schema(input: &Input, tables: Option<Tables>) -> Result<Option<Schema>> {
    let changes = input.sql.as_deref().map(Changes::read).transpose()?;
    Ok(match (changes, tables) {
        (Some(changes), _) => {
            let title = changes.dialect.map(|dialect| dialect.title().to_owned());
            let files = ["\"$MIGRATION_FILE\"", "\"$ROLLBACK_FILE\""];
            Some(Schema { title, files, changes })
        }
        (None, Some(Tables { dialect })) => {
            let files = ["up.sql", "down.sql"];
            Some(Schema { title: Some(dialect), files, changes: Changes::default() })
        }
        (None, None) => None,
    })
}

/// A statement, with its lock and loss, and what rows need before it.
fn part(part: &Part) -> Value {
    let Effect { lock, loss, rows } = &part.effect;
    json!({ "sql": code(&part.sql), "lock": lock, "loss": loss, "rows": rows })
}

/// What is not given, worded as what to add.
fn questions(input: &Input, steps: &Procedure) -> Vec<String> {
    let given = [
        ("run", &input.run),
        ("check", &input.check),
        ("back", &input.back),
        ("backup", &input.backup),
    ];
    let has_blanks = steps.steps.iter().flat_map(Step::commands).any(|command| is_blank(command));
    let asked = given.iter().filter(|(_, given)| has_blanks && given.is_none());
    let asked: Vec<String> = asked.map(|(field, _)| format!("{field}=COMMAND")).collect();
    let mut open = Vec::new();
    if input.owner.is_none() {
        open.push("owner: not given (add owner=NAME, who decides on a rollback)".to_owned());
    }
    if input.window.is_none() {
        open.push("window: not given (add window=\"Sunday 02:00, 2 h\")".to_owned());
    }
    if !asked.is_empty() {
        open.push(format!("commands: not given (add {})", asked.join(" ")));
    }
    open
}
