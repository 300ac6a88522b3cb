//! A migration as a script: its statements, and what each database needs around them.

use super::dialect::Dialect;
use super::migrate::{self, Change};
use super::narrowing::Narrowing;
use super::{guard, notes, sqlite};

/// The parts of a script, in their order.
#[derive(Default)]
struct Script {
    open: String,
    guards: String,
    statements: Vec<String>,
    /// What ends the transaction, and what stands behind it.
    close: String,
}

pub(super) fn text(
    dialect: Dialect,
    title: &str,
    change: &Change<'_>,
    narrowings: &[Narrowing],
) -> String {
    let Script { open, guards, statements, close } = match dialect {
        Dialect::Postgres => Script {
            open: migrate::added_values(change.old, change.new) + "BEGIN;\n\n",
            guards: guard::postgres(narrowings),
            statements: migrate::migrate(dialect, change),
            close: "\nCOMMIT;\n".to_owned(),
        },
        Dialect::MySql => Script {
            open: guard::mysql_head(change),
            guards: guard::mysql(narrowings),
            statements: migrate::migrate(dialect, change),
            ..Script::default()
        },
        Dialect::Sqlite => of_sqlite(change),
    };
    let mut body = statements.join("\n");
    if body.is_empty() && !open.contains("ADD VALUE") {
        body.push_str("-- Nothing changes.");
    }
    let drops = notes::drops_of_script(change.old, change.new);
    format!("-- {title} ({}).\n{drops}{open}{guards}{body}\n{close}", dialect.title())
}

fn of_sqlite(change: &Change<'_>) -> Script {
    let made_again = sqlite::made_again(change);
    let (guards, end) = guard::sqlite(&made_again);
    // A view on a table that is made again would stop the migration.
    let legacy = |value: &str| match made_again.len() {
        0 => String::new(),
        _ => format!("PRAGMA legacy_alter_table = {value};\n"),
    };
    let (on, off) = (legacy("ON"), legacy("OFF"));
    Script {
        open: format!("PRAGMA foreign_keys = OFF;\n{on}BEGIN;\n\n"),
        guards,
        statements: sqlite::migrate(change),
        close: format!(
            "{end}\nCOMMIT;\nPRAGMA foreign_key_check;\n{off}PRAGMA foreign_keys = ON;\n"
        ),
    }
}
