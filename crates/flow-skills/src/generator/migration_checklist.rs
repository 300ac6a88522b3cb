//! `migration-checklist`: what to do before, during and after a change of systems, each phase with its rollback. Of SQL,
//! what each statement locks and loses, and which rows need values first.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use super::sql_schema_generator::Database;
use crate::data::SqlDialect;
use crate::data::ddl::{Changes, Part};
use crate::input::values::Line;
use crate::output::{Artifact, Output, Result, missing};
use crate::page::{self, Document, Finding, Form, Section};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::text::first;
use crate::text::md::code_span;
use crate::text::prose::prose;

const NAME: &str = "migration-checklist";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Ddl, "sql"), takes(ContentKind::Text, "change")],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, context),
    verify: Some(|text, _| {
        page::check(text, &Form::new("# Migration checklist: …", PHASES), phases)
    }),
};

/// The phases, in their order.
const PHASES: &[Section] = &[
    Section::named("1. Pre-migration steps", &[]),
    Section::named("2. Execution", &[]),
    Section::named("3. Validation", &[]),
    Section::named("4. Rollback plan", &[]),
    Section::named("5. Post-migration verification", &[]),
];
/// Largest number of statements that a note names.
const NAMED: usize = 20;
/// What is said of SQL that shows no dialect.
const UNKNOWN: &str = "the SQL does not show its database: the locks are those of PostgreSQL (add dialect=mysql or dialect=sqlite for another)";
/// The beginning of the line on a phase's rollback.
const ROLLBACK: &str = "Rollback of this phase:";

/// The change, and who decides on it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What changes, in words, such as `MySQL 8 to PostgreSQL 16`: the title of the list.
    change: Option<Line>,
    /// The SQL of a migration, whose statements the list names with their locks and losses.
    sql: Option<String>,
    /// The database of the SQL, whose locks the list states. Default: the one that the SQL shows, else PostgreSQL.
    dialect: Option<Database>,
    /// Who decides whether to continue or to roll back.
    #[schemars(extend("x-labels" = ["Decides"]))]
    owner: Option<Line>,
    /// The maintenance window and its length.
    window: Option<Line>,
    /// How the change is rolled back: the first steps of phase 4.
    #[serde(default)]
    rollback: Vec<Line>,
}

fn generate(input: &Input, context: &Context) -> Result<Output> {
    let read = |sql| Changes::read(sql, input.dialect.map(|database| database.0));
    let changes = input.sql.as_deref().map(read).transpose()?;
    let dialect = changes.as_ref().and_then(|changes| changes.dialect);
    let title = match (&input.change, &changes) {
        (Some(change), _) => format!("Migration checklist: {change}"),
        (None, Some(_)) => {
            format!("Migrate the schema of {}", dialect.map_or("the database", SqlDialect::title))
        }
        (None, None) => {
            let expects = "text such as `MySQL 8 to PostgreSQL 16`, or the SQL of a migration";
            return Err(missing("change", expects, "what changes"));
        }
    };
    let mut notes = Vec::new();
    match &changes {
        None => notes.push(
            "the list is a general one; sql=… names the locks and losses of each statement"
                .to_owned(),
        ),
        Some(changes) if !changes.unread.is_empty() => {
            let named = first(changes.unread.iter().cloned(), NAMED, " and ");
            notes.push(format!("not listed, as not read as changes of tables: {named}"));
        }
        Some(_) => {}
    }
    if changes.is_some() && dialect.is_none() {
        notes.push(UNKNOWN.to_owned());
    }
    let asked = [
        (&input.owner, "owner: not given (add owner=NAME, who decides on a rollback)"),
        (&input.window, "window: not given (add window=\"Sunday 02:00, 2 h\")"),
    ];
    let asked = asked.into_iter().filter(|(given, _)| given.is_none());
    let open: Vec<String> = asked.map(|(_, question)| question.to_owned()).collect();
    let parts = changes.iter().flat_map(|changes| changes.parts.clone());
    let parts: Vec<Part> = parts.map(|part| Part { sql: code_span(&part.sql), ..part }).collect();
    let view = json!({
        "title": prose(&title), "date": context.today(), "is_schema": changes.is_some(), "parts": parts,
        "caution": dialect.map(caution),
        "owner": input.owner.as_deref().map(prose), "window": input.window.as_deref().map(prose),
        "rollback": input.rollback.iter().map(|step| prose(step)).collect::<Vec<_>>(),
        "open": open.iter().map(|question| prose(question)).collect::<Vec<_>>(),
    });
    let text = engine::render_page(NAME, "assets/checklist.md.tera", &view)?;
    let artifacts = vec![Artifact::new("migration-checklist.md", "markdown", text)];
    let data = json!({"title": title, "statements": parts});
    Ok(Output { data, artifacts, open, notes })
}

/// What holds for each statement of a database.
const fn caution(dialect: SqlDialect) -> &'static str {
    match dialect {
        SqlDialect::Postgres => {
            "Set `lock_timeout`: while a statement waits for its lock, others on the table wait behind it."
        }
        SqlDialect::MySql => {
            "Each statement that changes a table commits: after an error, those before it stay."
        }
        SqlDialect::Sqlite => {
            "Each change locks the whole database against other writes, until its transaction ends."
        }
    }
}

/// Finds phases without steps or a rollback.
fn phases(document: &Document<'_>, findings: &mut Vec<Finding>) {
    let is_phase = |name: &str| PHASES.iter().any(|phase| phase.is_named(name));
    for part in document.parts.iter().filter(|part| is_phase(part.name)) {
        let mut add = |what: String| findings.push(Finding::new(part.number, what));
        if part.items().next().is_none() {
            add("the phase has no steps: add `- [ ] …`".to_owned());
        }
        let mut stated = part.prose().filter_map(|line| line.text.strip_prefix(ROLLBACK));
        if stated.all(|rollback| rollback.trim().is_empty()) {
            add(format!("the phase does not say how it is rolled back: add `{ROLLBACK} …`"));
        }
    }
}
