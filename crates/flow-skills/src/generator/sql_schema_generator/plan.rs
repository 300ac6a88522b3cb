//! The tables of a model, in the words of one database: what is created, before it is written down.

use std::collections::HashSet;

use indexmap::IndexMap;
use xxhash_rust::xxh3::xxh3_64;

use super::column::{self, Flat};
use super::dialect::{Dialect, Kind};
use crate::data::{Entity, Generated, Model, OnDelete, Relation, Shape, Table as Keys, Type};
use crate::output::{Fault, Result};

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) kind: Kind,
    pub(super) sql: String,
    pub(super) is_required: bool,
    pub(super) default: Option<String>,
    pub(super) is_identity: bool,
    pub(super) comment: Option<String>,
}

/// A unique constraint or an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) is_unique: bool,
}

/// A condition on rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) condition: String,
}

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Foreign {
    pub(super) name: String,
    pub(super) relation: Relation,
    /// It lies on a circle of tables, so that it is checked at the end of a transaction.
    pub(super) is_circular: bool,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: IndexMap<String, Column>,
    pub(super) primary_key: Vec<String>,
    pub(super) primary_name: String,
    pub(super) keys: Vec<Key>,
    pub(super) checks: Vec<Check>,
    pub(super) foreign: Vec<Foreign>,
    pub(super) comment: Option<String>,
}

/// The tables by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    pub(super) tables: IndexMap<String, Table>,
    pub(super) notes: Vec<String>,
}

/// Plans the tables of a model.
pub(super) fn plan(model: &Model, dialect: Dialect) -> Result<Plan> {
    let tables = tables(model);
    let mut planner = Planner { model, dialect, tables, names: HashSet::new(), notes: Vec::new() };
    let mut plan = Plan::default();
    for name in planner.tables.clone() {
        dialect.check_name(&format!("table {name}"), &name)?;
        if !planner.names.insert(name.to_lowercase()) {
            return Err(Fault::Refused(format!("two tables are named {name:?} but for case")));
        }
    }
    for name in planner.tables.clone() {
        let table = planner.table(&name)?;
        plan.tables.insert(name, table);
    }
    super::relations::finish(&mut plan.tables, dialect)?;
    plan.notes = planner.notes;
    Ok(plan)
}

/// The entities that become tables: those with keys of their own, and objects that have an `id` or are part of no other.
fn tables(model: &Model) -> Vec<String> {
    let mut inner = HashSet::new();
    for entity in model.entities.values() {
        mentioned(&entity.shape, &mut inner);
    }
    let is_table = |(name, entity): &(&String, &Entity)| {
        let is_object =
            entity.shape.types == [Type::Object] || !entity.shape.object.properties.is_empty();
        let has_id = entity.shape.object.properties.contains_key("id");
        entity.table.is_some() || (is_object && (has_id || !inner.contains(*name)))
    };
    model.entities.iter().filter(is_table).map(|(name, _)| name.clone()).collect()
}

/// The entities that a shape mentions.
fn mentioned(shape: &Shape, found: &mut HashSet<String>) {
    found.extend(shape.reference.clone());
    let parts = shape.any_of.iter().chain(&shape.one_of).chain(&shape.all_of);
    let parts = parts.chain(shape.object.properties.values());
    let boxed = [&shape.array.items, &shape.object.additional];
    for part in parts.chain(boxed.into_iter().filter_map(|part| part.as_deref())) {
        mentioned(part, found);
    }
}

struct Planner<'a> {
    model: &'a Model,
    dialect: Dialect,
    tables: Vec<String>,
    names: HashSet<String>,
    notes: Vec<String>,
}

impl Planner<'_> {
    fn table(&mut self, name: &str) -> Result<Table> {
        let model = self.model;
        let entity = model.entities.get(name).cloned().unwrap_or_default();
        let mut keys = entity.table.clone().unwrap_or_default();
        let object = &entity.shape.object;
        if keys.primary_key.is_empty()
            && entity.table.is_none()
            && object.properties.contains_key("id")
        {
            keys.primary_key.push("id".into());
            self.notes.push(format!("{name}: no primary key is said, so that it is id"));
        }
        let mut table = Table {
            name: name.to_owned(),
            columns: IndexMap::new(),
            primary_key: keys.primary_key.clone(),
            primary_name: self.fresh(name, &[], "pkey"),
            keys: Vec::new(),
            checks: Vec::new(),
            foreign: Vec::new(),
            comment: entity.shape.description.clone(),
        };
        let mut seen = HashSet::new();
        for (property, shape) in &object.properties {
            let column = self.column((&mut table, &mut keys), &entity, (property, shape))?;
            if !seen.insert(column.to_lowercase()) && self.dialect != Dialect::Postgres {
                let text = format!("two columns of {name:?} are named {column:?} but for case");
                return Err(Fault::Refused(text));
            }
        }
        if table.columns.is_empty() && self.dialect != Dialect::Postgres {
            let text =
                format!("{} has no table without columns, as {name:?} is", self.dialect.title());
            return Err(Fault::Refused(text));
        }
        if !object.pattern_properties.is_empty() || object.property_names.is_some() {
            self.notes.push(format!("{name}: rules on the names of members are not kept"));
        }
        self.keys(&mut table, &keys)?;
        Ok(table)
    }

    /// Adds a column; gives its name, which for a reference to another table is not the property's.
    fn column(
        &mut self,
        (table, keys): (&mut Table, &mut Keys),
        entity: &Entity,
        (property, shape): (&str, &Shape),
    ) -> Result<String> {
        let (name, Flat { shape, is_nullable }) = self.resolved(keys, property, shape);
        let place = format!("{}.{name}", table.name);
        self.dialect.check_name(&format!("column {place}"), &name)?;
        let kind = column::kind(&shape);
        let is_key = is_in_key(keys, &name) || self.is_referred(&table.name, &name);
        let generated = keys.generated.get(property).copied();
        let has_default =
            shape.default.as_ref().is_some_and(|value| !value.is_null()) || generated.is_some();
        let is_required = keys.primary_key.contains(&name)
            || (!is_nullable
                && (has_default || entity.shape.object.required.iter().any(|own| own == property)));
        let default = self.default_value(&place, &shape, (&kind, generated));
        let found = column::conditions(self.dialect, &name, &shape, &kind);
        if !found.lost.is_empty() {
            self.notes
                .push(format!("{place}: {} is not checked by the database", found.lost.join(", ")));
        }
        let sql = self.dialect.kind(&kind, is_key);
        self.note_kind(&place, &kind, is_key);
        if !found.all.is_empty() {
            let check = self.fresh(&table.name, std::slice::from_ref(&name), "check");
            table.checks.push(Check { name: check, condition: found.all.join(" AND ") });
        }
        let column = Column {
            kind,
            sql,
            is_required,
            default,
            is_identity: generated == Some(Generated::Identity) && self.dialect != Dialect::Sqlite,
            comment: shape.description,
        };
        if table.columns.insert(name.clone(), column).is_some() {
            return Err(Fault::Refused(format!("two columns are named {place}")));
        }
        Ok(name)
    }

    /// The name and shape of a property's column; a reference to another table becomes a relation and its key's shape.
    fn resolved(&self, keys: &mut Keys, property: &str, shape: &Shape) -> (String, Flat) {
        let is_table = |name: &str| self.tables.iter().any(|table| table == name);
        let mut flat = column::flatten(shape, self.model, &is_table);
        let mut name = property.to_owned();
        if let Some(other) = flat.shape.reference.take() {
            match self.referred(&other) {
                Some((id, target)) => {
                    name = format!("{property}_{id}");
                    let relation = Relation {
                        columns: vec![name.clone()],
                        to: other,
                        to_columns: vec![id],
                        on_delete: OnDelete::Restrict,
                    };
                    keys.relations.push(relation);
                    let own = column::flatten(&target, self.model, &|_| false).shape;
                    let description = flat.shape.description;
                    flat.shape = Shape { description, default: None, ..own };
                }
                None => flat.shape.reference = Some(other),
            }
        }
        (name, flat)
    }

    fn default_value(
        &mut self,
        place: &str,
        shape: &Shape,
        (kind, generated): (&Kind, Option<Generated>),
    ) -> Option<String> {
        if let Some(generated) = generated.filter(|generated| *generated != Generated::Identity) {
            let made = self.dialect.generated(generated, kind);
            if made.is_none() {
                self.notes
                    .push(format!("{place}: the database cannot make its value ({generated:?})"));
            }
            return made;
        }
        let value = shape.default.as_ref().filter(|value| !value.is_null())?;
        match self.dialect.literal(value, kind) {
            // MySQL takes a default of a long type as an expression only.
            Some(text)
                if self.dialect == Dialect::MySql && matches!(kind, Kind::Text(_) | Kind::Json) =>
            {
                Some(format!("({text})"))
            }
            Some(text) => Some(text),
            None => {
                self.notes.push(format!(
                    "{place}: the default {value} does not fit the column: left out"
                ));
                None
            }
        }
    }

    fn note_kind(&mut self, place: &str, kind: &Kind, is_key: bool) {
        match (self.dialect, kind) {
            (Dialect::MySql, Kind::Text(None) | Kind::Bytes) if is_key => {
                self.notes.push(format!("{place}: a key needs a length in MySQL: it is 255"));
            }
            (Dialect::Sqlite, Kind::Decimal(_)) => {
                self.notes.push(format!("{place}: SQLite has no decimals: it is REAL, not exact"));
            }
            _ => {}
        }
    }

    /// The column and shape that a reference to a table means: its primary key, where that is one column.
    fn referred(&self, table: &str) -> Option<(String, Shape)> {
        let entity = self.model.entities.get(table)?;
        let properties = &entity.shape.object.properties;
        let keys = entity.table.as_ref().map_or(&[][..], |keys| keys.primary_key.as_slice());
        let id = match keys {
            [one] => one.as_str(),
            [] => "id",
            _ => return None,
        };
        Some((id.to_owned(), properties.get(id)?.clone()))
    }

    fn is_referred(&self, table: &str, column: &str) -> bool {
        let tables = self.model.entities.values().filter_map(|entity| entity.table.as_ref());
        tables.flat_map(|keys| &keys.relations).any(|relation| {
            relation.to == table && relation.to_columns.iter().any(|name| name == column)
        })
    }

    fn keys(&mut self, table: &mut Table, keys: &Keys) -> Result<()> {
        let relations = keys.relations.iter().map(|relation| &relation.columns);
        for column in keys
            .unique
            .iter()
            .chain(&keys.indexes)
            .chain(relations)
            .chain([&keys.primary_key])
            .flatten()
        {
            if !table.columns.contains_key(column) {
                let known: Vec<_> = table.columns.keys().take(20).cloned().collect();
                return Err(Fault::Bad {
                    field: format!("model.entities.{}.table", table.name),
                    given: format!("a key over {column:?}"),
                    allowed: format!("over its columns: {}", known.join(", ")),
                });
            }
        }
        let unique = keys.unique.iter().map(|columns| (columns, true));
        for (columns, is_unique) in
            unique.chain(keys.indexes.iter().map(|columns| (columns, false)))
        {
            let is_double =
                table.keys.iter().any(|key| key.columns == *columns && key.is_unique == is_unique);
            if is_double || columns.is_empty() {
                continue;
            }
            let name = self.fresh(&table.name, columns, if is_unique { "key" } else { "idx" });
            table.keys.push(Key { name, columns: columns.clone(), is_unique });
        }
        for relation in &keys.relations {
            let name = self.fresh(&table.name, &relation.columns, "fkey");
            // MySQL makes an index for each foreign key that has none, and leaves it there: better a known one.
            if self.dialect == Dialect::MySql && !is_covered(table, &relation.columns) {
                let name = self.fresh(&table.name, &relation.columns, "idx");
                table.keys.push(Key { name, columns: relation.columns.clone(), is_unique: false });
            }
            table.foreign.push(Foreign { name, relation: relation.clone(), is_circular: false });
        }
        Ok(())
    }

    /// A name for a constraint that no other has, short enough for each database.
    fn fresh(&mut self, table: &str, columns: &[String], suffix: &str) -> String {
        let parts: Vec<_> = std::iter::once(table)
            .chain(columns.iter().map(String::as_str))
            .chain([suffix])
            .collect();
        let plain = parts.join("_");
        let hash = xxh3_64(parts.join("\0").as_bytes());
        let mut name = plain.clone();
        let mut round = 0_u64;
        while name.len() > 63 || !self.names.insert(name.to_lowercase()) {
            let mut end = plain.len().min(46);
            while !plain.is_char_boundary(end) {
                end -= 1;
            }
            name = format!(
                "{}_{:016x}",
                plain.get(..end).unwrap_or_default(),
                hash.wrapping_add(round)
            );
            round += 1;
        }
        name
    }
}

/// Whether a key of the table itself has the column.
fn is_in_key(keys: &Keys, column: &String) -> bool {
    keys.primary_key.contains(column)
        || keys.unique.iter().chain(&keys.indexes).flatten().any(|key| key == column)
        || keys.relations.iter().any(|relation| relation.columns.contains(column))
}

/// Whether a key begins with the columns.
fn is_covered(table: &Table, columns: &[String]) -> bool {
    table.primary_key.starts_with(columns)
        || table.keys.iter().any(|key| key.columns.starts_with(columns))
}
