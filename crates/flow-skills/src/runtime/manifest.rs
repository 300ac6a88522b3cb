//! The frontmatter of a SKILL.md. Its body is for agents and people.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::text::front_matter;

/// The frontmatter of a SKILL.md.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Manifest {
    /// Its name, equal to its folder's.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// Its requirements.
    #[serde(default)]
    pub compatibility: Option<String>,
    /// Own keys: `flow-template` (the path of a template below the folder) and `flow-output` (a language).
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
}

/// Reads the frontmatter of a SKILL.md; `None` if there is none, or it is invalid.
pub fn read(text: &str) -> Option<Manifest> {
    let (front, _) = front_matter(text)?;
    serde_saphyr::from_str(front).ok()
}
