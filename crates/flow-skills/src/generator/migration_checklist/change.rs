//! The change: read from an arrow, fields, SQL, or the output of the SQL skill.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place::{System, is_store};
use super::{Input, Names, Tables};
use crate::data::ddl::{self, Changes, Part};
use crate::input::notation::Misfit;
use crate::input::notation::arrows::{self, Chain};
use crate::output::{Fault, Result};

/// The form of an arrow.
const EXAMPLE: &str = "MySQL 8 -> PostgreSQL 16: users, orders";

/// The type of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Of {
    /// Data are moved from one store to another.
    Data,
    /// Something gets another version.
    Version,
    /// A service is moved, or replaced.
    Service,
    /// The schema of a database changes.
    Schema,
}

impl Of {
    pub(super) const fn template(self) -> &'static str {
        match self {
            Self::Data => "assets/checklist.md.tera",
            Self::Version => "assets/version.md.tera",
            Self::Service => "assets/service.md.tera",
            Self::Schema => "assets/schema.md.tera",
        }
    }
}

#[derive(Debug)]
pub(super) struct Change {
    pub(super) of: Of,
    pub(super) from: String,
    pub(super) to: String,
    /// The tables in the source, and those in the target afterwards.
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
    /// What the SQL adds, changes and drops.
    pub(super) parts: Vec<Part>,
    /// Whether the SQL skill wrote the migration, to up.sql and down.sql.
    pub(super) is_generated: bool,
}

impl Change {
    pub(super) fn read(
        input: &Input,
        upstream: Option<Tables>,
        notes: &mut Vec<String>,
    ) -> Result<Self> {
        let read = |text| Arrow::read(text, input.kind);
        let arrow = input.change.as_deref().map(read).transpose()?.unwrap_or_default();
        let from = input.from.as_ref().map(ToString::to_string).or(arrow.from);
        let to = input.to.as_ref().map(ToString::to_string).or(arrow.to);
        let tables = input.tables.iter().map(|table| table.0.name.to_string());
        let mut tables: Vec<String> = tables.collect();
        if tables.is_empty() {
            tables = arrow.tables;
        }
        let read = |sql| ddl::read(sql).and_then(|_| Changes::read(sql));
        let changes = input.sql.as_deref().map(read).transpose()?;
        let (from, to) = match (from, to, upstream, &input.sql) {
            (Some(from), Some(to), ..) => {
                let to = named(&from, to);
                (from, to)
            }
            (None, None, Some(Tables { dialect, tables }), _) => {
                let Names { before, after } = tables;
                let changes = Changes { before, after, ..Changes::default() };
                return Ok(Self { is_generated: true, ..Self::schema(dialect, changes) });
            }
            (None, None, None, Some(sql)) => {
                return Ok(Self::schema(titled(sql), changes.unwrap_or_default()));
            }
            (Some(_), None, ..) => {
                return Err(missing("to", "what is to be there, such as PostgreSQL 16"));
            }
            _ => return Err(missing("from", "what is there now, such as MySQL 8")),
        };
        let Changes { before, after, parts } = changes.unwrap_or_default();
        if tables.is_empty() {
            tables.clone_from(&after);
        }
        let is_data = !tables.is_empty() || input.strategy.is_some();
        let of = input.kind.unwrap_or_else(|| kind(&from, &to, is_data, notes));
        let before = if of == Of::Schema { before } else { tables.clone() };
        Ok(Self { of, from, to, before, after: tables, parts, is_generated: false })
    }

    fn schema(database: String, Changes { before, after, parts }: Changes) -> Self {
        let (from, to) = (database.clone(), database);
        Self { of: Of::Schema, from, to, before, after, parts, is_generated: false }
    }

    /// The file of the migration, and that of its rollback, for a shell.
    pub(super) const fn files(&self) -> [&'static str; 2] {
        if self.is_generated {
            ["up.sql", "down.sql"]
        } else {
            ["\"$MIGRATION_FILE\"", "\"$ROLLBACK_FILE\""]
        }
    }

    /// The same, for a sentence.
    pub(super) const fn scripts(&self) -> [&'static str; 2] {
        if self.is_generated {
            ["`up.sql`", "`down.sql`"]
        } else {
            ["the migration", "the rollback script"]
        }
    }

    pub(super) fn title(&self) -> String {
        let Self { of, from, to, .. } = self;
        match of {
            Of::Data => format!("Move data from {from} to {to}"),
            Of::Version => format!("Upgrade {from} to {}", versions(from, to).unwrap_or(to)),
            Of::Service => format!("Move from {from} to {to}"),
            Of::Schema => format!("Migrate the schema of {from}"),
        }
    }
}

#[derive(Debug, Default)]
struct Arrow {
    from: Option<String>,
    to: Option<String>,
    tables: Vec<String>,
}

impl Arrow {
    fn read(text: &str, kind: Option<Of>) -> Result<Self> {
        let misfit = |why: &str, form: &str| Misfit::new(1, text.trim(), why, form).fault("change");
        let chains = arrows::read(text)
            .map_err(|found| Misfit { example: EXAMPLE.to_owned(), ..found }.fault("change"))?;
        if let Some(table) = changed_columns(&chains).filter(|_| kind.is_none()) {
            let why = format!(
                "names columns of {table}, and their checklist is made from SQL (for anything else, add kind=service, data or version)"
            );
            return Err(misfit(&why, &format!("sql=\"ALTER TABLE {table} …\"")));
        }
        let [chain] = chains.as_slice() else {
            if text.matches("->").count() == 1 {
                let why =
                    "has several names on one side; a checklist has one source and one target";
                return Err(misfit(why, &text.trim().replace(", ", " and ")));
            }
            return Err(misfit("is more than one change; each needs its own checklist", EXAMPLE));
        };
        let [(_, to)] = chain.rest.as_slice() else {
            return Err(misfit("has more than one arrow; each needs its own checklist", EXAMPLE));
        };
        let tables = chain.label.iter().flat_map(|label| label.split(',')).map(str::trim);
        let tables = tables.filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Ok(Self { from: Some(chain.first.name.clone()), to: Some(to.name.clone()), tables })
    }
}

/// The table, if every name is a column of it: `users.name -> users.first_name, users.last_name`.
fn changed_columns(chains: &[Chain]) -> Option<&str> {
    let names = chains.iter().flat_map(|own| own.rest.iter().map(|(_, to)| to).chain([&own.first]));
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    let mut tables = names.map(|node| {
        let (table, column) = node.name.split_once('.')?;
        (is_name(table) && is_name(column)).then_some(table)
    });
    let first = tables.next()??;
    tables.all(|table| table == Some(first)).then_some(first)
}

fn missing(field: &str, description: &str) -> Fault {
    let expects =
        format!("text, or both as `{EXAMPLE}`, `node 18 -> node 22`, `heroku -> kubernetes`");
    Fault::Missing { field: field.to_owned(), expects, description: description.to_owned() }
}

/// The type of a change, from its names: a version if both have the same name, data if both are known stores.
fn kind(from: &str, to: &str, is_data: bool, notes: &mut Vec<String>) -> Of {
    if is_data {
        return Of::Data;
    }
    if versions(from, to).is_some() {
        return Of::Version;
    }
    match (is_store(from), is_store(to)) {
        (true, true) => Of::Data,
        (false, false) => {
            notes.push(format!("took {from} -> {to} as a move of a service; kind=data or kind=version is another list"));
            Of::Service
        }
        _ => {
            notes.push(format!("took {from} -> {to} as a move of data; kind=service or kind=version is another list"));
            Of::Data
        }
    }
}

/// The new version, if both are versions of the same thing: `node 18`, `node 22`.
fn versions<'a>(from: &str, to: &'a str) -> Option<&'a str> {
    let (old, _) = versioned(from)?;
    let (new, version) = versioned(to)?;
    old.eq_ignore_ascii_case(new).then_some(version)
}

/// The target with the name of the source, if it is only a version: `Django 4.2 -> 5.0`.
fn named(from: &str, to: String) -> String {
    let number = to.strip_prefix('v').unwrap_or(&to);
    let is_version =
        number.starts_with(|c: char| c.is_ascii_digit()) && !to.contains(char::is_whitespace);
    match versioned(from) {
        Some((_, old)) if is_version => format!("{}{to}", &from[..from.len() - old.len()]),
        _ => to,
    }
}

/// A name and its version: the last word, or the text after an `@` or the last hyphen, if it begins with a digit.
fn versioned(text: &str) -> Option<(&str, &str)> {
    let at = text.rfind([' ', '@', '-'])?;
    let (name, version) = (text[..at].trim(), text[at + 1..].trim());
    let number = version.strip_prefix('v').unwrap_or(version);
    let is_version = number.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty();
    is_version.then_some((name, version))
}

/// The database in the header of a generated migration.
fn titled(sql: &str) -> String {
    let title = || {
        let (_, rest) = sql.lines().next()?.strip_prefix("-- Migration ")?.split_once('(')?;
        rest.split_once(')').map(|(title, _)| title.to_owned())
    };
    let known = title().filter(|title| System::of(title) != System::Other);
    known.unwrap_or_else(|| "the database".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_say_what_a_change_is_of() {
        for (from, to, expected) in [
            ("node 18", "node 22", Of::Version),
            ("Node.js v18.20", "node.js v22", Of::Version),
            ("PostgreSQL 14", "PostgreSQL 16", Of::Version),
            ("react@18", "react@19", Of::Version),
            ("MySQL 5.7", "PostgreSQL 16", Of::Data),
            ("Redis", "Valkey", Of::Data),
            ("heroku", "kubernetes", Of::Service),
            ("Python 2", "Rust 2024", Of::Service),
        ] {
            assert_eq!(kind(from, to, false, &mut Vec::new()), expected, "{from} -> {to}");
        }
        assert_eq!(kind("node 18", "node 22", true, &mut Vec::new()), Of::Data);
    }
}
