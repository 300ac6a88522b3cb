//! Converts a data model to a drawing: entities with their fields, foreign keys and references as edges.

use super::drawing::Cardinality::{Any, AtLeastOne, AtMostOne, One};
use super::drawing::{Cardinality, Column, Drawing, Edge, EdgeKind, Node, Relation};
use crate::data::{self, Entity, Model, Shape, Table, Type, inherited};
use crate::project_state::say::joined;

/// Deepest nesting of lists that a column's type shows.
const DEEPEST: usize = 4;
/// Largest number of fields that a note names.
const NAMED: usize = 5;

pub(super) fn draw(model: &Model) -> Drawing {
    let model = &inherited::listed(model);
    let node = |(name, entity): (&String, &Entity)| {
        (name.clone(), Node { id: name.clone(), columns: columns(entity), ..Node::default() })
    };
    let nodes = model.entities.iter().map(node).collect();
    let mut drawing = Drawing { nodes, ..Drawing::default() };
    let edges = model.entities.iter().flat_map(|(name, entity)| edges(model, name, entity));
    edges.for_each(|edge| drawing.edge(edge));
    drawing
}

/// The foreign keys of an entity, and the entities that its fields refer to.
fn edges(model: &Model, name: &str, entity: &Entity) -> Vec<Edge> {
    let Shape { object, any_of, one_of, .. } = &entity.shape;
    let edge = |to: &str, label: String, from: Cardinality, count: Cardinality| Edge {
        from: name.to_owned(),
        to: to.to_owned(),
        label: Some(label),
        kind: if count == AtMostOne { EdgeKind::Reply } else { EdgeKind::Plain },
        relation: Some(Relation { from, to: count }),
    };
    let one = |field: &String| if object.required.contains(field) { One } else { AtMostOne };
    let mut edges = Vec::new();
    let relations =
        entity.table.iter().flat_map(|table| table.relations.iter().map(move |one| (table, one)));
    for (table, data::Relation { columns, to, .. }) in relations {
        let from = if are_unique(table, columns) { AtMostOne } else { Any };
        let is_optional = columns.iter().any(|column| one(column) == AtMostOne);
        edges.push(edge(to, columns.join(", "), from, if is_optional { AtMostOne } else { One }));
    }
    for (field, shape) in &object.properties {
        for other in shape.references() {
            edges.push(edge(other, field.clone(), Any, one(field)));
        }
        let items = shape.array.items.as_deref().into_iter().flat_map(Shape::references);
        let is_filled = object.required.contains(field) && shape.array.min_items > Some(0);
        // The key of the other side expresses it already.
        for other in items.filter(|other| !model.refers(other, name)) {
            let count = if is_filled { AtLeastOne } else { Any };
            edges.push(edge(other, field.clone(), One, count));
        }
    }
    for other in any_of.iter().chain(one_of).filter_map(|branch| branch.reference.as_ref()) {
        edges.push(edge(other, "one of".to_owned(), Any, AtMostOne));
    }
    edges
}

/// Whether no two rows have the same values in these columns.
fn are_unique(table: &Table, columns: &[String]) -> bool {
    let mut keys = table.unique.iter().chain([&table.primary_key]);
    keys.any(|key| !key.is_empty() && key.iter().all(|column| columns.contains(column)))
}

/// A note on the objects within fields, of which a box shows no members.
pub(super) fn left_out(model: &Model) -> Option<String> {
    let has_members = |shape: &Shape| {
        let item = shape.array.items.as_deref().unwrap_or(shape);
        !item.object.properties.is_empty()
    };
    let fields = model.entities.iter().flat_map(|(name, entity)| {
        let fields = entity.shape.object.properties.iter().filter(|(_, shape)| has_members(shape));
        fields.map(move |(field, _)| format!("{name}.{field}"))
    });
    let fields = joined(fields, NAMED, ", ");
    (!fields.is_empty()).then(|| format!("left out: the members of {fields}"))
}

fn columns(entity: &Entity) -> Vec<Column> {
    let none = Table::default();
    let keys = entity.table.as_ref().unwrap_or(&none);
    let marks = |column: &String| {
        let is_alone = |columns: &Vec<String>| columns == std::slice::from_ref(column);
        let all = [
            ("PK", keys.primary_key.contains(column)),
            ("FK", keys.relations.iter().any(|relation| relation.columns.contains(column))),
            ("UK", keys.unique.iter().any(is_alone)),
        ];
        all.into_iter().filter(|(_, holds)| *holds).map(|(mark, _)| mark.to_owned()).collect()
    };
    let exact = |column: &String| {
        let source = keys.source.as_ref()?.columns.get(column)?;
        // Without its size.
        let bare = source.sql.split('(').next().unwrap_or_default().trim();
        Some(bare.to_lowercase()).filter(|kind| !kind.is_empty())
    };
    let fields = entity.shape.object.properties.iter();
    let column = |(name, shape): (&String, &Shape)| Column {
        name: name.clone(),
        kind: exact(name).unwrap_or_else(|| kind(shape, 0)),
        marks: marks(name),
    };
    fields.map(column).collect()
}

/// The type of a value, in one word.
fn kind(shape: &Shape, depth: usize) -> String {
    if let Some(name) = &shape.reference {
        return name.clone();
    }
    let is_null = |part: &&Shape| part.types == [Type::Null];
    let mut parts =
        shape.any_of.iter().chain(&shape.one_of).chain(&shape.all_of).filter(|part| !is_null(part));
    let types: Vec<Type> = shape.types.iter().copied().filter(|kind| *kind != Type::Null).collect();
    match (types.as_slice(), parts.next(), parts.next()) {
        ([Type::Array], None, _) if depth < DEEPEST => {
            let item = shape.array.items.as_deref();
            item.map_or_else(|| "array".to_owned(), |item| format!("{}[]", kind(item, depth + 1)))
        }
        ([one], None, _) => {
            let format = shape.string.format.as_deref().and_then(|format| format.split('(').next());
            format.map_or_else(|| one.to_string(), str::to_owned)
        }
        ([], Some(one), None) if depth < DEEPEST => kind(one, depth + 1),
        _ => "any".to_owned(),
    }
}
