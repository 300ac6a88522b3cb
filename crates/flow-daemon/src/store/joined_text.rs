//! The text of a document: a file's, followed by that of the formats.

use std::sync::Arc;

use bytes::Bytes;

use crate::model::synonyms::Synonyms;

/// A document's text: the file's, and behind it that of the formats.
#[derive(Debug, Clone)]
pub struct JoinedText {
    /// Both texts.
    pub text: Bytes,
    /// Where the text of the formats begins.
    pub plans_at: usize,
    /// What statuses mean in the records of the formats.
    pub synonyms: Arc<Synonyms>,
}

impl JoinedText {
    /// A file's text alone.
    pub fn of_file(text: &Bytes) -> Self {
        Self { text: text.clone(), plans_at: text.len(), synonyms: Arc::default() }
    }
}
