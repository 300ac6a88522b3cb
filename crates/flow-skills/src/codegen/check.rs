//! Renders a shape as a predicate: an expression over the functions in [`super::runtime`], with JSON Schema's verdict
//! on every value.

use heck::ToLowerCamelCase;
use serde_json::Value;

use super::language::TargetLanguage;
use super::names::Names;
use super::pattern;
use crate::data::{ArrayRules, NumberRules, ObjectRules, Shape, StringRules};
use crate::output::Result;

/// Writes predicates in one language.
#[derive(Debug, Clone, Copy)]
pub struct Checks<'a> {
    /// The target language.
    pub language: TargetLanguage,
    /// The identifiers of entities.
    pub names: &'a Names,
    /// How the keyword `format` is treated.
    pub formats: Formats,
}

/// How the keyword `format` is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formats {
    /// A value that does not match the format is refused.
    Asserted,
    /// It is an annotation.
    Annotated,
}

impl Formats {
    /// Whether values are checked against a format.
    pub fn asserts(self, format: &str) -> bool {
        self == Self::Asserted && FORMATS.contains(&format)
    }
}

/// The formats that can be checked.
pub const FORMATS: [&str; 8] =
    ["date-time", "date", "time", "email", "uuid", "uri", "ipv4", "ipv6"];

impl Checks<'_> {
    /// A shape as one expression.
    ///
    /// # Errors
    /// When a pattern is not valid, or the language cannot express it.
    pub fn shape(self, shape: &Shape) -> Result<String> {
        let parts = self.parts(shape)?;
        let is_scoped = shape.array.unevaluated_items.is_some()
            || shape.object.unevaluated_properties.is_some();
        let whole = match parts.as_slice() {
            [] => self.call("anything", &[]),
            [one] => one.clone(),
            many => self.call("all_of", many),
        };
        Ok(if is_scoped { self.call("scoped", &[whole]) } else { whole })
    }

    /// A shape as predicates that must all hold, in this order.
    ///
    /// # Errors
    /// Those of [`Self::shape`].
    pub fn parts(self, shape: &Shape) -> Result<Vec<String>> {
        if shape.never {
            return Ok(vec![self.call("nothing", &[])]);
        }
        let mut parts = Vec::new();
        if !shape.types.is_empty() {
            let names: Vec<String> =
                shape.types.iter().map(|kind| self.language.text(&kind.to_string())).collect();
            parts.push(self.call("types", &names));
        }
        if let Some(values) = &shape.enumeration {
            parts.push(self.equals_any(values));
        }
        if let Some(value) = &shape.constant {
            parts.push(self.equals_any(std::slice::from_ref(value)));
        }
        if let Some(entity) = &shape.reference {
            parts.push(self.refer(entity));
        }
        self.number(&shape.number, &mut parts);
        self.string(&shape.string, &mut parts)?;
        self.array(&shape.array, &mut parts)?;
        self.object(&shape.object, &mut parts)?;
        self.combined(shape, &mut parts)?;
        // These depend on what the other keywords have evaluated.
        if let Some(rest) = &shape.array.unevaluated_items {
            parts.push(self.call("unevaluated_items", &[self.shape(rest)?]));
        }
        if let Some(rest) = &shape.object.unevaluated_properties {
            parts.push(self.call("unevaluated_properties", &[self.shape(rest)?]));
        }
        Ok(parts)
    }

    /// The predicates of a validator's refinements; a single one if they depend on what the others have evaluated.
    ///
    /// # Errors
    /// Those of [`Self::shape`].
    pub fn refinements(self, shape: &Shape) -> Result<Vec<String>> {
        let is_scoped = shape.array.unevaluated_items.is_some()
            || shape.object.unevaluated_properties.is_some();
        if is_scoped { Ok(vec![self.shape(shape)?]) } else { self.parts(shape) }
    }

    /// A call of a function of the runtime.
    pub fn call(self, function: &str, arguments: &[String]) -> String {
        let name = match self.language {
            TargetLanguage::TypeScript => function.to_lower_camel_case(),
            TargetLanguage::Python => function.to_owned(),
        };
        format!("{name}({})", arguments.join(", "))
    }

    fn refer(self, entity: &str) -> String {
        let name = self.names.check(entity, self.language == TargetLanguage::Python);
        let lazy = match self.language {
            TargetLanguage::TypeScript => format!("() => {name}"),
            TargetLanguage::Python => format!("lambda: {name}"),
        };
        self.call("refer", &[lazy])
    }

    fn equals_any(self, values: &[Value]) -> String {
        let values: Vec<String> = values.iter().map(|value| self.language.value(value)).collect();
        self.call("equals_any", &values)
    }

    fn number(self, rules: &NumberRules, parts: &mut Vec<String>) {
        let bounds = [
            ("minimum", &rules.minimum),
            ("maximum", &rules.maximum),
            ("exclusive_minimum", &rules.exclusive_minimum),
            ("exclusive_maximum", &rules.exclusive_maximum),
            ("multiple_of", &rules.multiple_of),
        ];
        let written = bounds.into_iter().filter_map(|(name, bound)| Some((name, bound.as_ref()?)));
        parts.extend(written.map(|(name, bound)| self.call(name, &[bound.to_string()])));
    }

    /// The constraints on strings.
    ///
    /// # Errors
    /// Those of [`Self::shape`].
    pub fn string(self, rules: &StringRules, parts: &mut Vec<String>) -> Result<()> {
        self.counts(&[("min_length", rules.min_length), ("max_length", rules.max_length)], parts);
        if let Some(text) = &rules.pattern {
            parts.push(self.call("pattern", &[pattern::write(text, self.language)?]));
        }
        if let Some(format) = rules.format.as_deref().filter(|format| self.formats.asserts(format))
        {
            parts.push(self.format(format));
        }
        Ok(())
    }

    /// The predicate of a format that is checked.
    pub fn format(self, format: &str) -> String {
        self.call(&format!("format_{}", format.replace('-', "_")), &[])
    }

    fn counts(self, rules: &[(&str, Option<u64>)], parts: &mut Vec<String>) {
        let written = rules.iter().filter_map(|(name, count)| Some((name, (*count)?)));
        parts.extend(written.map(|(name, count)| self.call(name, &[count.to_string()])));
    }

    fn array(self, rules: &ArrayRules, parts: &mut Vec<String>) -> Result<()> {
        self.counts(&[("min_items", rules.min_items), ("max_items", rules.max_items)], parts);
        if rules.unique_items {
            parts.push(self.call("unique_items", &[]));
        }
        if !rules.prefix_items.is_empty() || rules.items.is_some() {
            let prefix = self.shapes(&rules.prefix_items)?;
            parts.push(self.call(
                "items",
                &[self.language.list(&prefix), self.maybe(rules.items.as_deref())?],
            ));
        }
        if let Some(contained) = &rules.contains {
            let most =
                rules.max_contains.map_or(self.language.none().to_owned(), |most| most.to_string());
            let least = rules.min_contains.unwrap_or(1).to_string();
            parts.push(self.call("contains", &[self.shape(contained)?, least, most]));
        }
        Ok(())
    }

    fn object(self, rules: &ObjectRules, parts: &mut Vec<String>) -> Result<()> {
        let names = |names: &[String]| {
            names.iter().map(|name| self.language.text(name)).collect::<Vec<_>>()
        };
        if !rules.required.is_empty() {
            parts.push(self.call("required", &names(&rules.required)));
        }
        let bounds =
            [("min_properties", rules.min_properties), ("max_properties", rules.max_properties)];
        self.counts(&bounds, parts);
        if let Some(named) = &rules.property_names {
            parts.push(self.call("property_names", &[self.shape(named)?]));
        }
        if !rules.properties.is_empty()
            || !rules.pattern_properties.is_empty()
            || rules.additional.is_some()
        {
            let pair = |(key, shape): (&String, &Shape)| {
                Ok(self.language.pair(&self.language.text(key), &self.shape(shape)?))
            };
            let own: Vec<String> = rules.properties.iter().map(pair).collect::<Result<_>>()?;
            let pair = |(text, shape): (&String, &Shape)| {
                Ok(self.language.pair(&pattern::write(text, self.language)?, &self.shape(shape)?))
            };
            let matched: Vec<String> =
                rules.pattern_properties.iter().map(pair).collect::<Result<_>>()?;
            let lists = [self.language.list(&own), self.language.list(&matched)];
            let [own, matched] = lists;
            parts.push(
                self.call("properties", &[own, matched, self.maybe(rules.additional.as_deref())?]),
            );
        }
        for (key, needed) in &rules.dependent_required {
            let list = self.language.list(&names(needed));
            parts.push(self.call("dependent_required", &[self.language.text(key), list]));
        }
        for (key, shape) in &rules.dependent_schemas {
            parts.push(
                self.call("dependent_schema", &[self.language.text(key), self.shape(shape)?]),
            );
        }
        Ok(())
    }

    fn combined(self, shape: &Shape, parts: &mut Vec<String>) -> Result<()> {
        parts.extend(self.shapes(&shape.all_of)?);
        for (name, shapes) in [("any_of", &shape.any_of), ("one_of", &shape.one_of)] {
            if !shapes.is_empty() {
                parts.push(self.call(name, &self.shapes(shapes)?));
            }
        }
        if let Some(shape) = &shape.not {
            parts.push(self.call("negate", &[self.shape(shape)?]));
        }
        if let Some(condition) = &shape.if_shape {
            let then = self.maybe(shape.then_shape.as_deref())?;
            let otherwise = self.maybe(shape.else_shape.as_deref())?;
            parts.push(self.call("conditional", &[self.shape(condition)?, then, otherwise]));
        }
        Ok(())
    }

    fn shapes(self, shapes: &[Shape]) -> Result<Vec<String>> {
        shapes.iter().map(|shape| self.shape(shape)).collect()
    }

    fn maybe(self, shape: Option<&Shape>) -> Result<String> {
        shape.map_or(Ok(self.language.none().to_owned()), |shape| self.shape(shape))
    }
}
