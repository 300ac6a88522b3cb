//! The text of a document: a file's, followed by that of the formats.

use bytes::Bytes;

/// A document's text: the file's, and behind it that of the formats.
#[derive(Debug, Clone)]
pub struct JoinedText {
    /// Both texts.
    pub text: Bytes,
    /// Where the text of the formats begins.
    pub plans_at: usize,
}

impl JoinedText {
    /// A file's text alone.
    pub fn of_file(text: &Bytes) -> Self {
        Self { text: text.clone(), plans_at: text.len() }
    }
}
