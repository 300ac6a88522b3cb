//! Reads SQL DDL (PostgreSQL, MySQL, MariaDB, SQLite) into the model, statement by statement. It executes nothing.
//!
//! Tables, indexes, enumerations and comments are read, and of ALTER TABLE what dumps state there: keys and generated
//! numbers. Everything else is counted, with one note for each kind. A statement that cannot be parsed becomes a note with
//! its line, or the error if no table is left.

mod changes;
mod columns;
mod conditions;
mod dialect;
mod keys;
mod kind;
mod literals;
mod names;
mod parse;
mod statements;
mod types;

use std::collections::{HashMap, HashSet};

use indexmap::{IndexMap, IndexSet};
use sqlparser::ast::{
    AlterColumnOperation, AlterTableOperation, CommentObject, CreateTable, ObjectName,
    Statement as Ast, UserDefinedTypeRepresentation,
};
use sqlparser::tokenizer::Token;

use dialect::dialect_of;
use kind::StatementClass;
use statements::Statement;

use super::{Entity, Model, Shape, SqlDialect, SqlSource, Table, Type};
use crate::output::{Fault, Result};
use crate::stack;
use crate::text::lists;
use serde_json::Value;

pub(crate) use changes::{Changes, Part};

/// Schemas that a name may omit.
const DEFAULT_SCHEMAS: [&str; 3] = ["public", "main", "dbo"];
/// Longest part of a statement that a note shows, in characters.
const SHOWN: usize = 60;
/// Words that begin the options of a table.
const OPTIONS: &str = "ENGINE CHARSET COLLATE STRICT WITHOUT WITH TABLESPACE";
/// Number of statements that cannot be parsed at which the text is refused.
const UNREADABLE: usize = 100;

/// Reads DDL in a dialect, without one in that of which the text has the most marks. The notes of the model name what is
/// not read.
///
/// # Errors
/// When no table is left, or two have the same name.
pub fn read(text: &str, dialect: Option<SqlDialect>) -> Result<Model> {
    stack::run(|| model(text, dialect.or_else(|| dialect_of(text))))
}

fn model(text: &str, dialect: Option<SqlDialect>) -> Result<Model> {
    let (all, commands) = statements::split(text, dialect);
    let has_quotes = |statement: &Statement| {
        statement.head().first().is_some_and(|word| word == "CREATE")
            && statement.text.contains(['"', '`', '['])
    };
    let is_unquoted = dialect.is_none() && !all.iter().any(has_quotes);
    let mut reader = Reader { dialect, is_unquoted, ..Reader::default() };
    reader.unread.add("client command", commands);
    for (at, statement) in all.iter().enumerate() {
        match kind::of(&statement.head()) {
            StatementClass::Table => reader.statement(at, statement)?,
            StatementClass::Other(kind) => reader.unread.add(&format!("{kind} statement"), 1),
            StatementClass::Unknown => {
                let error = format!("expected a statement of SQL, at line {}", statement.line);
                reader.unreadable(at, statement, &error)?;
            }
        }
    }
    reader.finish()
}

/// The statements that cannot be parsed: their lines, and what was expected.
pub(crate) fn unreadable(text: &str) -> Vec<(usize, String)> {
    let dialect = dialect_of(text);
    let (all, _) = statements::split(text, dialect);
    let wrong = |statement: &Statement| match kind::of(&statement.head()) {
        StatementClass::Table => parse::parse(statement, dialect).err(),
        StatementClass::Other(_) => None,
        StatementClass::Unknown => Some("expected a statement of SQL".to_owned()),
    };
    let all = all.iter().filter_map(|statement| Some((statement.line, wrong(statement)?)));
    all.take(UNREADABLE).collect()
}

#[derive(Default)]
struct Reader {
    dialect: Option<SqlDialect>,
    model: Model,
    /// The keys of the tables by their names in lower case, with and without their schemas.
    keys: HashMap<String, String>,
    notes: IndexSet<String>,
    enums: IndexMap<String, Vec<String>>,
    unread: Unread,
    unreadable: Vec<String>,
    /// No name is quoted, and the dialect is not known.
    is_unquoted: bool,
}

impl Reader {
    /// The last step, which needs every table: the tables and columns of references, nullable columns, and the notes.
    fn finish(mut self) -> Result<Model> {
        if self.model.entities.is_empty() {
            return Err(self.refused());
        }
        self.resolve_references();
        for object in self.model.entities.values_mut().map(|entity| &mut entity.shape.object) {
            let required: HashSet<&String> = object.required.iter().collect();
            for (name, shape) in &mut object.properties {
                nullable(shape, !required.contains(name));
            }
        }
        let unreadable =
            self.unreadable.into_iter().map(|statement| format!("not read: {statement}"));
        let left_out = self.unread.kinds().map(|kind| format!("left out: {kind}"));
        self.notes.extend(unreadable.chain(left_out));
        self.model.notes = self.notes.into_iter().collect();
        Ok(self.model)
    }

    /// Gives references the keys of their tables, and the primary key where they name no columns. Those to tables that are
    /// not here are left out.
    fn resolve_references(&mut self) {
        let entities = self.model.entities.iter();
        let primary: IndexMap<String, Vec<String>> = entities
            .filter_map(|(name, source)| {
                Some((name.clone(), source.table.as_ref()?.primary_key.clone()))
            })
            .collect();
        for (name, entity) in &mut self.model.entities {
            let Some(table) = &mut entity.table else { continue };
            for relation in &mut table.relations {
                let known = self.keys.get(&relation.to.to_ascii_lowercase());
                if let Some(key) = known.filter(|_| !primary.contains_key(&relation.to)) {
                    relation.to.clone_from(key);
                }
                if relation.to_columns.is_empty() {
                    relation.to_columns = primary.get(&relation.to).cloned().unwrap_or_default();
                }
            }
            table.relations.retain(|relation| {
                let is_there = primary.contains_key(&relation.to);
                if !is_there {
                    self.notes.insert(format!(
                        "{name}.{}: the reference to {} is left out: that table is not here",
                        relation.columns.join(", "),
                        relation.to
                    ));
                }
                is_there
            });
        }
    }

    fn note(&mut self, note: String) {
        self.notes.insert(note);
    }

    /// Counts a part of a table that is not read.
    fn leave(&mut self, kind: &str) {
        self.unread.add(kind, 1);
    }

    /// Records a statement that cannot be parsed.
    fn unreadable(&mut self, at: usize, statement: &Statement, error: &str) -> Result<()> {
        let words: String = statement.text.split_whitespace().collect::<Vec<_>>().join(" ");
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
            None => match self.unread.kinds().collect::<Vec<_>>().as_slice() {
                [] => "it is empty".into(),
                kinds => format!("it creates no table (found: {})", kinds.join(", ")),
            },
        };
        Fault::Unreadable(format!("the DDL cannot be read: {reason}"))
    }

    fn statement(&mut self, at: usize, statement: &Statement) -> Result<()> {
        let parsed = match parse::parse(statement, self.dialect) {
            Ok(parsed) => parsed,
            Err(error) => return self.unreadable(at, statement, &error),
        };
        if parsed.is_numbered {
            self.leave("list of options of a numbered column");
        }
        match parsed.ast {
            Ast::CreateTable(table) => return self.table(table, &parsed.tail, statement.line),
            Ast::CreateIndex(index) => self.index(&index),
            Ast::AlterTable(alter) => {
                for operation in alter.operations {
                    self.alter(&alter.name, operation);
                }
            }
            Ast::CreateType {
                name,
                representation: Some(UserDefinedTypeRepresentation::Enum { labels }),
            } => {
                let labels = labels.into_iter().map(|label| label.value).collect();
                self.enums.insert(names::last(&name).to_lowercase(), labels);
            }
            Ast::Comment { object_type, object_name, comment, .. } => {
                self.comment(object_type, &object_name, comment);
            }
            _ => self.leave(&format!("{} statement", kind::title(&statement.head()))),
        }
        Ok(())
    }

    fn table(&mut self, create: CreateTable, tail: &[Token], line: usize) -> Result<()> {
        let has_query = tail.iter().any(|token| token.to_string().eq_ignore_ascii_case("select"));
        if create.query.is_some() || create.like.is_some() || has_query {
            self.leave("CREATE TABLE … LIKE or AS statement");
            return Ok(());
        }
        let name = names::name(&create.name, self.dialect);
        let schema = self.schema(&create.name);
        let key = self.new_key(&name, schema.as_deref());
        if self.model.entities.contains_key(&key) {
            if create.if_not_exists {
                self.note(format!("{key}: the second CREATE TABLE IF NOT EXISTS is left out"));
                return Ok(());
            }
            return Err(Fault::Refused(format!(
                "the DDL creates the table {key:?} twice, the second time at line {line}"
            )));
        }
        let mut shape = Shape::of(Type::Object);
        shape.description = self.tail(tail);
        shape.object.additional = Some(Box::new(Shape::never()));
        let source = self.dialect.map(|dialect| SqlSource { dialect, ..SqlSource::default() });
        for known in [qualified(schema.as_deref(), &name), name.to_ascii_lowercase()] {
            self.keys.entry(known).or_insert_with(|| key.clone());
        }
        let is_unquoted = self.is_unquoted;
        let table = Table { name: Some(name), is_unquoted, schema, source, ..Table::default() };
        self.model.entities.insert(key.clone(), Entity { shape, table: Some(table) });
        create.columns.into_iter().for_each(|column| self.column(&key, column));
        create.constraints.into_iter().for_each(|constraint| self.constraint(&key, constraint));
        Ok(())
    }

    /// Reads what follows the columns of a table: its comment. Everything else is counted.
    fn tail(&mut self, tail: &[Token]) -> Option<String> {
        let word = |token: &Token| token.to_string().to_uppercase();
        let words: Vec<String> = tail.iter().map(word).collect();
        let has = |wanted: &str| words.iter().any(|word| word == wanted);
        if has("PARTITION") {
            self.leave("PARTITION BY clause");
        }
        if has("INHERITS") {
            self.leave("INHERITS clause");
        }
        if words.iter().any(|word| lists(OPTIONS, word)) {
            self.leave("list of table options");
        }
        let at = words.iter().position(|word| word == "COMMENT")?;
        match tail.iter().skip(at + 1).find(|token| **token != Token::Eq)? {
            Token::SingleQuotedString(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    }

    /// The part of ALTER TABLE by which dumps state keys and generated numbers.
    fn alter(&mut self, table: &ObjectName, operation: AlterTableOperation) {
        let Some(key) = self.key(table) else {
            return self.leave("ALTER TABLE statement of a table that is not here");
        };
        match operation {
            AlterTableOperation::AddConstraint { constraint, .. } => {
                self.constraint(&key, constraint);
            }
            AlterTableOperation::AlterColumn {
                column_name,
                op: AlterColumnOperation::AddGenerated { .. },
            } => self.identity(&key, &column_name),
            AlterTableOperation::AlterColumn {
                column_name,
                op: AlterColumnOperation::SetDefault { value },
            } => self.set_default(&key, &column_name, &value),
            // The counter of MySQL's generated numbers.
            AlterTableOperation::AutoIncrement { .. } => {}
            other => self.leave(&format!("ALTER TABLE … {} statement", kind::action(&other))),
        }
    }

    fn comment(&mut self, kind: CommentObject, object: &ObjectName, comment: Option<String>) {
        let comment = comment.filter(|text| !text.is_empty());
        if let (CommentObject::Column, [table @ .., column]) = (kind, object.0.as_slice()) {
            let Some(key) = self.key(&ObjectName(table.to_vec())) else { return };
            let Some(column) = column.as_ident() else { return };
            let column = self.column_name(&key, column);
            if let Some(shape) = self.shape(&key, &column) {
                shape.description = comment;
            }
            return;
        }
        let key = self.key(object);
        if let Some(entity) = key.and_then(|key| self.model.entities.get_mut(&key)) {
            entity.shape.description = comment;
        }
    }

    /// The key of a table that is created: its name, with its schema if a table of another schema has the name.
    fn new_key(&self, name: &str, schema: Option<&str>) -> String {
        let table = self.model.entities.get(name).and_then(|entity| entity.table.as_ref());
        match table {
            Some(table) if table.schema.as_deref() != schema => {
                format!("{}_{name}", schema.unwrap_or(DEFAULT_SCHEMAS[0]))
            }
            _ => name.to_owned(),
        }
    }

    /// The schema of a name, if a database would need it.
    fn schema(&self, name: &ObjectName) -> Option<String> {
        let [.., schema, _] = name.0.as_slice() else { return None };
        let is_kept = !matches!(self.dialect, Some(SqlDialect::MySql | SqlDialect::Sqlite));
        let schema = names::ident(schema.as_ident().filter(|_| is_kept)?, self.dialect);
        (!DEFAULT_SCHEMAS.contains(&schema.as_str())).then_some(schema)
    }

    /// The key of the table with this name, of its own schema if there is one.
    fn key(&self, object: &ObjectName) -> Option<String> {
        let name = names::name(object, self.dialect);
        let key = self.keys.get(&qualified(self.schema(object).as_deref(), &name));
        key.or_else(|| self.keys.get(&name.to_ascii_lowercase())).cloned()
    }

    fn source(&mut self, table: &str) -> Option<&mut SqlSource> {
        self.model.entities.get_mut(table)?.table.as_mut()?.source.as_mut()
    }

    fn shape(&mut self, table: &str, column: &str) -> Option<&mut Shape> {
        self.model.entities.get_mut(table)?.shape.object.properties.get_mut(column)
    }
}

/// Adds null to the values of a column, or removes it.
fn nullable(shape: &mut Shape, is_nullable: bool) {
    if is_nullable {
        if !shape.types.is_empty() {
            shape.types.insert(0, Type::Null);
        }
        if let Some(values) = &mut shape.enumeration {
            values.push(Value::Null);
        }
    } else if shape.types.is_empty() {
        shape.types = vec![Type::Boolean, Type::Number, Type::String, Type::Array, Type::Object];
    }
}

/// A name in lower case with its schema.
fn qualified(schema: Option<&str>, name: &str) -> String {
    format!("{}.{}", schema.unwrap_or_default(), name.to_ascii_lowercase())
}

/// Number of statements and parts of each kind that are not read.
#[derive(Debug, Default)]
struct Unread(IndexMap<String, usize>);

impl Unread {
    fn add(&mut self, kind: &str, count: usize) {
        if count > 0 {
            *self.0.entry(kind.to_owned()).or_default() += count;
        }
    }

    fn kinds(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(kind, count)| format!("{kind} ({count})"))
    }
}
