//! The keywords of JSON Schema, and how each changes a shape.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Dialect, Keyword, Reader};
use crate::data::resolve::escape;
use crate::data::{Shape, Type};
use crate::output::Result;

impl Reader<'_> {
    /// Reads a keyword whose value contains no schema; false if it is not such a keyword.
    pub(super) fn scalar(&self, shape: &mut Shape, word: Keyword<'_>) -> Result<bool> {
        let Keyword { name, value, at } = word;
        match name {
            "type" => shape.types = self.types(value, at)?,
            "title" => shape.title = value.as_str().map(str::to_owned),
            "description" => shape.description = value.as_str().map(str::to_owned),
            "default" => shape.default = Some(value.clone()),
            "examples" => shape.examples = value.as_array().cloned().unwrap_or_default(),
            "enum" => match value {
                Value::Array(values) => join_values(shape, values.clone()),
                other => return Err(self.bad(at, other, "a list of values")),
            },
            "const" if value.is_null() => join_values(shape, vec![Value::Null]),
            "const" => shape.constant = Some(value.clone()),
            "pattern" => shape.string.pattern = Some(self.text(value, at)?),
            "format" => shape.string.format = Some(self.text(value, at)?),
            "minLength" => shape.string.min_length = Some(self.count(value, at)?),
            "maxLength" => shape.string.max_length = Some(self.count(value, at)?),
            "minItems" => shape.array.min_items = Some(self.count(value, at)?),
            "maxItems" => shape.array.max_items = Some(self.count(value, at)?),
            "minContains" => shape.array.min_contains = Some(self.count(value, at)?),
            "maxContains" => shape.array.max_contains = Some(self.count(value, at)?),
            "minProperties" => shape.object.min_properties = Some(self.count(value, at)?),
            "maxProperties" => shape.object.max_properties = Some(self.count(value, at)?),
            "uniqueItems" => {
                let flag = value.as_bool().ok_or_else(|| self.bad(at, value, "true or false"));
                shape.array.unique_items = flag?;
            }
            "required" => shape.object.required = self.names(value, at)?,
            "dependentRequired" => {
                let read =
                    |(key, value): (&String, &Value)| Ok((key.clone(), self.names(value, at)?));
                let map = self.members(value, at)?.iter().map(read);
                shape.object.dependent_required = map.collect::<Result<_>>()?;
            }
            _ => return self.bound(shape, word),
        }
        Ok(true)
    }

    fn bound(&self, shape: &mut Shape, word: Keyword<'_>) -> Result<bool> {
        let Keyword { name, value, at } = word;
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
            return Err(self.bad(at, value, "a number"));
        };
        if name == "multipleOf" && number.as_f64().is_none_or(|number| number <= 0.0) {
            return Err(self.bad(at, value, "a number above 0"));
        }
        *place = Some(number.clone());
        Ok(true)
    }

    /// Reads a keyword whose value contains schemas; false if it is not such a keyword.
    pub(super) fn nested(&mut self, shape: &mut Shape, word: Keyword<'_>) -> Result<bool> {
        let Keyword { name, value, at } = word;
        let place = match name {
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                let shapes = self.list(value, at)?;
                match name {
                    "allOf" => shape.all_of.extend(shapes),
                    "anyOf" => shape.any_of = shapes,
                    "oneOf" => shape.one_of = shapes,
                    _ => shape.array.prefix_items = shapes,
                }
                return Ok(true);
            }
            "items" if value.is_array() => {
                shape.array.prefix_items = self.list(value, at)?;
                return Ok(true);
            }
            "properties" | "patternProperties" | "dependentSchemas" | "dependencies" => {
                return self.by_name(shape, word).map(|()| true);
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
        *place = Some(Box::new(self.shape(value, at)?));
        Ok(true)
    }

    fn by_name(&mut self, shape: &mut Shape, word: Keyword<'_>) -> Result<()> {
        let Keyword { name, value, at } = word;
        for (key, value) in self.members(value, at)? {
            if name == "dependencies" && value.is_array() {
                shape.object.dependent_required.insert(key.clone(), self.names(value, at)?);
                continue;
            }
            let child = self.shape(value, &format!("{at}/{}", escape(key)))?;
            let place: &mut IndexMap<String, Shape> = match name {
                "properties" => &mut shape.object.properties,
                "patternProperties" => &mut shape.object.pattern_properties,
                _ => &mut shape.object.dependent_schemas,
            };
            place.insert(key.clone(), child);
        }
        Ok(())
    }

    fn types(&self, value: &Value, at: &str) -> Result<Vec<Type>> {
        let list = match value {
            Value::Array(list) => list.as_slice(),
            one => std::slice::from_ref(one),
        };
        let allowed = "null, boolean, integer, number, string, array or object, or a list of them";
        let read =
            |value: &Value| Type::deserialize(value).map_err(|_| self.bad(at, value, allowed));
        let mut types = list.iter().map(read).collect::<Result<Vec<_>>>()?;
        if types.is_empty() {
            return Err(self.bad(at, value, allowed));
        }
        types.sort_unstable();
        types.dedup();
        Ok(types)
    }

    fn list(&mut self, value: &Value, at: &str) -> Result<Vec<Shape>> {
        let Value::Array(items) = value else {
            return Err(self.bad(at, value, "a list of schemas"));
        };
        let read = |(index, item)| self.shape(item, &format!("{at}/{index}"));
        items.iter().enumerate().map(read).collect()
    }

    fn members<'v>(&self, value: &'v Value, at: &str) -> Result<&'v Map<String, Value>> {
        value.as_object().ok_or_else(|| self.bad(at, value, "an object"))
    }

    fn names(&self, value: &Value, at: &str) -> Result<Vec<String>> {
        Vec::deserialize(value).map_err(|_| self.bad(at, value, "a list of names"))
    }

    fn text(&self, value: &Value, at: &str) -> Result<String> {
        value.as_str().map(str::to_owned).ok_or_else(|| self.bad(at, value, "a text"))
    }

    fn count(&self, value: &Value, at: &str) -> Result<u64> {
        let whole = |float: &f64| float.fract() == 0.0 && *float >= 0.0;
        let float = || format!("{:.0}", value.as_f64().filter(whole)?).parse().ok();
        let number = value.as_u64().or_else(float);
        number.ok_or_else(|| self.bad(at, value, "a whole number from 0"))
    }

    /// Applies combinations of keywords in older spellings.
    pub(super) fn settle(&self, map: &Map<String, Value>, shape: &mut Shape) {
        let is = |word: &str| map.get(word) == Some(&Value::Bool(true));
        if is("exclusiveMinimum") {
            shape.number.exclusive_minimum = shape.number.minimum.take();
        }
        if is("exclusiveMaximum") {
            shape.number.exclusive_maximum = shape.number.maximum.take();
        }
        let is_nullable = is("nullable") || is("x-nullable");
        if self.dialect == Dialect::OpenApi && is_nullable && !shape.types.is_empty() {
            shape.types.insert(0, Type::Null);
            shape.types.dedup();
            if let Some(values) = &mut shape.enumeration
                && !values.contains(&Value::Null)
            {
                values.push(Value::Null);
            }
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
