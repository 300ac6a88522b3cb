//! Properties that only the source's own dialect can express: preserved in the same dialect, else listed in notes.

use std::collections::HashSet;

use super::plan::Planner;
use super::tables::{CHECK, Check, Table};
use crate::data::{Entity, Native, NativeCheck, NativeColumn, Table as Keys};

impl Planner<'_> {
    /// Adds the properties in the source's own dialect.
    pub(super) fn add_native(&mut self, table: &mut Table, entity: &Entity, keys: &Keys) {
        let Some(native) = &keys.native else { return };
        if native.dialect == self.dialect {
            native.checks.iter().for_each(|check| self.add_check(table, check));
            return;
        }
        for lost in lost(native, entity, keys) {
            self.note(format!("{}{lost}", table.key));
        }
    }

    fn add_check(&mut self, table: &mut Table, check: &NativeCheck) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let words: HashSet<&str> = check.condition.split(|c| !is_part(c)).collect();
        let columns = table.columns.keys().filter(|name| words.contains(name.as_str()));
        let columns: Vec<String> = columns.cloned().collect();
        // A condition on one column is named after it, as PostgreSQL does.
        let columns = if columns.len() == 1 { columns } else { Vec::new() };
        let name = self.named(&table.key, check.name.as_ref(), &columns, CHECK);
        table.checks.push(Check { name, condition: check.condition.clone() });
    }
}

/// What another dialect cannot express, each as the end of a sentence that begins with the table.
fn lost(native: &Native, entity: &Entity, keys: &Keys) -> Vec<String> {
    let title = native.dialect.title();
    let checks = native.checks.iter().filter(|check| !check.is_in_shape);
    let checks =
        checks.map(|check| format!(": CHECK ({}) is {title}'s own: not kept", check.condition));
    let indexes = native.indexes.iter().map(|index| {
        let gap = if index.kind.is_empty() { "" } else { " " };
        format!(": the {}{gap}index {} is {title}'s own: not kept", index.kind, index.body)
    });
    let partitions = native.partition_by.iter();
    let partitions =
        partitions.map(|own| format!(": {own} is {title}'s own: the table is not partitioned"));
    let columns = native.columns.iter().flat_map(|(name, column)| {
        let shape = entity.shape.object.properties.get(name);
        let has_default =
            shape.is_some_and(|shape| shape.default.is_some()) || keys.generated.contains_key(name);
        let own = lost_of_column(column, has_default, title);
        own.map(|text| text.map(|text| format!(".{name}: {text}")))
    });
    checks.chain(indexes).chain(partitions).chain(columns.flatten()).collect()
}

fn lost_of_column(column: &NativeColumn, has_default: bool, title: &str) -> [Option<String>; 4] {
    let set = Some(&column.sql).filter(|sql| sql.starts_with("set("));
    let default = column.default.as_ref().filter(|_| !has_default);
    let suffix = column.suffix.as_ref().filter(|text| text.starts_with("ON UPDATE"));
    let computed = column.computed.as_ref();
    [
        set.map(|sql| format!("{sql} becomes text")),
        computed.map(|text| format!("{text} is {title}'s own: the column is a plain one")),
        default.map(|text| format!("the default {text} is {title}'s own: not kept")),
        suffix.map(|text| format!("{text} is {title}'s own: not kept")),
    ]
}
