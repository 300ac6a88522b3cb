//! The tables that the statements of a migration create, change and drop.

use sqlparser::ast::{
    AlterColumnOperation, AlterTableOperation as Operation, ColumnDef, ColumnOption, CreateIndex,
    FromTable, Ident, ObjectName, ObjectType, RenameTableNameKind, Statement as Ast,
};

use super::kind::{self, Kind};
use super::names::name;
use super::statements::Statement;
use super::{detect, parse, statements};
use crate::output::{Fault, Result};
use crate::stack;

/// Beginning of the names of the tables that a generated migration makes and drops.
const OWN: &str = "_flow_";
/// Largest number of statements on tables.
const MOST: usize = 2_000;

/// The names of the tables that are there before a migration, and of those that are there after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Those that it changes or drops.
    pub(crate) before: Vec<String>,
    /// Those that it creates or changes.
    pub(crate) after: Vec<String>,
    /// The columns, indexes and constraints that it adds, changes and drops, in its order.
    pub(crate) parts: Vec<Part>,
}

/// A part of a table that a migration adds, changes or drops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) action: Action,
    /// Its type and name, such as `column users.phone`.
    pub(crate) name: String,
    /// Whether the rows that exist need a value first: it becomes NOT NULL, and has no default.
    pub(crate) needs_values: bool,
}

/// What happens to a part of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Add,
    Change,
    Drop,
}

impl Changes {
    /// Reads the statements. Those that cannot be parsed are passed over.
    pub(crate) fn read(text: &str) -> Result<Self> {
        stack::run(|| {
            let dialect = detect::dialect(text);
            let (all, _) = statements::split(text, dialect);
            let of_tables: Vec<_> = all.iter().filter(|own| is_of_tables(own)).collect();
            if of_tables.len() > MOST {
                let why = format!("the SQL has over {MOST} statements on tables, the limit");
                return Err(Fault::Refused(why));
            }
            let mut changes = Self::default();
            for parsed in of_tables.into_iter().filter_map(|own| parse::parse(own, dialect).ok()) {
                changes.add(&parsed.ast, &|own| name(own, dialect));
            }
            Ok(changes)
        })
    }

    fn add(&mut self, statement: &Ast, name: &dyn Fn(&ObjectName) -> String) {
        match statement {
            Ast::CreateTable(table) => push(&mut self.after, name(&table.name)),
            Ast::CreateIndex(index) => {
                let table = name(&index.table_name);
                self.parts.push(created(index, &table));
                self.change(table);
            }
            Ast::AlterTable(alter) => {
                self.change(name(&alter.name));
                for operation in &alter.operations {
                    self.parts.extend(parts(operation, &name(&alter.name)));
                    if let Operation::RenameTable { table_name } = operation {
                        let (RenameTableNameKind::As(new) | RenameTableNameKind::To(new)) =
                            table_name;
                        self.after.retain(|known| *known != name(&alter.name));
                        push(&mut self.after, name(new));
                    }
                }
            }
            Ast::Drop { object_type: ObjectType::Table, names, .. } => {
                for own in names.iter().map(name) {
                    self.change(own.clone());
                    self.after.retain(|known| *known != own);
                }
            }
            Ast::Drop { object_type: ObjectType::Index, names, table, .. } => {
                let on = table.as_ref().map(|own| format!(" on {}", name(own)));
                for own in names {
                    let name = format!("index {}{}", name(own), on.as_deref().unwrap_or_default());
                    self.parts.push(Part { action: Action::Drop, name, needs_values: false });
                }
            }
            Ast::Update(own) => self.rows(&own.table.to_string()),
            Ast::Delete(own) => {
                let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) =
                    &own.from;
                for own in from {
                    self.rows(&own.to_string());
                }
            }
            Ast::Insert(own) => self.rows(&own.table.to_string()),
            _ => {}
        }
    }

    /// The rows of a table, which the migration changes.
    fn rows(&mut self, table: &str) {
        // Tables that a generated migration makes for itself.
        if table.starts_with(OWN) {
            return;
        }
        let name = format!("rows of {}", table.replace(['"', '`'], ""));
        if self.parts.iter().all(|own| own.name != name) {
            self.parts.push(Part { action: Action::Change, name, needs_values: false });
        }
    }

    /// A table that is there afterwards, and before unless the migration creates it.
    fn change(&mut self, name: String) {
        if !self.after.contains(&name) {
            push(&mut self.before, name.clone());
            self.after.push(name);
        }
    }
}

/// Whether a statement changes tables, or the rows that they have. Rows that a dump or a seed inserts are not counted.
fn is_of_tables(own: &Statement) -> bool {
    match kind::of(&own.head()) {
        Kind::Table => true,
        Kind::Other(verb) if verb == "INSERT" => !own.text.to_uppercase().contains("VALUES"),
        Kind::Other(verb) => verb == "UPDATE" || verb == "DELETE",
        Kind::Unknown => false,
    }
}

fn push(all: &mut Vec<String>, name: String) {
    if !all.contains(&name) {
        all.push(name);
    }
}

fn created(index: &CreateIndex, table: &str) -> Part {
    let unique = if index.unique { "unique " } else { "" };
    let own = index.name.as_ref().map(|own| format!(" {own}")).unwrap_or_default();
    let columns: Vec<String> = index.columns.iter().map(ToString::to_string).collect();
    let name = format!("{unique}index{own} on {table} ({})", columns.join(", "));
    Part { action: Action::Add, name, needs_values: false }
}

/// The parts of a table that an action of ALTER TABLE is about.
fn parts(operation: &Operation, table: &str) -> Vec<Part> {
    let one = |action, name: String, needs_values| vec![Part { action, name, needs_values }];
    let column = |name: &Ident| format!("column {table}.{}", name.value);
    let of_table = |what: &str, name: &Ident| format!("{what} {} on {table}", name.value);
    let is_not_null = |options: &[ColumnOption]| options.contains(&ColumnOption::NotNull);
    match operation {
        Operation::AddColumn { column_def, .. } => {
            one(Action::Add, column(&column_def.name), needs_values(column_def))
        }
        Operation::DropColumn { column_names, .. } => {
            column_names.iter().flat_map(|name| one(Action::Drop, column(name), false)).collect()
        }
        Operation::RenameColumn { old_column_name: old, new_column_name: new } => {
            one(Action::Change, format!("{}, now {}", column(old), new.value), false)
        }
        Operation::ChangeColumn { old_name: old, new_name: new, options, .. } => {
            let renamed = (old != new).then(|| format!(", now {}", new.value));
            let name = format!("{}{}", column(old), renamed.unwrap_or_default());
            one(Action::Change, name, is_not_null(options))
        }
        Operation::ModifyColumn { col_name, options, .. } => {
            one(Action::Change, column(col_name), is_not_null(options))
        }
        Operation::AlterColumn { column_name, op } => {
            let needs_values = matches!(op, AlterColumnOperation::SetNotNull);
            one(Action::Change, column(column_name), needs_values)
        }
        Operation::AddConstraint { constraint, .. } => {
            one(Action::Add, format!("{constraint} on {table}"), false)
        }
        Operation::DropConstraint { name, .. } | Operation::DropForeignKey { name, .. } => {
            one(Action::Drop, of_table("constraint", name), false)
        }
        Operation::DropIndex { name } => one(Action::Drop, of_table("index", name), false),
        _ => Vec::new(),
    }
}

/// Whether a new column is NOT NULL, and nothing gives the rows that exist a value.
fn needs_values(column: &ColumnDef) -> bool {
    let has = |is: fn(&ColumnOption) -> bool| column.options.iter().any(|own| is(&own.option));
    let is_given = |own: &ColumnOption| {
        matches!(
            own,
            ColumnOption::Default(_) | ColumnOption::Generated { .. } | ColumnOption::Identity(_)
        )
    };
    let is_serial = column.data_type.to_string().to_uppercase().contains("SERIAL");
    has(|own| matches!(own, ColumnOption::NotNull)) && !has(is_given) && !is_serial
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_tables_in_mysql() {
        let sql = "ALTER TABLE `users` MODIFY `name` text NOT NULL, CHANGE `nick` `nick` text, \
                   CHANGE `a` `b` text, DROP INDEX `old`, DROP FOREIGN KEY `fk`;";
        let parts = Changes::read(sql).unwrap().parts;
        let shown: Vec<_> =
            parts.iter().map(|own| (own.action, own.name.as_str(), own.needs_values)).collect();
        let expected = [
            (Action::Change, "column users.name", true),
            (Action::Change, "column users.nick", false),
            (Action::Change, "column users.a, now b", false),
            (Action::Drop, "index old on users", false),
            (Action::Drop, "constraint fk on users", false),
        ];
        assert_eq!(shown, expected);
    }
}
