//! `type-definitions`: generates TypeScript types from a data model.

use schemars::JsonSchema;
use serde::Deserialize;

use super::data_fields::{self, DataFields};
use super::skill::{Kind, Needs, Skill, Upstream};
use crate::codegen::notes;
use crate::codegen::typescript::{self, Guards};
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

/// The data, and the options of the types.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    #[serde(flatten)]
    data: DataFields,
    /// Whether each type gets a type guard, such as isUser(value): value is User.
    #[serde(default)]
    guards: bool,
}

fn generate(input: &Input, upstream: Option<&Upstream>) -> Result<Output> {
    let guards = if input.guards { Guards::Written } else { Guards::LeftOut };
    let read = input.data.read(upstream)?;
    let text = typescript::write(&read.model, guards)?;
    let mut notes = notes::of_reader(&read.model);
    notes.extend(notes::forgotten_types(&read.model));
    if guards == Guards::Written {
        notes.extend(notes::formats(&read.model));
    }
    // The notes of the DDL reader concern keys, indexes and defaults, which types do not have.
    Ok(Output {
        data: value(&read.model)?,
        open: read.model.open,
        artifacts: vec![Artifact::new("types.ts", "typescript", text)],
        notes,
    })
}
