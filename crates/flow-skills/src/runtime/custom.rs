//! Custom skills: templates in `.claude/skills/`, parsed into name, fields and template.
//!
//! It renders nothing and reads no folder. A template is `<name>.<ext>.tera`, or the file that a folder's SKILL.md
//! names in `metadata.flow-template`. Its placeholders are its fields: one behind which the filter `default` stands is
//! optional, one whose items a loop goes through is a list.

use serde_json::{Map, Value, json};

use crate::input::coerce::coerce;
use crate::input::definition::Request;
use crate::input::parse::{json as json_value, yaml_value};
use crate::input::recognise;
use crate::input::typed;
use crate::output::{Fault, Result};

/// Largest template, in bytes.
pub const LARGEST_TEMPLATE: usize = 64 << 10;
/// Variables that every template may use besides its fields.
const GIVEN: [&str; 2] = ["now", "today"];

/// A custom skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Custom {
    /// Its text.
    pub template: String,
    /// The schema of its fields, in the form of the built-in skills' schemas.
    pub schema: Value,
}

impl Custom {
    /// The fields that a request sets: content is an object of fields, or else the value of the one required field that
    /// no `key=value` word sets.
    ///
    /// # Errors
    /// When content cannot be read, a word names no field or does not fit the field's type, or the content fits several
    /// fields or none.
    pub fn place(&self, request: &Request) -> Result<Map<String, Value>> {
        let mut pairs = Map::new();
        for (name, text) in &request.pairs {
            let Some((field, property)) = typed::property(&self.schema, name) else {
                return Err(typed::unknown("", &[name], &self.schema));
            };
            pairs.insert(field.to_owned(), value_of_pair(field, text, property)?);
        }
        let mut fields = Map::new();
        for bytes in &request.contents {
            let text = recognise::decode(bytes)?;
            if !text.trim().is_empty() {
                fields.extend(self.content(text, &pairs)?);
            }
        }
        fields.extend(pairs);
        Ok(fields)
    }

    /// Whether fields fit the schema.
    ///
    /// # Errors
    /// The first fault: an unknown field, else a missing one, else a value of another type.
    pub fn check(&self, fields: &Map<String, Value>) -> Result<()> {
        typed::members("", fields, &self.schema)
    }

    fn content(&self, text: &str, pairs: &Map<String, Value>) -> Result<Map<String, Value>> {
        let begins_with_field = |value: &Value| {
            let name = value.as_object().and_then(|map| map.keys().next());
            name.is_some_and(|name| self.schema["properties"].get(name).is_some())
        };
        let object = if text.trim_start().starts_with('{') {
            Some(json_value(text)?)
        } else {
            yaml_value(text).ok().filter(begins_with_field)
        };
        if let Some(Value::Object(map)) = object {
            return Ok(map);
        }
        let field = self.field_for_content(pairs)?;
        let value = value_of_pair(field, text, &self.schema["properties"][field])?;
        Ok(Map::from_iter([(field.to_owned(), value)]))
    }

    /// The one required field that no pair sets.
    fn field_for_content(&self, pairs: &Map<String, Value>) -> Result<&str> {
        let open: Vec<&str> = self.required().filter(|name| !pairs.contains_key(*name)).collect();
        match open.as_slice() {
            [one] => Ok(one),
            [] => Err(Fault::Refused(
                "no required field is left for the text; give KEY=VALUE alone".to_owned(),
            )),
            _ => Err(Fault::Refused(format!(
                "the text could be any of {}; give all of them but one as KEY=VALUE",
                open.join(", ")
            ))),
        }
    }

    fn required(&self) -> impl Iterator<Item = &str> {
        self.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }
}

/// The value of a `key=value` word: true or false, else the text as it stands; of a list the items between commas.
fn value_of_pair(field: &str, text: &str, property: &Value) -> Result<Value> {
    match typed::types(property).as_slice() {
        [] => Ok(text.parse::<bool>().map_or(text.into(), Value::from)),
        ["array"] if !text.trim_start().starts_with('[') => {
            let items = text.split([',', ';', '\n']).map(str::trim).filter(|item| !item.is_empty());
            Ok(items.map(Value::from).collect())
        }
        _ => coerce(field, text, property),
    }
}

/// The name and the extension of the artifact of a template file: `note` and `md` for `note.md.tera`.
pub fn names(file: &str) -> Option<(&str, &str)> {
    let (name, ending) = file.strip_suffix(".tera")?.rsplit_once('.')?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (!name.is_empty() && name.chars().all(plain) && !ending.is_empty()).then_some((name, ending))
}

/// Parses a template. `placeholders` lists its variables: [`super::sandbox::placeholders`], unless the text is trusted.
///
/// # Errors
/// When it is too large, or cannot be parsed.
pub fn read(
    template: &str,
    placeholders: impl FnOnce(&str) -> Result<Vec<String>>,
) -> Result<Custom> {
    if template.len() > LARGEST_TEMPLATE {
        let size = template.len();
        return Err(Fault::Refused(format!(
            "the template has {size} bytes, over the limit of {LARGEST_TEMPLATE}"
        )));
    }
    let placeholders = placeholders(template)?;
    let mut properties = Map::new();
    let mut required = Vec::new();
    for name in placeholders.iter().filter(|name| !GIVEN.contains(&name.as_str())) {
        let mut property = json!({"description": "a placeholder of the template"});
        if iterates(template, name) {
            property["type"] = "array".into();
        }
        properties.insert(name.clone(), property);
        if !has_default(template, name) {
            required.push(name.clone());
        }
    }
    let schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    Ok(Custom { template: template.to_owned(), schema })
}

/// Whether a template says what stands in place of a field: `{{ name | default(value="nobody") }}`.
fn has_default(template: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    template.match_indices(name).any(|(at, _)| {
        let behind = template[at + name.len()..].trim_start().strip_prefix('|');
        let is_filter = behind.is_some_and(|rest| rest.trim_start().starts_with("default"));
        is_filter && !template[..at].ends_with(is_part)
    })
}

/// Whether a template goes through the items of a field, so that it is a list: `{% for change in changes %}`.
fn iterates(template: &str, name: &str) -> bool {
    template.split("{%").skip(1).any(|rest| {
        let mut words = rest.trim_start_matches('-').split_whitespace();
        let head = [words.next(), words.next(), words.next(), words.next()];
        matches!(head, [Some("for"), _, Some("in"), Some(of)] if of.trim_end_matches("%}").trim_end_matches('-') == name)
    })
}
