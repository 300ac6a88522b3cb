//! What the skill before has laid out as nodes and edges already.

use std::borrow::Cow;

use crate::generator::blocker_analysis;
use crate::input::Input;
use crate::output::{Fault, Result};

/// The input with the nodes and edges of blocker-analysis in their fields, where that skill came before.
pub(super) fn laid(input: &Input) -> Result<Cow<'_, Input>> {
    let Some((skill, data)) = &input.upstream else { return Ok(Cow::Borrowed(input)) };
    if skill != blocker_analysis::NAME {
        return Ok(Cow::Borrowed(input));
    }
    if data["nodes"].as_array().is_none_or(Vec::is_empty) {
        let why = format!("{skill} found no open story, so there is nothing to draw");
        return Err(Fault::Refused(why));
    }
    let mut fields = input.fields.clone();
    // The analysis as Markdown, which an envelope brings along, is no line of a diagram.
    fields.remove("text");
    for field in ["nodes", "edges"] {
        fields.insert(field.to_owned(), data[field].clone());
    }
    Ok(Cow::Owned(Input { fields, upstream: None }))
}
