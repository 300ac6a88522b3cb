//! Reads the keywords of JSON Schema into a shape, and the spellings of older drafts.

use serde::Deserialize;
use serde_json::{Map, Number, Value};

use super::{Reader, escape};
use crate::data::{Shape, Type};
use crate::output::Result;
use crate::text::lists;

/// Keywords that restrict values in a way that no writer checks.
const UNCHECKED: &str = "$dynamicRef $recursiveRef contains dependencies dependentRequired dependentSchemas if maxContains \
    maxProperties minContains minProperties not unevaluatedItems unevaluatedProperties";
/// Keywords that say how a text is to be read, or how a member is to be used.
const ANNOTATIONS: &str = "contentEncoding contentMediaType deprecated readOnly writeOnly";

impl Reader<'_> {
    /// Reads a keyword. One that is not known is an annotation.
    pub(super) fn keyword(
        &mut self,
        shape: &mut Shape,
        name: &str,
        value: &Value,
        at: &str,
    ) -> Result<()> {
        let (number, string) = (&mut shape.number, &mut shape.string);
        let (array, object) = (&mut shape.array, &mut shape.object);
        match name {
            "type" => shape.types = self.types(value, at)?,
            "title" => shape.title = value.as_str().map(str::to_owned),
            "description" => shape.description = value.as_str().map(str::to_owned),
            "default" => shape.default = Some(value.clone()),
            "examples" => shape.examples = value.as_array().cloned().unwrap_or_default(),
            "enum" => join_values(shape, self.items(value, at, "a list of values")?.clone()),
            "const" if value.is_null() => join_values(shape, vec![Value::Null]),
            "const" => shape.constant = Some(value.clone()),
            "format" => string.format = self.text(value, at)?,
            "pattern" => string.pattern = self.text(value, at)?,
            "minLength" => string.min_length = self.count(value, at)?,
            "maxLength" => string.max_length = self.count(value, at)?,
            "minimum" => number.minimum = self.number(value, at)?,
            "maximum" => number.maximum = self.number(value, at)?,
            // The older spelling makes `minimum` exclusive; `settle` moves it.
            "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => {}
            "exclusiveMinimum" => number.exclusive_minimum = self.number(value, at)?,
            "exclusiveMaximum" => number.exclusive_maximum = self.number(value, at)?,
            "multipleOf" if value.as_f64().is_some_and(|number| number <= 0.0) => {
                return Err(self.bad(at, value, "a number above 0"));
            }
            "multipleOf" => number.multiple_of = self.number(value, at)?,
            "items" if value.is_array() => array.prefix_items = self.list(value, at)?,
            "items" => array.items = self.inner(value, at)?,
            // The older spelling of `items` after a list of items.
            "additionalItems" if array.items.is_none() => array.items = self.inner(value, at)?,
            "prefixItems" => array.prefix_items = self.list(value, at)?,
            "minItems" => array.min_items = self.count(value, at)?,
            "maxItems" => array.max_items = self.count(value, at)?,
            "uniqueItems" => {
                let flag = value.as_bool();
                array.unique_items = flag.ok_or_else(|| self.bad(at, value, "true or false"))?;
            }
            "properties" => {
                for (key, value) in self.members(value, at)? {
                    let child = self.shape(value, &format!("{at}/{}", escape(key)))?;
                    object.properties.insert(key.clone(), child);
                }
            }
            "required" => object.required = self.names(value, at)?,
            "additionalProperties" => object.additional = self.inner(value, at)?,
            "propertyNames" => object.property_names = self.inner(value, at)?,
            "allOf" => shape.all_of.extend(self.list(value, at)?),
            "anyOf" => shape.any_of = self.list(value, at)?,
            "oneOf" => shape.one_of = self.list(value, at)?,
            _ if lists(ANNOTATIONS, name) && *value != false => {
                shape.annotations.push(name.to_owned());
            }
            _ if lists(UNCHECKED, name) => shape.unchecked.push(name.to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn inner(&mut self, value: &Value, at: &str) -> Result<Option<Box<Shape>>> {
        self.shape(value, at).map(|shape| Some(Box::new(shape)))
    }

    fn number(&self, value: &Value, at: &str) -> Result<Option<Number>> {
        match value {
            Value::Number(number) => Ok(Some(number.clone())),
            other => Err(self.bad(at, other, "a number")),
        }
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

    fn text(&self, value: &Value, at: &str) -> Result<Option<String>> {
        let text = value.as_str().ok_or_else(|| self.bad(at, value, "a text"))?;
        Ok(Some(text.to_owned()))
    }

    fn count(&self, value: &Value, at: &str) -> Result<Option<u64>> {
        let whole = |float: &f64| float.fract() == 0.0 && *float >= 0.0;
        let float = || format!("{:.0}", value.as_f64().filter(whole)?).parse().ok();
        let number = value.as_u64().or_else(float);
        number.map(Some).ok_or_else(|| self.bad(at, value, "a whole number from 0"))
    }

    /// Applies combinations of keywords, some in older spellings.
    pub(super) fn settle(
        &mut self,
        map: &Map<String, Value>,
        shape: &mut Shape,
        at: &str,
    ) -> Result<()> {
        let is = |word: &str| map.get(word) == Some(&Value::Bool(true));
        if is("exclusiveMinimum") {
            shape.number.exclusive_minimum = shape.number.minimum.take();
        }
        if is("exclusiveMaximum") {
            shape.number.exclusive_maximum = shape.number.maximum.take();
        }
        let is_nullable = is("nullable") || is("x-nullable");
        // OpenAPI 3.0 has this keyword, and authors of JSON Schemas write it too.
        if is_nullable && !shape.types.is_empty() {
            shape.types.insert(0, Type::Null);
            shape.types.dedup();
            if let Some(values) = &mut shape.enumeration
                && !values.contains(&Value::Null)
            {
                values.push(Value::Null);
            }
        }
        match map.get("patternProperties").and_then(Value::as_object) {
            Some(patterns) => self.patterns(patterns, shape, at),
            None => Ok(()),
        }
    }

    /// Of the only pattern of a map's names the values are read; the names are not checked.
    fn patterns(
        &mut self,
        patterns: &Map<String, Value>,
        shape: &mut Shape,
        at: &str,
    ) -> Result<()> {
        let object = &mut shape.object;
        let others = object.additional.replace(Box::default());
        let is_closed = others.as_ref().is_some_and(|rest| rest.never);
        let mut all = patterns.iter();
        match (all.next(), all.next(), object.properties.is_empty() && is_closed) {
            (Some((pattern, value)), None, true) => {
                let place = format!("{at}/patternProperties/{}", escape(pattern));
                object.additional = self.inner(value, &place)?;
            }
            _ => shape.unchecked.extend(others.map(|_| "additionalProperties".to_owned())),
        }
        shape.unchecked.push("patternProperties".to_owned());
        Ok(())
    }
}

/// Adds the values of `enum`, or of a null `const`: with both, a value must be one of each.
fn join_values(shape: &mut Shape, values: Vec<Value>) {
    if shape.enumeration.is_some() {
        shape.all_of.push(Shape { enumeration: Some(values), ..Shape::default() });
    } else {
        shape.enumeration = Some(values);
    }
}
