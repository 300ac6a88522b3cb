//! The objects that PostgreSQL's tables need: schemas and enumerations.

use indexmap::IndexSet;

use super::migrate::Migration;
use super::tables::Plan;
use super::write;

impl Migration {
    /// Creates the schemas and enumerations that tables need.
    pub(super) fn surround_before(&mut self, old: &Plan, new: &Plan) {
        let (dialect, existing) = (self.dialect, schemas(old));
        let wanted = schemas(new).into_iter().filter(|name| !existing.contains(name));
        let text = |name| format!("CREATE SCHEMA IF NOT EXISTS {};", dialect.name(name));
        self.out.extend(wanted.map(text));
        for (name, labels) in &new.types {
            if self.replaced.contains(name) {
                let (from, to) = (dialect.name(name), dialect.name(&format!("{name}_old")));
                self.out.push(format!("ALTER TYPE {from} RENAME TO {to};"));
            } else if old.types.contains_key(name) {
                continue;
            }
            self.out.push(write::enumeration(name, labels));
        }
    }

    /// Drops the objects that no table needs any more.
    pub(super) fn surround_after(&mut self, old: &Plan, new: &Plan) {
        let mut replaced: Vec<&String> = self.replaced.iter().collect();
        replaced.sort();
        let gone = old.types.keys().filter(|name| !new.types.contains_key(*name)).cloned();
        let gone = replaced.into_iter().map(|name| format!("{name}_old")).chain(gone);
        let dialect = self.dialect;
        self.out.extend(gone.map(|name| format!("DROP TYPE {};", dialect.name(&name))));
        let wanted = schemas(new);
        let gone = schemas(old).into_iter().filter(|name| !wanted.contains(name));
        self.out.extend(gone.map(|name| format!("DROP SCHEMA {};", self.dialect.name(name))));
    }
}

fn schemas(plan: &Plan) -> IndexSet<&str> {
    plan.tables.values().filter_map(|table| table.name.schema.as_deref()).collect()
}
