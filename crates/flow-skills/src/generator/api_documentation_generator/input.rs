//! The input of `api-documentation-generator`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::fields::EndpointFields;
use crate::generator::data_fields::DataFields;
use crate::input::values::{Block, Line, TextOr, TextOrList, TextOrNumber, undescribed};
use crate::notation::endpoints::Numbered;
use crate::output;

/// Endpoints, and the schemas that they use.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Input {
    /// The endpoints: GET /users/{id} -> User, with entities between them; or a list of such lines or of objects.
    pub(super) endpoints: Option<TextOrList<TextOr<EndpointFields>>>,
    /// The authentication: bearer, jwt, basic or apiKey, a list of them, or security schemes by name.
    #[schemars(extend("x-labels" = ["auth", "authentication"]))]
    pub(super) security: Option<Security>,
    /// The title of the API.
    pub(super) title: Option<Line>,
    /// The version of the API. Default: 1.0.0.
    #[serde(rename = "version")]
    #[schemars(extend("x-labels" = ["API version"]))]
    pub(super) api_version: Option<TextOrNumber>,
    /// A description of the API.
    pub(super) description: Option<Block>,
    /// The URLs of the API's servers.
    #[serde(default)]
    #[schemars(extend("x-commas" = true, "x-labels" = ["Server"]))]
    pub(super) servers: Vec<Line>,
    /// The version of OpenAPI: 3.1 or 3.0. Default: that of the existing document, else 3.1.
    #[serde(rename = "openapi")]
    #[schemars(extend("x-labels" = ["OpenAPI version"]))]
    pub(super) version: Option<Version>,
    /// The format of the document: yaml or json. Default: that of the existing document, else yaml.
    pub(super) format: Option<Format>,
    /// An OpenAPI document that the endpoints and schemas are merged into; its content is kept.
    #[serde(rename = "merge")]
    _merge: Option<Value>,
    #[serde(flatten)]
    pub(super) data: DataFields,
}

impl Input {
    /// The endpoints: the text of those in their notation, with an empty line for each object, and the objects, each with the
    /// number of its line.
    pub(super) fn endpoints(&self) -> output::Result<(String, Numbered)> {
        let list = match &self.endpoints {
            None => return Ok(Default::default()),
            Some(TextOrList::Text(text)) => return Ok((text.to_string(), Vec::new())),
            Some(TextOrList::Value(list)) => list,
        };
        let (mut text, mut objects) = (String::new(), Vec::new());
        for (at, item) in list.iter().enumerate() {
            match item {
                TextOr::Text(line) => text += line,
                TextOr::Value(fields) => {
                    objects.push((at + 1, fields.endpoint(&format!("endpoints[{at}]"))?));
                }
            }
            text.push('\n');
        }
        Ok((text, objects))
    }
}

/// A version of OpenAPI.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "TextOrNumber")]
#[schemars(transform = undescribed)]
pub(super) enum Version {
    V30,
    #[default]
    V31,
}

impl TryFrom<TextOrNumber> for Version {
    type Error = &'static str;

    fn try_from(version: TextOrNumber) -> Result<Self, &'static str> {
        match version.0.as_str() {
            "3.0" | "3.0.3" => Ok(Self::V30),
            "3.1" | "3.1.0" => Ok(Self::V31),
            _ => Err("one of 3.1, 3.0"),
        }
    }
}

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    Yaml,
    Json,
}

/// Security schemes by name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Value")]
#[schemars(extend("type" = ["string", "array", "object"]), transform = undescribed)]
pub(super) struct Security(pub(super) Map<String, Value>);

impl Security {
    /// The scheme of a word, and the name that it gets.
    pub(super) fn of_word(word: &str) -> Option<(&'static str, Value)> {
        let bare = word.to_ascii_lowercase().replace(['-', '_', ' '], "");
        // `bearer token` and `basic auth` are those schemes.
        let ends = ["token", "auth", "authentication", "authorization"];
        let scheme = ends.iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(&bare);
        Some(match scheme {
            "bearer" => ("bearer", json!({ "type": "http", "scheme": "bearer" })),
            "jwt" | "jwtbearer" | "bearerjwt" => {
                ("jwt", json!({ "type": "http", "scheme": "bearer", "bearerFormat": "JWT" }))
            }
            "basic" => ("basic", json!({ "type": "http", "scheme": "basic" })),
            "apikey" => {
                ("apiKey", json!({ "type": "apiKey", "name": "X-API-Key", "in": "header" }))
            }
            _ => return None,
        })
    }

    fn read(value: Value) -> Option<Self> {
        let words: Vec<String> = match value {
            Value::Object(map) => return Some(Self(map)),
            Value::String(text) => text.split(',').map(|word| word.trim().to_owned()).collect(),
            value => serde_json::from_value(value).ok()?,
        };
        let mut schemes = Map::new();
        for word in words {
            let (name, scheme) = Self::of_word(&word)?;
            schemes.insert(name.to_owned(), scheme);
        }
        Some(Self(schemes))
    }
}

impl TryFrom<Value> for Security {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, &'static str> {
        Self::read(value).ok_or(
            "bearer, jwt, basic or apiKey, a list of them, or an object of security schemes by name, such as {\"oauth\": {\"type\": \"oauth2\", \"flows\": …}}",
        )
    }
}
