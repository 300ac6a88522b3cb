//! Reads endpoints as text: the notation of endpoints, with entities between them; a method or a path at the beginning of a
//! line or part determines which it is.

use serde_json::{Value, json};

use super::input::{EndpointFields, Input};
use super::schema;
use crate::data::{Model, text};
use crate::input::values::{TextOr, TextOrList};
use crate::notation::endpoints::{self, Body, Endpoint, METHODS, Parameter};
use crate::notation::entities::NAMELESS;
use crate::notation::{lines, split};
use crate::output::{Fault, Result};
use crate::text::indent;

/// The endpoints of an input, and the model of the entities between them.
pub(super) fn endpoints(input: &Input) -> Result<(Vec<EndpointFields>, Option<Model>)> {
    match &input.endpoints {
        None => Ok((Vec::new(), None)),
        Some(TextOrList::Text(text)) => {
            let (calls, entities) = apart(text);
            let entities = Some(entities).filter(|entities| lines(entities).next().is_some());
            let model = entities
                .map(|entities| text::notation(&entities, NAMELESS, "endpoints"))
                .transpose()?;
            let names: Vec<&String> =
                model.iter().flat_map(|model| model.entities.keys()).collect();
            Ok((read(&calls, "endpoints", &names)?, model))
        }
        Some(TextOrList::Value(list)) => {
            let mut listed = Vec::new();
            for (at, item) in list.iter().enumerate() {
                match item {
                    TextOr::Value(fields) => listed.push(fields.clone()),
                    TextOr::Text(line) => {
                        listed.extend(read(line, &format!("endpoints[{at}]"), &[])?);
                    }
                }
            }
            Ok((listed, None))
        }
    }
}

fn read(text: &str, field: &str, names: &[&String]) -> Result<Vec<EndpointFields>> {
    let read = endpoints::read(text).map_err(|misfit| misfit.fault(field))?;
    read.into_iter().map(|endpoint| fields(endpoint, field, names)).collect()
}

fn fields(endpoint: Endpoint, field: &str, names: &[&String]) -> Result<EndpointFields> {
    let Endpoint { method, path, query, status, errors, summary, request, response } = endpoint;
    let body = |body: Option<Body>| body.map(|body| schema_of(body, field, names)).transpose();
    let parameters = query.into_iter().map(|Parameter { name, kind }| match kind {
        Some(kind) => format!("{name}={kind}"),
        None => name,
    });
    let parameters: Vec<String> = parameters.collect();
    let fields = json!({
        "method": method, "path": path, "summary": summary, "parameters": parameters, "status": status,
        "errors": (!errors.is_empty()).then_some(errors), "request": body(request)?, "response": body(response)?,
    });
    serde_json::from_value(fields).map_err(|why| Fault::Refused(format!("{field}: {why}")))
}

/// The schema of a body, or the name of one. Its fields may be entities with these names.
fn schema_of(body: Body, field: &str, names: &[&String]) -> Result<Value> {
    const NAME: &str = "Body";
    match body {
        Body::Named(name) => Ok(name.into()),
        Body::Fields(fields) => {
            let used = names.iter().filter(|name| fields.contains(name.as_str()) && **name != NAME);
            let others: Vec<String> = used.map(|name| format!("; {name}: id")).collect();
            let model =
                text::notation(&format!("{NAME}: {fields}{}", others.concat()), NAME, field)?;
            Ok(schema::schemas(&model).remove(NAME).unwrap_or_default())
        }
    }
}

/// Separates the endpoints and the entities of a text, keeping their line numbers: an endpoint has a
/// method or a path. The fields of an entity may be on indented lines below it.
fn apart(text: &str) -> (String, String) {
    let (mut calls, mut entities) = (String::new(), String::new());
    let has_calls = text.lines().any(|line| split(line, ';').into_iter().any(is_call));
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
