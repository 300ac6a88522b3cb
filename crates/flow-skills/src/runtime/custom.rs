//! Custom skills: a template in `.claude/skills/`, taken apart into what a skill is: name, fields, template.
//!
//! It renders nothing and reads no folder. A template is `<name>.<ext>.tera`, or the one that a folder's SKILL.md names
//! in `metadata.flow-template`. Its placeholders are its fields; a frontmatter may type, describe and default them:
//!
//! ```text
//! ---
//! description: A release note
//! inputs:
//!   version: {type: string, description: The version}
//!   breaking: {type: boolean, default: false}
//! ---
//! # {{ version }}
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::output::{Fault, Result};

/// Largest template, in bytes.
pub const LARGEST_TEMPLATE: usize = 64 << 10;
/// What every template may use beside its fields.
const GIVEN: [&str; 2] = ["now", "today"];
/// Types that a field may have.
const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// A custom skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Custom {
    /// What it does, where the frontmatter says.
    pub description: String,
    /// The template without its frontmatter.
    pub template: String,
    /// The schema of its fields, in the form of the built-in ones.
    pub schema: Value,
    /// The values of fields that are not given.
    pub defaults: Map<String, Value>,
}

/// A template's frontmatter.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Front {
    description: String,
    inputs: BTreeMap<String, Field>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Field {
    r#type: Option<String>,
    description: Option<String>,
    default: Option<Value>,
}

/// The name and the ending of the artifact that a template's file name stands for: `note.md.tera` is `note`, `md`.
pub fn names(file: &str) -> Option<(&str, &str)> {
    let (name, ending) = file.strip_suffix(".tera")?.rsplit_once('.')?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (!name.is_empty() && name.chars().all(plain) && !ending.is_empty()).then_some((name, ending))
}

/// Takes a template apart. `placeholders` parses it: [`super::sandbox::placeholders`], unless the text is known to be
/// harmless.
///
/// # Errors
/// When it is too large, its frontmatter is wrong, or the template cannot be parsed.
pub fn read(text: &str, placeholders: impl FnOnce(&str) -> Result<Vec<String>>) -> Result<Custom> {
    if text.len() > LARGEST_TEMPLATE {
        let size = text.len();
        return Err(Fault::Refused(format!(
            "the template has {size} bytes, over the limit of {LARGEST_TEMPLATE}"
        )));
    }
    let (front, template) = split(text)?;
    let placeholders = placeholders(template)?;
    if let Some(unused) = front.inputs.keys().find(|name| !placeholders.contains(name)) {
        return Err(Fault::Refused(format!(
            "the frontmatter has the input {unused:?}, which the template does not use"
        )));
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut defaults = Map::new();
    for name in placeholders.iter().filter(|name| !GIVEN.contains(&name.as_str())) {
        let field = front.inputs.get(name);
        properties.insert(name.clone(), property(name, field)?);
        match field.and_then(|field| field.default.clone()) {
            Some(default) => drop(defaults.insert(name.clone(), default)),
            None => required.push(name.clone()),
        }
    }
    let schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    Ok(Custom { description: front.description, template: template.to_owned(), schema, defaults })
}

fn split(text: &str) -> Result<(Front, &str)> {
    let Some((front, template)) =
        text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"))
    else {
        return Ok((Front::default(), text));
    };
    let wrong = |error: serde_saphyr::Error| {
        let text = error.to_string();
        Fault::Unreadable(format!(
            "the frontmatter is wrong: {}",
            text.lines().next().unwrap_or_default()
        ))
    };
    Ok((serde_saphyr::from_str(front).map_err(wrong)?, template))
}

fn property(name: &str, field: Option<&Field>) -> Result<Value> {
    let description = field.and_then(|field| field.description.as_deref());
    let mut property =
        json!({"description": description.unwrap_or("a placeholder of the template")});
    if let Some(kind) = field.and_then(|field| field.r#type.as_deref()) {
        if !TYPES.contains(&kind) {
            return Err(Fault::Bad {
                field: format!("inputs.{name}.type"),
                given: format!("{kind:?}"),
                allowed: format!("one of {}", TYPES.join(", ")),
            });
        }
        property["type"] = kind.into();
    }
    Ok(property)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::engine;

    #[test]
    fn a_template_is_taken_apart() {
        let text = "---\ndescription: A note\ninputs:\n  version: {type: string}\n  loud: {type: boolean, default: false}\n\
                    ---\n# {{ version }} {% if loud %}!{% endif %} {{ today }} {{ who }}\n";
        let custom = read(text, engine::placeholders).unwrap();
        assert_eq!(custom.description, "A note");
        assert_eq!(custom.schema["required"], json!(["version", "who"]));
        assert_eq!(custom.schema["properties"]["loud"]["type"], "boolean");
        assert_eq!(custom.defaults["loud"], json!(false));
        assert!(custom.template.starts_with("# {{"));
    }

    #[test]
    fn what_is_no_template_says_why() {
        let why = |text: &str| read(text, engine::placeholders).unwrap_err().to_string();
        assert!(why("{{ a").contains("template"));
        assert!(why("---\ninputs: {b: {}}\n---\n{{ a }}").contains("\"b\""));
        assert!(why("---\ninputs: {a: {type: text}}\n---\n{{ a }}").contains("one of string"));
        assert!(why("---\nshiny: 1\n---\n{{ a }}").contains("frontmatter"));
        assert!(why(&"x".repeat(LARGEST_TEMPLATE + 1)).contains("over the limit"));
        assert!(
            why(&["{{ ", &"(".repeat(3000), "1", &")".repeat(3000), " }}"].concat())
                .contains("template")
        );
    }

    #[test]
    fn names_are_of_the_file() {
        assert_eq!(names("release-note.md.tera"), Some(("release-note", "md")));
        for wrong in ["note.tera", "Note.md.tera", ".md.tera", "note.md", "a b.md.tera"] {
            assert_eq!(names(wrong), None, "{wrong}");
        }
    }
}
