//! Writes the bodies of answers: objects whose members are values or JSON text.

use std::time::SystemTime;

use bytes::Bytes;
use serde::Serialize;

use crate::model::time;

/// A JSON object that is being written.
#[derive(Debug)]
pub(super) struct Object(Vec<u8>);

impl Object {
    /// An object with this many bytes reserved.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        let mut text = Vec::with_capacity(bytes);
        text.push(b'{');
        Self(text)
    }

    /// Adds a value.
    #[must_use]
    pub(super) fn value(mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Self {
        self.name(name);
        // Writing plain data to memory does not fail.
        let _ = serde_json::to_writer(&mut self.0, value);
        self
    }

    /// Adds a time, or null.
    #[must_use]
    pub(super) fn time(mut self, name: &'static str, time: Option<SystemTime>) -> Self {
        self.name(name);
        match time {
            Some(time) => {
                self.0.push(b'"');
                time::write(time, &mut self.0);
                self.0.push(b'"');
            }
            None => self.0.extend_from_slice(b"null"),
        }
        self
    }

    /// Adds an array of elements that are JSON text, separated by commas.
    #[must_use]
    pub(super) fn array(self, name: &'static str, elements: &[u8]) -> Self {
        self.array_with(name, |out| out.extend_from_slice(elements)).0
    }

    /// Adds an array; `write` writes its elements, separated by commas. Returns what `write` returns too.
    #[must_use]
    pub(super) fn array_with<T>(
        mut self,
        name: &'static str,
        write: impl FnOnce(&mut Vec<u8>) -> T,
    ) -> (Self, T) {
        self.name(name);
        self.0.push(b'[');
        let written = write(&mut self.0);
        self.0.push(b']');
        (self, written)
    }

    /// Adds the members of another object, given without its braces.
    #[must_use]
    pub(super) fn members(mut self, members: &[u8]) -> Self {
        self.separate();
        self.0.extend_from_slice(members);
        self
    }

    /// The finished object.
    pub(super) fn finish(mut self) -> Bytes {
        self.0.push(b'}');
        self.0.into()
    }

    /// Names are those of the documentation, which contain no character that JSON escapes.
    fn name(&mut self, name: &'static str) {
        self.separate();
        self.0.push(b'"');
        self.0.extend_from_slice(name.as_bytes());
        self.0.extend_from_slice(b"\":");
    }

    fn separate(&mut self) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
    }
}
