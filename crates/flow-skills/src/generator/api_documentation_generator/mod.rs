//! `api-documentation-generator`: generates an OpenAPI document, 3.0 or 3.1, from endpoints and schemas, or merges them
//! into an existing one.

mod document;
mod endpoint;
mod errors;
mod example;
mod input;
mod known_errors;
mod merge;
mod notation;
mod schema;

use serde_json::Value;

use document::Document;
use input::{Format, Input, Version};
use merge::Existing;

use super::data_fields;
use super::skill::{ContentKind, Definition, Kind, Needs, Skill, Upstream, takes};
use crate::input::notation::Notation;
use crate::input::place::Takes;
use crate::output::{Artifact, Fault, Output, Result};
use crate::stack;
use crate::text::yaml;

pub(super) const SKILL: Skill = Skill {
    name: "api-documentation-generator",
    input: Definition {
        takes: &TAKES,
        instead: &["schemas", "examples"],
        ..data_fields::definition::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::OpenApi,
    run: |given, _| stack::run(|| generate(&given.read()?, given.upstream.as_ref())),
    verify: None,
};

/// The content that it accepts. An OpenAPI document is one to merge into, not only a source of schemas.
const TAKES: [Takes; 7] = [
    takes(ContentKind::Notation(Notation::Endpoints), "endpoints"),
    takes(ContentKind::Notation(Notation::Entities), "source"),
    takes(ContentKind::Sample, "samples"),
    takes(ContentKind::JsonSchema, "schema"),
    takes(ContentKind::OpenApi, "merge"),
    takes(ContentKind::Ddl, "ddl"),
    takes(ContentKind::Model, "model"),
];

fn generate(input: &Input, upstream: Option<&Upstream>) -> Result<Output> {
    let existing = input.merge.as_ref().map(Existing::read).transpose()?;
    let version = version(input, existing.as_ref())?;
    let mut document = Document::new(version, existing.as_ref().map(|own| &own.value));
    let (endpoints, entities) = notation::endpoints(input)?;
    document.read_schemas(input, upstream, entities)?;
    if endpoints.is_empty() && existing.is_none() {
        document.open.push(no_endpoints(&document)?);
    }
    document.security(input);
    document.add_unknown(&endpoints)?;
    endpoint::add(&mut document, &endpoints)?;
    let made = document.whole(input);
    let Document { open, mut notes, .. } = document;
    let format = input.format.or(existing.as_ref().map(|own| own.format)).unwrap_or(Format::Yaml);
    let (data, text) = if let Some(own) = existing {
        let merged = own.merge(&made, format);
        notes.extend(merged.notes);
        (merged.value, merged.text)
    } else {
        let text = write(&made, format);
        (made, text)
    };
    let (path, language) = match format {
        Format::Json => ("openapi.json", "json"),
        Format::Yaml => ("openapi.yaml", "yaml"),
    };
    Ok(Output { data, artifacts: vec![Artifact::new(path, language, text)], open, notes })
}

/// The open question of a document with schemas only.
fn no_endpoints(document: &Document<'_>) -> Result<String> {
    let example = Notation::Endpoints.example();
    if document.schemas.is_empty() {
        return Err(Fault::Missing {
            field: "endpoints".to_owned(),
            expects: format!("text such as `{example}`, or --input FILE"),
            description: "what the API answers".to_owned(),
        });
    }
    Ok(format!("endpoints: not given (add endpoints=\"{example}\")"))
}

fn write(value: &Value, format: Format) -> String {
    match format {
        Format::Json => yaml::printable(&format!("{value:#}\n")),
        Format::Yaml => yaml::write(value),
    }
}

/// The version of OpenAPI: that of the field, else of the existing document, else 3.1.
fn version(input: &Input, existing: Option<&Existing>) -> Result<Version> {
    match (input.version, existing.map(|own| own.version)) {
        (Some(wanted), Some(own)) if wanted != own => Err(Fault::Refused(
            "the field \"version\" differs from the version of the document that is extended; leave it out"
                .to_owned(),
        )),
        (wanted, own) => Ok(own.or(wanted).unwrap_or_default()),
    }
}
