//! The keywords of JSON Schema, and the part of a shape that each one sets: the one list that readers and writers share.

use indexmap::IndexMap;
use serde_json::{Number, Value};

use super::{Shape, Type};

/// The keywords that are the parts of a shape, in the order in which they are written.
pub(crate) const KEYWORDS: &str = "type title description format enum const minimum maximum exclusiveMinimum exclusiveMaximum \
    multipleOf minLength maxLength pattern items prefixItems contains minContains maxContains minItems maxItems uniqueItems \
    unevaluatedItems properties required additionalProperties patternProperties propertyNames dependentRequired \
    dependentSchemas minProperties maxProperties unevaluatedProperties allOf anyOf oneOf not if then else default examples";

/// A part of a shape, by the type of its value.
pub(crate) enum Part<'s> {
    /// A text that says nothing about values.
    Annotation(&'s mut Option<String>),
    Text(&'s mut Option<String>),
    Any(&'s mut Option<Value>),
    Examples(&'s mut Vec<Value>),
    Values(&'s mut Option<Vec<Value>>),
    Count(&'s mut Option<u64>),
    Number(&'s mut Option<Number>),
    Flag(&'s mut bool),
    Types(&'s mut Vec<Type>),
    Names(&'s mut Vec<String>),
    NamesByName(&'s mut IndexMap<String, Vec<String>>),
    Shape(&'s mut Option<Box<Shape>>),
    Shapes(&'s mut Vec<Shape>),
    ShapesByName(&'s mut IndexMap<String, Shape>),
}

impl Shape {
    /// The part that a keyword sets.
    pub(crate) fn part(&mut self, keyword: &str) -> Option<Part<'_>> {
        let Self { number, string, array, object, .. } = self;
        Some(match keyword {
            "type" => Part::Types(&mut self.types),
            "title" => Part::Annotation(&mut self.title),
            "description" => Part::Annotation(&mut self.description),
            "default" => Part::Any(&mut self.default),
            "examples" => Part::Examples(&mut self.examples),
            "enum" => Part::Values(&mut self.enumeration),
            "const" => Part::Any(&mut self.constant),
            "format" => Part::Text(&mut string.format),
            "pattern" => Part::Text(&mut string.pattern),
            "minLength" => Part::Count(&mut string.min_length),
            "maxLength" => Part::Count(&mut string.max_length),
            "minimum" => Part::Number(&mut number.minimum),
            "maximum" => Part::Number(&mut number.maximum),
            "exclusiveMinimum" => Part::Number(&mut number.exclusive_minimum),
            "exclusiveMaximum" => Part::Number(&mut number.exclusive_maximum),
            "multipleOf" => Part::Number(&mut number.multiple_of),
            "items" => Part::Shape(&mut array.items),
            "prefixItems" => Part::Shapes(&mut array.prefix_items),
            "contains" => Part::Shape(&mut array.contains),
            "minContains" => Part::Count(&mut array.min_contains),
            "maxContains" => Part::Count(&mut array.max_contains),
            "minItems" => Part::Count(&mut array.min_items),
            "maxItems" => Part::Count(&mut array.max_items),
            "uniqueItems" => Part::Flag(&mut array.unique_items),
            "unevaluatedItems" => Part::Shape(&mut array.unevaluated_items),
            "properties" => Part::ShapesByName(&mut object.properties),
            "required" => Part::Names(&mut object.required),
            "additionalProperties" => Part::Shape(&mut object.additional),
            "patternProperties" => Part::ShapesByName(&mut object.pattern_properties),
            "propertyNames" => Part::Shape(&mut object.property_names),
            "dependentRequired" => Part::NamesByName(&mut object.dependent_required),
            "dependentSchemas" => Part::ShapesByName(&mut object.dependent_schemas),
            "minProperties" => Part::Count(&mut object.min_properties),
            "maxProperties" => Part::Count(&mut object.max_properties),
            "unevaluatedProperties" => Part::Shape(&mut object.unevaluated_properties),
            "allOf" => Part::Shapes(&mut self.all_of),
            "anyOf" => Part::Shapes(&mut self.any_of),
            "oneOf" => Part::Shapes(&mut self.one_of),
            "not" => Part::Shape(&mut self.not),
            "if" => Part::Shape(&mut self.if_shape),
            "then" => Part::Shape(&mut self.then_shape),
            "else" => Part::Shape(&mut self.else_shape),
            _ => return None,
        })
    }
}
