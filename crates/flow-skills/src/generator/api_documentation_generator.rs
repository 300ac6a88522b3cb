//! `api-documentation-generator`: endpoints and schemas become a whole OpenAPI document, 3.0 or 3.1.

mod endpoint;
mod example;
mod merge;
mod schema;
mod spoken;
mod text;
mod yaml;

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::source;
use crate::data::samples;
use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Fault, Output, Result};
use crate::project_state::Context;

/// Most endpoints of a text.
const ENDPOINTS: usize = 5_000;

/// Makes the document.
///
/// # Errors
/// When an endpoint cannot be read, or names a schema that is not there.
pub(super) fn generate(input: &Input, _: &Context) -> Result<Output> {
    let existing = existing(input)?;
    let is_old = is_3_0(input, existing.as_ref())?;
    let format = fields::choice(input, "format", &["yaml", "json"])?;
    let mut document = Document { is_old, ..Document::default() };
    document.read_schemas(input)?;
    let schemes = schemes(input)?;
    document.is_secured = !schemes.is_empty();
    let endpoints = endpoints(input, &mut document)?;
    let mut paths = Map::new();
    for (at, value) in endpoints.iter().enumerate() {
        let own = endpoint::read(value, at)?;
        let path = own.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
        let method = own.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
        let operation = endpoint::operation(&own, at, &mut document)?;
        let item = paths.entry(path.clone()).or_insert_with(|| json!({}));
        if item.get(&method).is_some() {
            return Err(Fault::Refused(format!(
                "the endpoint {} {path} is given twice",
                method.to_uppercase()
            )));
        }
        item[method] = operation;
    }
    let made = document.whole(input, &paths, schemes);
    let mut notes = std::mem::take(&mut document.notes);
    let whole = match existing {
        Some(mut own) => {
            merge::merge(&mut own, &made, "", &mut notes);
            own
        }
        None => made,
    };
    let (path, kind, text) = match format {
        "json" => ("openapi.json", "json", yaml::printable(&format!("{whole:#}\n"))),
        _ => ("openapi.yaml", "yaml", yaml::write(&whole)),
    };
    let artifact = Artifact::new(path, kind, text);
    Ok(Output { data: whole, artifacts: vec![artifact], open: document.open, notes })
}

/// What the operations share while they are written.
#[derive(Default)]
struct Document {
    is_old: bool,
    is_secured: bool,
    /// As JSON Schema of today, by component name.
    schemas: Map<String, Value>,
    responses: Map<String, Value>,
    operations: HashSet<String>,
    open: Vec<String>,
    notes: Vec<String>,
}

impl Document {
    fn read_schemas(&mut self, input: &Input) -> Result<()> {
        let fields = ["model", "ddl", "source"];
        if fields.iter().any(|field| input.fields.contains_key(*field)) || input.upstream.is_some()
        {
            let (model, notes) = source::model(input)?;
            self.notes.extend(notes);
            self.open.extend(model.open.iter().cloned());
            self.add(schema::schemas(&model));
        }
        for (name, values) in object(input, "samples")? {
            let list = values.as_array().cloned().unwrap_or_else(|| vec![values.clone()]);
            let model = samples::read(&list, &name, &format!("samples.{name}"))?;
            self.add(schema::schemas(&model));
            if let Some(own) = self.schemas.get_mut(&schema::component(&name)) {
                own["examples"] = json!([list.first()]);
            }
        }
        self.add(object(input, "schemas")?);
        Ok(())
    }

    fn add(&mut self, schemas: Map<String, Value>) {
        for (name, mut value) in schemas {
            let inner = value.as_object_mut().and_then(|map| {
                map.shift_remove("$defs").or_else(|| map.shift_remove("definitions"))
            });
            if let Some(Value::Object(inner)) = inner {
                self.add(inner);
            }
            if let Some(map) = value.as_object_mut() {
                map.shift_remove("$schema");
                map.shift_remove("$id");
            }
            schema::repoint(&mut value);
            self.schemas.insert(schema::component(&name), value);
        }
    }

    /// A schema in the words of the document's version.
    fn shaped(&mut self, own: Value) -> Value {
        if !self.is_old {
            return own;
        }
        let mut lost = Vec::new();
        let lowered = schema::lower(&own, &mut lost);
        for word in lost {
            let note = format!("OpenAPI 3.0 has no {word}: it is left out");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        lowered
    }

    /// A reference to the response of an error, which it adds.
    fn error(&mut self, code: u64, description: Option<&str>) -> Value {
        let reason = endpoint::reason(code);
        self.schemas.entry("Error").or_insert_with(|| {
            json!({
                "type": "object",
                "description": "What every error says.",
                "required": ["code", "message"],
                "properties": {
                    "code": { "type": "string", "description": "For programs." },
                    "message": { "type": "string", "description": "For people." },
                },
            })
        });
        let error = json!({ "$ref": "#/components/schemas/Error" });
        let own = json!({ "code": heck::AsSnakeCase(&reason).to_string(), "message": reason });
        // The user's own error may have another shape.
        let is_ours = self.schemas["Error"]["required"] == json!(["code", "message"]);
        let example = if is_ours { Some(own) } else { example::of(&error, &self.schemas) };
        let mut media = json!({ "schema": error });
        if let Some(example) = example {
            media["example"] = example;
        }
        let response = json!({ "description": description.unwrap_or(&reason), "content": { "application/json": media } });
        if description.is_some() {
            return response;
        }
        let name = heck::AsUpperCamelCase(&reason).to_string();
        self.responses.entry(name.clone()).or_insert(response);
        json!({ "$ref": format!("#/components/responses/{name}") })
    }

    fn whole(
        &mut self,
        input: &Input,
        paths: &Map<String, Value>,
        schemes: Map<String, Value>,
    ) -> Value {
        let mut whole = json!({
            "openapi": if self.is_old { "3.0.3" } else { "3.1.0" },
            "info": self.info(input),
            "servers": servers(input),
            "tags": tags(paths),
            "paths": paths,
            "components": {},
        });
        if self.is_secured {
            let all: Vec<_> = schemes.keys().map(|name| json!({ name: [] })).collect();
            whole["security"] = Value::Array(all);
        }
        let mut shaped = Map::new();
        for (name, own) in self.schemas.clone() {
            shaped.insert(name, self.shaped(own));
        }
        for (name, own) in [
            ("schemas", shaped),
            ("responses", self.responses.clone()),
            ("securitySchemes", schemes),
        ] {
            if !own.is_empty() {
                whole["components"][name] = Value::Object(own);
            }
        }
        whole
    }

    fn info(&mut self, input: &Input) -> Value {
        let mut info = json!({
            "title": input.text("title").unwrap_or("API"),
            "version": input.text("apiVersion").unwrap_or("1.0.0"),
        });
        if input.text("title").is_none() {
            self.open.push("What is the API called? Its title is API meanwhile.".into());
        }
        if let Some(description) = input.text("description") {
            info["description"] = description.into();
        }
        info
    }
}

fn servers(input: &Input) -> Value {
    let one = |own: &Value| if own.is_string() { json!({ "url": own }) } else { own.clone() };
    let servers: Vec<Value> = input.list("servers").iter().map(one).collect();
    if servers.is_empty() { json!([{ "url": "/" }]) } else { Value::Array(servers) }
}

/// The tags that operations name, each once.
fn tags(paths: &Map<String, Value>) -> Vec<Value> {
    let mut tags: Vec<Value> = Vec::new();
    let mut seen = HashSet::new();
    let operations = paths.values().filter_map(Value::as_object).flat_map(Map::values);
    for tag in operations.filter_map(|own| own.get("tags")?.as_array()).flatten() {
        if seen.insert(tag.to_string()) {
            tags.push(json!({ "name": tag }));
        }
    }
    tags
}

/// The endpoints: a list, or text, which may hold schemas too.
fn endpoints(input: &Input, document: &mut Document) -> Result<Vec<Value>> {
    match input.fields.get("endpoints") {
        Some(Value::Array(list)) if !list.is_empty() => Ok(list.clone()),
        Some(Value::String(text)) if !text.trim().is_empty() => told(text, document),
        // A document may be of schemas alone: the skill before may know no more.
        None | Some(Value::Null) if !document.schemas.is_empty() => {
            document.open.push(
                "Which endpoints are there? None is given, so the document has schemas alone; endpoints=\"GET /users/{id} -> User\" adds one.".into(),
            );
            Ok(Vec::new())
        }
        None | Some(Value::Null) => Err(fields::missing(
            "endpoints",
            "a list, or text with one on each line",
            "what the API answers, such as \"GET /users/{id} -> User\"",
        )),
        Some(other) => Err(no_endpoint(other)),
    }
}

fn no_endpoint(value: &Value) -> Fault {
    fields::bad(
        "endpoints",
        value,
        "a list of at least one endpoint, or text with one on each line, such as \"GET /users/{id} -> User\"",
    )
}

/// The endpoints of a text. Its schemas go to the document, and those that it only names are asked for.
fn told(own: &str, document: &mut Document) -> Result<Vec<Value>> {
    let known = |name: &str| document.schemas.contains_key(&schema::component(name));
    let told = text::read(own, &known);
    if told.endpoints.is_empty() {
        return Err(no_endpoint(&Value::from(own)));
    }
    if told.endpoints.len() > ENDPOINTS {
        return Err(Fault::Bad {
            field: "endpoints".into(),
            given: format!("a text with {}", told.endpoints.len()),
            allowed: format!("at most {ENDPOINTS} endpoints"),
        });
    }
    document.open.extend(told.open);
    let mut schemas = told.schemas;
    let bodies = told.endpoints.iter().flat_map(|own| [&own["request"], &own["response"]]);
    let mut told_names: HashSet<String> = schemas
        .iter()
        .filter_map(|line| line.split_once(':').map(|(name, _)| name.trim().to_owned()))
        .collect();
    for name in bodies.filter_map(Value::as_str) {
        let name = name.strip_suffix("[]").unwrap_or(name);
        if told_names.insert(name.to_owned())
            && !document.schemas.contains_key(&schema::component(name))
        {
            // What is only named may be anything, until somebody says more.
            schemas.push(format!("{name}:"));
            document.open.push(format!("What does {name} hold? No field of it is said."));
        }
    }
    if !schemas.is_empty() {
        let model = crate::data::text::read(&schemas.join("\n"), "endpoints")?;
        document.open.extend(model.open.iter().cloned());
        document.add(schema::schemas(&model));
    }
    Ok(told.endpoints)
}

fn object(input: &Input, field: &str) -> Result<Map<String, Value>> {
    match input.fields.get(field) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map.clone()),
        Some(other) => Err(Fault::Bad {
            field: field.into(),
            given: fields::shown(other),
            allowed: "an object: a name for each".into(),
        }),
    }
}

/// The document to merge into, as a value or as text.
fn existing(input: &Input) -> Result<Option<Value>> {
    let value = match input.fields.get("merge") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => serde_json::from_str(text)
            .or_else(|_| serde_saphyr::from_str(text))
            .unwrap_or(Value::Null),
        Some(other) => other.clone(),
    };
    if value.get("openapi").and_then(Value::as_str).is_some_and(|version| version.starts_with("3."))
    {
        return Ok(Some(value));
    }
    Err(fields::bad("merge", &value, "an OpenAPI document of version 3, as JSON or YAML"))
}

fn is_3_0(input: &Input, existing: Option<&Value>) -> Result<bool> {
    let there = existing
        .and_then(|own| own.get("openapi")?.as_str())
        .map(|version| version.starts_with("3.0"));
    let wanted = match input.fields.get("version") {
        None | Some(Value::Null) => return Ok(there.unwrap_or(false)),
        Some(Value::Number(number)) => number.to_string(),
        Some(_) => fields::choice(input, "version", &["3.1", "3.0"])?.to_owned(),
    };
    let is_old = match wanted.as_str() {
        "3.1" => false,
        "3.0" => true,
        _ => {
            return Err(Fault::Bad {
                field: "version".into(),
                given: wanted,
                allowed: "one of 3.1, 3.0".into(),
            });
        }
    };
    match there.filter(|there| *there != is_old) {
        Some(_) => Err(Fault::Refused(
            "the field \"version\" is another than that of the document to merge into".into(),
        )),
        None => Ok(is_old),
    }
}

/// The security schemes by name: known words, or schemes as OpenAPI has them.
fn schemes(input: &Input) -> Result<Map<String, Value>> {
    let known = |word: &str| match word {
        "bearer" => Some(json!({ "type": "http", "scheme": "bearer" })),
        "basic" => Some(json!({ "type": "http", "scheme": "basic" })),
        "apiKey" => Some(json!({ "type": "apiKey", "in": "header", "name": "X-API-Key" })),
        _ => None,
    };
    let words = match input.fields.get("security") {
        None | Some(Value::Null) => return Ok(Map::new()),
        Some(Value::Object(map)) => return Ok(map.clone()),
        Some(Value::Array(list)) => list.clone(),
        Some(one) => vec![one.clone()],
    };
    let scheme = |word: &Value| {
        let own = word.as_str().and_then(known);
        own.map(|own| (word.as_str().unwrap_or_default().to_owned(), own)).ok_or_else(|| {
            fields::bad(
                "security",
                word,
                "bearer, basic or apiKey, or an object of security schemes by name",
            )
        })
    };
    words.iter().map(scheme).collect()
}
