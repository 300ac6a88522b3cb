//! The differences of idiomatic output from JSON Schema that the page of the skill names, as a change of the schema.

use serde_json::{Map, Value, json};

/// A schema that differs from the given one where a library may do so. Values on which the two differ are not judged.
pub(super) fn deviating(schema: &Value, library: &str) -> Value {
    let Some(map) = schema.as_object() else {
        return match schema.as_array() {
            Some(items) => items.iter().map(|own| deviating(own, library)).collect(),
            None => schema.clone(),
        };
    };
    let keyword = |(key, value): (&String, &Value)| {
        let is_data = matches!(key.as_str(), "enum" | "const");
        let value = if is_data { value.clone() } else { deviating(value, library) };
        // A value that matches two branches is accepted.
        (if key == "oneOf" { "anyOf".to_owned() } else { key.clone() }, value)
    };
    let mut own: Map<String, Value> = map.iter().map(keyword).collect();
    let format = schema["format"].as_str().unwrap_or_default();
    // Formats that the library has no word for.
    let unchecked: &[&str] = match library {
        "zod" => &["time"],
        "joi" => &["date", "time"],
        "yup" => &["date", "time", "ipv4", "ipv6"],
        _ => &[],
    };
    if unchecked.contains(&format) {
        own.shift_remove("format");
    }
    // Rules for members besides named ones.
    if own.contains_key("properties") || library == "yup" {
        own.retain(|key, value| key != "additionalProperties" || !value.is_object());
    }
    if library == "yup" {
        own.shift_remove("multipleOf");
    }
    let scalars = [json!("boolean"), json!("integer"), json!("number"), json!("string")];
    let has_word = match library {
        "zod" | "yup" => scalars.contains(&schema["items"]["type"]),
        _ => library == "joi",
    };
    if !has_word {
        own.shift_remove("uniqueItems");
    }
    match library {
        "yup" if matches!(format, "date-time" | "email" | "uri") => {
            json!({ "anyOf": [own, { "const": "" }] })
        }
        "joi" if format == "date-time" => {
            json!({ "anyOf": [own, { "type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$" }] })
        }
        "pydantic" => of_pydantic(schema, own, format),
        _ => own.into(),
    }
}

fn of_pydantic(schema: &Value, mut own: Map<String, Value>, format: &str) -> Value {
    // An optional member may be null.
    let is_required =
        |name: &String| schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
    if let Some(Value::Object(properties)) = own.get_mut("properties") {
        for (_, member) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
            *member = json!({ "anyOf": [member, { "type": "null" }] });
        }
    }
    // `Literal[1]` accepts `True`, and the reverse. Dates, times and addresses may be numbers, dates and times also in texts.
    let listed = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
    let twin = |value: &Value| match value {
        Value::Bool(flag) => Some(json!({ "const": i32::from(*flag) })),
        Value::Number(_) if *value == 0 || *value == 1 => Some(json!({ "const": *value == 1 })),
        _ => None,
    };
    let mut more: Vec<Value> = listed.filter_map(twin).collect();
    if matches!(format, "date-time" | "date" | "time" | "ipv4" | "ipv6") {
        more.push(json!({ "type": ["number", "boolean"] }));
    }
    if matches!(format, "date-time" | "date" | "time") {
        more.push(json!({ "type": "string", "pattern": r"^[+-]?\d+(\.\d+)?$" }));
    }
    if more.is_empty() {
        return own.into();
    }
    more.push(own.into());
    json!({ "anyOf": more })
}
