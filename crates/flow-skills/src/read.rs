//! Recognises what a text is (JSON, YAML, Markdown, plain text, or an envelope) and lays it into a skill's fields.
//!
//! It reads no file. What the fields may hold is [`super::check`]'s.

use serde_json::{Map, Value};

use super::input::{Input, LARGEST};
use super::output::{Fault, Result};

pub use crate::input::recognise::Format;

/// What is known of a skill's fields.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    /// Its input schema.
    pub schema: &'a Value,
    /// The field that plain text goes to.
    pub main: &'a str,
}

impl Fields<'_> {
    fn knows(&self, name: &str) -> bool {
        self.schema["properties"].get(name).is_some()
    }

    /// Whether the main field takes values that are not text.
    fn main_takes(&self, value: &Value) -> bool {
        let kind = match value {
            Value::Array(_) => "array",
            Value::Object(_) => "object",
            _ => return true,
        };
        match &self.schema["properties"][self.main]["type"] {
            Value::Null => true,
            Value::Array(kinds) => kinds.iter().any(|known| known == kind),
            known => known == kind,
        }
    }
}

/// Lays a text into fields.
///
/// # Errors
/// When it is too large, not UTF-8, or not the format that it claims to be.
pub fn read(bytes: &[u8], format: Format, fields: Fields<'_>) -> Result<Input> {
    if bytes.len() > LARGEST {
        return Err(Fault::Unreadable(format!(
            "the input has {} bytes, over the limit of {LARGEST}",
            bytes.len()
        )));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Fault::Unreadable(format!("the input is not UTF-8 at byte {}", error.valid_up_to() + 1))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Json => lay(json(text)?, fields),
        Format::Yaml => lay(yaml(text)?, fields),
        Format::Text => Ok(main(text.into(), fields)),
        Format::Any => recognise(text, fields),
    }
}

fn recognise(text: &str, fields: Fields<'_>) -> Result<Input> {
    let trimmed = text.trim_start();
    if trimmed.starts_with('{') {
        return lay(json(text)?, fields);
    }
    // A bracket may begin a list in JSON or a link in Markdown.
    if let Some(list) =
        Some(trimmed).filter(|text| text.starts_with('[')).and_then(|text| json(text).ok())
    {
        return lay(list, fields);
    }
    match first_key(trimmed).filter(|key| fields.knows(key)) {
        Some(_) => lay(yaml(text)?, fields),
        None => Ok(main(text.into(), fields)),
    }
}

/// The key of a text whose first line looks like YAML's `key: value`.
fn first_key(text: &str) -> Option<&str> {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && *line != "---" && !line.trim().is_empty());
    let (key, rest) = lines.into_iter().next()?.split_once(':')?;
    let is_name =
        !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    (is_name && (rest.is_empty() || rest.starts_with(' '))).then_some(key)
}

fn json(text: &str) -> Result<Value> {
    serde_json::from_str(text)
        .map_err(|error| Fault::Unreadable(format!("the input is not JSON: {error}")))
}

fn yaml(text: &str) -> Result<Value> {
    let why = |error: serde_saphyr::Error| {
        let text = error.to_string();
        Fault::Unreadable(format!(
            "the input is not YAML: {}",
            text.lines().next().unwrap_or_default()
        ))
    };
    crate::text::yaml::read(text).map_err(why)
}

fn lay(value: Value, fields: Fields<'_>) -> Result<Input> {
    match value {
        Value::Object(map) if is_envelope(&map) => envelope(map, fields),
        Value::Object(map) if map.keys().any(|key| fields.knows(key)) => {
            Ok(Input { fields: map, upstream: None })
        }
        Value::Object(map) if !fields.main_takes(&Value::Object(Map::new())) => {
            Ok(Input { fields: map, upstream: None })
        }
        value if fields.main_takes(&value) => Ok(main(value, fields)),
        value => Err(Fault::Bad {
            field: fields.main.to_owned(),
            given: if value.is_array() { "a list".to_owned() } else { value.to_string() },
            allowed: "text, or an object of fields".to_owned(),
        }),
    }
}

fn main(value: Value, fields: Fields<'_>) -> Input {
    let mut map = Map::new();
    let is_empty = value.as_str().is_some_and(|text| text.trim().is_empty());
    if !is_empty {
        map.insert(fields.main.to_owned(), value);
    }
    Input { fields: map, upstream: None }
}

fn is_envelope(map: &Map<String, Value>) -> bool {
    ["skill", "data", "artifacts"].iter().all(|key| map.contains_key(*key))
}

/// The data of the skill before, and its main text where the main field takes text.
fn envelope(mut map: Map<String, Value>, fields: Fields<'_>) -> Result<Input> {
    let skill = map.get("skill").and_then(Value::as_str).unwrap_or_default().to_owned();
    if skill.is_empty() {
        return Err(Fault::Unreadable("the envelope does not name its skill".to_owned()));
    }
    let text = map["artifacts"][0]["text"].take();
    let data = map.remove("data").unwrap_or_default();
    let takes_text = fields.schema["properties"][fields.main]["type"] == "string";
    let mut input = if takes_text && text.is_string() && !says_all(&data) {
        main(text, fields)
    } else {
        Input::default()
    };
    input.upstream = Some((skill, data));
    Ok(input)
}

/// Whether data say all that their text says: a data model, or what a diagram is made of.
fn says_all(data: &Value) -> bool {
    let model = data.get("model").unwrap_or(data);
    model.get("entities").is_some() || data.get("nodes").is_some()
}

/// Adds `key=value` words over what was read; a value is read by its field's type.
///
/// # Errors
/// When a number, a list or an object is not one.
pub fn assign(input: &mut Input, (key, text): (&str, &str), fields: Fields<'_>) -> Result<()> {
    let schema = &fields.schema["properties"][key];
    let is = |kind: &str| {
        schema["type"] == kind
            || schema["type"].as_array().is_some_and(|all| all.iter().any(|k| k == kind))
    };
    let value = if is("string") || schema["type"].is_null() {
        Value::from(text)
    } else if is("array") && !text.trim_start().starts_with('[') {
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Value::from).collect()
    } else {
        serde_json::from_str(text).map_err(|_| Fault::Bad {
            field: key.to_owned(),
            given: format!("{text:?}"),
            allowed: super::check::expected(schema),
        })?
    };
    input.fields.insert(key.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(text: &str, format: Format) -> Value {
        let schema = json!({"properties": {
            "source": {"description": "anything"}, "guards": {"type": "boolean"}, "name": {"type": "string"},
            "tags": {"type": "array"}
        }});
        match read(text.as_bytes(), format, Fields { schema: &schema, main: "source" }) {
            Ok(input) => json!({"fields": input.fields, "upstream": input.upstream}),
            Err(fault) => Value::from(fault.to_string()),
        }
    }

    fn laid(text: &str) -> Value {
        fields(text, Format::Any)["fields"].clone()
    }

    #[test]
    fn each_kind_is_recognised() {
        assert_eq!(laid(r#"{"name": "A", "guards": true}"#), json!({"name": "A", "guards": true}));
        assert_eq!(laid("name: A\nguards: true\n"), json!({"name": "A", "guards": true}));
        assert_eq!(laid(r#"{"id": 1}"#), json!({"source": {"id": 1}}));
        assert_eq!(laid(r#"[{"id": 1}]"#), json!({"source": [{"id": 1}]}));
        assert_eq!(laid("User: id uuid pk"), json!({"source": "User: id uuid pk"}));
        assert_eq!(laid("[a link](x) and text"), json!({"source": "[a link](x) and text"}));
        assert_eq!(laid(" \n"), json!({}));
    }

    #[test]
    fn an_envelope_is_the_skill_before() {
        let given = r##"{"skill": "story-skeleton", "data": {"id": "US-1"}, "artifacts": [{"text": "# x"}]}"##;
        assert_eq!(
            fields(given, Format::Any)["upstream"],
            json!(["story-skeleton", {"id": "US-1"}])
        );
    }

    #[test]
    fn what_is_no_input_says_why() {
        assert!(fields("{", Format::Any).as_str().unwrap().starts_with("the input is not JSON"));
        assert!(
            fields("a: [", Format::Yaml).as_str().unwrap().starts_with("the input is not YAML")
        );
        let schema = json!({});
        let read = |bytes: &[u8]| {
            read(bytes, Format::Any, Fields { schema: &schema, main: "x" }).unwrap_err().to_string()
        };
        assert_eq!(read(b"a\xff"), "the input is not UTF-8 at byte 2");
        assert!(read(&vec![b'a'; LARGEST + 1]).contains("over the limit"));
    }

    #[test]
    fn a_yaml_bomb_and_deep_nesting_are_errors() {
        let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for level in 1..10 {
            let below = vec![format!("*a{}", level - 1); 10].join(",");
            bomb += &["a", &level.to_string(), ": &a", &level.to_string(), " [", &below, "]\n"]
                .concat();
        }
        assert!(fields(&bomb, Format::Yaml).is_string());
        assert!(fields(&"[".repeat(100_000), Format::Yaml).is_string());
        assert!(fields(&"[".repeat(100_000), Format::Json).is_string());
    }
}
