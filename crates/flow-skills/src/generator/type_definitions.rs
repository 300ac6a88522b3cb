//! `type-definitions`: a data model as TypeScript.

use super::source;
use crate::codegen::notes;
use crate::codegen::typescript::{self, Guards};
use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Output, Result};
use crate::project_state::Context;

/// Writes a model as types, with guards if they are asked for.
///
/// # Errors
/// When the input holds no model.
pub(super) fn generate(input: &Input, _: &Context) -> Result<Output> {
    let guards = if fields::flag(input, "guards")? { Guards::Written } else { Guards::LeftOut };
    let model = source::shapes(input)?;
    let text = typescript::write(&model, guards)?;
    Ok(Output {
        data: serde_json::to_value(&model).unwrap_or_default(),
        artifacts: vec![Artifact::new("types.ts", "typescript", text)],
        open: model.open.clone(),
        notes: notes::forgotten_types(&model)
            .into_iter()
            .chain(if guards == Guards::Written { notes::formats(&model) } else { Vec::new() })
            .collect(),
    })
}
