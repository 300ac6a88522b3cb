//! Changes of what earlier statements defined, as in a history of migrations: columns, keys, indexes and tables that are
//! renamed or dropped, and enums that grow.

use sqlparser::ast::{
    AlterTableOperation, AlterType, AlterTypeAddValuePosition, AlterTypeOperation, Ident,
    ObjectName, RenameTableNameKind,
};

use super::names::{self, last};
use super::{Reader, SqlDialect};
use crate::data::{KeyKind, Table};
use crate::output::{Fault, Result};

/// Largest number of changes that search all tables.
const SEARCHES: usize = 2_000;

impl Reader {
    /// Counts a change that searches all tables. A dump may begin with the drops of what it creates.
    fn search(&mut self) -> Result<()> {
        self.searches += usize::from(!self.model.entities.is_empty());
        if self.searches > SEARCHES {
            let limit = format!("over {SEARCHES} statements that rename or drop, the limit");
            return Err(Fault::Refused(format!("the DDL has {limit}")));
        }
        Ok(())
    }

    /// The key of a table that is altered; a note if it is neither here nor a partition.
    fn altered(&mut self, table: &ObjectName) -> Option<String> {
        let key = self.key(table);
        if key.is_none() && !self.partitions.contains(&last(table)) {
            self.note(format!("ALTER TABLE {table} is left out: the table is not here"));
        }
        key
    }

    pub(super) fn alter(
        &mut self,
        table: &ObjectName,
        operation: AlterTableOperation,
    ) -> Result<()> {
        let Some(key) = self.altered(table) else { return Ok(()) };
        match operation {
            AlterTableOperation::AddConstraint { constraint, .. } => {
                self.constraint(&key, constraint);
            }
            AlterTableOperation::AddColumn { column_def, .. } => self.column(&key, column_def),
            AlterTableOperation::AlterColumn { column_name, op } => {
                let column = self.column_name(&key, &column_name);
                self.alter_column(&key, &column, op);
            }
            AlterTableOperation::ModifyColumn { col_name, data_type, options, .. } => {
                self.replace_column(&key, &col_name, &data_type, options);
            }
            AlterTableOperation::ChangeColumn {
                old_name, new_name, data_type, options, ..
            } => {
                self.rename_column(&key, &old_name, &new_name)?;
                self.replace_column(&key, &new_name, &data_type, options);
            }
            AlterTableOperation::RenameColumn { old_column_name, new_column_name } => {
                self.rename_column(&key, &old_column_name, &new_column_name)?;
            }
            AlterTableOperation::DropColumn { column_names, .. } => {
                for own in &column_names {
                    self.drop_column(&key, own);
                }
            }
            AlterTableOperation::RenameTable { table_name } => {
                let (RenameTableNameKind::As(new) | RenameTableNameKind::To(new)) = table_name;
                self.rename_table(table, &new)?;
            }
            AlterTableOperation::DropPrimaryKey { .. } => {
                self.keys(&key, |keys| remove(keys, KeyKind::Primary, &[]));
            }
            AlterTableOperation::DropConstraint { name, .. }
            | AlterTableOperation::DropForeignKey { name, .. }
            | AlterTableOperation::DropIndex { name } => self.drop_key(&key, &name.value),
            AlterTableOperation::AutoIncrement { .. } => {}
            other => self.note(format!("ALTER TABLE {table} {other} is not kept")),
        }
        Ok(())
    }

    /// Drops a column, with the keys, indexes and conditions over it.
    pub(super) fn drop_column(&mut self, table: &str, column: &Ident) {
        let column = self.column_name(table, column);
        let is_free = |list: &Vec<String>| !list.contains(&column);
        self.object(table, |object| {
            object.properties.shift_remove(&column);
            object.required.retain(|name| *name != column);
        });
        self.keys(table, |keys| {
            if !is_free(&keys.primary_key) {
                keys.primary_key.clear();
            }
            keys.unique.retain(is_free);
            keys.indexes.retain(is_free);
            keys.relations.retain(|own| is_free(&own.columns));
            keys.names.retain(|own| is_free(&own.columns));
            keys.generated.shift_remove(&column);
        });
        if let Some(native) = self.native(table) {
            native.columns.shift_remove(&column);
        }
        self.forget(table, &column);
    }

    /// Removes the conditions and indexes whose text names a column.
    fn forget(&mut self, table: &str, column: &str) {
        let Some(native) = self.native(table) else { return };
        let names = |text: &str| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            text.split(|c| !is_part(c)).any(|word| word.eq_ignore_ascii_case(column))
        };
        native.primary_key.take_if(|own| names(own));
        let mut lost = Vec::new();
        for (own, native) in &mut native.columns {
            let computed = native.computed.take_if(|own| names(own));
            lost.extend(computed.map(|text| format!("{own} {text}")));
        }
        native.checks.retain(|own| {
            let is_lost = names(&own.condition);
            lost.extend(is_lost.then(|| format!("CHECK ({})", own.condition)));
            !is_lost
        });
        native.indexes.retain(|own| {
            let is_lost = own.columns.iter().any(|own| own == column) || names(&own.body);
            lost.extend(is_lost.then(|| format!("the index {}", own.body)));
            !is_lost
        });
        for lost in lost {
            self.note(format!("{table}: {lost} is left out: {column} is renamed or dropped"));
        }
    }

    pub(super) fn rename_column(&mut self, table: &str, old: &Ident, new: &Ident) -> Result<()> {
        self.search()?;
        let (old, new) = (self.column_name(table, old), names::ident(new, self.dialect));
        if old == new {
            return Ok(());
        }
        let rename = |list: &mut Vec<String>| {
            list.iter_mut().filter(|name| **name == old).for_each(|name| name.clone_from(&new));
        };
        self.object(table, |object| {
            rename(&mut object.required);
            if let Some(at) = object.properties.get_index_of(&old) {
                // A name that is already there is an error of the source.
                let _ = object.properties.replace_index(at, new.clone());
            }
        });
        self.keys(table, |keys| {
            rename(&mut keys.primary_key);
            keys.unique.iter_mut().chain(&mut keys.indexes).for_each(rename);
            keys.names.iter_mut().for_each(|own| rename(&mut own.columns));
            keys.relations.iter_mut().for_each(|own| rename(&mut own.columns));
            if let Some(generated) = keys.generated.shift_remove(&old) {
                keys.generated.insert(new.clone(), generated);
            }
        });
        self.forget(table, &old);
        if let Some(native) = self.native(table)
            && let Some(at) = native.columns.get_index_of(&old)
        {
            let _ = native.columns.replace_index(at, new.clone());
        }
        let tables = self.model.entities.values_mut().filter_map(|own| own.table.as_mut());
        for own in tables.flat_map(|own| &mut own.relations).filter(|own| own.to == table) {
            rename(&mut own.to_columns);
        }
        Ok(())
    }

    pub(super) fn rename_table(&mut self, old: &ObjectName, new: &ObjectName) -> Result<()> {
        let Some(key) = self.key(old) else { return Ok(()) };
        self.search()?;
        let name = names::name(new, self.dialect);
        if self.model.entities.contains_key(&name) {
            let why = format!("the DDL renames {old} to {name:?}, which is there already");
            return Err(Fault::Refused(why));
        }
        if let Some(at) = self.model.entities.get_index_of(&key) {
            let _ = self.model.entities.replace_index(at, name.clone());
        }
        self.created.insert(name.to_ascii_lowercase());
        self.keys(&name, |own| own.name = Some(name.clone()));
        let tables = self.model.entities.values_mut().filter_map(|own| own.table.as_mut());
        for own in tables.flat_map(|own| &mut own.relations).filter(|own| own.to == key) {
            own.to.clone_from(&name);
        }
        Ok(())
    }

    /// Drops the key, index or condition of a name.
    pub(super) fn drop_key(&mut self, table: &str, name: &str) {
        let is_postgres = self.dialect == Some(SqlDialect::Postgres);
        let mut is_found = false;
        self.keys(table, |keys| {
            let found = found(keys, name, table, is_postgres);
            is_found = !found.is_empty();
            keys.names.retain(|own| !own.name.eq_ignore_ascii_case(name));
            for (kind, columns) in &found {
                remove(keys, *kind, columns);
            }
        });
        if let Some(native) = self.native(table) {
            let is_it = |own: &Option<String>| {
                own.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(name))
            };
            let count = native.indexes.len() + native.checks.len();
            native.indexes.retain(|own| !is_it(&own.name));
            // A bound of a column stays in its shape.
            native.checks.retain(|own| own.is_in_shape || !is_it(&own.name));
            is_found |= native.indexes.len() + native.checks.len() < count;
        }
        if !is_found {
            self.note(format!("{table}: the drop of {name} is left out: it is not here"));
        }
    }

    /// Drops an index by its name alone, as in PostgreSQL and SQLite, or by its table too.
    pub(super) fn drop_index(&mut self, index: &ObjectName, on: Option<&ObjectName>) -> Result<()> {
        self.search()?;
        let name = last(index);
        let has = |table: &Table| {
            let native = table.native.iter().flat_map(|own| &own.indexes);
            let mut all = native.filter_map(|own| own.name.as_ref());
            table
                .names
                .iter()
                .map(|own| &own.name)
                .chain(&mut all)
                .any(|own| own.eq_ignore_ascii_case(&name))
        };
        let mut all = self.model.entities.iter();
        let mut by_name = || all.find(|(_, own)| own.table.as_ref().is_some_and(has));
        let key = on.map_or_else(|| by_name().map(|(key, _)| key.clone()), |table| self.key(table));
        match key {
            Some(key) => self.drop_key(&key, &name),
            None => self.note(format!("DROP INDEX {name} is left out: the index is not here")),
        }
        Ok(())
    }

    /// Renames an enum, or adds or renames a value of it; its columns get the values at the end.
    pub(super) fn alter_type(&mut self, alter: &AlterType) -> Result<()> {
        self.search()?;
        let name = last(&alter.name).to_lowercase();
        let Some(labels) = self.enums.get_mut(&name) else { return Ok(()) };
        let at = |label: &Ident| labels.iter().position(|own| *own == label.value);
        match &alter.operation {
            AlterTypeOperation::AddValue(add) if at(&add.value).is_none() => {
                let place = match &add.position {
                    Some(AlterTypeAddValuePosition::Before(other)) => at(other),
                    Some(AlterTypeAddValuePosition::After(other)) => at(other).map(|at| at + 1),
                    None => None,
                };
                labels.insert(place.unwrap_or(labels.len()), add.value.value.clone());
            }
            AlterTypeOperation::AddValue(_) => {}
            AlterTypeOperation::RenameValue(own) => {
                if let Some(at) = at(&own.from) {
                    labels[at].clone_from(&own.to.value);
                }
            }
            AlterTypeOperation::Rename(own) => {
                let (labels, new) = (std::mem::take(labels), own.new_name.value.to_lowercase());
                self.enums.insert(new.clone(), labels);
                let tables = self.model.entities.values_mut().filter_map(|own| own.table.as_mut());
                let natives = tables.filter_map(|own| own.native.as_mut());
                let columns = natives.flat_map(|own| own.columns.values_mut());
                for own in columns.filter(|own| own.enumeration.as_ref() == Some(&name)) {
                    own.sql = own.sql.replace(&name, &new);
                    own.enumeration = Some(new.clone());
                }
            }
        }
        Ok(())
    }
}

/// The keys of a name: those that the source names, else the one that PostgreSQL would name so.
fn found(keys: &Table, name: &str, table: &str, is_postgres: bool) -> Vec<(KeyKind, Vec<String>)> {
    let named = keys.names.iter().filter(|own| own.name.eq_ignore_ascii_case(name));
    let named: Vec<_> = named.map(|own| (own.kind, own.columns.clone())).collect();
    if !named.is_empty() || !is_postgres {
        return named;
    }
    let table = keys.name.as_deref().unwrap_or(table);
    let unique = keys.unique.iter().map(|own| (KeyKind::Unique, own, "_key"));
    let foreign = keys.relations.iter().map(|own| (KeyKind::Foreign, &own.columns, "_fkey"));
    let mut others = unique.chain(foreign).filter(|(_, columns, end)| {
        format!("{table}_{}{end}", columns.join("_")).eq_ignore_ascii_case(name)
    });
    if format!("{table}_pkey").eq_ignore_ascii_case(name) {
        return vec![(KeyKind::Primary, keys.primary_key.clone())];
    }
    others.next().map(|(kind, columns, _)| (kind, columns.clone())).into_iter().collect()
}

/// Removes a key over columns.
fn remove(keys: &mut Table, kind: KeyKind, columns: &[String]) {
    let lists = match kind {
        KeyKind::Primary => {
            keys.primary_key.clear();
            if let Some(native) = &mut keys.native {
                native.primary_key = None;
            }
            return;
        }
        KeyKind::Foreign => return keys.relations.retain(|own| own.columns != columns),
        KeyKind::Unique | KeyKind::UniqueIndex => &mut keys.unique,
        KeyKind::Index => &mut keys.indexes,
    };
    if let Some(at) = lists.iter().position(|own| own == columns) {
        lists.remove(at);
    }
}
