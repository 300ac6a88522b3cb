//! `type-definitions`: generates TypeScript types from a data model.

use super::data_fields::{self, DataFields};
use super::skill::{Given, Kind, Needs, Skill};
use crate::codegen::typescript;
use crate::output::{Artifact, Output, Result, value};
use crate::stack;

pub(super) const SKILL: Skill = Skill {
    name: "type-definitions",
    input: data_fields::definition::<DataFields>(),
    needs: Needs::Input,
    gives: Kind::Model,
    run: |given, _| stack::run(|| generate(&given.read()?, given)),
    verify: None,
};

fn generate(input: &DataFields, given: &Given) -> Result<Output> {
    let model = input.read(given)?;
    let (text, left_out) = typescript::write(&model);
    Ok(Output {
        data: value(&model)?,
        open: model.open,
        notes: [model.notes, left_out].concat(),
        artifacts: vec![Artifact::new("types.ts", "typescript", text)],
    })
}
