//! Which entities are tables, and the names of tables and columns: those of the source if it is a database, else in
//! plural and snake case.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::dialect::{Dialect, TableName};
use crate::data::recognise::plural;
use crate::data::{Entity, Model, Relation, Type};

/// The entities that become tables: those with own keys, and objects that have an `id` or are not part of another
/// entity.
pub(super) fn tables(model: &Model) -> Vec<String> {
    let mut referred = HashSet::new();
    for (name, entity) in &model.entities {
        let all = entity.shape.all().filter_map(|shape| shape.reference.as_ref());
        referred.extend(all.filter(|to| *to != name));
    }
    let is_table = |(name, entity): &(&String, &Entity)| {
        let has_id = entity.shape.object.properties.contains_key("id");
        entity.table.is_some() || (is_object(entity) && (has_id || !referred.contains(name)))
    };
    model.entities.iter().filter(is_table).map(|(name, _)| name.clone()).collect()
}

/// Whether an entity is an object, which a table requires.
fn is_object(entity: &Entity) -> bool {
    entity.shape.types == [Type::Object] || !entity.shape.object.properties.is_empty()
}

/// The property by which other tables refer to the rows of an entity: its primary key, if that is one; `id` without any.
pub(super) fn key(entity: &Entity) -> Option<&str> {
    let keys = entity.table.as_ref().map_or(&[][..], |table| table.primary_key.as_slice());
    match keys {
        [one] => Some(one),
        [] => entity.shape.object.properties.contains_key("id").then_some("id"),
        _ => None,
    }
}

/// The name of the table of each entity.
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

/// The name of the column of a property.
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
pub(super) fn snake(name: &str) -> String {
    if is_plain(name) { heck::AsSnakeCase(name).to_string() } else { name.to_owned() }
}

fn is_plain(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ');
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_part)
}
