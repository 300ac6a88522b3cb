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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::listed;
    use crate::data::json_schema;

    #[test]
    fn members_of_all_parts_are_listed_once_even_where_parts_name_each_other() {
        let schema = json!({"$defs": {
            "Base": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "note": {}}},
            "Named": {"allOf": [{"$ref": "#/$defs/Base"}, {"properties": {"name": {"type": "string"}}, "required": ["name"]}]},
            "User": {
                "allOf": [{"$ref": "#/$defs/Named"}, {"$ref": "#/$defs/Base"}, {"required": ["note"]}],
                "properties": {"note": {"type": "string"}, "age": {"type": "integer"}},
                "required": ["age"],
            },
            "One": {"properties": {"other": {"allOf": [{"$ref": "#/$defs/One"}]}}, "allOf": [{"properties": {"a": {}}}]},
        }});
        let model = listed(&json_schema::read(&schema, "Root", "schema").unwrap());
        let members = |name: &str| {
            let object = &model.entities.get(name).unwrap().shape.object;
            let keys: Vec<&str> = object.properties.keys().map(String::as_str).collect();
            let mut required = object.required.clone();
            required.sort();
            (keys.join(" "), required.join(" "))
        };
        assert_eq!(members("Named"), ("id note name".into(), "id name".into()));
        assert_eq!(members("User").0, "id note name age");
        assert!(members("User").1.contains("age") && members("User").1.contains("note"));
        let object = &model.entities.get("User").unwrap().shape.object;
        assert_eq!(object.properties.get("note").unwrap().types, [crate::data::Type::String]);
        assert_eq!(members("One").0, "a other");
    }
}
