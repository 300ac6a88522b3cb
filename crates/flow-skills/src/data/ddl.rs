//! Reads SQL DDL (PostgreSQL, MySQL, MariaDB, SQLite) into the model, statement by statement. It executes nothing.
//!
//! A dump consists mostly of statements that define no table: they are skipped, with one note for each kind. A
//! statement that cannot be parsed becomes a note with its line, or the error if no table is left.

mod changes;
mod checks;
mod columns;
mod detect;
mod finish;
mod fragment;
mod history;
mod keys;
mod kind;
mod limits;
mod names;
mod parse;
mod partitions;
mod portable;
mod repair;
mod statements;
mod tail;
mod types;

use std::collections::HashSet;

use indexmap::{IndexMap, IndexSet};
use sqlparser::ast::{
    CreateDomain, CreateTable, CreateTableLikeKind, Expr, ObjectName, ObjectType, Statement as Ast,
    TableConstraint, UserDefinedTypeRepresentation,
};
use sqlparser::tokenizer::Token;

use kind::{Kind, Skipped};
use names::{last, name};
use statements::Statement;

use super::{Entity, Model, Native, NativeColumn, Shape, SqlDialect, Table, Type};
use crate::output::{Fault, Result};
use crate::stack;

pub(crate) use changes::{Action, Changes, Part};
pub(crate) use fragment::checked;
pub(crate) use types::extension;

/// Schemas that a name may omit.
const DEFAULT_SCHEMAS: [&str; 3] = ["public", "main", "dbo"];
/// Longest part of a statement that a note shows, in characters.
const SHOWN: usize = 60;
/// Number of statements that cannot be parsed at which the text is refused.
const UNREADABLE: usize = 100;

/// The dialect that a text is read as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Reading {
    /// That of which it has the most marks, or none.
    #[default]
    Detected,
    /// The same, or where it has no marks this one.
    Otherwise(SqlDialect),
    /// This one.
    Always(SqlDialect),
}

/// Reads DDL: returns the model, and notes on what could not be preserved.
///
/// # Errors
/// When no table is left, or two have the same name.
pub fn read(text: &str) -> Result<(Model, Vec<String>)> {
    read_as(text, Reading::Detected)
}

/// [`read`], with a dialect.
pub(crate) fn read_as(text: &str, reading: Reading) -> Result<(Model, Vec<String>)> {
    stack::run(|| model(text, reading))
}

fn model(text: &str, reading: Reading) -> Result<(Model, Vec<String>)> {
    let dialect = match reading {
        Reading::Detected => detect::dialect(text),
        Reading::Otherwise(other) => detect::dialect(text).or(Some(other)),
        Reading::Always(own) => Some(own),
    };
    let (all, commands) = statements::split(text, dialect);
    let has_quotes = |own: &Statement| {
        own.head().first().is_some_and(|word| word == "CREATE")
            && own.text.contains(['"', '`', '['])
    };
    let is_unquoted = dialect.is_none() && !all.iter().any(has_quotes);
    let mut reader = Reader { dialect, is_unquoted, ..Reader::default() };
    reader.skipped.add("client command (\\connect, DELIMITER, …)".into(), commands);
    for (at, own) in all.iter().enumerate() {
        if let Some(schema) = names::search_path(&own.text) {
            reader.search_path = Some(schema).filter(|own| !own.is_empty());
        }
        reader.current_schema = own.schema.clone().or_else(|| reader.search_path.clone());
        match kind::of(&own.head()) {
            Kind::Table => reader.table_matter(at, own)?,
            Kind::Other(kind) => {
                let words = own.text.to_ascii_lowercase();
                let is_wanted = |name: &&str| kind == "CREATE EXTENSION" && words.contains(*name);
                reader
                    .extensions
                    .extend(types::INDEXING.into_iter().filter(is_wanted).map(str::to_owned));
                reader.skipped.add(kind, 1);
            }
            Kind::Unknown => {
                let error = format!("expected a statement of SQL, at line {}", own.line);
                reader.unreadable(at, own, &error)?;
            }
        }
    }
    reader.finish()
}

/// The statements that cannot be parsed: their lines, and what was expected.
pub(crate) fn unreadable(text: &str) -> Vec<(usize, String)> {
    let dialect = detect::dialect(text);
    let (all, _) = statements::split(text, dialect);
    let wrong = |own: &Statement| match kind::of(&own.head()) {
        Kind::Table if kind::is_partition(&own.text) => None,
        Kind::Table => parse::parse(own, dialect).err(),
        Kind::Other(_) => None,
        Kind::Unknown => Some("expected a statement of SQL".to_owned()),
    };
    let all = all.iter().filter_map(|own| Some((own.line, wrong(own)?)));
    all.take(UNREADABLE).collect()
}

/// A domain: a type with constraints.
#[derive(Clone)]
struct Domain {
    base: sqlparser::ast::DataType,
    is_required: bool,
    checks: Vec<Expr>,
    default: Option<Expr>,
}

#[derive(Default)]
struct Reader {
    dialect: Option<SqlDialect>,
    model: Model,
    /// The names and keys of all tables that were created, in lower case, so that the many missing tables that a dump
    /// may name are found to be missing without a search.
    created: HashSet<String>,
    notes: IndexSet<String>,
    enums: IndexMap<String, Vec<String>>,
    domains: IndexMap<String, Domain>,
    skipped: Skipped,
    unreadable: Vec<String>,
    /// Number of changes that searched all tables.
    searches: usize,
    /// PostgreSQL extensions for indexes that the text creates.
    extensions: Vec<String>,
    /// No name is quoted, and the dialect is not known.
    is_unquoted: bool,
    partitions: Vec<String>,
    /// The schema that `SET search_path` gave names without one.
    search_path: Option<String>,
    /// The schema of the statement's names without one.
    current_schema: Option<String>,
}

impl Reader {
    fn note(&mut self, note: String) {
        self.notes.insert(note);
    }

    /// Records a statement that cannot be parsed.
    fn unreadable(&mut self, at: usize, own: &Statement, error: &str) -> Result<()> {
        let words: String = own.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text: String = words.chars().take(SHOWN).collect();
        if text.len() < words.len() {
            text.push('…');
        }
        self.unreadable.push(format!("statement {} ({text}): {error}", at + 1));
        if self.unreadable.len() > UNREADABLE {
            return Err(self.refused());
        }
        Ok(())
    }

    fn refused(&self) -> Fault {
        let reason = match self.unreadable.first() {
            Some(first) => first.clone(),
            None if self.skipped.kinds().is_empty() => "it is empty".into(),
            None => format!("it creates no table (found: {})", self.skipped.kinds()),
        };
        Fault::Unreadable(format!("the DDL cannot be read: {reason}"))
    }

    fn table_matter(&mut self, at: usize, own: &Statement) -> Result<()> {
        if self.partition(&own.text) {
            return Ok(());
        }
        let parsed = match parse::parse(own, self.dialect) {
            Ok(parsed) => parsed,
            Err(error) => return self.unreadable(at, own, &error),
        };
        match parsed.ast {
            Ast::CreateTable(table) => return self.table(table, &parsed.tail, own.line),
            Ast::CreateIndex(index) => self.index(&index),
            Ast::AlterTable(alter) => {
                for operation in alter.operations {
                    self.alter(&alter.name, operation)?;
                }
            }
            Ast::AlterType(alter) => self.alter_type(&alter)?,
            Ast::RenameTable(all) => {
                for own in all {
                    self.rename_table(&own.old_name, &own.new_name)?;
                }
            }
            Ast::Drop { object_type: ObjectType::Index, names, table, .. } => {
                for name in &names {
                    self.drop_index(name, table.as_ref())?;
                }
            }
            Ast::CreateType { name, representation } => match representation {
                Some(UserDefinedTypeRepresentation::Enum { labels }) => {
                    let labels = labels.into_iter().map(|label| label.value).collect();
                    self.enums.insert(last(&name).to_lowercase(), labels);
                }
                _ => self.note(format!("the type {name} is not kept: only enums are")),
            },
            Ast::CreateDomain(domain) => self.domain(domain),
            Ast::Drop { object_type: ObjectType::Table, names, .. } => {
                for name in &names {
                    self.key(name).map(|key| self.model.entities.shift_remove(&key));
                }
            }
            Ast::Comment { object_type, object_name, comment, .. } => {
                self.comment(object_type, &object_name, comment);
            }
            other => {
                let text: String = other.to_string().chars().take(SHOWN).collect();
                self.note(format!("not kept: {text}"));
            }
        }
        Ok(())
    }

    fn table(&mut self, create: CreateTable, tail: &[Token], line: usize) -> Result<()> {
        let own = name(&create.name, self.dialect);
        let schema = self.schema(&create.name);
        let key = self.new_key(&own, schema.as_deref());
        if self.model.entities.contains_key(&key) {
            if create.if_not_exists {
                self.note(format!("{key}: the second CREATE TABLE IF NOT EXISTS is left out"));
                return Ok(());
            }
            return Err(Fault::Refused(format!(
                "the DDL creates the table {key:?} twice, the second time at line {line}"
            )));
        }
        let tail = tail::read(tail, self.dialect);
        let mut shape = Shape::of(Type::Object);
        shape.description = tail.comment;
        shape.object.additional = Some(Box::new(Shape::never()));
        let native = self.dialect.map(|dialect| Native {
            dialect,
            options: tail.options.filter(|text| !text.is_empty()),
            partition_by: tail.partition_by.clone(),
            ..Native::default()
        });
        if let Some(partition) = tail.partition_by.filter(|_| native.is_none()) {
            self.note(format!("{key}: {partition} is not kept"));
        }
        let is_unquoted = self.is_unquoted;
        self.created.extend([own.to_ascii_lowercase(), key.to_ascii_lowercase()]);
        let table = Table { name: Some(own), is_unquoted, schema, native, ..Table::default() };
        self.model.entities.insert(key.clone(), Entity { shape, table: Some(table) });
        let copied = create.like.as_ref().map(|own| match own {
            CreateTableLikeKind::Plain(own) | CreateTableLikeKind::Parenthesized(own) => {
                last(&own.name)
            }
        });
        for parent in tail.parents.iter().chain(&copied) {
            self.copy_columns(parent, &key);
        }
        if create.query.is_some() || tail.has_query {
            self.note(format!("{key}: the columns that its query selects are not known"));
        }
        create.columns.into_iter().for_each(|column| self.column(&key, column));
        create.constraints.into_iter().for_each(|own| self.constraint(&key, own));
        Ok(())
    }

    /// The key of a table that is created: its name, with its schema if a table of another schema has the name.
    fn new_key(&self, name: &str, schema: Option<&str>) -> String {
        let there = self.model.entities.get(name).and_then(|entity| entity.table.as_ref());
        match there {
            Some(there) if there.schema.as_deref() != schema => {
                format!("{}_{name}", schema.unwrap_or(DEFAULT_SCHEMAS[0]))
            }
            _ => name.to_owned(),
        }
    }

    /// Adds the columns of another table, as LIKE and INHERITS do.
    fn copy_columns(&mut self, from: &str, to: &str) {
        let other = self.spelling(from).and_then(|key| self.model.entities.get(&key)).cloned();
        let Some(other) = other else {
            let note = format!("{to}: the columns of {from}, which is not here, are left out");
            return self.note(note);
        };
        let Some(entity) = self.model.entities.get_mut(to) else { return };
        entity.shape.object.properties.extend(other.shape.object.properties);
        entity.shape.object.required.extend(other.shape.object.required);
        if let (Some(own), Some(other)) = (&mut entity.table, other.table) {
            own.generated.extend(other.generated);
            if let (Some(own), Some(other)) = (&mut own.native, other.native) {
                own.columns.extend(other.columns);
            }
        }
        self.note(format!(
            "{to}: the columns of {from} are copied; later changes of {from} do not reach it"
        ));
    }

    fn domain(&mut self, domain: CreateDomain) {
        let CreateDomain { data_type: base, default, constraints, .. } = domain;
        let check = |own| match own {
            TableConstraint::Check(check) => Some(*check.expr),
            _ => None,
        };
        let checks = constraints.into_iter().filter_map(check);
        let (required, checks): (Vec<Expr>, Vec<Expr>) =
            checks.partition(|own| matches!(own, Expr::IsNotNull(_)));
        let own = Domain { base, is_required: !required.is_empty(), checks, default };
        let name = last(&domain.name).to_lowercase();
        self.note(format!("the domain {name} becomes its base type and conditions in each column"));
        self.domains.insert(name, own);
    }

    /// The schema of a name, if a database would need it.
    fn schema(&self, name: &ObjectName) -> Option<String> {
        if matches!(self.dialect, Some(SqlDialect::MySql | SqlDialect::Sqlite)) {
            return None;
        }
        let schema = match name.0.as_slice() {
            [.., schema, _] => names::ident(schema.as_ident()?, self.dialect),
            _ => self.current_schema.clone()?,
        };
        (!DEFAULT_SCHEMAS.contains(&schema.as_str())).then_some(schema)
    }

    /// The key of the entity with this name; unquoted names are case-insensitive.
    fn key(&self, object: &ObjectName) -> Option<String> {
        let own = name(object, self.dialect);
        if !self.created.contains(&own.to_ascii_lowercase()) {
            return None;
        }
        let schema = self.schema(object);
        let is_it = |(_, entity): &(&String, &Entity)| {
            let table = entity.table.as_ref();
            table.is_some_and(|table| {
                table.schema == schema
                    && table.name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(&own))
            })
        };
        let entities = &self.model.entities;
        let exact = entities.get_key_value(&own).filter(is_it);
        let found = exact.or_else(|| entities.iter().find(is_it)).map(|(key, _)| key.clone());
        found.or_else(|| self.spelling(&own))
    }

    /// The key of an entity by a bare name.
    fn spelling(&self, table: &str) -> Option<String> {
        names::spelling(&self.model.entities, table).cloned()
    }

    fn native(&mut self, table: &str) -> Option<&mut Native> {
        self.model.entities.get_mut(table)?.table.as_mut()?.native.as_mut()
    }

    fn native_column(&mut self, table: &str, column: &str) -> Option<&mut NativeColumn> {
        self.native(table)?.columns.get_mut(column)
    }

    fn shape(&mut self, table: &str, column: &str) -> Option<&mut Shape> {
        self.model.entities.get_mut(table)?.shape.object.properties.get_mut(column)
    }
}
