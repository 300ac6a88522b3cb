//! `type-definitions`: generates TypeScript types from a data model.

use schemars::JsonSchema;
use serde::Deserialize;

use super::data_fields::{self, DataFields};
use super::skill::{Kind, Needs, Skill, Upstream};
use crate::codegen::{typescript, unchecked};
use crate::output::{Artifact, Output, Result, value};
use crate::stack;

pub(super) const SKILL: Skill = Skill {
    name: "type-definitions",
    input: data_fields::definition::<Input>(),
    needs: Needs::Input,
    gives: Kind::Model,
    run: |given, _| stack::run(|| generate(&given.read()?, given.upstream.as_ref())),
    verify: None,
};

/// The data.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    #[serde(flatten)]
    data: DataFields,
}

fn generate(input: &Input, upstream: Option<&Upstream>) -> Result<Output> {
    let read = input.data.read(upstream)?;
    let text = typescript::write(&read.model);
    let notes = unchecked::of_reader(&read.model);
    // The notes of the DDL reader concern keys, indexes and defaults, which types do not have.
    Ok(Output {
        data: value(&read.model)?,
        open: read.model.open,
        artifacts: vec![Artifact::new("types.ts", "typescript", text)],
        notes,
    })
}
