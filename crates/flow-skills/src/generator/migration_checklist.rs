//! `migration-checklist`: what to do before, during and after a change of systems, each phase with its rollback. Of SQL,
//! what each statement locks and loses, and which rows need values first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::skill::{Needs, Skill};
use super::steps::{Command, code, fenced};
use super::steps::{NOTHING, Procedure, Step, Variable, blank};
use crate::data::ddl::{Changes, Effect, Part};
use crate::input::kind::{Kind, Payload, Upstream};
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::Line;
use crate::output::{Artifact, Output, Result, missing};
use crate::page::{Finding, Form, Section};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::text::is_blank;
use crate::text::prose::prose;
use crate::{output, page};

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
    verify: Some(|text, _| verify(text)),
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
    let steps = steps(input, schema.as_ref());
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

/// How a database is backed up, and how a script runs on it up to its first error. `SCRIPT` is its file.
struct Client {
    title: &'static str,
    variables: &'static [(&'static str, &'static str)],
    backup: &'static str,
    script: &'static str,
}

const CLIENTS: [Client; 3] = [
    Client {
        title: "PostgreSQL",
        variables: &[("DATABASE_URL", "the address of the database, with user and name")],
        backup: "pg_dump --format=custom --file=backup \"$DATABASE_URL\"",
        script: "psql \"$DATABASE_URL\" --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --file=SCRIPT",
    },
    Client {
        title: "MySQL/MariaDB",
        variables: &[
            ("DATABASE_OPTIONS", "an option file with host, user and password"),
            ("DATABASE_NAME", "the name of the database"),
        ],
        backup: "mysqldump --defaults-extra-file=\"$DATABASE_OPTIONS\" --single-transaction --result-file=backup \"$DATABASE_NAME\"",
        script: "mysql --defaults-extra-file=\"$DATABASE_OPTIONS\" \"$DATABASE_NAME\" < SCRIPT",
    },
    Client {
        title: "SQLite",
        variables: &[("DATABASE_FILE", "the file of the database")],
        backup: "sqlite3 \"$DATABASE_FILE\" \".backup 'backup'\"",
        script: "sqlite3 -bail \"$DATABASE_FILE\" < SCRIPT",
    },
];

const FILES: [(&str, &str); 2] = [
    ("MIGRATION_FILE", "the SQL file of the migration"),
    ("ROLLBACK_FILE", "the SQL file that rolls it back"),
];

/// The backup and the change.
fn steps(input: &Input, schema: Option<&Schema>) -> Procedure {
    let title = schema.and_then(|schema| schema.title.as_deref());
    let client = CLIENTS.iter().find(|client| title == Some(client.title));
    let command = |given: &Option<Command>, known: Option<String>, what: &str| {
        given.clone().unwrap_or_else(|| known.map_or_else(|| blank(what), Command::written))
    };
    let script = |at: usize| {
        client.zip(schema).map(|(client, schema)| client.script.replace("SCRIPT", schema.files[at]))
    };
    let no_check = client.map(|_| NOTHING.to_owned()).filter(|_| input.run.is_none());
    let backup = client.map(|client| client.backup.to_owned());
    let step = |name: &str, command, verify, rollback| Step {
        name: Line::new(name).ok(),
        command,
        verify,
        rollback,
    };
    let steps = vec![
        step(
            "Make a backup",
            command(&input.backup, backup, "the command that makes the file backup"),
            Command::written("test -s backup"),
            Command::written("rm -f backup"),
        ),
        step(
            "Run the migration",
            command(&input.run, script(0), "the command that runs the migration"),
            command(&input.check, no_check, "the command that shows that it ran"),
            command(&input.back, script(1), "the command that rolls it back"),
        ),
    ];
    let known = client.iter().flat_map(|client| client.variables).chain(&FILES);
    let is_read = |(name, _): &&(&str, &str)| {
        steps
            .iter()
            .flat_map(Step::commands)
            .any(|command| command.contains(&format!("\"${name}\"")))
    };
    let env = known.filter(is_read).map(|(name, what)| Variable::required(name, what)).collect();
    Procedure { steps, env, ..Procedure::default() }
}

/// The phases, in their order.
const PHASES: &[Section] = &[
    Section::named("1. Pre-migration steps", &[]),
    Section::named("2. Execution", &[]),
    Section::named("3. Validation", &[]),
    Section::named("4. Rollback plan", &[]),
    Section::named("5. Post-migration verification", &[]),
];
/// The beginning of the line on a phase's rollback.
const ROLLBACK: &str = "Rollback of this phase:";

/// Checks that each phase exists, in order, with steps and its rollback.
fn verify(text: &str) -> Vec<Finding> {
    page::check(text, &Form::new("# Migration checklist: …", PHASES), |document, findings| {
        let index = |name: &str| PHASES.iter().position(|phase| phase.is_named(name));
        let phases = document.parts.iter().filter_map(|part| Some((index(part.name)?, part)));
        let mut last = 0;
        for (at, part) in phases {
            let mut add = |what: String| findings.push(Finding::new(part.number, what));
            if at < last {
                add("the phases are out of order".to_owned());
            }
            last = at;
            if part.items().next().is_none() {
                add("the phase has no steps: add `- [ ] …`".to_owned());
            }
            let mut stated = part.prose().filter_map(|line| line.text.strip_prefix(ROLLBACK));
            if stated.all(|rollback| rollback.trim().is_empty()) {
                add(format!("the phase does not say how it is rolled back: add `{ROLLBACK} …`"));
            }
        }
    })
}
