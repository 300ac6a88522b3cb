//! Reads the value of a keyword of JSON Schema into the part of a shape that it sets, and the spellings of older drafts.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Dialect, Keyword, Reader, escape};
use crate::data::keywords::Part;
use crate::data::{Shape, Type};
use crate::output::Result;

impl Reader<'_> {
    /// Reads a keyword; false if it is none of a shape.
    pub(super) fn keyword(&mut self, shape: &mut Shape, word: Keyword<'_>) -> Result<bool> {
        let Keyword { name, value, at } = word;
        match name {
            "enum" => join_values(shape, self.items(value, at, "a list of values")?.clone()),
            "const" if value.is_null() => join_values(shape, vec![Value::Null]),
            // The older spelling makes `minimum` exclusive; `settle` moves it.
            "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => {}
            "items" if value.is_array() => shape.array.prefix_items = self.list(value, at)?,
            // The older spelling of `items` after a list of items.
            "additionalItems" => {
                if shape.array.items.is_none() {
                    shape.array.items = Some(Box::new(self.shape(value, at)?));
                }
            }
            "allOf" => shape.all_of.extend(self.list(value, at)?),
            "dependencies" => {
                for (key, value) in self.members(value, at)? {
                    if value.is_array() {
                        let names = self.names(value, at)?;
                        shape.object.dependent_required.insert(key.clone(), names);
                    } else {
                        let child = self.shape(value, &format!("{at}/{}", escape(key)))?;
                        shape.object.dependent_schemas.insert(key.clone(), child);
                    }
                }
            }
            "multipleOf" if value.as_f64().is_some_and(|number| number <= 0.0) => {
                return Err(self.bad(at, value, "a number above 0"));
            }
            _ => return self.part(shape, word),
        }
        Ok(true)
    }

    fn part(&mut self, shape: &mut Shape, word: Keyword<'_>) -> Result<bool> {
        let Keyword { name, value, at } = word;
        let Some(part) = shape.part(name) else { return Ok(false) };
        match part {
            Part::Annotation(place) => *place = value.as_str().map(str::to_owned),
            Part::Text(place) => *place = Some(self.text(value, at)?),
            Part::Any(place) => *place = Some(value.clone()),
            Part::Examples(place) => *place = value.as_array().cloned().unwrap_or_default(),
            Part::Values(place) => {
                *place = Some(self.items(value, at, "a list of values")?.clone());
            }
            Part::Count(place) => *place = Some(self.count(value, at)?),
            Part::Number(place) => match value {
                Value::Number(number) => *place = Some(number.clone()),
                other => return Err(self.bad(at, other, "a number")),
            },
            Part::Flag(place) => {
                *place = value.as_bool().ok_or_else(|| self.bad(at, value, "true or false"))?;
            }
            Part::Types(place) => *place = self.types(value, at)?,
            Part::Names(place) => *place = self.names(value, at)?,
            Part::NamesByName(place) => {
                for (key, value) in self.members(value, at)? {
                    place.insert(key.clone(), self.names(value, at)?);
                }
            }
            Part::Shape(place) => *place = Some(Box::new(self.shape(value, at)?)),
            Part::Shapes(place) => *place = self.list(value, at)?,
            Part::ShapesByName(place) => {
                for (key, value) in self.members(value, at)? {
                    let child = self.shape(value, &format!("{at}/{}", escape(key)))?;
                    place.insert(key.clone(), child);
                }
            }
        }
        Ok(true)
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
        let items = self.items(value, at, "a list of schemas")?.iter().enumerate();
        items.map(|(index, item)| self.shape(item, &format!("{at}/{index}"))).collect()
    }

    fn items<'v>(&self, value: &'v Value, at: &str, allowed: &str) -> Result<&'v Vec<Value>> {
        value.as_array().ok_or_else(|| self.bad(at, value, allowed))
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
