//! What the schema of an input type says beyond JSON Schema: `#[schemars(extend("x-rest" = true))]` on a field.

/// Other names of the field, by which words, labels, headings and members set it too.
pub const LABELS: &str = "x-labels";
/// The field is set by the title of a document, whichever heading that is (`labels`).
pub const TITLE: &str = "x-title";
/// The field takes the text that has no label. It may be the field for text itself, whose value may then have labels.
pub const REST: &str = "x-rest";
/// The field takes the whole text: the skill reads its labels itself.
pub const WHOLE: &str = "x-whole";
/// The items of the list are short names: commas separate them. Other lists are split at semicolons and line breaks, since
/// a sentence may contain commas.
pub const COMMAS: &str = "x-commas";
/// The items of the list keep their boxes, `[ ]` or `[x]`.
pub const BOXES: &str = "x-boxes";
/// Of the whole input: what an error about an unknown field adds.
pub const UNKNOWN: &str = "x-unknown";
