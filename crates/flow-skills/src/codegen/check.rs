//! Renders a shape as a predicate: an expression over the functions in [`super::runtime`], with JSON Schema's verdict
//! on every value.

use heck::ToLowerCamelCase;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::language::{TargetLanguage, list, quote};
use super::names::Names;
use super::pattern;
use crate::data::{ArrayRules, ObjectRules, Shape, StringRules};
use crate::output::Result;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Checks<'a> {
    /// The target language.
    pub language: TargetLanguage,
    /// The identifiers of entities.
    pub names: &'a Names,
    /// How the keyword `format` is treated.
    pub formats: Formats,
}

// How the keyword `format` is treated: whether a value that does not match the format is refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Formats {
    #[default]
    Assert,
    Annotate,
}

impl Formats {
    /// Whether values are checked against a format.
    pub(crate) fn asserts(self, format: &str) -> bool {
        self == Self::Assert && FORMATS.contains(&format)
    }
}

pub(crate) const FORMATS: [&str; 8] =
    ["date-time", "date", "time", "email", "uuid", "uri", "ipv4", "ipv6"];

impl Checks<'_> {
    /// A shape as one expression.
    pub(crate) fn shape(self, shape: &Shape) -> Result<String> {
        let mut parts = self.parts(shape)?;
        let whole = match parts.len() {
            0 => self.call("anything", &[]),
            1 => parts.remove(0),
            _ => self.call("all_of", &parts),
        };
        Ok(if is_scoped(shape) { self.call("scoped", &[whole]) } else { whole })
    }

    /// A shape as predicates that must all hold, in this order.
    pub(crate) fn parts(self, shape: &Shape) -> Result<Vec<String>> {
        if shape.never {
            return Ok(vec![self.call("nothing", &[])]);
        }
        let mut parts = Vec::new();
        if !shape.types.is_empty() {
            let names: Vec<String> =
                shape.types.iter().map(|kind| quote(&kind.to_string())).collect();
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
        let rules = &shape.number;
        let bounds = [
            ("minimum", &rules.minimum),
            ("maximum", &rules.maximum),
            ("exclusive_minimum", &rules.exclusive_minimum),
            ("exclusive_maximum", &rules.exclusive_maximum),
            ("multiple_of", &rules.multiple_of),
        ];
        self.bounds(bounds.map(|(name, bound)| (name, bound.as_ref())), &mut parts);
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
    pub(crate) fn refinements(self, shape: &Shape) -> Result<Vec<String>> {
        if is_scoped(shape) { Ok(vec![self.shape(shape)?]) } else { self.parts(shape) }
    }

    /// A call of a function of the runtime.
    pub(crate) fn call(self, function: &str, arguments: &[String]) -> String {
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

    pub(crate) fn string(self, rules: &StringRules, parts: &mut Vec<String>) -> Result<()> {
        self.bounds([("min_length", rules.min_length), ("max_length", rules.max_length)], parts);
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
    pub(crate) fn format(self, format: &str) -> String {
        self.call(&format!("format_{}", format.replace('-', "_")), &[])
    }

    fn bounds<T: ToString>(
        self,
        rules: impl IntoIterator<Item = (&'static str, Option<T>)>,
        parts: &mut Vec<String>,
    ) {
        let written = rules.into_iter().filter_map(|(name, bound)| Some((name, bound?)));
        parts.extend(written.map(|(name, bound)| self.call(name, &[bound.to_string()])));
    }

    fn array(self, rules: &ArrayRules, parts: &mut Vec<String>) -> Result<()> {
        self.bounds([("min_items", rules.min_items), ("max_items", rules.max_items)], parts);
        if rules.unique_items {
            parts.push(self.call("unique_items", &[]));
        }
        if !rules.prefix_items.is_empty() || rules.items.is_some() {
            let prefix = list(&self.shapes(&rules.prefix_items)?);
            parts.push(self.call("items", &[prefix, self.maybe(rules.items.as_deref())?]));
        }
        if let Some(contained) = &rules.contains {
            let none = || self.language.none().to_owned();
            let most = rules.max_contains.map_or_else(none, |most| most.to_string());
            let least = rules.min_contains.unwrap_or(1).to_string();
            parts.push(self.call("contains", &[self.shape(contained)?, least, most]));
        }
        Ok(())
    }

    fn object(self, rules: &ObjectRules, parts: &mut Vec<String>) -> Result<()> {
        let language = self.language;
        let names =
            |names: &[String]| -> Vec<String> { names.iter().map(|name| quote(name)).collect() };
        if !rules.required.is_empty() {
            parts.push(self.call("required", &names(&rules.required)));
        }
        let bounds =
            [("min_properties", rules.min_properties), ("max_properties", rules.max_properties)];
        self.bounds(bounds, parts);
        if let Some(named) = &rules.property_names {
            parts.push(self.call("property_names", &[self.shape(named)?]));
        }
        let known = rules.properties.iter();
        let known = known.map(|(key, own)| Ok(language.pair(&quote(key), &self.shape(own)?)));
        let known: Vec<String> = known.collect::<Result<_>>()?;
        let matched = rules.pattern_properties.iter().map(|(text, own)| {
            Ok(language.pair(&pattern::write(text, language)?, &self.shape(own)?))
        });
        let matched: Vec<String> = matched.collect::<Result<_>>()?;
        if !known.is_empty() || !matched.is_empty() || rules.additional.is_some() {
            let rest = self.maybe(rules.additional.as_deref())?;
            let [known, matched] = [known, matched].map(|pairs| list(&pairs));
            parts.push(self.call("properties", &[known, matched, rest]));
        }
        for (key, needed) in &rules.dependent_required {
            let list = list(&names(needed));
            parts.push(self.call("dependent_required", &[quote(key), list]));
        }
        for (key, shape) in &rules.dependent_schemas {
            parts.push(self.call("dependent_schema", &[quote(key), self.shape(shape)?]));
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

/// Whether predicates of a shape depend on what the others have evaluated.
pub(super) fn is_scoped(shape: &Shape) -> bool {
    shape.array.unevaluated_items.is_some() || shape.object.unevaluated_properties.is_some()
}
