//! `validation-schema-generator`: a data model as a module for Zod, Joi, Yup or Pydantic.

use super::source;
use crate::codegen::check::Formats;
use crate::codegen::lower::Purpose;
use crate::codegen::syntax::Options;
use crate::codegen::{joi, notes, pydantic, yup, zod};
use crate::data::Model;
use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Output, Result};
use crate::project_state::Context;

/// How a model becomes a module.
type Write = fn(&Model, Options) -> Result<String>;

/// Writes a model for one library.
///
/// # Errors
/// When the input holds no model, or one that the library cannot check.
pub(super) fn generate(input: &Input, _: &Context) -> Result<Output> {
    let formats = match fields::choice(input, "formats", &["assert", "annotate"])? {
        "assert" => Formats::Asserted,
        _ => Formats::Annotated,
    };
    let library = fields::choice(input, "library", &["zod", "joi", "yup", "pydantic"])?;
    let (write, path, kind): (Write, _, _) = match library {
        "zod" => (zod::write, "schemas.ts", "typescript"),
        "joi" => (joi::write, "schemas.ts", "typescript"),
        "yup" => (yup::write, "schemas.ts", "typescript"),
        _ => (pydantic::write, "models.py", "python"),
    };
    let purpose = if fields::flag(input, "exact")? { Purpose::Exact } else { Purpose::Idiomatic };
    let model = source::shapes(input)?;
    let text = write(&model, Options { purpose, formats })?;
    Ok(Output {
        data: serde_json::to_value(&model).unwrap_or_default(),
        artifacts: vec![Artifact::new(path, kind, text)],
        open: model.open.clone(),
        notes: match formats {
            Formats::Asserted => notes::formats(&model),
            Formats::Annotated => Vec::new(),
        },
    })
}
