//! Reads endpoints as text: the notation of endpoints, with entities between them; a method or a path at the beginning of a
//! line or part determines which it is.

use serde_json::{Value, json};

use super::schema::Schemas;
use crate::data::{Model, text};
use crate::notation::endpoints::{self, Body, Endpoint, METHODS, Numbered, Parameter};
use crate::notation::entities::NAMELESS;
use crate::notation::{lines, split};
use crate::output::{Result, bad_text};
use crate::text::indent;

/// The field of the text.
pub(super) const FIELD: &str = "endpoints";

/// An endpoint, with the schemas of its bodies or their names, and those of the parameters of its query.
pub(super) struct Call {
    pub(super) endpoint: Endpoint,
    pub(super) request: Option<Value>,
    pub(super) response: Option<Value>,
    pub(super) query: Vec<(String, Value)>,
}

/// The endpoints of a text and those given as objects, by their lines, and the model of the entities of the text.
pub(super) fn endpoints(
    text: &str,
    objects: Numbered,
    schemas: &mut Schemas,
) -> Result<(Vec<Call>, Option<Model>)> {
    // In a list with objects, each line is an item of it.
    let is_list = !objects.is_empty();
    let (calls, entities) = apart(text, is_list);
    let entities = Some(entities).filter(|entities| lines(entities).next().is_some());
    let model = entities.map(|entities| text::notation(&entities, NAMELESS, FIELD)).transpose()?;
    let names: Vec<&String> = model.iter().flat_map(|model| model.entities.keys()).collect();
    let mut read = endpoints::read(&calls).map_err(|misfit| misfit.fault(FIELD))?;
    read.extend(objects);
    read.sort_by_key(|(line, _)| *line);
    endpoints::check(&read).map_err(|misfit| misfit.fault(FIELD))?;
    let mut calls = Vec::with_capacity(read.len());
    for (line, mut endpoint) in read {
        let field = |name| {
            if is_list { format!("{FIELD}[{}].{name}", line - 1) } else { FIELD.to_owned() }
        };
        let mut body = |body: Option<Body>, name| {
            body.map(|body| schema_of(body, &names, &field(name), schemas)).transpose()
        };
        let request = body(endpoint.request.take(), "request")?;
        let response = body(endpoint.response.take(), "response")?;
        let mut query = Vec::new();
        for Parameter { name, kind } in std::mem::take(&mut endpoint.query) {
            let kind = kind.as_deref().unwrap_or("string");
            let schema = typed(&name, kind, &field("query"), schemas)?;
            query.push((name, schema));
        }
        calls.push(Call { endpoint, request, response, query });
    }
    Ok((calls, model))
}

/// The schema of a body, or the name of one. Its fields may be entities with these names.
fn schema_of(body: Body, names: &[&String], field: &str, schemas: &mut Schemas) -> Result<Value> {
    const NAME: &str = "Body";
    match body {
        Body::Named(name) => Ok(name.into()),
        Body::Fields(fields) => {
            let used = names.iter().filter(|name| fields.contains(name.as_str()) && **name != NAME);
            let others: Vec<String> = used.map(|name| format!("; {name}: id")).collect();
            let model =
                text::notation(&format!("{NAME}: {fields}{}", others.concat()), NAME, field)?;
            Ok(schemas.of(&model).remove(NAME).unwrap_or_default())
        }
    }
}

/// The schema of a type in the notation of entities.
pub(super) fn typed(name: &str, kind: &str, field: &str, schemas: &mut Schemas) -> Result<Value> {
    let model = text::notation(&format!("Q: q {kind}"), "Q", field).map_err(|_| {
        let allowed = format!("a type for {name}, such as int, string, date or enum(a|b)");
        bad_text(field, kind, &allowed)
    })?;
    let found = schemas.of(&model).remove("Q");
    let found = found.as_ref().and_then(|schema| schema.pointer("/properties/q"));
    Ok(found.cloned().unwrap_or_else(|| json!({ "type": "string" })))
}

/// Separates the endpoints and the entities of a text, keeping their line numbers: an endpoint has a
/// method or a path. The fields of an entity may be on indented lines below it.
fn apart(text: &str, has_objects: bool) -> (String, String) {
    let (mut calls, mut entities) = (String::new(), String::new());
    let has_calls =
        has_objects || text.lines().any(|line| split(line, ';').into_iter().any(is_call));
    for line in text.lines() {
        let (called, named): (Vec<&str>, Vec<&str>) =
            split(line, ';').into_iter().partition(|part| is_call(part) || !has_calls);
        calls += &(called.join("; ") + "\n");
        entities += &line[..indent(line)];
        entities += &(named.join("; ") + "\n");
    }
    (calls, entities)
}

fn is_call(part: &str) -> bool {
    let mut words = part.trim_start_matches(['-', '*', ' ']).split_whitespace();
    let first = words.next().unwrap_or_default();
    let has_path = first.starts_with('/') || words.next().is_some_and(|word| word.starts_with('/'));
    has_path || METHODS.contains(&first)
}
