//! Lists of other tables' rows, which no column holds: they become foreign keys of those tables, or join tables.

use std::collections::HashMap;

use super::naming::{self, snake};
use crate::data::recognise::singular;
use crate::data::{Entity, Model, Shape, Table, Type};

/// A property of an entity that is a list of another table's rows.
struct List {
    entity: String,
    property: String,
    other: String,
}

/// Converts lists of other tables' rows to foreign keys on those tables, and two lists that refer to each other to a
/// join table. A list for which there is no name stays a column.
pub(super) fn lift_lists(source: &Model, tables: &[String], notes: &mut Vec<String>) -> Model {
    let mut model = source.clone();
    let mut counts = HashMap::<_, usize>::new();
    for List { entity, other, .. } in tables.iter().flat_map(|name| lists(source, name, tables)) {
        *counts.entry([entity, other]).or_default() += 1;
    }
    let is_one_of_several = |list: &List| {
        counts.get(&[list.entity.clone(), list.other.clone()]).is_some_and(|count| *count > 1)
    };
    for entity in tables {
        for list in lists(&model, entity, tables) {
            let List { property, other, .. } = &list;
            let is_several = is_one_of_several(&list);
            if source.refers(other, entity) {
                if is_several {
                    let reason = format!("left out, as {other} refers to {entity} already");
                    notes.push(format!("{entity}.{property}: {reason}"));
                }
                remove(&mut model, &list);
                continue;
            }
            let mut facing = lists(&model, other, tables).into_iter();
            let Some(back) = facing.find(|back| back.other == *entity && other != entity) else {
                add_reference(&mut model, &list, is_several);
                continue;
            };
            let is_made = add_join_table(&mut model, &list, &back);
            if is_made && (is_several || is_one_of_several(&back)) {
                let back = &back.property;
                notes.push(format!(
                    "{entity}.{property} and {other}.{back}: taken for the two sides of one relation"
                ));
            }
        }
    }
    model
}

/// The lists of an entity. A table from a database has none.
fn lists(model: &Model, entity_name: &str, tables: &[String]) -> Vec<List> {
    let Some(entity) = model.entities.get(entity_name) else { return Vec::new() };
    if entity.table.as_ref().is_some_and(|table| table.name.is_some())
        || naming::key(entity).is_none()
    {
        return Vec::new();
    }
    let list = |(property, shape): (&String, &Shape)| {
        let other = shape.array.items.as_deref()?.reference.clone()?;
        let (entity, property) = (entity_name.to_owned(), property.clone());
        tables.contains(&other).then_some(List { entity, property, other })
    };
    entity.shape.object.properties.iter().filter_map(list).collect()
}

/// Replaces a list by a reference of the other entity to this one, which is named after the list too where there are
/// several lists or the name is taken.
fn add_reference(model: &mut Model, list: &List, is_several: bool) {
    let List { entity, property, other } = list;
    let is_same = other == entity;
    let name = if is_same { "parent".to_owned() } else { singular(&snake(entity)) };
    let long_name = format!("{}_{name}", singular(&snake(property)));
    let Some(target) = model.entities.get_mut(other) else { return };
    let object = &mut target.shape.object;
    let mut names = [name, long_name].into_iter().skip(usize::from(is_several));
    let Some(name) = names.find(|name| !object.properties.contains_key(name)) else { return };
    object.properties.insert(name.clone(), Shape::reference(entity));
    // A row need not be in each of several lists.
    if !is_same && !is_several {
        object.required.push(name);
    }
    remove(model, list);
}

/// Replaces two facing lists by a table of their own; whether there is a name for it.
fn add_join_table(model: &mut Model, list: &List, back: &List) -> bool {
    let List { entity, property, other } = list;
    let mut names = [format!("{entity} {other}"), format!("{entity} {property}")].into_iter();
    let Some(name) = names.find(|name| !model.entities.contains_key(name)) else { return false };
    let mut shape = Shape::of(Type::Object);
    let mut keys = Table::default();
    for side in [list, back] {
        let name = singular(&snake(&side.entity));
        let id = model.entities.get(&side.entity).and_then(naming::key);
        let id = snake(id.unwrap_or("id"));
        remove(model, side);
        keys.primary_key.push(format!("{name}_{id}"));
        shape.object.required.push(name.clone());
        shape.object.properties.insert(name, Shape::reference(&side.entity));
    }
    model.entities.insert(name, Entity { shape, table: Some(keys) });
    true
}

/// Removes a list from its entity.
fn remove(model: &mut Model, list: &List) {
    if let Some(entity) = model.entities.get_mut(&list.entity) {
        let object = &mut entity.shape.object;
        object.properties.shift_remove(&list.property);
        object.required.retain(|name| *name != list.property);
    }
}
