//! `validation-schema-generator`: a data model as a module for Zod, Joi, Yup or Pydantic.

use serde_json::Value;

use super::source;
use crate::skill::data::Model;
use crate::skill::fields::bad;
use crate::skill::input::{Context, Input};
use crate::skill::output::{Artifact, Output, Result};
use crate::skill::write::{joi, notes, pydantic, yup, zod};

/// Writes a model for one library.
///
/// # Errors
/// When the input holds no model, or one that the library cannot check.
pub(super) fn generate(input: &Input, _: &Context) -> Result<Output> {
    let given = input.fields.get("library").cloned().unwrap_or_else(|| Value::from("zod"));
    let formats = match input.fields.get("formats") {
        None | Some(Value::Null) => true,
        Some(Value::String(word)) if word == "assert" => true,
        Some(Value::String(word)) if word == "annotate" => false,
        Some(other) => return Err(bad("formats", other, "\"assert\" or \"annotate\"")),
    };
    let (write, path, kind): (fn(&Model, bool) -> Result<String>, _, _) = match given.as_str() {
        Some("zod") => (zod::write, "schemas.ts", "typescript"),
        Some("joi") => (joi::write, "schemas.ts", "typescript"),
        Some("yup") => (yup::write, "schemas.ts", "typescript"),
        Some("pydantic") => (pydantic::write, "models.py", "python"),
        _ => return Err(bad("library", &given, "\"zod\", \"joi\", \"yup\" or \"pydantic\"")),
    };
    let model = source::shapes(input)?;
    let text = write(&model, formats)?;
    Ok(Output {
        data: serde_json::to_value(&model).unwrap_or_default(),
        artifacts: vec![Artifact { path: path.to_owned(), kind, text }],
        open: model.open.clone(),
        notes: if formats { notes::formats(&model) } else { Vec::new() },
    })
}
