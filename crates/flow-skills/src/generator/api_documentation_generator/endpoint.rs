//! Converts an endpoint to an operation.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::document::{Document, reason};
use super::notation::{Call, FIELD, typed};
use super::schema::{self, component};
use crate::output::{Fault, Result};
use crate::text::unused;

/// The schemas that the endpoints of a path name, each that of a response or request, without lists. Most paths differ in
/// their first characters, so that comparing them costs less than a hash of long ones.
type Named<'a> = BTreeMap<&'a str, Vec<&'a str>>;

/// The schemas of endpoints by path.
fn named(calls: &[Call]) -> Named<'_> {
    let mut named = Named::new();
    for Call { endpoint, request, response, .. } in calls {
        let bodies = [response, request].into_iter().flatten().filter_map(Value::as_str);
        let mut single = bodies.filter(|name| !name.ends_with("[]"));
        if let Some(name) = single.next() {
            named.entry(&endpoint.path).or_default().push(name);
        }
    }
    named
}

pub(super) fn add(document: &mut Document<'_>, calls: &[Call]) -> Result<()> {
    let named = named(calls);
    let mut by_shape: HashMap<String, &str> = HashMap::new();
    for call in calls {
        let (path, title) = (call.endpoint.path.as_str(), call.title());
        if document.operation(path, &call.method()).is_some() {
            document.notes.push(format!("{title} stays as the document has it"));
            continue;
        }
        let operation = call.operation(document, &named)?;
        let same = *by_shape.entry(shape(path)).or_insert(path);
        if same != path {
            return Err(Fault::Refused(format!(
                "{title}: {same} is the same path with other names of parameters; use the same names"
            )));
        }
        let item = document.paths.entry(path).or_insert_with(|| json!({}));
        item[call.method()] = operation;
    }
    Ok(())
}

/// A path without the names of its parameters, by which OpenAPI tells paths apart.
fn shape(path: &str) -> String {
    let parts = path.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    parts.collect::<Vec<_>>().join("{")
}

impl Call {
    pub(super) fn method(&self) -> String {
        self.endpoint.method.to_lowercase()
    }

    /// The parameters of the path, each with the path up to its end.
    fn path_parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.endpoint.path.match_indices('{').filter_map(|(at, _)| {
            let rest = self.endpoint.path[at + 1..].split('{').next()?;
            let (name, _) = rest.split_once('}')?;
            Some((name, &self.endpoint.path[..at + name.len() + 2]))
        })
    }

    fn title(&self) -> String {
        format!("{} {}", self.endpoint.method, self.endpoint.path)
    }

    fn operation(&self, document: &mut Document<'_>, named: &Named<'_>) -> Result<Value> {
        let mut out = self.names(document);
        let parameters = self.parameters(document, named)?;
        let has_parameters = !parameters.is_empty() || self.endpoint.path.contains('{');
        if !parameters.is_empty() {
            out.insert("parameters".into(), Value::Array(parameters));
        }
        if let Some(body) = &self.request {
            let content = content(body, document)?;
            out.insert("requestBody".into(), json!({ "required": true, "content": content }));
        }
        let is_open = self.endpoint.is_public;
        let usual = [
            (400, self.request.is_some() || has_parameters),
            (401, document.is_secured && !is_open),
            (404, self.endpoint.path.contains('{')),
        ];
        let usual = usual.into_iter().filter(|(_, holds)| *holds).map(|(status, _)| status);
        let responses = self.responses(&usual.collect::<Vec<_>>(), document)?;
        out.insert("responses".into(), Value::Object(responses));
        let security = if document.is_secured && is_open {
            Some(json!([]))
        } else {
            document.required.clone().filter(|_| document.existing.is_some())
        };
        out.extend(security.map(|security| ("security".to_owned(), security)));
        Ok(Value::Object(out))
    }

    /// The names of an operation, for people and for programs.
    fn names(&self, document: &mut Document<'_>) -> Map<String, Value> {
        let mut out = Map::new();
        let path = &self.endpoint.path;
        let first = path.split('/').find(|part| !part.is_empty() && !part.starts_with('{'));
        out.insert("tags".into(), json!([first.unwrap_or("root")]));
        out.extend(self.endpoint.summary.clone().map(|text| ("summary".to_owned(), text.into())));
        let words = path.replace('{', "by ").replace('}', " ");
        let usual = heck::AsLowerCamelCase(format!("{} {words}", self.method())).to_string();
        let id = unused(&usual, |id| document.operations.insert(id.to_owned()));
        out.insert("operationId".into(), id.into());
        out
    }

    fn parameters(&self, document: &mut Document<'_>, named: &Named<'_>) -> Result<Vec<Value>> {
        let mut out: Vec<Value> = Vec::new();
        for (name, schema) in &self.query {
            out.push(json!({ "name": name, "in": "query", "schema": schema }));
        }
        let mut seen = HashSet::new();
        for (name, end) in self.path_parameters() {
            if !seen.insert(name) {
                return Err(Fault::Refused(format!(
                    "{}: the path has the parameter {{{name}}} twice; rename one",
                    self.title()
                )));
            }
            if !document.has_path_parameter(&self.endpoint.path, name) {
                let schema = key(named, name, end, document);
                out.push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
            }
        }
        Ok(out)
    }

    fn responses(&self, usual: &[u16], document: &mut Document<'_>) -> Result<Map<String, Value>> {
        let mut out = Map::new();
        let default = match self.endpoint.method.as_str() {
            "POST" => 201,
            "GET" | "HEAD" => 200,
            _ if self.response.is_none() => 204,
            _ => 200,
        };
        let status = self.endpoint.status.unwrap_or(default);
        let mut success = json!({ "description": reason(status) });
        if let Some(response) = &self.response {
            success["content"] = content(response, document)?;
        }
        out.insert(status.to_string(), success);
        let stated = &self.endpoint.errors;
        let usual = usual.iter().filter(|status| stated.is_empty() || **status == 401);
        for status in usual.chain(stated).collect::<BTreeSet<&u16>>() {
            out.insert(status.to_string(), document.error(*status));
        }
        Ok(out)
    }
}

/// The schema of a path parameter: that of the property of this name, if an endpoint whose path ends in it names a schema.
/// `end` is the path up to the end of the parameter.
fn key(named: &Named<'_>, name: &str, end: &str, document: &Document<'_>) -> Value {
    let property = named
        .get(end)
        .into_iter()
        .flatten()
        .find_map(|schema| document.schema(&component(schema))?.get("properties")?.get(name));
    let word = |key: &str| property?.get(key).filter(|value| value.is_string()).cloned();
    let kind = word("type").filter(|kind| kind == "string" || kind == "integer");
    let Some(kind) = kind else { return json!({ "type": "string" }) };
    let mut schema = json!({ "type": kind });
    if let Some(format) = word("format") {
        schema["format"] = format;
    }
    schema
}

/// The content of a body: the name of a schema, `Name[]` for a list of them, or a schema.
fn content(body: &Value, document: &mut Document<'_>) -> Result<Value> {
    let schema = match body {
        Value::String(name) if document.is_type(name) => {
            typed("body", name, FIELD, &mut document.writer)?
        }
        Value::String(name) => match name.strip_suffix("[]") {
            Some(item) => {
                json!({ "type": "array", "items": { "$ref": schema::reference(item) } })
            }
            None => json!({ "$ref": schema::reference(name) }),
        },
        schema => schema.clone(),
    };
    let mut media = json!({ "schema": schema });
    // An object without members, or a list of it, shows nothing.
    let is_shown = |example: &Value| *example != json!({}) && *example != json!([{}]);
    if let Some(example) = document.example(&media["schema"]).filter(is_shown) {
        media["example"] = example;
    }
    Ok(json!({ "application/json": media }))
}
