//! Reads JSON Schema 2020-12, and the spellings of older drafts, into the model. References, including recursive ones,
//! become references to entities, where they are pointers into the document. An unknown keyword is an annotation, as the
//! specification requires. Nothing is fetched: any other reference allows any value, and a note lists it.

mod keywords;

use std::collections::{BTreeSet, VecDeque};

use indexmap::IndexMap;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::{Entity, Model, Shape};
use crate::output::{Fault, Result, bad};
use crate::stack;
use crate::text::{first, unused};

/// Number of references that a note names.
const NAMED: usize = 5;

/// A member's name as a token of a JSON pointer.
pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Reads a schema; `name` is the name of its root, unless it has a title, and `field` is the input field.
pub(crate) fn read(schema: &Value, name: &str, field: &str) -> Result<Model> {
    if !schema.is_object() && !schema.is_boolean() {
        return Err(bad(field, schema, "a JSON Schema: an object, true or false"));
    }
    let title = schema.get("title").and_then(Value::as_str).filter(|title| !title.is_empty());
    let root = title.unwrap_or(name).to_owned();
    let mut reader = Reader::new(schema, field);
    reader.claim(String::new(), &root);
    reader.claim_all("/$defs", &["$defs"]);
    reader.claim_all("/definitions", &["definitions"]);
    let mut model = stack::run(|| reader.finish())?;
    model.root = Some(root);
    Ok(model)
}

/// Reads the schemas of one document; each referenced schema is read once.
pub(crate) struct Reader<'a> {
    document: &'a Value,
    field: String,
    names: IndexMap<String, String>,
    pending: VecDeque<(String, String)>,
    /// References to other documents, and those that are no pointers.
    outside: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    /// A reader of the schemas in `document`, the value of the input field `field`.
    pub(crate) fn new(document: &'a Value, field: &str) -> Self {
        Self {
            document,
            field: field.to_owned(),
            names: IndexMap::new(),
            pending: VecDeque::new(),
            outside: BTreeSet::new(),
        }
    }

    /// Assigns a name to the schema at a pointer, the wanted one if it is unused, and queues it to be read.
    pub(crate) fn claim(&mut self, pointer: String, wanted: &str) -> String {
        if let Some(name) = self.names.get(&pointer) {
            return name.clone();
        }
        let name = unused(wanted, |name| self.names.values().all(|other| other != name));
        self.names.insert(pointer.clone(), name.clone());
        self.pending.push_back((pointer, name.clone()));
        name
    }

    /// Claims every member of the object at a path.
    pub(crate) fn claim_all(&mut self, pointer: &str, path: &[&str]) {
        let defined = path.iter().try_fold(self.document, |value, key| value.get(key));
        for (key, schema) in defined.and_then(Value::as_object).into_iter().flatten() {
            // A value that is not a schema, such as a comment, matters only if something refers to it.
            if schema.is_object() || schema.is_boolean() {
                self.claim(format!("{pointer}/{}", escape(key)), key);
            }
        }
    }

    /// Reads all queued schemas, and those that they refer to.
    pub(crate) fn finish(mut self) -> Result<Model> {
        let mut model = Model::default();
        while let Some((pointer, name)) = self.pending.pop_front() {
            let Some(schema) = self.document.pointer(&pointer) else {
                return Err(self.refused(&pointer, "refers to a place that is not in the schema"));
            };
            let shape = self.shape(schema, &pointer)?;
            model.entities.insert(name, Entity { shape, table: None });
        }
        if !self.outside.is_empty() {
            let named = first(&self.outside, NAMED, ", ");
            model.notes.push(format!(
                "any value is accepted for references that are no pointers into the document: {named}"
            ));
        }
        Ok(model)
    }

    fn object(&mut self, map: &Map<String, Value>, at: &str) -> Result<Shape> {
        let mut shape = Shape::default();
        for (word, value) in map {
            let here = format!("{at}/{}", escape(word));
            match (word.as_str(), value) {
                ("$ref", Value::String(target)) => {
                    shape.reference = self.resolve(target, &here)?;
                }
                (word, _) => self.keyword(&mut shape, word, value, &here)?,
            }
        }
        self.settle(map, &mut shape, at)?;
        Ok(shape)
    }

    /// The name of the entity that a pointer into this document leads to; `None` for any other reference.
    fn resolve(&mut self, target: &str, at: &str) -> Result<Option<String>> {
        let own = self.document.get("$id").and_then(Value::as_str).unwrap_or_default();
        let rest = target.strip_prefix(own.trim_end_matches('#')).unwrap_or(target);
        let pointer = rest.strip_prefix('#').or(Some(rest).filter(|rest| rest.is_empty()));
        let Some(pointer) = pointer.filter(|text| text.is_empty() || text.starts_with('/')) else {
            self.outside.insert(target.to_owned());
            return Ok(None);
        };
        let pointer = percent_decode_str(pointer).decode_utf8_lossy().into_owned();
        if self.document.pointer(&pointer).is_none() {
            return Err(self.refused(at, &format!("refers to {target:?}, which is not there")));
        }
        let wanted = self.wanted_name(&pointer);
        Ok(Some(self.claim(pointer, &wanted)))
    }

    /// The preferred name of the schema at a pointer: its key, unless that is a keyword or a number, else its title.
    fn wanted_name(&self, pointer: &str) -> String {
        let (parent, key) = pointer.rsplit_once('/').unwrap_or_default();
        let group = parent.rsplit('/').next().unwrap_or_default();
        let key = key.replace("~1", "/").replace("~0", "~");
        let is_named = ["$defs", "definitions", "schemas", "properties"].contains(&group);
        let title = self.document.pointer(pointer).and_then(|schema| schema.get("title"));
        match title.and_then(Value::as_str).filter(|title| !title.is_empty() && !is_named) {
            Some(title) => title.to_owned(),
            None if key.is_empty() => "Root".to_owned(),
            None => key,
        }
    }

    /// A fault at a position in the schema.
    fn refused(&self, at: &str, what: &str) -> Fault {
        Fault::Refused(format!("{}#{at} {what}", self.field))
    }

    /// A value at a position in the schema that is not what is allowed there.
    fn bad(&self, at: &str, given: &Value, allowed: &str) -> Fault {
        bad(&format!("{}#{at}", self.field), given, allowed)
    }

    fn shape(&mut self, schema: &Value, at: &str) -> Result<Shape> {
        match schema {
            Value::Bool(true) => Ok(Shape::default()),
            Value::Bool(false) => Ok(Shape::never()),
            Value::Object(map) => self.object(map, at),
            other => Err(self.bad(at, other, "a schema: an object, true or false")),
        }
    }
}
