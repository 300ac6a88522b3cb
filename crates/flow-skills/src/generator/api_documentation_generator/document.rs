//! The document being generated: its schemas, shared responses, questions and notes.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::input::{Input, Security, Version};
use super::notation::Call;
use super::schema::Schemas;
use super::{example, schema};
use crate::data::Model;
use crate::data::recognise::plural;
use crate::generator::data_fields;
use crate::input::given::Given;
use crate::notation::entities::TYPES;
use crate::output::Result;
use crate::text::lists;

#[derive(Default)]
pub(super) struct Document<'a> {
    pub(super) writer: Schemas,
    pub(super) is_secured: bool,
    /// By component name.
    pub(super) schemas: Map<String, Value>,
    /// By component name.
    pub(super) responses: Map<String, Value>,
    schemes: Map<String, Value>,
    /// What the operations require, where the existing document does not require it of all of its own.
    pub(super) required: Option<Value>,
    pub(super) paths: Map<String, Value>,
    /// The document that is extended.
    pub(super) existing: Option<&'a Value>,
    pub(super) operations: HashSet<String>,
    pub(super) open: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl<'a> Document<'a> {
    pub(super) fn new(version: Version, existing: Option<&'a Value>) -> Self {
        let security = existing.and_then(|document| document.get("security")?.as_array());
        Self {
            writer: Schemas { version, ..Schemas::default() },
            is_secured: security.is_some_and(|all| !all.is_empty()),
            existing,
            ..Self::default()
        }
    }

    /// Reads the schemas of the input: of its data and of its entities.
    pub(super) fn read_schemas(
        &mut self,
        input: &Input,
        given: &Given,
        entities: Option<Model>,
    ) -> Result<()> {
        if data_fields::is_given(given) || given.upstream.is_some() {
            self.add_model(input.data.read_any(given, None)?);
        }
        if let Some(model) = entities {
            self.add_model(model);
        }
        Ok(())
    }

    fn add_model(&mut self, model: Model) {
        self.schemas.extend(self.writer.of(&model));
        self.notes.extend(schema::left_out(&model));
        self.notes.extend(data_fields::only_in_database(&model));
        self.open.extend(model.open);
        self.notes.extend(model.notes);
    }

    /// A schema by component name, from the existing document too.
    pub(super) fn schema(&self, name: &str) -> Option<&Value> {
        let existing = || self.existing?.pointer("/components/schemas")?.get(name);
        self.schemas.get(name).or_else(existing)
    }

    pub(super) fn operation(&self, path: &str, method: &str) -> Option<&'a Value> {
        self.existing?.get("paths")?.get(path)?.get(method)
    }

    /// Whether a path of the existing document has a parameter for all of its operations.
    pub(super) fn has_path_parameter(&self, path: &str, name: &str) -> bool {
        let item = self.existing.and_then(|document| document.get("paths")?.get(path));
        let all = item.and_then(|item| item.get("parameters")?.as_array());
        all.into_iter().flatten().any(|parameter| {
            let reference = parameter.get("$ref").and_then(Value::as_str);
            let referred = reference.and_then(|to| self.existing?.pointer(to.strip_prefix('#')?));
            let parameter = referred.unwrap_or(parameter);
            parameter["in"] == "path" && parameter["name"] == name
        })
    }

    /// Whether the name of a body is a type, `string` or `int[]`, and not that of a schema.
    pub(super) fn is_type(&self, name: &str) -> bool {
        let name = name.strip_suffix("[]").unwrap_or(name);
        lists(TYPES, name) && self.schema(&schema::component(name)).is_none()
    }

    /// Names the schemas of bodies as they are defined, in any case and number, such as `User` for the table `users`.
    /// For those that nothing defines, it adds any object, with an open question.
    pub(super) fn resolve(&mut self, calls: &mut [Call]) {
        let existing =
            self.existing.and_then(|document| document.pointer("/components/schemas")?.as_object());
        let existing = existing.into_iter().flat_map(Map::keys);
        let many = |name: &str| plural(&name.to_lowercase());
        let mut known: HashMap<String, BTreeSet<String>> = HashMap::new();
        for name in self.schemas.keys().chain(existing) {
            known.entry(many(name)).or_default().insert(name.clone());
        }
        for call in calls {
            let is_new = self.operation(&call.endpoint.path, &call.method()).is_none();
            let bodies = [&mut call.request, &mut call.response].into_iter().filter(|_| is_new);
            for body in bodies.flatten() {
                let Value::String(name) = body else { continue };
                let (bare, list) =
                    name.strip_suffix("[]").map_or((name.as_str(), ""), |bare| (bare, "[]"));
                let component = schema::component(bare);
                if self.schema(&component).is_some() || self.is_type(bare) {
                    continue;
                }
                let near = known.get(&many(&component)).filter(|names| names.len() == 1);
                if let Some(near) = near.and_then(BTreeSet::first) {
                    *name = format!("{near}{list}");
                    continue;
                }
                self.schemas.insert(component, json!({ "type": "object" }));
                self.open.push(format!(
                    "{bare}: no fields given (add source=\"{bare}: id uuid pk, …\")"
                ));
            }
        }
    }

    /// The security schemes, and what the operations require.
    pub(super) fn security(&mut self, input: &Input) {
        let Some(security) = &input.security else { return };
        let known = self
            .existing
            .and_then(|document| document.pointer("/components/securitySchemes")?.as_object());
        let mut required = Vec::new();
        for (name, scheme) in &security.0 {
            // The word of a kind is the scheme of this kind that the document has.
            let is_it = |(key, known): &(&String, &Value)| {
                *key == name
                    || Security::of_word(name).is_some()
                        && ["type", "scheme"].iter().all(|key| known.get(key) == scheme.get(key))
            };
            let known_scheme = known.and_then(|known| known.iter().find(is_it));
            let key = known_scheme.map_or(name, |(key, _)| key);
            required.push(json!({ key: [] }));
            if known_scheme.is_none() {
                self.schemes.insert(name.clone(), scheme.clone());
            }
        }
        let required = Value::Array(required);
        let is_new =
            self.existing.is_none_or(|document| document.get("security") != Some(&required));
        if required != json!([]) {
            self.is_secured = true;
            self.required = is_new.then_some(required);
        }
    }

    /// An example that is valid for a schema.
    pub(super) fn example(&self, schema: &Value) -> Option<Value> {
        example::make(schema, &|name| self.schema(name))
    }

    /// The document; for a merge, only the parts that the input specifies.
    pub(super) fn whole(&mut self, input: &Input) -> Value {
        let is_new = self.existing.is_none();
        let mut whole = Map::new();
        if is_new {
            let version = if self.writer.version == Version::V30 { "3.0.3" } else { "3.1.0" };
            whole.insert("openapi".to_owned(), version.into());
        }
        whole.insert("info".to_owned(), self.info(input, is_new));
        if !input.servers.is_empty() {
            let servers = input.servers.iter().map(|url| json!({ "url": url })).collect();
            whole.insert("servers".to_owned(), servers);
        }
        if is_new || !self.paths.is_empty() {
            whole.insert("paths".to_owned(), Value::Object(self.paths.clone()));
        }
        let parts = [
            ("schemas", self.schemas.clone()),
            ("responses", self.responses.clone()),
            ("securitySchemes", self.schemes.clone()),
        ];
        let parts = parts.into_iter().filter(|(_, part)| !part.is_empty());
        let components: Map<_, _> =
            parts.map(|(name, part)| (name.to_owned(), Value::Object(part))).collect();
        if !components.is_empty() {
            whole.insert("components".to_owned(), Value::Object(components));
        }
        if is_new && let Some(required) = &self.required {
            whole.insert("security".to_owned(), required.clone());
        }
        let lost = self.writer.lost.iter();
        self.notes.extend(
            lost.map(|word| format!("{word} is left out: OpenAPI 3.0 has no such keyword")),
        );
        Value::Object(whole)
    }

    fn info(&mut self, input: &Input, is_new: bool) -> Value {
        let mut info = Map::new();
        if is_new && input.title.is_none() {
            self.open.push("title: not given; using \"API\" (add title=TEXT)".to_owned());
        }
        let version = input.api_version.as_ref().map(|version| version.0.as_str());
        let fields = [
            ("title", input.title.as_deref().or(is_new.then_some("API"))),
            ("version", version.or(is_new.then_some("1.0.0"))),
            ("description", input.description.as_deref()),
        ];
        let fields = fields.into_iter().filter_map(|(field, text)| Some((field, text?)));
        info.extend(fields.map(|(field, text)| (field.to_owned(), text.into())));
        Value::Object(info)
    }
}

pub(super) fn reason(status: u16) -> String {
    let known = http::StatusCode::from_u16(status).ok().and_then(|code| code.canonical_reason());
    known.map_or_else(|| format!("Status {status}"), str::to_owned)
}

impl Document<'_> {
    /// A response for an error: a reference to that of the existing document with its name, or to one that is added.
    pub(super) fn error(&mut self, status: u16) -> Value {
        let reason = reason(status);
        let name = heck::AsUpperCamelCase(&reason).to_string();
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        let existing = self
            .existing
            .and_then(|document| document.pointer("/components/responses")?.get(&name));
        if existing.is_some() {
            return reference;
        }
        let usual = json!({
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": { "type": "string", "description": "A code for programs." },
                "message": { "type": "string", "description": "A message for people." },
            },
        });
        let mut media = json!({ "schema": { "$ref": "#/components/schemas/Error" } });
        if self.schema("Error").is_none_or(|schema| *schema == usual) {
            let code = heck::AsSnakeCase(&reason).to_string();
            media["example"] = json!({ "code": code, "message": reason });
            self.schemas.insert("Error".to_owned(), usual);
        }
        let content = json!({ "application/json": media });
        let response = json!({ "description": reason, "content": content });
        self.responses.entry(name).or_insert(response);
        reference
    }
}
