//! References of entities to entities. Each leads to an entity of the model. Writers follow those for the same value (`allOf`,
//! `anyOf`, `not`, …), so that these must end: a model in which they do not, or which has too many, is refused before.

use super::{Entity, Model, Shape};
use crate::output::{Fault, Result, bad_given};
use crate::reach::finishing_order;

/// Longest chain of entities of which each refers to the next for the same value. Writers follow it recursively.
pub(crate) const DEEPEST: usize = 64;
/// Most entities that an error names.
const SHOWN: usize = 20;

/// Refuses a model with references that lead nowhere, or that cannot be followed to an end.
pub(crate) fn check(model: &Model) -> Result<()> {
    check_targets(model)?;
    let next = same_value_references(model);
    // Validation of an entity that refers to itself for the same value would never end.
    let cycles = flow_model::cycles::of(&next);
    let first = cycles.first().and_then(|cycle| cycle.first());
    if let Some((name, _)) = first.and_then(|at| model.entities.get_index(*at)) {
        return Err(Fault::Refused(format!(
            "the model has an entity {name:?} that refers to itself without an end"
        )));
    }
    let mut depth = vec![0_usize; next.len()];
    // Each comes after those that it refers to.
    for at in finishing_order(&next) {
        for to in &next[at] {
            depth[at] = depth[at].max(depth[*to] + 1);
        }
        let Some((name, _)) = model.entities.get_index(at) else { continue };
        if depth[at] > DEEPEST {
            return Err(Fault::Refused(format!(
                "the entity {name:?} begins a chain of over {DEEPEST} entities that refer to the next for the same value (allOf, anyOf, …), the limit"
            )));
        }
    }
    Ok(())
}

/// Refuses a reference to an entity that the model does not have.
fn check_targets(model: &Model) -> Result<()> {
    for (name, entity) in &model.entities {
        for target in entity.shape.all().filter_map(|shape| shape.reference.as_ref()) {
            if !model.entities.contains_key(target) {
                let known: Vec<&str> =
                    model.entities.keys().map(String::as_str).take(SHOWN).collect();
                let allowed = format!("a reference to one of: {}", known.join(", "));
                return Err(bad_given(name, format!("a reference to {target:?}"), &allowed));
            }
        }
    }
    Ok(())
}

/// For each entity those that it refers to for the same value, as often as it does.
fn same_value_references(model: &Model) -> Vec<Vec<usize>> {
    let needs = |entity: &Entity| {
        let mut names = Vec::new();
        names_of(&entity.shape, &mut names);
        names.into_iter().filter_map(|name| model.entities.get_index_of(name)).collect()
    };
    model.entities.values().map(needs).collect()
}

/// The entities that a shape applies to the same value. A shape nests no deeper than the text that was read.
pub(crate) fn names_of<'m>(shape: &'m Shape, names: &mut Vec<&'m str>) {
    names.extend(shape.reference.as_deref());
    shape.in_place().for_each(|child| names_of(child, names));
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, check};
    use crate::data::{Entity, Model, Shape};

    /// Entities of which each refers to the next one in place.
    fn model(count: usize, references: usize) -> Model {
        let entity = |at: usize| {
            let next = (1..=references).map(|more| at + more).filter(|to| *to < count);
            let all_of = next.map(|to| Shape::reference(&to.to_string())).collect();
            (at.to_string(), Entity { shape: Shape { all_of, ..Shape::default() }, table: None })
        };
        Model { entities: (0..count).map(entity).collect(), ..Model::default() }
    }

    #[test]
    fn what_cannot_be_followed_is_refused() {
        assert!(check(&model(DEEPEST + 1, 1)).is_ok() && check(&model(12, 2)).is_ok());
        let refused = |model| check(&model).unwrap_err().to_string();
        assert!(refused(model(DEEPEST + 2, 1)).contains("over 64 entities"));
        let mut ring = model(2, 1);
        ring.entities[1].shape.reference = Some("0".to_owned());
        assert!(refused(ring).contains("without an end"));
    }
}
