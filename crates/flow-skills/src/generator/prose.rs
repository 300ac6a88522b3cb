//! The escaper of text in Markdown, under the name that generators know.

pub(super) use crate::text::prose::{one_line, prose};
