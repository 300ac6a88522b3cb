//! What `allOf` brings to an entity, for targets that know members alone: tables and boxes.

use std::collections::HashSet;

use super::{Model, ObjectRules, Shape};

/// The model in which each entity lists the members of the parts of its `allOf` too, those first. It allows the same values.
pub(crate) fn listed(model: &Model) -> Model {
    let mut whole = model.clone();
    for (name, entity) in &mut whole.entities {
        let mut inherited = ObjectRules::default();
        parts(model, &entity.shape, &mut HashSet::from([name.as_str()]), &mut inherited);
        let object = &mut entity.shape.object;
        inherited.properties.extend(std::mem::take(&mut object.properties));
        object.properties = inherited.properties;
        inherited.required.retain(|name| !object.required.contains(name));
        object.required.append(&mut inherited.required);
    }
    whole
}

/// The members of the parts of a shape's `allOf`; `seen` are entities that were looked into, as they may name each other.
fn parts<'m>(
    model: &'m Model,
    shape: &'m Shape,
    seen: &mut HashSet<&'m str>,
    inherited: &mut ObjectRules,
) {
    for part in &shape.all_of {
        let target = part.reference.as_deref().filter(|name| seen.insert(name));
        let target = target.and_then(|name| model.entities.get(name)).map(|entity| &entity.shape);
        for shape in target.into_iter().chain([part]) {
            parts(model, shape, seen, inherited);
            for (key, member) in &shape.object.properties {
                let member_of_all = inherited.properties.entry(key.clone()).or_default();
                if *member_of_all == Shape::default() {
                    member_of_all.clone_from(member);
                }
            }
            inherited.required.extend(shape.object.required.iter().cloned());
        }
    }
}
