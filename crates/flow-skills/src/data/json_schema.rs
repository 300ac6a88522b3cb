//! Reads JSON Schema 2020-12 into the model. A keyword that the model cannot hold is a fault that names it; local
//! references, recursive ones too, become references to entities. It does not fetch anything.

use std::collections::VecDeque;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::keywords;
use super::stack;
use super::{Entity, Model, Shape};
use crate::fields::bad;
use crate::output::{Fault, Result};

/// Which dialect the words of a schema belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// JSON Schema 2020-12, with the older spellings that mean one thing only.
    JsonSchema,
    /// `OpenAPI` 3.0 and 3.1: also `nullable`, `discriminator`, `example` and `xml`.
    OpenApi,
}

/// Reads a schema; `name` is what its root is called, unless its title says, and `field` is where it was given.
///
/// # Errors
/// When it is no schema, refers to what is not there, or uses a keyword that the model cannot hold.
pub fn read(schema: &Value, name: &str, field: &str) -> Result<Model> {
    if !schema.is_object() && !schema.is_boolean() {
        return Err(bad(field, schema, "a JSON Schema: an object, true or false"));
    }
    let title = schema.get("title").and_then(Value::as_str).filter(|title| !title.is_empty());
    let root = title.unwrap_or(name).to_owned();
    let mut reader = Reader::new(schema, field, Dialect::JsonSchema);
    reader.claim(String::new(), &root);
    reader.claim_all("/$defs", &["$defs"]);
    reader.claim_all("/definitions", &["definitions"]);
    let mut model = stack::run(|| reader.finish())?;
    model.root = Some(root);
    Ok(model)
}

/// Whether the words of a dialect are those that are read here; another one may have given them another meaning.
fn is_known(dialect: &Value) -> bool {
    let address = dialect.as_str().and_then(|text| text.split_once("://"));
    address.is_some_and(|(_, rest)| {
        rest.starts_with("json-schema.org/") || rest.starts_with("spec.openapis.org/")
    })
}

/// Reads the schemas of one document; what is referred to is read once.
pub struct Reader<'a> {
    document: &'a Value,
    field: String,
    pub(super) dialect: Dialect,
    names: IndexMap<String, String>,
    anchors: IndexMap<String, String>,
    pending: VecDeque<(String, String)>,
}

impl<'a> Reader<'a> {
    /// A reader of the schemas in `document`, which was given in `field`.
    pub fn new(document: &'a Value, field: &str, dialect: Dialect) -> Self {
        let mut anchors = IndexMap::new();
        find_anchors(document, "", 0, &mut anchors);
        Self {
            document,
            field: field.to_owned(),
            dialect,
            names: IndexMap::new(),
            anchors,
            pending: VecDeque::new(),
        }
    }

    /// Gives the schema at a pointer a name, the wanted one where it is free, and puts it on the list to be read.
    pub fn claim(&mut self, pointer: String, wanted: &str) -> String {
        if let Some(name) = self.names.get(&pointer) {
            return name.clone();
        }
        let taken = |name: &str| self.names.values().any(|other| other == name);
        let mut name = wanted.to_owned();
        let mut number = 2;
        while taken(&name) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        self.names.insert(pointer.clone(), name.clone());
        self.pending.push_back((pointer, name.clone()));
        name
    }

    /// Claims every member of the object at a path.
    pub fn claim_all(&mut self, pointer: &str, path: &[&str]) {
        let found = path.iter().try_fold(self.document, |value, key| value.get(key));
        for key in found.and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            self.claim(format!("{pointer}/{}", escape(key)), key);
        }
    }

    /// Reads all that was claimed, and what it refers to.
    ///
    /// # Errors
    /// As [`read`].
    pub fn finish(mut self) -> Result<Model> {
        let mut model = Model::default();
        while let Some((pointer, name)) = self.pending.pop_front() {
            let Some(schema) = self.document.pointer(&pointer) else {
                return Err(self.refused(&pointer, "refers to a place that is not in the schema"));
            };
            let shape = self.shape(schema, &pointer)?;
            model.entities.insert(name, Entity { shape, table: None });
        }
        match endless(&model) {
            Some(name) => Err(Fault::Refused(format!(
                "the field {:?} has an entity {name:?} that refers to itself without an end",
                self.field
            ))),
            None => Ok(model),
        }
    }

    /// Reads one schema, which lies at `at`.
    pub(super) fn shape(&mut self, schema: &Value, at: &str) -> Result<Shape> {
        match schema {
            Value::Bool(true) => Ok(Shape::default()),
            Value::Bool(false) => Ok(Shape::never()),
            Value::Object(map) => self.object(map, at),
            other => {
                let place = self.place(at);
                Err(bad(&place, other, "a schema: an object, true or false"))
            }
        }
    }

    fn object(&mut self, map: &Map<String, Value>, at: &str) -> Result<Shape> {
        let mut shape = Shape::default();
        for (word, value) in map {
            let here = format!("{at}/{}", escape(word));
            if keywords::scalar(self, &mut shape, (word, value, &here))?
                || keywords::nested(self, &mut shape, (word, value, &here))?
            {
                continue;
            }
            match (word.as_str(), value) {
                ("$ref", Value::String(target)) => {
                    let name = self.resolve(target, &here)?;
                    shape.reference = Some(name);
                }
                ("$id" | "id", _) if at.is_empty() => {}
                ("$schema", dialect) if !is_known(dialect) => {
                    return Err(self.refused(&here, &format!("is {dialect}, a dialect not known")));
                }
                _ if self.is_annotation(word) => {}
                _ => return Err(self.refused(&here, "is a keyword that is not supported")),
            }
        }
        keywords::settle(self.dialect, map, &mut shape);
        Ok(shape)
    }

    fn is_annotation(&self, word: &str) -> bool {
        const WORDS: [&str; 11] = [
            "$schema",
            "$comment",
            "$defs",
            "definitions",
            "$anchor",
            "deprecated",
            "readOnly",
            "writeOnly",
            "contentEncoding",
            "contentMediaType",
            "contentSchema",
        ];
        const OPEN_API: [&str; 5] = ["discriminator", "xml", "externalDocs", "example", "nullable"];
        WORDS.contains(&word)
            || word.starts_with("x-")
            || (self.dialect == Dialect::OpenApi && OPEN_API.contains(&word))
    }

    /// The name of the entity that a reference means.
    fn resolve(&mut self, target: &str, at: &str) -> Result<String> {
        let own = self.document.get("$id").and_then(Value::as_str).unwrap_or_default();
        let local = match target.strip_prefix(own) {
            Some("") => "#",
            Some(rest) if rest.starts_with('#') => rest,
            _ => target,
        };
        let decoded = local.strip_prefix('#').map(|rest| {
            percent_encoding::percent_decode_str(rest).decode_utf8_lossy().into_owned()
        });
        let Some(mut pointer) = decoded else {
            return Err(self.refused(at, &format!("refers to {target:?}, outside of the schema")));
        };
        if !pointer.is_empty() && !pointer.starts_with('/') {
            let found = self.anchors.get(&pointer).cloned();
            pointer = found.ok_or_else(|| {
                self.refused(at, &format!("refers to {target:?}, which is not there"))
            })?;
        }
        if self.document.pointer(&pointer).is_none() {
            return Err(self.refused(at, &format!("refers to {target:?}, which is not there")));
        }
        let last =
            pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
        Ok(self.claim(pointer, if last.is_empty() { "Root" } else { &last }))
    }

    /// A fault about a place in the schema.
    pub(super) fn refused(&self, at: &str, what: &str) -> Fault {
        Fault::Refused(format!("{} {what}", self.place(at)))
    }

    /// The place, as a path of the input.
    pub(super) fn place(&self, at: &str) -> String {
        format!("{}#{at}", self.field)
    }
}

/// A member's name as a token of a JSON pointer.
pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn find_anchors(value: &Value, at: &str, depth: usize, found: &mut IndexMap<String, String>) {
    if depth > 64 {
        return;
    }
    if let Some(map) = value.as_object() {
        if let Some(Value::String(name)) = map.get("$anchor") {
            found.entry(name.clone()).or_insert_with(|| at.to_owned());
        }
        for (key, child) in map.iter().filter(|(key, _)| !matches!(key.as_str(), "const" | "enum"))
        {
            find_anchors(child, &format!("{at}/{}", escape(key)), depth + 1, found);
        }
    }
    for (index, child) in value.as_array().into_iter().flatten().enumerate() {
        find_anchors(child, &format!("{at}/{index}"), depth + 1, found);
    }
}

/// An entity that is reached from itself without going into a member: no value would ever be decided.
fn endless(model: &Model) -> Option<&str> {
    fn visit<'m>(
        model: &'m Model,
        name: &'m str,
        path: &mut Vec<&'m str>,
        done: &mut Vec<&'m str>,
    ) -> bool {
        if path.contains(&name) {
            return true;
        }
        if done.contains(&name) {
            return false;
        }
        path.push(name);
        let shape = model.entities.get(name).map(|entity| &entity.shape);
        let found = shape.is_some_and(|shape| {
            let mut names = Vec::new();
            in_place(shape, &mut names);
            names.into_iter().any(|next| visit(model, next, path, done))
        });
        path.pop();
        done.push(name);
        found
    }
    let mut done = Vec::new();
    model
        .entities
        .keys()
        .map(String::as_str)
        .find(|name| visit(model, name, &mut Vec::new(), &mut done))
}

/// The entities that a shape applies to the same value.
fn in_place<'m>(shape: &'m Shape, names: &mut Vec<&'m str>) {
    names.extend(shape.reference.as_deref());
    let lists = [&shape.all_of, &shape.any_of, &shape.one_of].into_iter().flatten();
    let boxes = [&shape.not, &shape.if_shape, &shape.then_shape, &shape.else_shape];
    let single = boxes.into_iter().filter_map(|shape| shape.as_deref());
    for child in lists.chain(single).chain(shape.object.dependent_schemas.values()) {
        in_place(child, names);
    }
}
