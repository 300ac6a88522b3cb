//! Reads endpoints as text: the notation of endpoints, with entities between them; the first word of a line or part
//! determines which it is.

use serde_json::{Value, json};

use super::input::{EndpointFields, Input};
use super::schema;
use crate::data::{Model, text};
use crate::input::notation::endpoints::{self, Body, Endpoint, METHODS, Parameter};
use crate::input::notation::entities::TYPES;
use crate::input::notation::split;
use crate::input::values::{TextOr, TextOrList};
use crate::output::{Fault, Result};
use crate::text::{indent, lists};

/// The endpoints of an input, and the model of the entities between them.
pub(super) fn endpoints(input: &Input) -> Result<(Vec<EndpointFields>, Option<Model>)> {
    match &input.endpoints {
        None => Ok((Vec::new(), None)),
        Some(TextOrList::Text(text)) => {
            let (calls, entities) = apart(text);
            let entities = Some(entities).filter(|entities| !entities.trim().is_empty());
            let model =
                entities.map(|entities| text::notation(&entities, "endpoints")).transpose()?;
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
            let model = text::notation(&format!("{NAME}: {fields}{}", others.concat()), field)?;
            Ok(schema::schemas(&model).remove(NAME).unwrap_or_default())
        }
    }
}

/// Separates the endpoints and the entities of a text, keeping their line numbers. The fields of an entity may be on indented lines
/// below it.
fn apart(text: &str) -> (String, String) {
    let (mut calls, mut entities) = (String::new(), String::new());
    // The indentation of the entity whose fields follow.
    let mut open: Option<usize> = None;
    let mut filled = text.lines().filter(|line| !line.trim().is_empty()).skip(1);
    for line in text.lines() {
        open = open.filter(|head| line.trim().is_empty() || indent(line) > *head);
        let next = if line.trim().is_empty() { None } else { filled.next() };
        if open.is_none() && is_head(line) && next.is_some_and(is_field) {
            open = Some(indent(line));
        }
        if open.is_some() {
            entities += line;
            calls.push('\n');
            entities.push('\n');
            continue;
        }
        let parts = split(line, ';');
        let is_entity = |part: &&str| {
            let first = part.trim_start_matches(['-', '*', ' ']).split_whitespace().next();
            let first = first.unwrap_or_default();
            let is_name =
                first.strip_suffix(':').is_some_and(|name| name.starts_with(char::is_alphabetic));
            is_name && !METHODS.contains(&first.trim_end_matches(':').to_uppercase().as_str())
        };
        let (named, called): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(is_entity);
        calls += &(called.join("; ") + "\n");
        entities += &(named.join("; ") + "\n");
    }
    (calls, entities)
}

/// Whether a line is the name of an entity and a colon.
fn is_head(line: &str) -> bool {
    let name = line.trim_end().strip_suffix(':').unwrap_or_default();
    let name = name.trim_start_matches(['-', '*', ' ']);
    name.starts_with(char::is_alphabetic) && !name.contains(' ')
}

/// Whether a line below may be a field, `name string` or `name: string`, rather than an endpoint or an entity below a heading.
fn is_field(line: &str) -> bool {
    let first = line.trim_start_matches(['-', '*', ' ']).split_whitespace().next();
    if first.is_some_and(|word| METHODS.contains(&word.to_uppercase().as_str())) {
        return false;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '-';
    let kind = |rest: &str| {
        rest.trim().split(|c| !is_word(c)).next().is_some_and(|word| lists(TYPES, word))
    };
    line.split_once(':').is_none_or(|(_, rest)| kind(rest))
}
