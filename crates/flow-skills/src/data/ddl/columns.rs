//! Columns: their defaults and other options.

use serde_json::Value;
use sqlparser::ast::{
    ColumnDef, ColumnOption, ColumnOptionDef, Expr, ForeignKeyConstraint, GeneratedAs, Ident,
};

use super::literals::{fit, literal, uncast};
use super::names::spelling;
use super::{Reader, names, types};
use crate::data::{Generated, KeyKind, Shape, Type};
use crate::text::lists;

/// Functions whose value is the time.
const NOW: &str = "now current_timestamp localtimestamp current_date";
/// Functions whose value is a new UUID.
const UUID: &str = "gen_random_uuid uuid_generate_v4 uuid_generate_v1 uuid newid public.uuid_generate_v4 public.gen_random_uuid";
/// Functions whose value is the next number.
const SEQUENCE: &str = "nextval pg_catalog.nextval";

impl Reader {
    pub(super) fn column_name(&self, table: &str, column: &Ident) -> String {
        let name = names::ident(column, self.dialect);
        let columns = self.model.entities.get(table).map(|entity| &entity.shape.object.properties);
        columns.and_then(|columns| spelling(columns, &name)).cloned().unwrap_or(name)
    }

    pub(super) fn column(&mut self, table: &str, column: ColumnDef) {
        let key = names::ident(&column.name, self.dialect);
        let declared = types::of_type(&column.data_type, &self.enums, self.dialect);
        if let Some(note) = declared.note {
            self.note(format!("{table}.{key}: {note}"));
        }
        self.object(table, |object| _ = object.properties.insert(key.clone(), declared.shape));
        if let (Some(source), Some(sql)) = (self.source(table), declared.sql) {
            source.columns.insert(key.clone(), sql);
        }
        if declared.is_identity {
            self.identity(table, &column.name);
        }
        for ColumnOptionDef { name, option } in column.options {
            self.option(table, &key, option, name);
        }
    }

    fn option(&mut self, table: &str, column: &str, option: ColumnOption, name: Option<Ident>) {
        let ident = || Ident::with_quote('"', column);
        match option {
            ColumnOption::Null => {}
            ColumnOption::NotNull => self.require(table, column),
            ColumnOption::Default(value) => self.default_value(table, column, &value),
            ColumnOption::PrimaryKey(_) => {
                self.require(table, column);
                self.keys(table, |keys| keys.primary_key = vec![column.to_owned()]);
            }
            ColumnOption::Unique(_) => {
                self.named(table, KeyKind::Unique, &[column.to_owned()], name);
                self.keys(table, |keys| keys.unique.push(vec![column.to_owned()]));
            }
            ColumnOption::ForeignKey(key) => {
                let columns = vec![ident()];
                self.foreign_key(table, ForeignKeyConstraint { columns, name, ..key });
            }
            ColumnOption::Check(check) => self.check(table, name, &check.expr),
            ColumnOption::Comment(text) => {
                if let Some(shape) = self.shape(table, column) {
                    shape.description = Some(text).filter(|text| !text.is_empty());
                }
            }
            ColumnOption::CharacterSet(_) | ColumnOption::Collation(_) => {
                self.leave("character set or collation");
            }
            ColumnOption::OnUpdate(_) => self.leave("ON UPDATE clause of a column"),
            ColumnOption::DialectSpecific(words) => {
                let text: Vec<_> = words.iter().map(ToString::to_string).collect();
                match text.join(" ").to_uppercase().as_str() {
                    "AUTO_INCREMENT" | "AUTOINCREMENT" => self.identity(table, &ident()),
                    _ => self.leave("option of a column"),
                }
            }
            ColumnOption::Generated { generated_as, generation_expr: None, .. } => {
                if matches!(generated_as, GeneratedAs::Always) {
                    self.leave("GENERATED ALWAYS clause, which becomes BY DEFAULT,");
                }
                self.identity(table, &ident());
            }
            ColumnOption::Identity(_) => self.identity(table, &ident()),
            ColumnOption::Generated { .. } => self.leave("generated expression"),
            _ => self.leave("option of a column"),
        }
    }

    /// A column that gets the next number.
    pub(super) fn identity(&mut self, table: &str, column: &Ident) {
        let column = self.column_name(table, column);
        self.require(table, &column);
        self.generate(table, &column, Generated::Identity);
    }

    /// The default that PostgreSQL's dumps state after a table: the next number of a sequence.
    pub(super) fn set_default(&mut self, table: &str, column: &Ident, value: &Expr) {
        if lists(SEQUENCE, &function(value)) {
            self.identity(table, column);
        } else {
            self.leave("ALTER TABLE … ALTER COLUMN statement");
        }
    }

    fn default_value(&mut self, table: &str, column: &str, value: &Expr) {
        let generated = match function(value).as_str() {
            word if lists(SEQUENCE, word) => {
                self.require(table, column);
                Some(Generated::Identity)
            }
            word if lists(NOW, word) => Some(Generated::Now),
            word if lists(UUID, word) => Some(Generated::Uuid),
            _ => None,
        };
        if let Some(generated) = generated {
            return self.generate(table, column, generated);
        }
        let Some(shape) = self.shape(table, column) else { return };
        match literal(value) {
            Some(Value::Null) => {}
            Some(literal) => match fit(literal, shape) {
                Value::String(text) if is_computed(&text, shape) => {
                    self.leave("default expression");
                }
                value => shape.default = Some(value),
            },
            None => self.leave("default expression"),
        }
    }

    pub(super) fn require(&mut self, table: &str, column: &str) {
        self.object(table, |object| {
            if !object.required.iter().any(|name| name == column) {
                object.required.push(column.to_owned());
            }
        });
    }

    fn generate(&mut self, table: &str, column: &str, generated: Generated) {
        self.keys(table, |keys| _ = keys.generated.insert(column.to_owned(), generated));
    }
}

/// Whether a database takes a text for another value: PostgreSQL's words for times, and lists but for the empty one.
fn is_computed(text: &str, shape: &Shape) -> bool {
    let is_text = shape.types == [Type::String] && shape.string.format.is_none();
    shape.types == [Type::Array]
        || !is_text && lists("now today tomorrow yesterday", &text.to_lowercase())
}

/// The function that is a default, in lower case; empty if the default is another expression.
fn function(value: &Expr) -> String {
    let name = match uncast(value) {
        // SQLite's other word for it.
        call @ Expr::Function(_) if call.to_string().to_lowercase() == "datetime('now')" => {
            "now".to_owned()
        }
        Expr::Function(function) => function.name.to_string(),
        Expr::Identifier(name) => name.value.clone(),
        _ => String::new(),
    };
    name.to_lowercase()
}
