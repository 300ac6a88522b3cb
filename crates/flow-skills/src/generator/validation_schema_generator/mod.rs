//! `validation-schema-generator`: generates a validator for Zod, Joi, Yup or Pydantic from a data model.

use schemars::JsonSchema;
use serde::Deserialize;

use super::data_fields::{self, DataFields};
use super::skill::{Needs, Skill};
use crate::codegen::check::Formats;
use crate::codegen::joi::Joi;
use crate::codegen::lower::Purpose;
use crate::codegen::syntax::Options;
use crate::codegen::yup::Yup;
use crate::codegen::zod::Zod;
use crate::codegen::{notes, pydantic, render};
use crate::input::kind::{Kind, Upstream};
use crate::output::{Artifact, Fault, Output, Result, value};

/// The row of the table.
pub(super) const SKILL: Skill = Skill {
    name: "validation-schema-generator",
    input: data_fields::definition::<Input>(),
    needs: Needs::Input,
    gives: Kind::Model,
    run: |given, _| generate(&given.read()?, given.upstream.as_ref()),
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
    formats: FormatRule,
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FormatRule {
    #[default]
    Assert,
    Annotate,
}

/// Generates the validator for one library.
fn generate(input: &Input, upstream: Option<&Upstream>) -> Result<Output> {
    let model = input.data.read(upstream)?.model;
    if let Some(reference) = model.outside.first().filter(|_| input.exact) {
        return Err(Fault::Refused(format!(
            "the reference {reference:?} leads to another document, so that its values cannot be checked exactly: copy it \
             into $defs, or leave exact=true out"
        )));
    }
    let formats = match input.formats {
        FormatRule::Assert => Formats::Asserted,
        FormatRule::Annotate => Formats::Annotated,
    };
    let purpose = if input.exact { Purpose::Exact } else { Purpose::Idiomatic };
    let options = Options { purpose, formats };
    let text = match input.library {
        Library::Zod => render::write(&Zod, &model, options)?,
        Library::Joi => render::write(&Joi, &model, options)?,
        Library::Yup => render::write(&Yup, &model, options)?,
        Library::Pydantic => pydantic::write(&model, options)?,
    };
    let (path, kind) = match input.library {
        Library::Pydantic => ("models.py", "python"),
        _ => ("schemas.ts", "typescript"),
    };
    let mut notes = notes::of_reader(&model);
    if input.formats == FormatRule::Assert {
        notes.extend(notes::formats(&model));
    }
    Ok(Output {
        data: value(&model)?,
        open: model.open,
        artifacts: vec![Artifact::new(path, kind, text)],
        notes,
    })
}
