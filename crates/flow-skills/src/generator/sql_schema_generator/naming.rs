//! Which entities are tables, and the names of tables and columns: those of the source if it is a database, else in
//! plural and snake case.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::dialect::{Dialect, TableName};
use crate::data::recognise::{plural, singular};
use crate::data::{Entity, Model, Relation, Shape, Table, Type};

/// The entities that become tables: those with own keys, and objects that have an `id` or are not part of another.
pub(super) fn tables(model: &Model) -> Vec<String> {
    let mut inner = HashSet::new();
    for entity in model.entities.values() {
        inner.extend(entity.shape.all().filter_map(|shape| shape.reference.as_ref()));
    }
    let is_table = |(name, entity): &(&String, &Entity)| {
        let has_id = entity.shape.object.properties.contains_key("id");
        entity.table.is_some() || (is_object(entity) && (has_id || !inner.contains(name)))
    };
    model.entities.iter().filter(is_table).map(|(name, _)| name.clone()).collect()
}

/// Whether an entity is an object, which a table requires.
fn is_object(entity: &Entity) -> bool {
    entity.shape.types == [Type::Object] || !entity.shape.object.properties.is_empty()
}

pub(super) fn names(
    model: &Model,
    tables: &[String],
    dialect: Dialect,
) -> IndexMap<String, TableName> {
    let name = |entity: &String| {
        let table = model.entities.get(entity).and_then(|entity| entity.table.as_ref());
        let name = table.and_then(|table| table.name.clone());
        let schema = table.and_then(|table| table.schema.clone());
        let is_folded =
            dialect == Dialect::Postgres && table.is_some_and(|table| table.is_unquoted);
        let table_name = match name {
            Some(name) if is_folded => TableName { schema, name: name.to_lowercase() },
            Some(name) if dialect == Dialect::Postgres => TableName { schema, name },
            // The entity's name distinguishes tables with the same name in two schemas.
            Some(_) => TableName { schema: None, name: entity.clone() },
            None => TableName { schema: None, name: table_name(entity) },
        };
        (entity.clone(), table_name)
    };
    tables.iter().map(name).collect()
}

/// The name of a table that is not in a database yet.
pub(super) fn table_name(entity: &str) -> String {
    if is_plain(entity) { plural(&snake(entity)) } else { entity.to_owned() }
}

pub(super) fn column(model: &Model, entity: &str, property: &str, dialect: Dialect) -> String {
    let table = model.entities.get(entity).and_then(|entity| entity.table.as_ref());
    if let Some(table) = table.filter(|table| table.name.is_some()) {
        let is_folded = dialect == Dialect::Postgres && table.is_unquoted;
        return if is_folded { property.to_lowercase() } else { property.to_owned() };
    }
    let mut name = snake(property);
    let relations = table.into_iter().flat_map(|table| &table.relations);
    let refers = |relation: &&Relation| relation.columns == [property.to_owned()];
    if let Some([id]) =
        relations.into_iter().find(refers).map(|relation| relation.to_columns.as_slice())
    {
        // `user -> User` is a column for the key of a user.
        let end = format!("_{}", snake(id));
        if !name.ends_with(&end) {
            name.push_str(&end);
        }
    }
    name
}

/// A name in snake case; one that is not an identifier is kept.
fn snake(name: &str) -> String {
    if is_plain(name) { heck::AsSnakeCase(name).to_string() } else { name.to_owned() }
}

fn is_plain(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ');
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_part)
}

/// Converts lists of other tables' rows to foreign keys on those tables, and two lists that refer to each other to a
/// join table.
pub(super) fn lift_lists(model: &Model, tables: &[String]) -> Model {
    let mut model = model.clone();
    for entity in tables {
        for (property, other) in lists(&model, entity, tables) {
            let Some(source) = model.entities.get_mut(entity) else { continue };
            source.shape.object.properties.shift_remove(&property);
            source.shape.object.required.retain(|name| *name != property);
            if model.refers(&other, entity) {
                continue;
            }
            let facing = lists(&model, &other, tables).into_iter().find(|(_, to)| to == entity);
            match facing.filter(|_| other != *entity) {
                Some((property, _)) => pair(&mut model, entity, &other, &property),
                None => refer(&mut model, &other, entity, other == *entity),
            }
        }
    }
    model
}

/// The properties of an entity that are lists of a table's rows. A table from a database has none.
fn lists(model: &Model, entity: &str, tables: &[String]) -> Vec<(String, String)> {
    let Some(entity) = model.entities.get(entity) else { return Vec::new() };
    if entity.table.as_ref().is_some_and(|table| table.name.is_some()) {
        return Vec::new();
    }
    if !has_key(entity) {
        return Vec::new();
    }
    let list = |(name, shape): (&String, &Shape)| {
        let other = shape.array.items.as_deref()?.reference.clone()?;
        tables.contains(&other).then(|| (name.clone(), other))
    };
    entity.shape.object.properties.iter().filter_map(list).collect()
}

/// Whether rows can be referred to by one column.
fn has_key(entity: &Entity) -> bool {
    let keys = entity.table.as_ref().map_or(&[][..], |table| table.primary_key.as_slice());
    keys.len() == 1 || (keys.is_empty() && entity.shape.object.properties.contains_key("id"))
}

fn refer(model: &mut Model, from: &str, to: &str, is_same: bool) {
    let name = if is_same { "parent".to_owned() } else { singular(&snake(to)) };
    if let Some(source) = model.entities.get_mut(from) {
        source.shape.object.properties.entry(name.clone()).or_insert_with(|| Shape::reference(to));
        if !is_same {
            source.shape.object.required.push(name);
        }
    }
}

fn pair(model: &mut Model, one: &str, other: &str, property: &str) {
    if let Some(target) = model.entities.get_mut(other) {
        target.shape.object.properties.shift_remove(property);
        target.shape.object.required.retain(|name| name != property);
    }
    let mut shape = Shape::of(Type::Object);
    let mut keys = Table::default();
    for entity in [one, other] {
        let name = singular(&snake(entity));
        let id = model
            .entities
            .get(entity)
            .and_then(|entity| entity.table.as_ref()?.primary_key.first().cloned());
        let id = snake(&id.unwrap_or_else(|| "id".to_owned()));
        keys.primary_key.push(format!("{name}_{id}"));
        shape.object.required.push(name.clone());
        shape.object.properties.insert(name, Shape::reference(entity));
    }
    model.entities.insert(format!("{one} {other}"), Entity { shape, table: Some(keys) });
}
