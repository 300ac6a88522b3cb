//! Infers the types that the one-line form omits: a reference has its target's type, and a field of the same name
//! elsewhere provides its own. Any other type is a default that becomes an open question.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::{Model, Shape, Table, Type};
use crate::output::{Result, bad_text};
use crate::text::first;

/// Number of fields that a question lists.
const SHOWN: usize = 20;
/// Number of references that are followed to a type.
const DEEPEST: usize = 16;

/// A field without a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Untyped {
    pub(super) entity: String,
    pub(super) key: String,
}

/// Sets the type of each of these fields of the input field `input`, and adds questions for those that could not be
/// inferred.
pub(super) fn complete(model: &mut Model, fields: &[Untyped], input: &str) -> Result<()> {
    let mut asked: IndexMap<&str, Vec<String>> = IndexMap::new();
    let (references, plain): (Vec<_>, Vec<_>) =
        fields.iter().partition(|field| target(model, field).is_some());
    let known = known(model, fields);
    for field in plain {
        let shape = known.get(&field.key).cloned().unwrap_or_else(|| guess(&field.key));
        let word = word(&shape);
        put(model, field, shape);
        let is_key = field.key == "id" && is_first_key(model, &field.entity);
        let also = if is_key { " and the primary key" } else { "" };
        asked.entry(&field.entity).or_default().push(format!("{} is {word}{also}", field.key));
    }
    for field in references {
        let shape = followed(model, field, input)?;
        put(model, field, shape);
    }
    let questions = asked.into_iter().map(|(entity, fields)| question(entity, &fields));
    model.open.extend(questions.collect::<Vec<_>>());
    Ok(())
}

fn question(entity: &str, fields: &[String]) -> String {
    let shown = first(fields, SHOWN, " and ");
    format!(
        "types: not given in {entity}; {shown} (add a type after each name, such as `name string`)"
    )
}

/// The shapes of fields with a given type in the text, the first for each name.
fn known(model: &Model, untyped: &[Untyped]) -> IndexMap<String, Shape> {
    let names: HashSet<&str> = untyped.iter().map(|field| field.key.as_str()).collect();
    let mut shapes = IndexMap::new();
    for entity in model.entities.values() {
        for (key, shape) in &entity.shape.object.properties {
            let is_plain = is_typed(shape) && shape.reference.is_none();
            if is_plain && names.contains(key.as_str()) && !shapes.contains_key(key) {
                shapes.insert(key.clone(), bare(shape));
            }
        }
    }
    shapes
}

/// Whether a type is given, which a mark that it may be null is not.
fn is_typed(shape: &Shape) -> bool {
    shape.types.iter().any(|kind| *kind != Type::Null)
}

/// The type alone, without defaults and bounds.
fn bare(shape: &Shape) -> Shape {
    let mut bare = Shape { types: shape.types.clone(), ..Shape::default() };
    bare.types.retain(|kind| *kind != Type::Null);
    bare.string.format.clone_from(&shape.string.format);
    bare.string.max_length = shape.string.max_length;
    bare
}

fn guess(key: &str) -> Shape {
    Shape::of(if key == "id" { Type::Integer } else { Type::String })
}

fn word(shape: &Shape) -> String {
    let format = shape.string.format.clone();
    let kind = shape.types.first().map(ToString::to_string);
    format.or(kind).unwrap_or_else(|| "anything".to_owned())
}

fn put(model: &mut Model, field: &Untyped, shape: Shape) {
    let entity = model.entities.get_mut(&field.entity);
    if let Some(member) =
        entity.and_then(|entity| entity.shape.object.properties.get_mut(&field.key))
    {
        // Constraints from marks are kept.
        if !is_typed(member) {
            member.types.extend(shape.types);
        }
        member.string.format = member.string.format.take().or(shape.string.format);
        member.string.max_length = member.string.max_length.or(shape.string.max_length);
    }
}

/// Makes a bare `id` the primary key of an entity that has none.
fn is_first_key(model: &mut Model, entity: &str) -> bool {
    let Some(entity) = model.entities.get_mut(entity) else { return false };
    let table = entity.table.get_or_insert_with(Table::default);
    let is_free = table.primary_key.is_empty();
    if is_free {
        table.primary_key.push("id".to_owned());
    }
    is_free
}

/// The field that a field refers to.
fn target(model: &Model, field: &Untyped) -> Option<Untyped> {
    let table = model.entities.get(&field.entity)?.table.as_ref()?;
    let relation = table
        .relations
        .iter()
        .find(|relation| relation.columns == std::slice::from_ref(&field.key))?;
    let key = relation.to_columns.first()?.clone();
    Some(Untyped { entity: relation.to.clone(), key })
}

/// The type at the end of a chain of references.
fn followed(model: &Model, field: &Untyped, input: &str) -> Result<Shape> {
    let mut at = field.clone();
    for _ in 0..DEEPEST {
        let Some(next) = target(model, &at) else { break };
        let properties =
            model.entities.get(&next.entity).map(|entity| &entity.shape.object.properties);
        let Some(shape) = properties.and_then(|all| all.get(&next.key)) else {
            let known = properties.into_iter().flat_map(IndexMap::keys).take(SHOWN);
            let known = known.cloned().collect::<Vec<_>>().join(", ");
            let place = format!("{input}.{}.{}", field.entity, field.key);
            let given = format!("-> {}.{}", next.entity, next.key);
            let allowed = format!("a reference to a field of {}: {known}", next.entity);
            return Err(bad_text(&place, &given, &allowed));
        };
        if is_typed(shape) {
            return Ok(bare(shape));
        }
        at = next;
    }
    Ok(guess(&field.key))
}
