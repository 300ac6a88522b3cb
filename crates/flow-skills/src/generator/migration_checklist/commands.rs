//! The commands of a checklist, as steps for a deployment guide. One that is not known is a blank.

use super::{Command, Input, Schema};
use crate::generator::steps::{NOTHING, Procedure, Step, Variable, blank};
use crate::input::values::Line;

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
pub(super) fn steps(input: &Input, schema: Option<&Schema>) -> Procedure {
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
