//! `validation-schema-generator`: generates a validator for Zod, Joi, Yup or Pydantic from a data model.

use schemars::JsonSchema;
use serde::Deserialize;

use super::data_fields::{self, DataFields};
use super::skill::{Given, Kind, Needs, Skill};
use crate::codegen::unchecked::{Unchecked, is_checkable};
use crate::codegen::{pydantic, script};
use crate::output::{Artifact, Output, Result, value};
use crate::stack;

pub(super) const SKILL: Skill = Skill {
    name: "validation-schema-generator",
    input: data_fields::definition::<Input>(),
    needs: Needs::Input,
    gives: Kind::Model,
    run: |given, _| stack::run(|| generate(&given.read()?, given)),
    verify: None,
};

/// The data, and the options of the validator.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    #[serde(flatten)]
    data: DataFields,
    /// The library of the validator.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["lib", "validator", "format"]))]
    library: Library,
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

fn generate(input: &Input, given: &Given) -> Result<Output> {
    let model = input.data.read(given)?;
    let unchecked = Unchecked::default();
    let script = |library| script::write(library, &model, &unchecked);
    let text = match input.library {
        Library::Zod => script(script::Library::Zod)?,
        Library::Joi => script(script::Library::Joi)?,
        Library::Yup => script(script::Library::Yup)?,
        Library::Pydantic => pydantic::write(&model, &unchecked)?,
    };
    let (path, kind) = match input.library {
        Library::Pydantic => ("models.py", "python"),
        _ => ("schemas.ts", "typescript"),
    };
    let mut left_out = unchecked.notes(is_checkable);
    left_out.extend(data_fields::only_in_database(&model));
    Ok(Output {
        data: value(&model)?,
        notes: [model.notes, left_out].concat(),
        open: model.open,
        artifacts: vec![Artifact::new(path, kind, text)],
    })
}
