//! Columns: their types, defaults and other options.

use std::fmt::Write as _;

use serde_json::Value;
use sqlparser::ast::{
    AlterColumnOperation, ColumnDef, ColumnOption, ColumnOptionDef, CommentObject, DataType, Expr,
    ForeignKeyConstraint, GeneratedAs, Ident, ObjectName,
};

use super::{Reader, checks, names, portable, repair, types};
use crate::data::{Generated, KeyKind, NativeColumn, SqlDialect};
use crate::text::lists;

/// Functions whose value is the time.
const NOW: &str = "now current_timestamp localtimestamp";
/// Functions whose value is a new UUID.
const UUID: &str = "gen_random_uuid uuid_generate_v4 uuid_generate_v1 uuid newid public.uuid_generate_v4 public.gen_random_uuid";

impl Reader {
    pub(super) fn column_name(&self, table: &str, column: &Ident) -> String {
        let own = names::ident(column, self.dialect);
        let columns = self.model.entities.get(table).map(|own| &own.shape.object.properties);
        columns.and_then(|columns| names::spelling(columns, &own)).cloned().unwrap_or(own)
    }

    pub(super) fn column(&mut self, table: &str, column: ColumnDef) {
        let own = names::ident(&column.name, self.dialect);
        self.typed(table, &own, &column.data_type);
        for ColumnOptionDef { name, option } in column.options {
            self.option(table, &own, option, name.map(|name| name.value));
        }
    }

    fn typed(&mut self, table: &str, own: &str, data_type: &DataType) {
        let domain = match data_type {
            DataType::Custom(name, _) => {
                self.domains.get(&names::last(name).to_lowercase()).cloned()
            }
            _ => None,
        };
        let kind = domain.as_ref().map_or(data_type, |domain| &domain.base);
        let mut read = types::shape(kind, &self.enums, self.dialect);
        if let Some(note) = read.note.take() {
            self.note(format!("{table}.{own}: {note}"));
        }
        let is_identity = read.is_identity;
        self.object(table, |object| _ = object.properties.insert(own.to_owned(), read.shape));
        if let Some(native) = self.native(table)
            && let Some(sql) = read.sql
        {
            let sql = if is_identity { sql.replace("serial", "int") } else { sql };
            let enumeration = read.enumeration;
            let column = NativeColumn { sql, enumeration, ..NativeColumn::default() };
            native.columns.insert(own.to_owned(), column);
        }
        if is_identity {
            self.require(table, own);
            self.generate(table, own, Generated::Identity);
        }
        let Some(domain) = domain else { return };
        if domain.is_required {
            self.require(table, own);
        }
        if let Some(default) = &domain.default {
            self.default_value(table, own, default);
        }
        for check in &domain.checks {
            let condition = replaced(&check.to_string(), own);
            self.check_text(table, None, check, Some(own), &condition);
        }
    }

    /// MODIFY and CHANGE: replaces the column at its position.
    pub(super) fn replace_column(
        &mut self,
        table: &str,
        column: &Ident,
        data_type: &DataType,
        options: Vec<ColumnOption>,
    ) {
        let old = &*self.column_name(table, column);
        let mut is_key = false;
        self.keys(table, |keys| is_key = keys.primary_key.iter().any(|key| key == old));
        self.object(table, |object| object.required.retain(|name| name != old || is_key));
        let description = self.shape(table, old).and_then(|shape| shape.description.clone());
        self.typed(table, old, data_type);
        self.describe(table, Some(old), description);
        for option in options {
            self.option(table, old, option, None);
        }
    }

    pub(super) fn alter_column(
        &mut self,
        table: &str,
        column: &str,
        operation: AlterColumnOperation,
    ) {
        match operation {
            AlterColumnOperation::SetNotNull => self.require(table, column),
            AlterColumnOperation::DropNotNull => {
                self.object(table, |object| object.required.retain(|name| name != column));
            }
            AlterColumnOperation::SetDefault { value } => self.default_value(table, column, &value),
            AlterColumnOperation::DropDefault => {
                if let Some(native) = self.native_column(table, column) {
                    native.default = None;
                }
                if let Some(shape) = self.shape(table, column) {
                    shape.default = None;
                }
            }
            AlterColumnOperation::AddGenerated { generated_as, .. } => {
                self.identity(table, column, generated_as.as_ref());
            }
            AlterColumnOperation::SetDataType { data_type, .. } => {
                self.retype(table, column, &data_type);
            }
        }
    }

    /// Changes the type of a column alone: its default and its description stay.
    fn retype(&mut self, table: &str, column: &str, data_type: &DataType) {
        let native = self.native_column(table, column).map(std::mem::take);
        let shape = self.shape(table, column).map(std::mem::take);
        self.typed(table, column, data_type);
        if let (Some(own), Some(native)) = (self.native_column(table, column), native) {
            let NativeColumn { sql, enumeration, .. } = std::mem::take(own);
            *own = NativeColumn { sql, enumeration, ..native };
        }
        if let (Some(own), Some(shape)) = (self.shape(table, column), shape) {
            (own.default, own.description) = (shape.default, shape.description);
        }
    }

    fn option(&mut self, table: &str, column: &str, option: ColumnOption, name: Option<String>) {
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
                let columns = vec![Ident::with_quote('"', column)];
                let name = name.map(Ident::new);
                self.foreign_key(table, ForeignKeyConstraint { columns, name, ..key });
            }
            ColumnOption::Check(check) => self.check(table, name, &check.expr),
            ColumnOption::Comment(text) => self.describe(table, Some(column), Some(text)),
            ColumnOption::CharacterSet(own) => self.collated(table, column, "CHARACTER SET", &own),
            ColumnOption::Collation(own) => self.collated(table, column, "COLLATE", &own),
            ColumnOption::OnUpdate(value) => {
                self.suffix(table, column, &format!("ON UPDATE {value}"));
            }
            ColumnOption::DialectSpecific(words) => {
                let text: Vec<_> = words.iter().map(ToString::to_string).collect();
                match text.join(" ").to_uppercase().as_str() {
                    "AUTO_INCREMENT" => self.generate(table, column, Generated::Identity),
                    "AUTOINCREMENT" => {
                        self.generate(table, column, Generated::Identity);
                        self.suffix(table, column, "AUTOINCREMENT");
                    }
                    other => self.note(format!("{table}.{column}: {other} is not kept")),
                }
            }
            ColumnOption::Generated { generated_as, generation_expr: None, .. } => {
                self.identity(table, column, Some(&generated_as));
            }
            ColumnOption::Identity(_) => self.identity(table, column, None),
            other @ ColumnOption::Generated { .. } => {
                self.computed(table, column, &other.to_string());
            }
            other => self.note(format!("{table}.{column}: {other} is not kept")),
        }
    }

    fn identity(&mut self, table: &str, column: &str, generated: Option<&GeneratedAs>) {
        self.require(table, column);
        self.generate(table, column, Generated::Identity);
        if matches!(generated, Some(GeneratedAs::Always)) {
            self.suffix(table, column, "ALWAYS");
        }
    }

    fn suffix(&mut self, table: &str, column: &str, text: &str) {
        match self.native_column(table, column) {
            Some(own) => own.suffix = Some(text.to_owned()),
            None => self.note(format!("{table}.{column}: {text} is not kept")),
        }
    }

    /// A computed column: its expression in its own dialect, if it is portable.
    fn computed(&mut self, table: &str, column: &str, text: &str) {
        let is_kept = self.is_portable(text);
        match self.native_column(table, column) {
            Some(own) if is_kept => own.computed = Some(text.to_owned()),
            _ => self
                .note(format!("{table}.{column}: {text} is not kept: the column is a plain one")),
        }
    }

    fn collated(&mut self, table: &str, column: &str, word: &str, own: &ObjectName) {
        let text = own.to_string();
        if text == repair::BINARY_ATTRIBUTE {
            if let Some(native) = self.native_column(table, column) {
                native.sql.push_str(" BINARY");
            }
            return;
        }
        // MySQL's current default, which MariaDB does not have; PostgreSQL's default.
        if text.contains("_0900_") || text.contains("default") {
            return;
        }
        if let Some(native) = self.native_column(table, column) {
            let _ = write!(native.sql, " {word} {text}");
        }
    }

    pub(super) fn is_portable(&self, text: &str) -> bool {
        let Some(dialect) = self.dialect else { return false };
        let is_safe = dialect != SqlDialect::MySql || !text.contains('\\');
        is_safe && portable::is_portable(text, dialect, &|name| self.enums.contains_key(name))
    }

    fn default_value(&mut self, table: &str, column: &str, value: &Expr) {
        let text = value.to_string();
        let word = text.to_lowercase();
        let word = word.trim_matches(['(', ')']).split('(').next().unwrap_or_default();
        let generated = match word {
            "nextval" | "pg_catalog.nextval" => {
                self.require(table, column);
                return self.generate(table, column, Generated::Identity);
            }
            word if lists(NOW, word) => Some(Generated::Now),
            word if lists(UUID, word) => Some(Generated::Uuid),
            _ => None,
        };
        if let Some(generated) = generated {
            self.generate(table, column, generated);
        }
        // With the column's own type, a cast of a literal is redundant.
        let text = match value {
            Expr::Cast { expr, .. } if matches!(**expr, Expr::Value(_)) => expr.to_string(),
            _ => spelled(&text),
        };
        let is_kept = self.is_portable(&text);
        let literal = checks::literal(value);
        if let Some(native) = self.native_column(table, column) {
            let is_null = literal == Some(Value::Null);
            native.default = Some(text.clone()).filter(|_| is_kept && !is_null);
        }
        let Some(shape) = self.shape(table, column) else { return };
        match literal {
            Some(Value::Null) => {}
            Some(literal) => shape.default = Some(types::fit(literal, shape)),
            None if generated.is_some() || is_kept => {}
            None => self.note(format!("{table}.{column}: the default {value} is not kept: only literals and built-in functions are")),
        }
    }

    pub(super) fn comment(
        &mut self,
        kind: CommentObject,
        object: &ObjectName,
        comment: Option<String>,
    ) {
        let (key, column) = match (kind, object.0.as_slice()) {
            (CommentObject::Column, [table @ .., column]) => {
                let Some(column) = column.as_ident() else { return };
                (self.key(&ObjectName(table.to_vec())), Some(names::ident(column, self.dialect)))
            }
            (CommentObject::Table, _) => (self.key(object), None),
            _ => return self.note(format!("the comment on {object} is not kept")),
        };
        if let Some(key) = key {
            self.describe(&key, column.as_deref(), comment);
        }
    }

    pub(super) fn describe(&mut self, table: &str, column: Option<&str>, text: Option<String>) {
        let text = text.filter(|text| !text.is_empty());
        let shape = match column {
            None => self.model.entities.get_mut(table).map(|entity| &mut entity.shape),
            Some(column) => self.shape(table, column),
        };
        if let Some(shape) = shape {
            shape.description = text;
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

/// An expression with the types of its casts in lower case, as is usual.
pub(super) fn spelled(text: &str) -> String {
    let mut parts = text.split("::");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ');
        let (kind, rest) = part.split_at(part.find(|c| !is_name(c)).unwrap_or(part.len()));
        let is_type = kind.chars().all(|c| !c.is_ascii_lowercase());
        let kind = if is_type { kind.to_lowercase() } else { kind.to_owned() };
        let _ = write!(out, "::{kind}{rest}");
    }
    out
}

/// A domain's condition, for a column.
fn replaced(condition: &str, column: &str) -> String {
    let quoted = format!("\"{}\"", column.replace('"', "\"\""));
    let mut out = String::new();
    let mut word = String::new();
    for c in condition.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        let own = std::mem::take(&mut word);
        out.push_str(if own.eq_ignore_ascii_case("VALUE") { &quoted } else { &own });
        out.push(c);
    }
    out.trim_end().to_owned()
}
