//! The tables that the statements of a migration create, change and drop.

use sqlparser::ast::{
    AlterTableOperation, ObjectName, ObjectType, RenameTableNameKind, Statement as Ast,
};

use super::kind::{self, Kind};
use super::names::name;
use super::{detect, parse, statements};
use crate::data::stack;
use crate::output::{Fault, Result};

/// Largest number of statements on tables.
const MOST: usize = 2_000;

/// The names of the tables that are there before a migration, and of those that are there after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Those that it changes or drops.
    pub before: Vec<String>,
    /// Those that it creates or changes.
    pub after: Vec<String>,
}

impl Changes {
    /// Reads the statements. Those that cannot be parsed are passed over.
    ///
    /// # Errors
    /// When it has too many statements on tables, or the system allows no thread for it.
    pub fn read(text: &str) -> Result<Self> {
        stack::run(|| {
            let dialect = detect::dialect(text);
            let (all, _) = statements::split(text, dialect);
            let of_tables = all.iter().filter(|own| kind::of(&own.head()) == Kind::Table);
            let of_tables: Vec<_> = of_tables.collect();
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
            Ast::CreateIndex(index) => self.change(name(&index.table_name)),
            Ast::AlterTable(alter) => {
                self.change(name(&alter.name));
                for operation in &alter.operations {
                    if let AlterTableOperation::RenameTable { table_name } = operation {
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
            _ => {}
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

fn push(all: &mut Vec<String>, name: String) {
    if !all.contains(&name) {
        all.push(name);
    }
}
