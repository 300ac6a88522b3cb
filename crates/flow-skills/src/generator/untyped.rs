//! Runs generators that are not converted to a typed input yet: their fields are checked against the schema's file, and
//! they read them as JSON values. This module goes with the last of them.

use serde_json::{Map, Value};

use super::skill::{Run, Skill};
use crate::input::Input;
use crate::input::kind::{Kind, Upstream};
use crate::input::place::{self, Given, Request};
use crate::output::{Output, Result};
use crate::project_state::{Context, recorded};
use crate::runtime::{catalog, manifest};
use crate::{check, read};

/// A generator over JSON values.
pub type Untyped = fn(&Input, &Context) -> Result<Output>;

/// The schema in the skill's folder.
pub(super) fn schema(name: &str) -> Value {
    let text = catalog::file(name, "assets/input.schema.json").unwrap_or_default();
    serde_json::from_str(text).unwrap_or_default()
}

/// The field that plain text goes to.
fn main(name: &str) -> String {
    let manifest = catalog::file(name, "SKILL.md").and_then(|text| manifest::read(text).ok());
    manifest.map_or_else(|| "text".to_owned(), |manifest| manifest.main().to_owned())
}

/// Puts a request into fields, as generators did before inputs were typed.
pub(super) fn place(skill: &Skill, request: &Request) -> Result<Given> {
    let (schema, main) = (schema(skill.name), main(skill.name));
    let fields = read::Fields { schema: &schema, main: &main };
    let mut input = Input::default();
    let mut upstream = None;
    for bytes in &request.contents {
        let read = read::read(bytes, request.format, fields)?;
        if read.upstream.is_some() {
            let envelope: Map<String, Value> = serde_json::from_slice(bytes).unwrap_or_default();
            upstream = Some(from_before(&envelope)?);
        }
        input.fields.extend(read.fields);
    }
    for (name, text) in &request.pairs {
        read::assign(&mut input, (name.as_str(), text.as_str()), fields)?;
    }
    Ok(Given { fields: input.fields, upstream, notes: Vec::new() })
}

/// Checks the fields and runs the generator.
pub(super) fn run(
    name: &str,
    generate: Untyped,
    given: &Given,
    context: &Context,
) -> Result<Output> {
    let mut fields = given.fields.clone();
    if given.upstream.is_some() || fields.contains_key(recorded::FIELD) {
        // What the skill before made, or the project's story, stands for the main field.
        fields.entry(main(name)).or_insert_with(|| Value::from("elsewhere"));
    }
    check::check(&schema(name), &fields)?;
    let upstream = given.upstream.as_ref().map(|from| (from.skill.clone(), from.data.clone()));
    generate(&Input { fields: given.fields.clone(), upstream }, context)
}

/// What an envelope carries; one that was written before envelopes named a kind carries what its skill gives.
fn from_before(envelope: &Map<String, Value>) -> Result<Upstream> {
    if envelope.contains_key("kind") {
        return place::upstream(envelope);
    }
    let skill = envelope.get("skill").and_then(Value::as_str).unwrap_or_default().to_owned();
    let kind = super::skill::find(&skill).map_or(Kind::Report, |skill| skill.gives);
    Ok(Upstream { skill, kind, data: envelope.get("data").cloned().unwrap_or_default() })
}

/// Runs a skill on fields and on what the skill before gave; for tests and benches.
///
/// # Errors
/// When there is no such skill, or the input cannot be used.
pub fn run_fields(name: &str, input: &Input, context: &Context) -> Result<Output> {
    let skill = super::skill::find(name)
        .ok_or_else(|| crate::output::Fault::Refused(format!("there is no skill {name:?}")))?;
    let upstream = input.upstream.as_ref().map(|(before, data)| Upstream {
        skill: before.clone(),
        kind: super::skill::find(before).map_or(Kind::Report, |skill| skill.gives),
        data: data.clone(),
    });
    match skill.run {
        Run::Untyped(generate) => generate(input, context),
        Run::Typed(_) => {
            skill.run(&Given { fields: input.fields.clone(), upstream, notes: Vec::new() }, context)
        }
    }
}
