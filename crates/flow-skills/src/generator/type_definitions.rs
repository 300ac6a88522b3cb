//! `type-definitions`: generates TypeScript types from a data model.

use schemars::JsonSchema;
use serde::Deserialize;

use super::data_fields::{self, DataFields};
use super::skill::{Given, Kind, Needs, Skill};
use crate::codegen::typescript;
use crate::output::{Artifact, Output, Result, value};
use crate::stack;

pub(super) const SKILL: Skill = Skill {
    name: "type-definitions",
    input: data_fields::definition::<Input>(),
    needs: Needs::Input,
    gives: Kind::Model,
    run: |given, _| stack::run(|| generate(&given.read()?, given)),
    verify: None,
};

/// The data, and the language of the types.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    #[serde(flatten)]
    data: DataFields,
    /// The language: TypeScript.
    #[serde(default)]
    #[schemars(extend("x-labels" = ["lang", "format"]))]
    #[expect(dead_code, reason = "there is one language, which the word may name")]
    language: Language,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Language(#[schemars(with = "String")] ());

impl TryFrom<String> for Language {
    type Error = &'static str;

    fn try_from(word: String) -> std::result::Result<Self, Self::Error> {
        match word.trim().to_ascii_lowercase().as_str() {
            "typescript" | "ts" => Ok(Self(())),
            _ => Err("typescript; validation-schema-generator with library=pydantic writes Python"),
        }
    }
}

fn generate(input: &Input, given: &Given) -> Result<Output> {
    let model = input.data.read(given)?;
    let (text, mut left_out) = typescript::write(&model);
    left_out.extend(data_fields::only_in_database(&model));
    Ok(Output {
        data: value(&model)?,
        open: model.open,
        notes: [model.notes, left_out].concat(),
        artifacts: vec![Artifact::new("types.ts", "typescript", text)],
    })
}
