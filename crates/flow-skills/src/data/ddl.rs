//! Reads SQL DDL (PostgreSQL, MySQL, MariaDB, SQLite) into the model. It runs nothing and knows no database.
//!
//! What the model has no place for (expressions, partial indexes, triggers, …) is not an error: it is a note that names it.

mod checks;
mod limits;
mod names;
mod types;

use indexmap::IndexMap;
use serde_json::Value;
use sqlparser::ast::{
    AlterTableOperation, ColumnDef, ColumnOption, CommentObject, CreateIndex, CreateTable, Expr,
    ForeignKeyConstraint, IndexColumn, ObjectName, ReferentialAction, Statement, TableConstraint,
    UserDefinedTypeRepresentation,
};
use sqlparser::dialect::{Dialect, GenericDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Tokenizer;

use names::{last, respell, values};

use super::{Entity, Generated, Model, OnDelete, Relation, Shape, Table, Type, stack};
use crate::output::{Fault, Result};

/// Reads DDL: the model, and notes on what could not be kept.
///
/// # Errors
/// When it is no SQL in any of the dialects, or two tables have one name.
pub fn read(text: &str) -> Result<(Model, Vec<String>)> {
    stack::run(|| {
        let mut reader = Reader::default();
        parse(text)?.into_iter().try_for_each(|statement| reader.statement(statement))?;
        reader.finish();
        Ok((reader.model, reader.notes))
    })
}

/// The statements, by the first dialect that takes them all.
fn parse(text: &str) -> Result<Vec<Statement>> {
    let dialects: [&dyn Dialect; 4] =
        [&PostgreSqlDialect {}, &MySqlDialect {}, &SQLiteDialect {}, &GenericDialect {}];
    let mut first = None;
    for dialect in dialects {
        let parsed = match Tokenizer::new(dialect, text).tokenize_with_location() {
            Ok(tokens) => {
                limits::check(&tokens)?;
                Parser::new(dialect).with_tokens_with_locations(tokens).parse_statements()
            }
            Err(error) => Err(error.into()),
        };
        match parsed {
            Ok(statements) => return Ok(statements),
            Err(error) => first = first.or(Some(error)),
        }
    }
    let reason = first.map_or_else(String::new, |error| error.to_string());
    Err(Fault::Unreadable(format!("the DDL cannot be read: {reason}")))
}

#[derive(Default)]
struct Reader {
    model: Model,
    notes: Vec<String>,
    enums: IndexMap<String, Vec<String>>,
}

impl Reader {
    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn statement(&mut self, statement: Statement) -> Result<()> {
        match statement {
            Statement::CreateTable(table) => self.table(table)?,
            Statement::CreateIndex(index) => self.index(&index),
            Statement::AlterTable(alter) => {
                for operation in alter.operations {
                    self.alter(&last(&alter.name), operation);
                }
            }
            Statement::CreateType { name, representation } => match representation {
                Some(UserDefinedTypeRepresentation::Enum { labels }) => {
                    let labels = labels.into_iter().map(|label| label.value).collect();
                    self.enums.insert(last(&name).to_lowercase(), labels);
                }
                _ => self.note(format!("the type {name} is not kept: it is no enum")),
            },
            Statement::Comment { object_type, object_name, comment, .. } => {
                self.comment(object_type, &object_name, comment);
            }
            other => {
                let text: String = other.to_string().chars().take(60).collect();
                self.note(format!("a statement is not kept, as it shapes no table: {text}"));
            }
        }
        Ok(())
    }

    fn table(&mut self, create: CreateTable) -> Result<()> {
        let name = last(&create.name);
        if self.model.entities.contains_key(&name) {
            return Err(Fault::Refused(format!("the DDL creates the table {name:?} twice")));
        }
        if create.name.0.len() > 1 {
            self.note(format!("the schema of the table {} is left out", create.name));
        }
        if create.query.is_some() || create.like.is_some() {
            self.note(format!("the columns that the table {name:?} copies are not known"));
        }
        let mut shape = Shape::of(Type::Object);
        shape.object.additional = Some(Box::new(Shape::never()));
        let entity = Entity { shape, table: Some(Table::default()) };
        self.model.entities.insert(name.clone(), entity);
        for column in create.columns {
            self.column(&name, column);
        }
        for constraint in create.constraints {
            self.constraint(&name, constraint);
        }
        Ok(())
    }

    fn column(&mut self, table: &str, column: ColumnDef) {
        let name = column.name.value;
        let place = format!("{table}.{name}");
        let read = types::shape(&column.data_type, &self.enums);
        if let Some(note) = read.note {
            self.note(format!("{place}: {note}"));
        }
        let Some(entity) = self.model.entities.get_mut(table) else { return };
        entity.shape.object.properties.insert(name.clone(), read.shape);
        if read.is_identity {
            entity.shape.object.required.push(name.clone());
            self.generate(table, &name, Generated::Identity);
        }
        for option in column.options {
            if option.name.is_some() {
                self.names_are_new();
            }
            self.option(table, &name, option.option);
        }
    }

    fn option(&mut self, table: &str, column: &str, option: ColumnOption) {
        let place = format!("{table}.{column}");
        let own = || vec![column.to_owned()];
        match option {
            ColumnOption::Null => {}
            ColumnOption::NotNull => self.require(table, column),
            ColumnOption::Default(value) => self.default_value(table, column, &value),
            ColumnOption::PrimaryKey(_) => {
                self.require(table, column);
                self.keys(table, |keys| keys.primary_key = own());
            }
            ColumnOption::Unique(_) => self.keys(table, |keys| keys.unique.push(own())),
            ColumnOption::ForeignKey(key) => {
                self.foreign_key(
                    table,
                    ForeignKeyConstraint { columns: vec![column.into()], ..key },
                );
            }
            ColumnOption::Check(check) => self.check(table, &check.expr),
            ColumnOption::Comment(text) => self.describe(table, Some(column), Some(text)),
            ColumnOption::DialectSpecific(words) => {
                let text: Vec<_> = words.iter().map(ToString::to_string).collect();
                match text.join(" ").to_uppercase().as_str() {
                    "AUTO_INCREMENT" | "AUTOINCREMENT" => {
                        self.generate(table, column, Generated::Identity);
                    }
                    other => self.note(format!("{place}: {other} is not kept")),
                }
            }
            ColumnOption::Generated { generation_expr: None, .. } | ColumnOption::Identity(_) => {
                self.require(table, column);
                self.generate(table, column, Generated::Identity);
            }
            other => self.note(format!("{place}: {other} is not kept")),
        }
    }

    fn default_value(&mut self, table: &str, column: &str, value: &Expr) {
        let word = value.to_string().to_lowercase();
        let word = word.trim_matches(['(', ')']);
        let word = word.split('(').next().unwrap_or(word);
        match word {
            "now" | "current_timestamp" | "localtimestamp" => {
                return self.generate(table, column, Generated::Now);
            }
            "gen_random_uuid" | "uuid_generate_v4" | "uuid" | "newid" => {
                return self.generate(table, column, Generated::Uuid);
            }
            "nextval" => return self.generate(table, column, Generated::Identity),
            _ => {}
        }
        let Some(entity) = self.model.entities.get_mut(table) else { return };
        let Some(shape) = entity.shape.object.properties.get_mut(column) else { return };
        match checks::literal(value) {
            Some(Value::Null) => {}
            Some(literal) => shape.default = Some(types::fit(literal, shape)),
            None => {
                self.note(format!("{table}.{column}: the default {value} is no literal: not kept"));
            }
        }
    }

    fn constraint(&mut self, table: &str, constraint: TableConstraint) {
        match constraint {
            TableConstraint::PrimaryKey(key) => {
                let Some(columns) = self.index_columns(table, &key.columns) else { return };
                for column in &columns {
                    self.require(table, column);
                }
                self.keys(table, |keys| keys.primary_key = columns);
            }
            TableConstraint::Unique(key) => {
                if key.name.is_some() {
                    self.names_are_new();
                }
                if let Some(columns) = self.index_columns(table, &key.columns) {
                    self.keys(table, |keys| keys.unique.push(columns));
                }
            }
            TableConstraint::ForeignKey(key) => self.foreign_key(table, key),
            TableConstraint::Check(check) => self.check(table, &check.expr),
            TableConstraint::Index(index) => {
                if let Some(columns) = self.index_columns(table, &index.columns) {
                    self.keys(table, |keys| keys.indexes.push(columns));
                }
            }
            other => self.note(format!("{table}: {other} is not kept")),
        }
    }

    fn check(&mut self, table: &str, check: &Expr) {
        let Some(entity) = self.model.entities.get_mut(table) else { return };
        if !checks::apply(check, &mut entity.shape.object.properties) {
            self.note(format!("{table}: CHECK ({check}) is no bound on one column: not kept"));
        }
    }

    fn foreign_key(&mut self, table: &str, key: ForeignKeyConstraint) {
        if key.name.is_some() {
            self.names_are_new();
        }
        let on_delete = match key.on_delete {
            None | Some(ReferentialAction::Restrict | ReferentialAction::NoAction) => {
                OnDelete::Restrict
            }
            Some(ReferentialAction::Cascade) => OnDelete::Cascade,
            Some(ReferentialAction::SetNull) => OnDelete::SetNull,
            Some(ReferentialAction::SetDefault) => {
                self.note(format!("{table}: ON DELETE SET DEFAULT is not kept: it refuses"));
                OnDelete::Restrict
            }
        };
        if let Some(action) = key.on_update {
            self.note(format!("{table}: ON UPDATE {action} is not kept"));
        }
        let relation = Relation {
            columns: values(key.columns),
            to: last(&key.foreign_table),
            to_columns: values(key.referred_columns),
            on_delete,
        };
        self.keys(table, |keys| keys.relations.push(relation));
    }

    fn index(&mut self, index: &CreateIndex) {
        let table = self.spelling(&last(&index.table_name));
        if let Some(predicate) = &index.predicate {
            return self.note(format!("{table}: an index only WHERE {predicate} is not kept"));
        }
        if index.name.is_some() {
            self.names_are_new();
        }
        let Some(columns) = self.index_columns(&table, &index.columns) else { return };
        let is_unique = index.unique;
        self.keys(&table, |keys| {
            if is_unique { keys.unique.push(columns) } else { keys.indexes.push(columns) }
        });
    }

    fn alter(&mut self, table: &str, operation: AlterTableOperation) {
        let table = self.spelling(table);
        match operation {
            AlterTableOperation::AddConstraint { constraint, .. } => {
                self.constraint(&table, constraint);
            }
            AlterTableOperation::AddColumn { column_def, .. } => self.column(&table, column_def),
            other => self.note(format!("ALTER TABLE {table} {other} is not kept")),
        }
    }

    fn comment(&mut self, kind: CommentObject, name: &ObjectName, comment: Option<String>) {
        let parts: Vec<_> = name
            .0
            .iter()
            .filter_map(|part| part.as_ident().map(|ident| ident.value.clone()))
            .collect();
        match (kind, parts.as_slice()) {
            (CommentObject::Column, [.., table, column]) => {
                self.describe(&self.spelling(table), Some(column), comment);
            }
            (CommentObject::Table, [.., table]) => {
                self.describe(&self.spelling(table), None, comment);
            }
            _ => self.note(format!("the comment on {name} is not kept")),
        }
    }

    fn describe(&mut self, table: &str, column: Option<&str>, text: Option<String>) {
        let Some(entity) = self.model.entities.get_mut(table) else { return };
        match column {
            None => entity.shape.description = text,
            Some(column) => {
                if let Some(shape) = entity.shape.object.properties.get_mut(column) {
                    shape.description = text;
                }
            }
        }
    }

    /// The columns of a key; `None`, with a note, where one is an expression.
    fn index_columns(&mut self, table: &str, columns: &[IndexColumn]) -> Option<Vec<String>> {
        let name = |column: &IndexColumn| match &column.column.expr {
            Expr::Identifier(ident) => Some(ident.value.clone()),
            _ => None,
        };
        let names: Option<Vec<_>> = columns.iter().map(name).collect();
        if names.is_none() {
            self.note(format!("{table}: a key over an expression is not kept"));
        }
        names
    }

    fn names_are_new(&mut self) {
        self.note("names of constraints and indexes are not kept: a writer makes its own".into());
    }

    fn require(&mut self, table: &str, column: &str) {
        let Some(entity) = self.model.entities.get_mut(table) else { return };
        let required = &mut entity.shape.object.required;
        if !required.iter().any(|name| name == column) {
            required.push(column.to_owned());
        }
    }

    fn generate(&mut self, table: &str, column: &str, generated: Generated) {
        self.keys(table, |keys| _ = keys.generated.insert(column.to_owned(), generated));
    }

    fn keys(&mut self, table: &str, change: impl FnOnce(&mut Table)) {
        let table = self.spelling(table);
        match self.model.entities.get_mut(&table).and_then(|entity| entity.table.as_mut()) {
            Some(keys) => change(keys),
            None => {
                self.note(format!("a key of the table {table:?}, which is not here, is left out"));
            }
        }
    }

    /// A table's name as its CREATE TABLE spells it: unquoted names do not care for case.
    fn spelling(&self, table: &str) -> String {
        let same = |name: &&String| name.eq_ignore_ascii_case(table);
        self.model.entities.keys().find(same).cloned().unwrap_or_else(|| table.to_owned())
    }

    /// What needs every table: names spelt alike, referred columns that were not said, and nullable columns.
    fn finish(&mut self) {
        let names: Vec<_> = self.model.entities.keys().cloned().collect();
        let primary: IndexMap<_, _> = self
            .model
            .entities
            .iter()
            .filter_map(|(n, e)| Some((n.clone(), e.table.as_ref()?.primary_key.clone())))
            .collect();
        for entity in self.model.entities.values_mut() {
            let object = &mut entity.shape.object;
            let Some(table) = &mut entity.table else { continue };
            let columns: Vec<_> = object.properties.keys().cloned().collect();
            let lists = [&mut table.primary_key, &mut object.required];
            let lists = lists.into_iter().chain(&mut table.unique).chain(&mut table.indexes);
            lists.for_each(|list| respell(list, &columns));
            for relation in &mut table.relations {
                respell(&mut relation.columns, &columns);
                respell(std::slice::from_mut(&mut relation.to), &names);
                if relation.to_columns.is_empty() {
                    relation.to_columns = primary.get(&relation.to).cloned().unwrap_or_default();
                }
            }
            for (name, shape) in &mut object.properties {
                types::nullable(shape, !object.required.contains(name));
            }
        }
    }
}
