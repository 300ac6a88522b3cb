//! `validation-schema-generator`: generates a validator for Zod, Joi, Yup or Pydantic from a data model.

use schemars::JsonSchema;
use serde::Deserialize;

use super::data_fields::{self, DataFields};
use super::skill::{Kind, Needs, Skill, Upstream};
use crate::codegen::check::Formats;
use crate::codegen::joi::JOI;
use crate::codegen::lower::Purpose;
use crate::codegen::syntax::Options;
use crate::codegen::yup::YUP;
use crate::codegen::zod::ZOD;
use crate::codegen::{notes, pydantic, render};
use crate::output::{Artifact, Fault, Output, Result, value};
use crate::stack;

pub(super) const SKILL: Skill = Skill {
    name: "validation-schema-generator",
    input: data_fields::definition::<Input>(),
    needs: Needs::Input,
    gives: Kind::Model,
    run: |given, _| stack::run(|| generate(&given.read()?, given.upstream.as_ref())),
    verify: None,
};

/// The data, and the options of the validator.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    #[serde(flatten)]
    data: DataFields,
    /// The library of the validator.
    #[serde(default)]
    library: Library,
    /// Whether format is checked (assert) or is an annotation (annotate).
    #[serde(default)]
    formats: Formats,
    /// Whether every verdict equals that of JSON Schema; otherwise the library's own semantics apply where they differ.
    #[serde(default)]
    exact: bool,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Library {
    #[default]
    Zod,
    Joi,
    Yup,
    Pydantic,
}

fn generate(input: &Input, upstream: Option<&Upstream>) -> Result<Output> {
    let model = input.data.read(upstream)?.model;
    if let Some(reference) = model.outside.first().filter(|_| input.exact) {
        return Err(Fault::Refused(format!(
            "the reference {reference:?} leads to another document, so that its values cannot be checked exactly: copy it \
             into $defs, or leave exact=true out"
        )));
    }
    let purpose = if input.exact { Purpose::Exact } else { Purpose::Idiomatic };
    let options = Options { purpose, formats: input.formats };
    let text = match input.library {
        Library::Zod => render::write(&ZOD, &model, options)?,
        Library::Joi => render::write(&JOI, &model, options)?,
        Library::Yup => render::write(&YUP, &model, options)?,
        Library::Pydantic => pydantic::write(&model, options)?,
    };
    let (path, kind) = match input.library {
        Library::Pydantic => ("models.py", "python"),
        _ => ("schemas.ts", "typescript"),
    };
    let mut notes = notes::of_reader(&model);
    if input.formats == Formats::Assert {
        notes.extend(notes::formats(&model));
    }
    Ok(Output {
        data: value(&model)?,
        open: model.open,
        artifacts: vec![Artifact::new(path, kind, text)],
        notes,
    })
}
