//! `api-documentation-generator`: generates an OpenAPI document, 3.0 or 3.1, from endpoints and schemas, or merges them
//! into an existing one.

mod document;
mod endpoint;
mod example;
mod fields;
mod gaps;
mod input;
mod merge;
mod notation;
mod schema;

use serde_json::Value;

use document::Document;
use input::{Format, Input, Version};
use merge::Existing;

use super::data_fields;
use super::skill::{ContentKind, Definition, Given, Kind, Needs, Skill, takes};
use crate::input::definition::Takes;
use crate::input::values::TextOrNumber;
use crate::notation::endpoints;
use crate::output::{Artifact, Fault, Forced, Output, Result, missing};
use crate::stack;
use crate::text::yaml;

pub(super) const SKILL: Skill = Skill {
    name: "api-documentation-generator",
    input: Definition {
        takes: &TAKES,
        contents: &["source", "merge"],
        ..data_fields::definition::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, _| {
        let given = &with_endpoints(given);
        stack::run(|| generate(&given.read()?, given))
    },
    verify: None,
};

/// The content that it accepts. An OpenAPI document is one to merge into, not only a source of schemas.
const TAKES: [Takes; 7] = [
    takes(ContentKind::Endpoints, "endpoints"),
    takes(ContentKind::Entities, "source"),
    takes(ContentKind::Sample, "source"),
    takes(ContentKind::JsonSchema, "source"),
    takes(ContentKind::OpenApi, "merge"),
    takes(ContentKind::Ddl, "source"),
    takes(ContentKind::Model, "source"),
];

/// What the text of an extended document is.
const FRAGMENT: &str = "this is what the document lacks: add each part under the same keys; --force writes the whole document anew instead, \
     without its comments and layout";
const REWRITTEN: &str = "the document is written anew: its comments and layout are lost";

fn generate(input: &Input, given: &Given) -> Result<Output> {
    let existing = given.contents.get("merge").map(Existing::read).transpose()?;
    let version = version(input, existing.as_ref())?;
    let mut document = Document::new(version, existing.as_ref().map(|existing| &existing.value));
    let (text, objects) = input.endpoints()?;
    let (mut endpoints, entities) = if text.is_empty() {
        (Vec::new(), None)
    } else {
        notation::endpoints(&text, objects, &mut document.writer)?
    };
    document.read_schemas(input, given, entities)?;
    if endpoints.is_empty() && existing.is_none() {
        document.open.push(no_endpoints(&document)?);
    }
    document.security(input);
    document.resolve(&mut endpoints);
    endpoint::add(&mut document, &endpoints)?;
    let generated = document.whole(input);
    let Document { open, mut notes, .. } = document;
    if let Some(TextOrNumber(of_api)) = &input.api_version
        && input.version.is_none()
        && ["3.0", "3.1"].contains(&of_api.as_str())
    {
        notes.push(format!(
            "{of_api} is taken as the version of the API; openapi={of_api} is that of OpenAPI"
        ));
    }
    let format =
        input.format.or(existing.as_ref().map(|existing| existing.format)).unwrap_or(Format::Yaml);
    let (data, artifact) = match existing {
        Some(existing) => extended(existing, &generated, format, &mut notes)?,
        None => (generated.clone(), artifact("openapi", write(&generated, format)?, format)),
    };
    Ok(Output { data, artifacts: vec![artifact], open, notes })
}

/// The input, in which objects that have a method and a path are the endpoints, and no data.
fn with_endpoints(given: &Given) -> Given {
    let mut given = given.clone();
    let is_endpoint = |value: &Value| value.get("method").is_some() && value.get("path").is_some();
    let list = match given.fields.get("source") {
        Some(Value::Array(all)) if !all.is_empty() && all.iter().all(is_endpoint) => all.clone(),
        Some(one) if is_endpoint(one) => vec![one.clone()],
        _ => return given,
    };
    if !given.fields.contains_key("endpoints") {
        given.fields.remove("source");
        given.contents.remove("source");
        given.fields.insert("endpoints".to_owned(), list.into());
    }
    given
}

/// An existing document with the generated one: the fragment that it lacks, in place of which `--force` writes the whole.
fn extended(
    existing: Existing,
    generated: &Value,
    format: Format,
    notes: &mut Vec<String>,
) -> Result<(Value, Artifact)> {
    let Existing { mut value, text, format: before, .. } = existing;
    let missing = merge::add(&mut value, generated, &mut Vec::new(), notes);
    notes.extend(gaps::notes(&value));
    let Some(missing) = missing else {
        notes.push("nothing to add: the document has all that was given".to_owned());
        let text = text.filter(|_| format == before).map_or_else(|| write(&value, format), Ok)?;
        return Ok((value, artifact("openapi", text, format)));
    };
    let whole = artifact("openapi", write(&value, format)?, format);
    let forced = Forced {
        path: whole.path,
        text: whole.text,
        note: text.map(|_| REWRITTEN.to_owned()),
        instead_of: FRAGMENT.to_owned(),
    };
    notes.push(FRAGMENT.to_owned());
    let fragment = artifact("openapi.additions", write(&missing, format)?, format);
    Ok((value, Artifact { forced: Some(forced), ..fragment }))
}

fn artifact(name: &str, text: String, format: Format) -> Artifact {
    let (end, language) = match format {
        Format::Json => ("json", "json"),
        Format::Yaml => ("yaml", "yaml"),
    };
    Artifact::new(format!("{name}.{end}"), language, text)
}

/// The open question of a document with schemas only.
fn no_endpoints(document: &Document<'_>) -> Result<String> {
    let example = endpoints::EXAMPLE;
    if document.schemas.is_empty() {
        let expects = format!("text such as `{example}`, or --input FILE");
        return Err(missing("endpoints", &expects, "what the API answers"));
    }
    Ok(format!("endpoints: not given (add endpoints=\"{example}\")"))
}

fn write(value: &Value, format: Format) -> Result<String> {
    match format {
        Format::Json => Ok(yaml::printable(&format!("{value:#}\n"))),
        Format::Yaml => yaml::write(value),
    }
}

/// The version of OpenAPI: that of the field, else of the existing document, else 3.1.
fn version(input: &Input, existing: Option<&Existing>) -> Result<Version> {
    match (input.version, existing.map(|document| document.version)) {
        (Some(wanted), Some(stated)) if wanted != stated => Err(Fault::Refused(
            "the field \"openapi\" differs from the version of the document that is extended; leave it out"
                .to_owned(),
        )),
        (wanted, stated) => Ok(stated.or(wanted).unwrap_or_default()),
    }
}
