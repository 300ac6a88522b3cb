//! The keywords of JSON Schema, and how each changes a shape.

use indexmap::IndexMap;
use serde_json::{Map, Number, Value};

use super::{Shape, Type};
use crate::output::Result;
use crate::output::bad;

/// The dialect of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// JSON Schema 2020-12, with the older spellings that are unambiguous.
    JsonSchema,
    /// `OpenAPI` 3.0 and 3.1: also `nullable`, `discriminator`, `example` and `xml`.
    OpenApi,
}

/// Reads the schemas in the values of keywords.
pub(super) trait Schemas {
    /// Reads the schema at the pointer `at`.
    fn shape(&mut self, schema: &Value, at: &str) -> Result<Shape>;

    /// The pointer `at` as a path of the input, for errors.
    fn place(&self, at: &str) -> String;
}

/// A keyword, its value, and the pointer to it.
#[derive(Clone, Copy)]
pub(super) struct Word<'w> {
    pub(super) name: &'w str,
    pub(super) value: &'w Value,
    pub(super) at: &'w str,
}

/// A member's name as a token of a JSON pointer.
pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Reads a keyword whose value contains no schema; false if it is not such a keyword.
pub(super) fn scalar(reader: &dyn Schemas, shape: &mut Shape, word: Word<'_>) -> Result<bool> {
    let Word { name, value, at } = word;
    match name {
        "type" => shape.types = types(reader, value, at)?,
        "title" => shape.title = value.as_str().map(str::to_owned),
        "description" => shape.description = value.as_str().map(str::to_owned),
        "default" => shape.default = Some(value.clone()),
        "examples" => shape.examples = value.as_array().cloned().unwrap_or_default(),
        "enum" => match value {
            Value::Array(values) => join_values(shape, values.clone()),
            other => return Err(bad(&reader.place(at), other, "a list of values")),
        },
        "const" if value.is_null() => join_values(shape, vec![Value::Null]),
        "const" => shape.constant = Some(value.clone()),
        "pattern" => shape.string.pattern = Some(text(reader, value, at)?),
        "format" => shape.string.format = Some(text(reader, value, at)?),
        "minLength" => shape.string.min_length = Some(count(reader, value, at)?),
        "maxLength" => shape.string.max_length = Some(count(reader, value, at)?),
        "minItems" => shape.array.min_items = Some(count(reader, value, at)?),
        "maxItems" => shape.array.max_items = Some(count(reader, value, at)?),
        "minContains" => shape.array.min_contains = Some(count(reader, value, at)?),
        "maxContains" => shape.array.max_contains = Some(count(reader, value, at)?),
        "minProperties" => shape.object.min_properties = Some(count(reader, value, at)?),
        "maxProperties" => shape.object.max_properties = Some(count(reader, value, at)?),
        "uniqueItems" => shape.array.unique_items = flag(reader, value, at)?,
        "required" => shape.object.required = names(reader, value, at)?,
        "dependentRequired" => {
            let map = members(reader, value, at)?;
            let read =
                |(key, value): (&String, &Value)| Ok((key.clone(), names(reader, value, at)?));
            shape.object.dependent_required = map.iter().map(read).collect::<Result<_>>()?;
        }
        _ => return bound(reader, shape, word),
    }
    Ok(true)
}

fn bound(reader: &dyn Schemas, shape: &mut Shape, word: Word<'_>) -> Result<bool> {
    let Word { name, value, at } = word;
    let place = match name {
        "minimum" => &mut shape.number.minimum,
        "maximum" => &mut shape.number.maximum,
        // The older spelling makes `minimum` exclusive; `settle` moves it.
        "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => return Ok(true),
        "exclusiveMinimum" => &mut shape.number.exclusive_minimum,
        "exclusiveMaximum" => &mut shape.number.exclusive_maximum,
        "multipleOf" => &mut shape.number.multiple_of,
        _ => return Ok(false),
    };
    let Value::Number(number) = value else {
        return Err(bad(&reader.place(at), value, "a number"));
    };
    if name == "multipleOf" && number.as_f64().is_none_or(|number| number <= 0.0) {
        return Err(bad(&reader.place(at), value, "a number above 0"));
    }
    *place = Some(number.clone());
    Ok(true)
}

/// Reads a keyword whose value contains schemas; false if it is not such a keyword.
pub(super) fn nested(reader: &mut dyn Schemas, shape: &mut Shape, word: Word<'_>) -> Result<bool> {
    let Word { name, value, at } = word;
    let place = match name {
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
            let shapes = list(reader, value, at)?;
            match name {
                "allOf" => shape.all_of.extend(shapes),
                "anyOf" => shape.any_of = shapes,
                "oneOf" => shape.one_of = shapes,
                _ => shape.array.prefix_items = shapes,
            }
            return Ok(true);
        }
        "items" if value.is_array() => {
            shape.array.prefix_items = list(reader, value, at)?;
            return Ok(true);
        }
        "properties" | "patternProperties" | "dependentSchemas" | "dependencies" => {
            return by_name(reader, shape, word).map(|()| true);
        }
        "not" => &mut shape.not,
        "if" => &mut shape.if_shape,
        "then" => &mut shape.then_shape,
        "else" => &mut shape.else_shape,
        // The older spelling of `items` after a list of items.
        "additionalItems" if shape.array.items.is_some() => return Ok(true),
        "items" | "additionalItems" => &mut shape.array.items,
        "contains" => &mut shape.array.contains,
        "unevaluatedItems" => &mut shape.array.unevaluated_items,
        "additionalProperties" => &mut shape.object.additional,
        "propertyNames" => &mut shape.object.property_names,
        "unevaluatedProperties" => &mut shape.object.unevaluated_properties,
        _ => return Ok(false),
    };
    *place = Some(Box::new(reader.shape(value, at)?));
    Ok(true)
}

fn by_name(
    reader: &mut dyn Schemas,
    shape: &mut Shape,
    Word { name, value, at }: Word<'_>,
) -> Result<()> {
    let map = members(reader, value, at)?;
    for (key, value) in map {
        if name == "dependencies" && value.is_array() {
            shape.object.dependent_required.insert(key.clone(), names(reader, value, at)?);
            continue;
        }
        let child = reader.shape(value, &format!("{at}/{}", escape(key)))?;
        let place: &mut IndexMap<String, Shape> = match name {
            "properties" => &mut shape.object.properties,
            "patternProperties" => &mut shape.object.pattern_properties,
            _ => &mut shape.object.dependent_schemas,
        };
        place.insert(key.clone(), child);
    }
    Ok(())
}

/// Applies combinations of keywords in older spellings.
pub(super) fn settle(dialect: Dialect, map: &Map<String, Value>, shape: &mut Shape) {
    let is = |word: &str| map.get(word) == Some(&Value::Bool(true));
    if is("exclusiveMinimum") {
        shape.number.exclusive_minimum = shape.number.minimum.take();
    }
    if is("exclusiveMaximum") {
        shape.number.exclusive_maximum = shape.number.maximum.take();
    }
    let is_nullable = is("nullable") || is("x-nullable");
    if dialect == Dialect::OpenApi && is_nullable && !shape.types.is_empty() {
        shape.types.insert(0, Type::Null);
        shape.types.dedup();
        if let Some(values) = &mut shape.enumeration
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
    }
}

/// Combines `enum` and a null `const`: both are allowed.
fn join_values(shape: &mut Shape, values: Vec<Value>) {
    if shape.enumeration.is_some() {
        shape.all_of.push(Shape { enumeration: Some(values), ..Shape::default() });
    } else {
        shape.enumeration = Some(values);
    }
}

fn types(reader: &dyn Schemas, value: &Value, at: &str) -> Result<Vec<Type>> {
    let list = match value {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    let allowed = "null, boolean, integer, number, string, array or object, or a list of them";
    let read = |value: &Value| {
        serde_json::from_value::<Type>(value.clone())
            .map_err(|_| bad(&reader.place(at), value, allowed))
    };
    let mut types = list.iter().map(read).collect::<Result<Vec<_>>>()?;
    if types.is_empty() {
        return Err(bad(&reader.place(at), value, allowed));
    }
    types.sort_unstable();
    types.dedup();
    Ok(types)
}

fn list(reader: &mut dyn Schemas, value: &Value, at: &str) -> Result<Vec<Shape>> {
    let Value::Array(items) = value else {
        return Err(bad(&reader.place(at), value, "a list of schemas"));
    };
    let read = |(index, item)| reader.shape(item, &format!("{at}/{index}"));
    items.iter().enumerate().map(read).collect()
}

fn members<'v>(reader: &dyn Schemas, value: &'v Value, at: &str) -> Result<&'v Map<String, Value>> {
    value.as_object().ok_or_else(|| bad(&reader.place(at), value, "an object"))
}

fn names(reader: &dyn Schemas, value: &Value, at: &str) -> Result<Vec<String>> {
    let fault = || bad(&reader.place(at), value, "a list of names");
    let list = value.as_array().ok_or_else(fault)?;
    list.iter().map(|name| name.as_str().map(str::to_owned).ok_or_else(fault)).collect()
}

fn text(reader: &dyn Schemas, value: &Value, at: &str) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(|| bad(&reader.place(at), value, "a text"))
}

fn flag(reader: &dyn Schemas, value: &Value, at: &str) -> Result<bool> {
    value.as_bool().ok_or_else(|| bad(&reader.place(at), value, "true or false"))
}

fn count(reader: &dyn Schemas, value: &Value, at: &str) -> Result<u64> {
    let whole = |number: &Number| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0 && *float >= 0.0)?;
        format!("{float:.0}").parse().ok()
    };
    let number = value.as_u64().or_else(|| value.as_number().and_then(whole));
    number.ok_or_else(|| bad(&reader.place(at), value, "a whole number from 0"))
}
