//! Converts an endpoint to an operation.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::document::{Document, reason};
use super::input::EndpointFields;
use super::schema::{self, component};
use crate::data::text;
use crate::input::values::TextOr;
use crate::notation::endpoints::braces;
use crate::output::{Fault, Result, bad, bad_text};

const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

/// An endpoint with a valid method and path.
pub(super) struct Endpoint<'a> {
    fields: &'a EndpointFields,
    /// Its index in the input.
    at: usize,
    pub(super) method: &'static str,
    /// The path with its parameters in braces.
    pub(super) path: String,
    /// The schemas that the endpoints name.
    named: &'a Named<'a>,
}

/// The schemas that the endpoints of a path name, each that of a response or request, without lists. Most paths differ in
/// their first characters, so that comparing them costs less than a hash of long ones.
type Named<'a> = BTreeMap<String, Vec<&'a str>>;

/// The schemas of endpoints by path.
fn named(endpoints: &[EndpointFields]) -> Named<'_> {
    let mut named = Named::new();
    for fields in endpoints {
        let body = fields.response.as_ref().or(fields.request.as_ref());
        if let Some(name) = body.and_then(Value::as_str).filter(|name| !name.ends_with("[]")) {
            named.entry(braces(&fields.path)).or_default().push(name);
        }
    }
    named
}

pub(super) fn add(document: &mut Document<'_>, endpoints: &[EndpointFields]) -> Result<()> {
    let named = named(endpoints);
    let mut by_shape: HashMap<String, String> = HashMap::new();
    for (at, fields) in endpoints.iter().enumerate() {
        let endpoint = Endpoint::read(fields, at, &named)?;
        let title = endpoint.title();
        if document.operation(&endpoint.path, endpoint.method).is_some() {
            document.notes.push(format!("{title} stays as the document has it"));
            continue;
        }
        let operation = endpoint.operation(document)?;
        let path = by_shape.entry(shape(&endpoint.path)).or_insert_with(|| endpoint.path.clone());
        if *path != endpoint.path {
            return Err(Fault::Refused(format!(
                "{title}: {path} is the same path with other names of parameters; use the same names"
            )));
        }
        let item = document.paths.entry(endpoint.path).or_insert_with(|| json!({}));
        if item.get(endpoint.method).is_some() {
            return Err(Fault::Refused(format!("the endpoint {title} is given twice")));
        }
        item[endpoint.method] = operation;
    }
    Ok(())
}

/// A path without the names of its parameters, by which OpenAPI tells paths apart.
fn shape(path: &str) -> String {
    let parts = path.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    parts.collect::<Vec<_>>().join("{")
}

impl<'a> Endpoint<'a> {
    fn read(fields: &'a EndpointFields, at: usize, named: &'a Named<'a>) -> Result<Self> {
        let bad = |field: &str, given: &str, allowed: &str| {
            bad_text(&format!("endpoints[{at}].{field}"), given, allowed)
        };
        let lower = fields.method.to_ascii_lowercase();
        let method = METHODS.into_iter().find(|known| *known == lower);
        let method = method.ok_or_else(|| {
            bad("method", &fields.method, &format!("one of {}", METHODS.join(", ")))
        })?;
        if !fields.path.starts_with('/') || fields.path.contains(['?', '#']) {
            return Err(bad("path", &fields.path, "a path that begins with / and has no query"));
        }
        let endpoint = Self { fields, at, method, path: braces(&fields.path), named };
        let mut seen = HashSet::new();
        if let Some((twice, _)) = endpoint.path_parameters().find(|(name, _)| !seen.insert(*name)) {
            return Err(Fault::Refused(format!(
                "{}: the path has the parameter {{{twice}}} twice; rename one",
                endpoint.title()
            )));
        }
        Ok(endpoint)
    }

    /// The parameters of the path, each with the path up to its end.
    fn path_parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.path.match_indices('{').filter_map(|(at, _)| {
            let rest = self.path[at + 1..].split('{').next()?;
            let (name, _) = rest.split_once('}')?;
            Some((name, &self.path[..at + name.len() + 2]))
        })
    }

    fn title(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }

    pub(super) fn operation(&self, document: &mut Document<'_>) -> Result<Value> {
        let mut out = self.named(document)?;
        let parameters = self.parameters(document)?;
        let has_parameters = !parameters.is_empty() || self.path.contains('{');
        if !parameters.is_empty() {
            out.insert("parameters".into(), Value::Array(parameters));
        }
        if let Some(body) = &self.fields.request {
            let content = self.content("request", body, document)?;
            out.insert("requestBody".into(), json!({ "required": true, "content": content }));
        }
        let is_open = self.fields.auth == Some(false);
        let usual = [
            (400, self.fields.request.is_some() || has_parameters),
            (401, document.is_secured && !is_open),
            (404, self.path.contains('{')),
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
    fn named(&self, document: &mut Document<'_>) -> Result<Map<String, Value>> {
        let mut out = Map::new();
        let first = self.path.split('/').find(|part| !part.is_empty() && !part.starts_with('{'));
        let tags = self.fields.tags.as_ref().map(|fields| json!(fields));
        out.insert("tags".into(), tags.unwrap_or_else(|| json!([first.unwrap_or("root")])));
        if let Some(summary) = &self.fields.summary {
            out.insert("summary".into(), (**summary).into());
        }
        if let Some(description) = &self.fields.description {
            out.insert("description".into(), (**description).into());
        }
        let words = self.path.replace('{', "by ").replace('}', " ");
        let usual = || heck::AsLowerCamelCase(format!("{} {words}", self.method)).to_string();
        let id = self.fields.operation_id.as_deref().map_or_else(usual, str::to_owned);
        if !document.operations.insert(id.clone()) {
            return Err(Fault::Refused(format!(
                "two endpoints have the operationId {id:?}: name them with operationId"
            )));
        }
        out.insert("operationId".into(), id.into());
        Ok(out)
    }

    fn parameters(&self, document: &mut Document<'_>) -> Result<Vec<Value>> {
        let mut out: Vec<Value> = Vec::new();
        let in_path: HashSet<&str> = self.path_parameters().map(|(name, _)| name).collect();
        let mut seen = HashSet::new();
        for (number, parameter) in self.fields.parameters.iter().enumerate() {
            let field = format!("endpoints[{}].parameters[{number}]", self.at);
            let parameter = read_parameter(parameter, &field, &in_path, document)?;
            let key = |key: &str| parameter[key].as_str().unwrap_or_default().to_owned();
            let (place, name) = (key("in"), key("name"));
            if !seen.insert((place.clone(), name.clone())) {
                return Err(Fault::Refused(format!(
                    "{} has two parameters {name:?} (in: {place})",
                    self.title()
                )));
            }
            out.push(parameter);
        }
        for (name, end) in self.path_parameters() {
            let is_given = seen.contains(&("path".to_owned(), name.to_owned()));
            if !is_given && !document.has_path_parameter(&self.path, name) {
                let schema = self.key(name, end, document);
                out.push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
            }
        }
        Ok(out)
    }

    /// The schema of a path parameter: that of the property of this name, if an endpoint whose path ends in it names a
    /// schema. `end` is the path up to the end of the parameter.
    fn key(&self, name: &str, end: &str, document: &mut Document<'_>) -> Value {
        let property =
            self.named.get(end).into_iter().flatten().find_map(|schema| {
                document.schema(&component(schema))?.get("properties")?.get(name)
            });
        let word = |key: &str| property?.get(key).filter(|value| value.is_string()).cloned();
        let kind = word("type").filter(|kind| kind == "string" || kind == "integer");
        let Some(kind) = kind else { return json!({ "type": "string" }) };
        let mut schema = json!({ "type": kind });
        if let Some(format) = word("format") {
            schema["format"] = format;
        }
        document.shaped(schema)
    }

    fn responses(&self, usual: &[u16], document: &mut Document<'_>) -> Result<Map<String, Value>> {
        let mut out = Map::new();
        let response = self.fields.response.as_ref();
        let default = match self.method {
            "post" => 201,
            "get" | "head" => 200,
            _ if response.is_none() => 204,
            _ => 200,
        };
        let stated = self.fields.status.and_then(|status| u16::try_from(status.get()).ok());
        let status = stated.unwrap_or(default);
        let mut success = json!({ "description": reason(status) });
        if let Some(response) = response {
            success["content"] = self.content("response", response, document)?;
        }
        out.insert(status.to_string(), success);
        let stated = self.fields.errors.as_deref();
        let is_usual =
            |status: u16| stated.is_none_or(|stated| !stated.is_empty() && status == 401);
        let usual = usual.iter().copied().filter(|status| is_usual(*status));
        let stated = stated.unwrap_or_default().iter();
        let stated = stated.filter_map(|status| u16::try_from(status.get()).ok());
        for status in usual.chain(stated).collect::<BTreeSet<u16>>() {
            out.insert(status.to_string(), document.error(status));
        }
        Ok(out)
    }

    /// The content of a body: the name of a schema, `Name[]` for a list of them, or a schema.
    fn content(&self, part: &str, body: &Value, document: &mut Document<'_>) -> Result<Value> {
        let field = format!("endpoints[{}].{part}", self.at);
        let schema = match body {
            Value::String(name) if document.is_type(name) => typed("body", name, &field)?,
            Value::String(name) => match name.strip_suffix("[]") {
                Some(item) => {
                    let reference = json!({ "$ref": schema::reference(item) });
                    json!({ "type": "array", "items": reference })
                }
                None => json!({ "$ref": schema::reference(name) }),
            },
            Value::Object(_) => match schema::foreign(body) {
                Some(to) => {
                    return Err(bad_text(&field, to, "a reference to #/components/schemas/NAME"));
                }
                None => body.clone(),
            },
            _ => return Err(bad(&field, body, "a schema, or the name of one")),
        };
        let example = document.example(&schema);
        let mut media = json!({ "schema": document.shaped(schema) });
        match example {
            // An object without members, or a list of it, shows nothing.
            Some(empty) if empty == json!({}) || empty == json!([{}]) => {}
            Some(example) => media["example"] = example,
            None => {}
        }
        Ok(json!({ "application/json": media }))
    }
}

/// A parameter: a name with its type in the notation, or an object of OpenAPI. `in_path` are the names of those in the path.
fn read_parameter(
    parameter: &TextOr<Map<String, Value>>,
    field: &str,
    in_path: &HashSet<&str>,
    document: &mut Document<'_>,
) -> Result<Value> {
    let mut out = match parameter {
        TextOr::Text(text) => {
            let (name, kind) = text.split_once('=').unwrap_or((text, "string"));
            let place = if in_path.contains(name) { "path" } else { "query" };
            json!({ "name": name, "in": place, "schema": typed(name, kind, field)? })
        }
        TextOr::Value(object) => json!(object),
    };
    if ["name", "in", "schema"].iter().any(|key| out.get(key).is_none()) {
        return Err(bad(field, &out, "an object of OpenAPI with name, in and schema"));
    }
    let word = |key: &str| out[key].as_str().unwrap_or_default();
    let (place, is_path) = (word("in"), in_path.contains(word("name")));
    let is_known = ["path", "query", "header", "cookie"].contains(&place);
    if !is_known || (place == "path") != is_path {
        let allowed = "path where the path has it, else query, header or cookie";
        return Err(bad_text(&format!("{field}.in"), place, allowed));
    }
    if is_path {
        out["required"] = true.into();
    }
    out["schema"] = document.shaped(out["schema"].take());
    Ok(out)
}

/// The schema of a type in the notation of entities.
fn typed(name: &str, kind: &str, field: &str) -> Result<Value> {
    let model = text::notation(&format!("Q: q {kind}"), "Q", field).map_err(|_| {
        let allowed = format!("a type for {name}, such as int, string, date or enum(a|b)");
        bad_text(&format!("{field}.type"), kind, &allowed)
    })?;
    let all = schema::schemas(&model);
    let found = all.get("Q").and_then(|schema| schema.pointer("/properties/q"));
    Ok(found.cloned().unwrap_or_else(|| json!({ "type": "string" })))
}
