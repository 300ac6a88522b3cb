//! Which skills of one's own may run: `.flow/skills.json`, with a hash of each template's content.
//!
//! A cloned repository brings templates, but no registry (`.flow` is never committed), so none of them runs unasked. A
//! template that changed since it was registered is refused as well. It reads and writes no file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::output::{Fault, Result};

/// Largest registry, in bytes.
pub const LARGEST_REGISTRY: u64 = 1 << 20;

/// The registered skills by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    /// Each by its name.
    pub skills: BTreeMap<String, Registered>,
}

/// A registered skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registered {
    /// The template, relative to the project's root.
    pub path: String,
    /// [`fingerprint`] of its content.
    pub hash: String,
}

impl Registry {
    /// Reads a registry; an empty text is an empty one.
    ///
    /// # Errors
    /// When it is not one.
    pub fn read(text: &str) -> Result<Self> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_str(text)
            .map_err(|error| Fault::Unreadable(format!(".flow/skills.json is wrong: {error}")))
    }

    /// Its text.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Whether a template is registered under a name, as it is.
    pub fn allows(&self, name: &str, template: &str) -> bool {
        self.skills.get(name).is_some_and(|known| known.hash == fingerprint(template))
    }
}

/// Tells one content from another.
pub fn fingerprint(text: &str) -> String {
    format!("{:032x}", xxh3_128(text.as_bytes()))
}
